// The rules of a sorted set over its small form.

#include "rung/types/sorted_set.h"

#include <cmath>
#include <utility>

#include "types/packed_sorted_set.h"
#include "types/sorted_set_bounds.h"

namespace rung {
namespace {

constexpr SmallFormLimit kNoLimit = {.entries_max = 1u << 24, .value_bytes_max = 65535};

PackedSortedSet* Packed(void* form) { return static_cast<PackedSortedSet*>(form); }
const PackedSortedSet* Packed(const void* form) {
  return static_cast<const PackedSortedSet*>(form);
}

bool Allows(PutRule::Direction direction, double from, double to) {
  switch (direction) {
    case PutRule::Direction::kAny:
      return true;
    case PutRule::Direction::kUpOnly:
      return to > from;
    case PutRule::Direction::kDownOnly:
      return to < from;
  }
  return false;
}

}  // namespace

SortedSet::SortedSet(Rng& rng, const SmallFormLimit* /*limit*/)
    : form_(PackedSortedSet::Create(&rng, &kNoLimit)) {}

SortedSet::~SortedSet() {
  if (form_ != nullptr) PackedSortedSet::Destroy(Packed(form_));
}

SortedSet::SortedSet(SortedSet&& other) noexcept : form_(std::exchange(other.form_, nullptr)) {}

SortedSet& SortedSet::operator=(SortedSet&& other) noexcept {
  std::swap(form_, other.form_);
  return *this;
}

std::size_t SortedSet::size() const { return Packed(form_)->size(); }
bool SortedSet::IsSmall() const { return size() <= 128; }
std::size_t SortedSet::MemoryBytes() const { return Packed(form_)->MemoryBytes(); }

Result<PutOutcome> SortedSet::Put(std::string_view member, double score, PutRule rule) {
  if (std::isnan(score)) return Error(errors::kNaN);
  PackedSortedSet* packed = Packed(form_);
  const auto place = packed->Find(member);
  if (!place) {
    if (rule.presence == PutRule::Presence::kPresentOnly) return PutOutcome::kRefused;
    form_ = packed = PackedSortedSet::WithRoomFor(packed, member.size());
    packed->Insert(packed->PartitionPoint(BeforeKey{score, member}), member, score);
    return PutOutcome::kAdded;
  }
  if (rule.presence == PutRule::Presence::kAbsentOnly) return PutOutcome::kRefused;
  const double old = packed->ScoreAt(place->index);
  if (!Allows(rule.direction, old, score)) return PutOutcome::kRefused;
  if (old == score) return PutOutcome::kUnchanged;
  packed->Move(*place, score);
  return PutOutcome::kMoved;
}

Result<SortedSet::Incremented> SortedSet::Increment(std::string_view member, double delta,
                                                    PutRule rule) {
  const std::optional<double> old = Score(member);
  if (old && rule.presence == PutRule::Presence::kAbsentOnly) {
    return Incremented{PutOutcome::kRefused, *old};
  }
  const double score = old.value_or(0.0) + delta;
  Result<PutOutcome> outcome = Put(member, score, rule);
  if (!outcome.ok()) return outcome.error();
  return Incremented{*outcome, score};
}

bool SortedSet::Remove(std::string_view member) {
  const auto place = Packed(form_)->Find(member);
  if (!place) return false;
  Packed(form_)->Erase(place->index, 1);
  return true;
}

std::size_t SortedSet::RemoveRank(std::size_t first, std::size_t last) {
  if (empty()) return 0;
  last = std::min(last, size() - 1);
  if (first > last) return 0;
  Packed(form_)->Erase(static_cast<std::uint32_t>(first),
                       static_cast<std::uint32_t>(last - first + 1));
  return last - first + 1;
}

std::size_t SortedSet::RemoveIn(const ScoreRange& range) {
  const std::size_t count = CountIn(range);
  if (count == 0) return 0;
  const std::size_t first = Packed(form_)->PartitionPoint(BeginOf(range)).index;
  return RemoveRank(first, first + count - 1);
}

std::size_t SortedSet::RemoveIn(const LexRange& range) {
  const std::size_t count = CountIn(range);
  if (count == 0) return 0;
  const std::size_t first = Packed(form_)->PartitionPoint(BeginOf(range)).index;
  return RemoveRank(first, first + count - 1);
}

void SortedSet::DropEnd(ZEnd end, std::size_t count) {
  const std::size_t first = end == ZEnd::kLowest ? 0 : size() - count;
  Packed(form_)->Erase(static_cast<std::uint32_t>(first), static_cast<std::uint32_t>(count));
}

std::vector<ScoredMember> SortedSet::PopEnd(ZEnd end, std::size_t count) {
  std::vector<ScoredMember> taken;
  taken.reserve(std::min(count, size()));
  PopEach(end, count, [&](std::string_view member, double score) {
    taken.push_back({std::string(member), score});
  });
  return taken;
}

std::optional<double> SortedSet::Score(std::string_view member) const {
  const auto place = Packed(form_)->Find(member);
  if (!place) return std::nullopt;
  return Packed(form_)->ScoreAt(place->index);
}

std::optional<SortedSet::Position> SortedSet::Rank(std::string_view member, ZEnd from) const {
  const auto place = Packed(form_)->Find(member);
  if (!place) return std::nullopt;
  const std::size_t rank = place->index;
  return Position{from == ZEnd::kLowest ? rank : size() - 1 - rank,
                  Packed(form_)->ScoreAt(place->index)};
}

std::size_t SortedSet::CountIn(const ScoreRange& range) const {
  const std::size_t begin = Packed(form_)->PartitionPoint(BeginOf(range)).index;
  const std::size_t end = Packed(form_)->PartitionPoint(EndOf(range)).index;
  return end > begin ? end - begin : 0;
}

std::size_t SortedSet::CountIn(const LexRange& range) const {
  const std::size_t begin = Packed(form_)->PartitionPoint(BeginOf(range)).index;
  const std::size_t end = Packed(form_)->PartitionPoint(EndOf(range)).index;
  return end > begin ? end - begin : 0;
}

std::string_view SortedSet::Cursor::member() const {
  return Packed(node_)->MemberAt({index_, offset_});
}
double SortedSet::Cursor::score() const { return Packed(node_)->ScoreAt(index_); }

void SortedSet::Cursor::Next() {
  offset_ += static_cast<std::uint32_t>(Packed(node_)->LengthAt(index_));
  if (++index_ == Packed(node_)->size()) node_ = nullptr;
}

void SortedSet::Cursor::Prev() {
  if (index_ == 0) {
    node_ = nullptr;
    return;
  }
  offset_ -= static_cast<std::uint32_t>(Packed(node_)->LengthAt(--index_));
}

SortedSet::Cursor SortedSet::First() const { return SeekRank(0); }
SortedSet::Cursor SortedSet::Last() const { return empty() ? Cursor() : SeekRank(size() - 1); }

SortedSet::Cursor SortedSet::SeekRank(std::size_t rank) const {
  Cursor cursor;
  if (rank >= size()) return cursor;
  const auto place = Packed(form_)->PlaceAt(static_cast<std::uint32_t>(rank));
  cursor.node_ = form_;
  cursor.index_ = place.index;
  cursor.offset_ = place.offset;
  return cursor;
}

SortedSet::Cursor SortedSet::SeekFirst(const ScoreRange& range) const {
  if (CountIn(range) == 0) return Cursor();
  return SeekRank(Packed(form_)->PartitionPoint(BeginOf(range)).index);
}

SortedSet::Cursor SortedSet::SeekLast(const ScoreRange& range) const {
  if (CountIn(range) == 0) return Cursor();
  return SeekRank(Packed(form_)->PartitionPoint(EndOf(range)).index - 1);
}

SortedSet::Cursor SortedSet::SeekFirst(const LexRange& range) const {
  if (CountIn(range) == 0) return Cursor();
  return SeekRank(Packed(form_)->PartitionPoint(BeginOf(range)).index);
}

SortedSet::Cursor SortedSet::SeekLast(const LexRange& range) const {
  if (CountIn(range) == 0) return Cursor();
  return SeekRank(Packed(form_)->PartitionPoint(EndOf(range)).index - 1);
}

SortedSet::Cursor SortedSet::Random(Rng& rng) const {
  return empty() ? Cursor() : SeekRank(rng.Below(size()));
}

std::uint64_t SortedSet::ScanWith(std::uint64_t /*cursor*/, void* context,
                                  ScanVisitor visitor) const {
  for (Cursor cursor = First(); cursor.Valid(); cursor.Next()) {
    visitor(context, cursor.member(), cursor.score());
  }
  return 0;
}

std::unique_ptr<SortedSet> SortedSet::Clone(Rng& rng) const {
  auto copy = std::make_unique<SortedSet>(rng);
  PackedSortedSet::Destroy(Packed(copy->form_));
  copy->form_ = PackedSortedSet::Clone(Packed(form_), &rng);
  return copy;
}

void SortedSet::CheckInvariants() const { Packed(form_)->CheckInvariants(); }

}  // namespace rung
