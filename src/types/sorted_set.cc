// SortedSet: the rules of changes over whichever form a set has, and the change of forms. Queries
// are in sorted_set_queries.cc.

#include "rung/types/sorted_set.h"

#include <cmath>
#include <utility>

#include "rung/base/check.h"
#include "types/large_sorted_set.h"
#include "types/packed_sorted_set.h"

namespace rung {
namespace {

using Presence = PutRule::Presence;
using Direction = PutRule::Direction;

// A set becomes small again at this fraction of the limit, so that one about as large as the limit
// does not change its form back and forth.
constexpr std::size_t kShrinkDivisor = 4;

// Whether the presence rule alone forbids, whatever the score.
bool ForbidsPresence(bool present, PutRule rule) {
  return rule.presence == (present ? Presence::kAbsentOnly : Presence::kPresentOnly);
}

PutOutcome JudgeMove(double from, double to, PutRule rule) {
  if (rule.direction == Direction::kUpOnly && to <= from) return PutOutcome::kRefused;
  if (rule.direction == Direction::kDownOnly && to >= from) return PutOutcome::kRefused;
  return to == from ? PutOutcome::kUnchanged : PutOutcome::kMoved;
}

}  // namespace

void SortedSet::FreePacked::operator()(PackedSortedSet* set) const {
  PackedSortedSet::Destroy(set);
}

SortedSet::SortedSet(Rng& rng, const SmallFormLimit* limit)
    : small_(PackedSortedSet::Create(&rng, limit)) {}
SortedSet::~SortedSet() = default;
SortedSet::SortedSet(SortedSet&& other) noexcept = default;
SortedSet& SortedSet::operator=(SortedSet&& other) noexcept = default;

std::size_t SortedSet::size() const { return small_ ? small_->size() : large_->size(); }
bool SortedSet::IsSmall() const { return small_ != nullptr; }
std::size_t SortedSet::MemoryBytes() const {
  return small_ ? small_->MemoryBytes() : large_->MemoryBytes();
}

Result<PutOutcome> SortedSet::Put(std::string_view member, double score, PutRule rule) {
  const auto same = [score](double /*old*/) { return score; };
  const Result<Incremented> changed = Change(member, same, rule);
  if (!changed.ok()) return changed.error();
  return changed->outcome;
}

Result<SortedSet::Incremented> SortedSet::Increment(std::string_view member, double delta,
                                                    PutRule rule) {
  return Change(
      member, [delta](double old) { return old + delta; }, rule);
}

template <typename NewScore>
Result<SortedSet::Incremented> SortedSet::Change(std::string_view member, NewScore new_score,
                                                 PutRule rule) {
  const std::uint64_t hash = large_ ? HashBytes(member) : 0;
  const std::optional<Found> found = Find(member, hash);
  const double old = found ? found->score : 0.0;
  if (ForbidsPresence(found.has_value(), rule)) return Incremented{PutOutcome::kRefused, old};
  // Adding zero turns -0.0 into 0.0 and nothing else.
  const double score = new_score(old) + 0.0;
  if (std::isnan(score)) return Error(errors::kNaN);
  if (!found) {
    if (large_ && !large_->HasRoom()) return Error(errors::kSetFull);
    AddAbsent(member, hash, score);
    return Incremented{PutOutcome::kAdded, score};
  }
  const PutOutcome outcome = JudgeMove(old, score, rule);
  if (outcome == PutOutcome::kMoved) {
    small_ ? small_->Move({found->at, found->offset}, score) : large_->Move(found->at, score);
  }
  return Incremented{outcome, score};
}

// `hash` counts only in the large form.
void SortedSet::AddAbsent(std::string_view member, std::uint64_t hash, double score) {
  if (small_ && !small_->CanHold(member.size())) {
    BecomeLarge();
    hash = HashBytes(member);
  }
  if (large_) {
    large_->Add(member, hash, score);
    return;
  }
  small_.reset(PackedSortedSet::WithRoomFor(small_.release(), member.size()));
  small_->Insert(small_->PartitionPoint(BeforeKey{score, member}), member, score);
}

void SortedSet::BecomeLarge() {
  auto large = std::make_unique<LargeSortedSet>(small_->rng(), small_->limit());
  for (Cursor cursor = First(); cursor.Valid(); cursor.Next()) {
    large->Add(cursor.member(), HashBytes(cursor.member()), cursor.score());
  }
  large_ = std::move(large);
  small_.reset();
}

void SortedSet::BecomeSmallIfFew() {
  if (small_) return;
  const SmallFormLimit& limit = *large_->limit();
  if (size() == 0 || size() > limit.entries_max / kShrinkDivisor) return;
  for (Cursor cursor = First(); cursor.Valid(); cursor.Next()) {
    if (cursor.member().size() > limit.value_bytes_max) return;
  }
  std::unique_ptr<PackedSortedSet, FreePacked> small(
      PackedSortedSet::Create(large_->rng(), large_->limit()));
  for (Cursor cursor = First(); cursor.Valid(); cursor.Next()) {
    small.reset(PackedSortedSet::WithRoomFor(small.release(), cursor.member().size()));
    small->Insert(small->End(), cursor.member(), cursor.score());
  }
  small_ = std::move(small);
  large_.reset();
}

void SortedSet::Foresee(std::span<const std::string_view> words, ForesightStep step,
                        std::uint64_t& note) const {
  if (!large_) return;
  if (step == ForesightStep::kPlace) {
    note = HashBytes(words.back());
    large_->PrefetchMember(note);
  } else {
    large_->PrefetchRecord(note);
  }
}

bool SortedSet::Remove(std::string_view member) {
  if (large_) {
    if (!large_->Remove(member)) return false;
    BecomeSmallIfFew();
    return true;
  }
  const auto place = small_->Find(member);
  if (!place) return false;
  small_->Erase(place->index, 1);
  return true;
}

std::size_t SortedSet::RemoveRank(std::size_t first, std::size_t last) {
  if (empty()) return 0;
  last = std::min(last, size() - 1);
  return first <= last ? RemoveRanks({first, last - first + 1}) : 0;
}

std::size_t SortedSet::RemoveRanks(RankRange ranks) {
  if (small_) {
    small_->Erase(static_cast<std::uint32_t>(ranks.first), static_cast<std::uint32_t>(ranks.count));
  } else {
    large_->RemoveRank(ranks.first, ranks.count);
    BecomeSmallIfFew();
  }
  return ranks.count;
}

void SortedSet::DropEnd(ZEnd end, std::size_t count) {
  if (large_) {
    large_->DropEnd(end, count);
    BecomeSmallIfFew();
  } else {
    RemoveRanks({end == ZEnd::kLowest ? 0 : size() - count, count});
  }
}

std::vector<ScoredMember> SortedSet::PopEnd(ZEnd end, std::size_t count) {
  std::vector<ScoredMember> taken;
  taken.reserve(std::min(count, size()));
  PopEach(end, count, [&](std::string_view member, double score) {
    taken.push_back({std::string(member), score});
  });
  return taken;
}

std::unique_ptr<SortedSet> SortedSet::Clone(Rng& rng) const {
  auto copy = std::make_unique<SortedSet>(rng, small_ ? small_->limit() : large_->limit());
  if (small_) {
    copy->small_.reset(PackedSortedSet::Clone(small_.get(), &rng));
    return copy;
  }
  copy->BecomeLarge();
  for (Cursor cursor = First(); cursor.Valid(); cursor.Next()) {
    copy->large_->Add(cursor.member(), HashBytes(cursor.member()), cursor.score());
  }
  return copy;
}

}  // namespace rung
