// What CONFIG REWRITE makes of a text.

#include <gtest/gtest.h>

#include <optional>
#include <string>
#include <string_view>

#include "rung/config/config.h"

namespace rung {
namespace {

constexpr auto kChangedOnly = Config::RewriteScope::kChangedOnly;

// The text that stays of `old_text` when the options are those of `settings`.
std::string Rewritten(std::string_view old_text, std::string_view settings) {
  Config config;
  const IncludeReader nothing = [](std::string_view) { return std::vector<IncludedFile>{}; };
  EXPECT_EQ(config.Load(settings, "settings", nothing), std::nullopt);
  return config.Rewrite(old_text, kChangedOnly);
}

TEST(RewriteTest, DefaultsNeedNoLine) { EXPECT_EQ(Rewritten("", ""), ""); }

TEST(RewriteTest, KeepsCommentsOrderAndWhatIsNoOption) {
  EXPECT_EQ(Rewritten("# top\r\n\nport 1\n  # port 5\ninclude x.conf\ntimeout 2\n# end",
                      "port 7\ntimeout 8"),
            "# top\n\nport 7\n  # port 5\ninclude x.conf\ntimeout 8\n# end\n");
}

TEST(RewriteTest, AddsWhatDiffersFromItsDefaultBelowOneComment) {
  EXPECT_EQ(Rewritten("# mine\n", "maxmemory 2048kb\nport 7"),
            "# mine\n# Written by CONFIG REWRITE\nport 7\nmaxmemory 2mb\n");
  EXPECT_EQ(Rewritten("# Written by CONFIG REWRITE\nport 7\n", "port 7\ntimeout 1"),
            "# Written by CONFIG REWRITE\nport 7\ntimeout 1\n");
}

TEST(RewriteTest, OptionAtItsDefaultKeepsTheLineItHas) {
  EXPECT_EQ(Rewritten("port 7\n", "port 6379"), "port 6379\n");
}

TEST(RewriteTest, OneLineStaysOfSeveralAlsoUnderTheOldName) {
  EXPECT_EQ(Rewritten("hash-max-ziplist-entries 1\n#\nHASH-MAX-LISTPACK-ENTRIES 2\n",
                      "hash-max-listpack-entries 3"),
            "hash-max-listpack-entries 3\n#\n");
}

TEST(RewriteTest, BufferLimitsTakeALineForEachClass) {
  EXPECT_EQ(Rewritten("client-output-buffer-limit pubsub 1 1 1\n#\n",
                      "client-output-buffer-limit normal 1mb 0 5"),
            "client-output-buffer-limit normal 1mb 0 5\n#\n# Written by CONFIG REWRITE\n"
            "client-output-buffer-limit replica 256mb 64mb 60\n"
            "client-output-buffer-limit pubsub 32mb 8mb 60\n");
}

TEST(RewriteTest, EmptyListsAndTextsAreWrittenAsSuch) {
  EXPECT_EQ(Rewritten("save ''\nbind 1\nlogfile x\n", "bind ''"),
            "save \"\"\nbind \"\"\nlogfile \"\"\n");
}

TEST(RewriteTest, TextsAreQuotedSoThatTheyCannotBecomeOtherLines) {
  Config config;
  class Agreeing : public Applier {
    std::optional<Refusal> Apply(const Options&, const Options&,
                                 const std::vector<std::string_view>&) override {
      return std::nullopt;
    }
  } applier;
  const std::vector<Config::Pair> pairs = {{"requirepass", "a\nport 1"}, {"bind", "x\nport 1"}};
  ASSERT_EQ(config.Set(pairs, Config::Origin::kLocal, applier), std::nullopt);
  EXPECT_EQ(config.Rewrite("", kChangedOnly),
            "# Written by CONFIG REWRITE\nbind \"x\\nport\" 1\nrequirepass \"a\\nport 1\"\n");
}

TEST(RewriteTest, LinesThatCannotBeReadStay) {
  EXPECT_EQ(Rewritten("nonsense 1\nport \"1\n", ""), "nonsense 1\nport \"1\n");
}

TEST(RewriteTest, IsTheSameWhenDoneTwice) {
  const std::string settings = "port 7\nrequirepass 'x y'\nclient-output-buffer-limit normal 1 1 1";
  const std::string once = Rewritten("# head\ntimeout 5\n", settings);
  EXPECT_EQ(Rewritten(once, settings), once);
}

}  // namespace
}  // namespace rung
