// CallCache: the command for the first word of redis.call, without a look-up by bytes.
//
// Lua keeps equal strings once, so the address of a name tells which one it is, as long as it is
// the same string still: that is checked. Scripts call few commands and call them often.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <span>
#include <string_view>

#include "rung/commands/catalog.h"

namespace rung {

class CallCache {
 public:
  // As Catalog::Find. Requires a word at least.
  const Command* Find(const Catalog& catalog, std::span<const std::string_view> args) {
    const std::string_view name = args[0];
    Slot& slot = slots_[(reinterpret_cast<std::uintptr_t>(name.data()) >> 4) % kSlots];
    if (slot.size == name.size() && std::memcmp(slot.name.data(), name.data(), slot.size) == 0) {
      return slot.command;
    }
    const Command* command = catalog.Find(args);
    // A subcommand is named by its second word too.
    if (command != nullptr && command->parent == nullptr && name.size() <= slot.name.size()) {
      std::memcpy(slot.name.data(), name.data(), name.size());
      slot.size = static_cast<std::uint8_t>(name.size());
      slot.command = command;
    }
    return command;
  }

 private:
  static constexpr std::size_t kSlots = 64;

  struct Slot {
    std::array<char, 15> name{};
    std::uint8_t size = 0;
    const Command* command = nullptr;
  };

  std::array<Slot, kSlots> slots_{};
};

}  // namespace rung
