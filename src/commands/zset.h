// What the sorted set commands share: bounds as clients write them, ranges of ranks, and
// the shapes in which members are answered.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string_view>

#include "rung/commands/arg_reader.h"
#include "rung/resp/reply_writer.h"
#include "rung/types/sorted_set.h"

namespace rung {

// Bounds such as "1.5", "(1.5", "-inf", or "[a", "(a", "-", "+". The lex range points into the
// arguments. A mistake is left in `args`.
ScoreRange ParseScoreRange(ArgReader& args, std::string_view min, std::string_view max);
LexRange ParseLexRange(ArgReader& args, std::string_view min, std::string_view max);

using RankRange = SortedSet::RankRange;

// `start` and `stop` count from the end `from`; negative ones from the other end, -1 being its
// first. Inclusive; cut to what there is.
RankRange RanksBetween(std::size_t size, std::int64_t start, std::int64_t stop, ZEnd from);

// LIMIT: skips `offset` members, looking from one end, and keeps `count`, all if negative. A
// negative offset keeps none.
struct RangeLimit {
  std::int64_t offset = 0;
  std::int64_t count = -1;
};
RankRange Clip(RankRange ranks, RangeLimit limit, ZEnd from);

// How members with scores are answered. Clients tell the commands apart by these shapes.
enum class MemberShape : std::uint8_t {
  kMembers,        // No scores.
  kFlat,           // Member, score, member, score ...
  kNestedInResp3,  // Pairs as arrays of two; flat in RESP2.
  kNested,         // Pairs as arrays of two.
};

// Writes an array of `count` members: its header at once, then one call per member.
class MemberReply {
 public:
  MemberReply(ReplyWriter& reply, MemberShape shape, std::size_t count);

  void operator()(std::string_view member, double score) {
    if (nested_) reply_->Array(2);
    reply_->Bulk(member);
    if (with_scores_) reply_->Double(score);
  }

 private:
  ReplyWriter* reply_;
  bool with_scores_;
  bool nested_;
};

// Answers the members of `ranks`, beginning at its end `from`. O(log n) and the members.
void ReplyRanks(ReplyWriter& reply, const SortedSet& set, RankRange ranks, ZEnd from,
                MemberShape shape);

}  // namespace rung
