// What docs/commands.md says of a command.

#include "rung/commands/reference.h"

#include <gtest/gtest.h>

#include <array>
#include <span>
#include <string>

namespace rung {
namespace {

Outcome Nothing(ExecContext& /*ctx*/, ArgReader& /*args*/) { return Outcome::kReplied; }

constexpr std::array kSubcommands = {
    Declare({.name = "COUNT",
             .arity = 2,
             .group = "server",
             .since = "2.8.13",
             .summary = "Counts things.",
             .complexity = "O(1)",
             .handler = &Nothing}),
};

constexpr std::array kFamily = {
    Declare({.name = "ZTOP",
             .arity = -2,
             .flags = kReadOnly | kFast,
             .keys = {KeyAt(1, kKeyRead)},
             .group = "sorted-set",
             .since = "5.0.0",
             .summary = "Shows the top.",
             .complexity = "O(log n) for n members.",
             .syntax = "key:key [count:integer]",
             .handler = &Nothing}),
    Declare({.name = "THING",
             .arity = -2,
             .group = "server",
             .since = "2.8.0",
             .summary = "A container.",
             .complexity = "",
             .subcommands = kSubcommands}),
};

TEST(ReferenceTest, ListsCommandsAndSubcommandsByGroup) {
  const std::array families = {std::span<const CommandSpec>(kFamily)};
  const Catalog catalog{std::span<const std::span<const CommandSpec>>(families)};
  const std::string text = CommandReference(catalog);
  const std::size_t begin = text.find("\n## ");
  ASSERT_NE(begin, std::string::npos);
  EXPECT_EQ(text.substr(begin),
            "\n## server\n\n"
            "- `THING COUNT`<br>\n  Counts things. O(1). Since 2.8.13. @slow\n"
            "\n## sorted-set\n\n"
            "- `ZTOP <key> [<count>]`<br>\n"
            "  Shows the top. O(log n) for n members. Since 5.0.0. @read @sortedset @fast\n");
}

}  // namespace
}  // namespace rung
