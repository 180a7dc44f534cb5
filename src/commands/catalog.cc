// Look-up of commands, and of the keys in a request. See catalog.h.

#include "rung/commands/catalog.h"

#include <algorithm>
#include <utility>

#include "commands/families.h"
#include "rung/base/check.h"
#include "rung/base/numbers.h"

namespace rung {
namespace {

// FNV-1a over case-folded bytes: a fixed table of our own names needs no keyed hash.
std::size_t HashName(std::string_view name) {
  std::uint32_t hash = 2166136261u;
  for (const char c : name) hash = (hash ^ (static_cast<unsigned char>(c) | 0x20u)) * 16777619u;
  return hash ^ (hash >> 15);
}

constexpr std::size_t kLongestName = 64;

}  // namespace

Catalog::Catalog() : Catalog(AllFamilies()) {}

Catalog::Catalog(std::span<const std::span<const CommandSpec>> families) : slots_(kSlots) {
  for (const std::span<const CommandSpec> family : families) {
    for (const CommandSpec& spec : family) Add(spec);
  }
}

Catalog::~Catalog() = default;

void Catalog::Add(const CommandSpec& spec) {
  auto command = std::make_unique<Command>();
  command->spec = &spec;
  command->full_name = ToLower(spec.name);
  command->id = next_id_++;
  command->subcommands.reserve(spec.subcommands.size());
  for (const CommandSpec& sub : spec.subcommands) {
    command->subcommands.push_back({.spec = &sub,
                                    .full_name = command->full_name + "|" + ToLower(sub.name),
                                    .id = next_id_++,
                                    .parent = command.get(),
                                    .subcommands = {}});
  }
  RUNG_CHECK(FindTop(spec.name) == nullptr, "a command is declared twice");
  FillSlot(command->full_name, command.get());
  commands_.push_back(std::move(command));
}

void Catalog::FillSlot(std::string_view name, const Command* command) {
  std::size_t at = HashName(name) % kSlots;
  while (slots_[at].command != nullptr) at = (at + 1) % kSlots;
  slots_[at] = {.name = std::string(name), .command = command};
}

std::optional<Error> Catalog::Rename(std::string_view from, std::string_view to) {
  const Command* command = FindTop(from);
  if (command == nullptr) return Error("ERR No such command in rename-command");
  if (!to.empty() && FindTop(to) != nullptr) {
    return Error("ERR Target command name already exists");
  }
  // Renaming happens at start only: rebuilding the slots keeps probe chains whole.
  std::vector<Slot> old = std::exchange(slots_, std::vector<Slot>(kSlots));
  for (const Slot& slot : old) {
    if (slot.command != nullptr && slot.command != command) FillSlot(slot.name, slot.command);
  }
  if (!to.empty()) {
    FillSlot(ToLower(to), command);
  } else {
    std::erase_if(commands_, [&](const auto& owned) { return owned.get() == command; });
  }
  return std::nullopt;
}

const Command* Catalog::FindTop(std::string_view name) const {
  if (name.empty() || name.size() > kLongestName) return nullptr;
  for (std::size_t at = HashName(name) % kSlots; slots_[at].command != nullptr;
       at = (at + 1) % kSlots) {
    if (slots_[at].name.size() == name.size() && EqualsIgnoreCase(slots_[at].name, name)) {
      return slots_[at].command;
    }
  }
  return nullptr;
}

const Command* Catalog::Find(std::span<const std::string_view> args) const {
  const Command* command = FindTop(args[0]);
  if (command == nullptr || command->subcommands.empty()) return command;
  if (args.size() < 2) return command->spec->handler ? command : nullptr;
  // COMMAND runs alone or with a subcommand; with any other word it is a mistake.
  for (const Command& sub : command->subcommands) {
    if (EqualsIgnoreCase(args[1], sub.spec->name)) return &sub;
  }
  return nullptr;
}

const Command* Catalog::FindByFullName(std::string_view full_name) const {
  const std::size_t bar = full_name.find('|');
  const Command* top = FindTop(full_name.substr(0, bar));
  if (bar == std::string_view::npos || top == nullptr) return top;
  for (const Command& sub : top->subcommands) {
    if (EqualsIgnoreCase(sub.spec->name, full_name.substr(bar + 1))) return &sub;
  }
  return nullptr;
}

namespace {

// The word at which a key specification begins; nullopt if its keyword is not there.
std::optional<std::size_t> FindBegin(const KeySpec& spec, std::span<const std::string_view> args) {
  if (spec.keyword.empty()) return static_cast<std::size_t>(spec.index);
  const auto size = static_cast<std::ptrdiff_t>(args.size());
  const std::ptrdiff_t step = spec.index < 0 ? -1 : 1;
  std::ptrdiff_t at = spec.index < 0 ? size + spec.index : spec.index;
  for (; at > 0 && at < size; at += step) {
    if (EqualsIgnoreCase(args[static_cast<std::size_t>(at)], spec.keyword)) {
      return static_cast<std::size_t>(at) + 1;
    }
  }
  return std::nullopt;
}

constexpr std::string_view kBadKeyCount = "ERR Invalid arguments specified for command";

std::optional<Error> AddKeys(const KeySpec& spec, std::span<const std::string_view> args,
                             std::vector<KeyPosition>& keys) {
  const std::optional<std::size_t> begin = FindBegin(spec, args);
  if (!begin) return std::nullopt;
  if (spec.count_at >= 0) {
    const std::size_t count_index = *begin + static_cast<std::size_t>(spec.count_at);
    if (count_index >= args.size()) return Error(kBadKeyCount);
    const std::optional<std::int64_t> count = ParseInt64(args[count_index]);
    const std::size_t first = *begin + static_cast<std::size_t>(spec.first_key);
    const auto room = static_cast<std::int64_t>(args.size()) - static_cast<std::int64_t>(first);
    if (!count || *count < 0 || *count > room) return Error(kBadKeyCount);
    for (std::int64_t i = 0; i < *count; ++i) {
      keys.push_back({.index = first + static_cast<std::size_t>(i), .flags = spec.flags});
    }
    return std::nullopt;
  }
  std::ptrdiff_t last = static_cast<std::ptrdiff_t>(*begin) + spec.last;
  if (spec.last < 0) last = static_cast<std::ptrdiff_t>(args.size()) + spec.last;
  if (spec.limit > 1) {
    const std::ptrdiff_t words = static_cast<std::ptrdiff_t>(args.size() - *begin);
    last = static_cast<std::ptrdiff_t>(*begin) + words / spec.limit - 1;
  }
  for (auto at = static_cast<std::ptrdiff_t>(*begin); at <= last; at += spec.step) {
    if (at >= static_cast<std::ptrdiff_t>(args.size())) return Error(kBadKeyCount);
    keys.push_back({.index = static_cast<std::size_t>(at), .flags = spec.flags});
  }
  return std::nullopt;
}

}  // namespace

Result<std::vector<KeyPosition>> FindKeys(const Command& command,
                                          std::span<const std::string_view> args) {
  std::vector<KeyPosition> keys;
  for (const KeySpec& spec : command.spec->keys) {
    if (spec.index == 0) continue;
    if (std::optional<Error> error = AddKeys(spec, args, keys)) return *error;
  }
  if (command.spec->key_flags != nullptr) {
    for (KeyPosition& key : keys) key.flags = command.spec->key_flags(args);
  }
  return keys;
}

}  // namespace rung
