// Catalog: all commands, found by name. Built once from the families' declarations.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "rung/base/result.h"
#include "rung/commands/command.h"

namespace rung {

// A declared command in its place. Lives as long as the catalog.
struct Command {
  const CommandSpec* spec = nullptr;
  std::string full_name;             // "zadd", "client|kill": lower case, as INFO names it.
  int id = 0;                        // Index into Statistics::commands.
  const Command* parent = nullptr;   // The container of a subcommand.
  std::vector<Command> subcommands;  // In order of declaration.

  // Words of a request that name the command: 1, or 2 for a subcommand.
  std::size_t name_words() const { return parent == nullptr ? 1 : 2; }
  bool Has(std::uint32_t flags) const { return (spec->flags & flags) != 0; }
  bool AcceptsArity(std::size_t words) const {
    const auto count = static_cast<int>(words);
    return spec->arity > 0 ? count == spec->arity : count >= -spec->arity;
  }
};

// A key of a request: its position among the words, and what happens to it.
struct KeyPosition {
  std::size_t index = 0;
  std::uint16_t flags = 0;
};

class Catalog {
 public:
  // All families. `rename-command` is applied with Rename before the first look-up.
  Catalog();
  explicit Catalog(std::span<const std::span<const CommandSpec>> families);
  ~Catalog();
  Catalog(const Catalog&) = delete;
  Catalog& operator=(const Catalog&) = delete;

  // An empty `to` takes the command away. Errors: unknown command, or `to` is taken.
  std::optional<Error> Rename(std::string_view from, std::string_view to);

  // The command by its first word, any case; null if unknown. O(1).
  const Command* FindTop(std::string_view name) const;
  // The command or subcommand that a request names; a container without a matching subcommand is
  // null. Requires a word at least.
  const Command* Find(std::span<const std::string_view> args) const;
  // By "name" or "container|sub".
  const Command* FindByFullName(std::string_view full_name) const;

  // In order of declaration. A renamed command keeps its full name; one taken away is gone.
  const std::vector<std::unique_ptr<Command>>& commands() const { return commands_; }
  int id_count() const { return next_id_; }

 private:
  struct Slot {
    std::string name;  // Lower case.
    const Command* command = nullptr;
  };
  static constexpr std::size_t kSlots = 2048;

  void Add(const CommandSpec& spec);
  void FillSlot(std::string_view name, const Command* command);

  std::vector<std::unique_ptr<Command>> commands_;
  std::vector<Slot> slots_;
  int next_id_ = 0;
};

// Where the keys of a request stand. Errors: a count of keys that does not fit the request.
Result<std::vector<KeyPosition>> FindKeys(const Command& command,
                                          std::span<const std::string_view> args);

}  // namespace rung
