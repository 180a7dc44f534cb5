// The syntax line's grammar, and that every command's line is right.

#include "commands/syntax.h"

#include <gtest/gtest.h>

#include <string>
#include <vector>

#include "rung/commands/catalog.h"

namespace rung {
namespace {

std::vector<SyntaxArgument> Parse(std::string_view syntax) {
  Result<std::vector<SyntaxArgument>> parsed = ParseSyntax(syntax);
  EXPECT_TRUE(parsed.ok()) << syntax << ": " << (parsed.ok() ? "" : parsed.error().text());
  return parsed.ok() ? *parsed : std::vector<SyntaxArgument>();
}

// A tree in one line: name:type, token before '=', flags behind, children in braces.
std::string Describe(const std::vector<SyntaxArgument>& arguments) {
  std::string text;
  for (const SyntaxArgument& argument : arguments) {
    if (!text.empty()) text += ' ';
    if (!argument.token.empty()) text += argument.token + "=";
    text += argument.name + ":" + std::string(ArgumentTypeName(argument.type));
    if (argument.optional) text += "?";
    if (argument.multiple) text += argument.multiple_token ? "++" : "+";
    if (!argument.children.empty()) text += "{" + Describe(argument.children) + "}";
  }
  return text;
}

TEST(SyntaxTest, WordsAreValuesWithATypeOrLiterals) {
  EXPECT_EQ(Describe(Parse("key:key seconds:integer value GET")),
            "key:key seconds:integer value:string GET=get:pure-token");
}

TEST(SyntaxTest, LiteralBeforeAValueIsItsToken) {
  EXPECT_EQ(Describe(Parse("[EX seconds:integer | KEEPTTL]")),
            "seconds-keepttl:oneof?{EX=seconds:integer KEEPTTL=keepttl:pure-token}");
  EXPECT_EQ(Describe(Parse("[BY pattern:pattern]")), "BY=pattern:pattern?");
}

TEST(SyntaxTest, LiteralBeforeSeveralValuesIsTheTokenOfABlock) {
  EXPECT_EQ(Describe(Parse("[LIMIT offset:integer count:integer]")),
            "LIMIT=limit:block?{offset:integer count:integer}");
  EXPECT_EQ(Describe(Parse("(STREAMS key:key... id...)")),
            "STREAMS=streams:block{key:key+ id:string+}");
}

TEST(SyntaxTest, TokenBeforeAChoiceBelongsToTheChoice) {
  EXPECT_EQ(Describe(Parse("[FILTERBY (MODULE module-name | PATTERN pattern:pattern)]")),
            "FILTERBY=module-name-pattern:oneof?{MODULE=module-name:string "
            "PATTERN=pattern:pattern}");
}

TEST(SyntaxTest, RepetitionKnowsWhetherItsTokenIsRepeated) {
  EXPECT_EQ(Describe(Parse("(score:double member)...")),
            "score-member:block+{score:double member:string}");
  EXPECT_EQ(Describe(Parse("[GET pattern:pattern]...")), "GET=pattern:pattern?++");
  EXPECT_EQ(Describe(Parse("[PREFIX prefix...]")), "PREFIX=prefix:string?+");
}

TEST(SyntaxTest, CountsWords) {
  const WordCount set = CountWords(Parse("key:key value [NX | XX] [EX seconds:integer]"));
  EXPECT_EQ(set.min, 2u);
  EXPECT_EQ(set.max, 5u);
  const WordCount zadd = CountWords(Parse("key:key (score:double member)..."));
  EXPECT_EQ(zadd.min, 3u);
  EXPECT_EQ(zadd.max, std::nullopt);
  const WordCount choice = CountWords(Parse("(address | ID id:integer)"));
  EXPECT_EQ(choice.min, 1u);
  EXPECT_EQ(choice.max, 2u);
}

TEST(SyntaxTest, PrintsForPeople) {
  EXPECT_EQ(UsageLine(Parse("key:key [NX | XX] [LIMIT offset:integer count:integer] "
                            "(score:double member)... [GET pattern]...")),
            "<key> [NX | XX] [LIMIT <offset> <count>] (<score> <member>) [(<score> <member>) ...] "
            "[GET <pattern> [GET <pattern> ...]]");
  EXPECT_EQ(UsageLine(Parse("key:key... (LEFT | RIGHT)")), "<key> [<key> ...] (LEFT | RIGHT)");
}

TEST(SyntaxTest, RefusesWhatBreaksTheGrammar) {
  EXPECT_FALSE(ParseSyntax("[key").ok());
  EXPECT_FALSE(ParseSyntax("key]").ok());
  EXPECT_FALSE(ParseSyntax("[]").ok());
  EXPECT_FALSE(ParseSyntax("key:colour").ok());
}

// Commands that take more words than they look at, as in Redis.
bool IgnoresWords(const Command& command) { return command.full_name == "quit"; }

void CheckCommand(const Command& command) {
  const Result<std::vector<SyntaxArgument>> parsed = ParseSyntax(command.spec->syntax);
  ASSERT_TRUE(parsed.ok()) << command.full_name << ": " << parsed.error().text();
  if (!command.subcommands.empty() && !command.spec->handler) return;
  const WordCount words = CountWords(*parsed);
  const int arity = command.spec->arity;
  const std::size_t named = command.name_words();
  EXPECT_EQ(words.min + named, static_cast<std::size_t>(arity < 0 ? -arity : arity))
      << command.full_name << " " << command.spec->syntax;
  if (arity > 0) {
    EXPECT_EQ(words.max, words.min) << command.full_name;
  } else if (!IgnoresWords(command) && command.subcommands.empty()) {
    EXPECT_NE(words.max, words.min) << command.full_name;
  }
}

TEST(SyntaxTest, EveryCommandsSyntaxAgreesWithItsArity) {
  const Catalog catalog;
  for (const auto& command : catalog.commands()) {
    CheckCommand(*command);
    for (const Command& sub : command->subcommands) CheckCommand(sub);
  }
}

}  // namespace
}  // namespace rung
