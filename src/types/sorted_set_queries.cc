// SortedSet: its cursors and the questions it answers, over whichever form it has.

#include "rung/base/check.h"
#include "rung/types/sorted_set.h"
#include "types/large_sorted_set.h"
#include "types/packed_sorted_set.h"

namespace rung {
namespace {

using Leaf = BlockedSkiplist::Leaf;

const Leaf& LeafOf(const void* node) { return *static_cast<const Leaf*>(node); }
const PackedSortedSet& PackedOf(const void* node) {
  return *static_cast<const PackedSortedSet*>(node);
}

}  // namespace

// ---- Cursors

std::string_view SortedSet::Cursor::member() const {
  if (records_ != nullptr) return records_->Member(LeafOf(node_).HandleAt(index_));
  return PackedOf(node_).MemberAt({index_, offset_});
}

double SortedSet::Cursor::score() const {
  return records_ != nullptr ? LeafOf(node_).ScoreAt(index_) : PackedOf(node_).ScoreAt(index_);
}

void SortedSet::Cursor::Next() {
  if (records_ != nullptr) {
    if (++index_ < LeafOf(node_).count) return;
    index_ = 0;
    node_ = LeafOf(node_).next;
    return;
  }
  const PackedSortedSet& set = PackedOf(node_);
  offset_ += static_cast<std::uint32_t>(set.LengthAt(index_));
  if (++index_ == set.size()) node_ = nullptr;
}

void SortedSet::Cursor::Prev() {
  if (index_ > 0) {
    --index_;
    if (records_ == nullptr) {
      offset_ -= static_cast<std::uint32_t>(PackedOf(node_).LengthAt(index_));
    }
    return;
  }
  node_ = records_ != nullptr ? LeafOf(node_).previous : nullptr;
  if (node_ != nullptr) index_ = LeafOf(node_).count - 1u;
}

SortedSet::Cursor SortedSet::CursorOver(const PackedSortedSet& set, std::uint32_t index,
                                        std::uint32_t offset) {
  Cursor cursor;
  if (index == set.size()) return cursor;
  cursor.node_ = &set;
  cursor.index_ = index;
  cursor.offset_ = offset;
  return cursor;
}

SortedSet::Cursor SortedSet::CursorOver(const LargeSortedSet& set, const void* leaf,
                                        std::uint32_t index) {
  Cursor cursor;
  cursor.records_ = &set.records();
  cursor.node_ = leaf;
  cursor.index_ = index;
  return cursor;
}

SortedSet::Cursor SortedSet::First() const {
  if (small_) return CursorOver(*small_, 0, 0);
  return CursorOver(*large_, large_->order().first_leaf(), 0);
}

SortedSet::Cursor SortedSet::Last() const {
  if (empty()) return Cursor();
  if (small_) return SeekRank(size() - 1);
  const Leaf* const leaf = large_->order().last_leaf();
  return CursorOver(*large_, leaf, leaf->count - 1u);
}

SortedSet::Cursor SortedSet::SeekRank(std::size_t rank) const {
  if (rank >= size()) return Cursor();
  if (small_) {
    const auto place = small_->PlaceAt(static_cast<std::uint32_t>(rank));
    return CursorOver(*small_, place.index, place.offset);
  }
  const BlockedSkiplist::Place place = large_->order().PlaceAt(rank);
  return CursorOver(*large_, place.leaf, place.index);
}

SortedSet::Cursor SortedSet::Random(Rng& rng) const {
  return empty() ? Cursor() : SeekRank(rng.Below(size()));
}

template <typename Before>
SortedSet::Cursor SortedSet::CursorAt(const Before& before) const {
  if (small_) {
    const auto place = small_->PartitionPoint(before);
    return CursorOver(*small_, place.index, place.offset);
  }
  const BlockedSkiplist::Place place = large_->order().PartitionPoint(before);
  return CursorOver(*large_, place.leaf, place.index);
}

template <typename Range>
SortedSet::Cursor SortedSet::SeekFirstIn(const Range& range) const {
  const Cursor cursor = CursorAt(BeginOf(range));
  if (!cursor.Valid()) return cursor;
  const bool inside = EndOf(range)(cursor.score(), [&] { return cursor.member(); });
  return inside ? cursor : Cursor();
}

template <typename Range>
SortedSet::Cursor SortedSet::SeekLastIn(const Range& range) const {
  Cursor cursor = CursorAt(EndOf(range));
  if (cursor.Valid()) {
    cursor.Prev();
  } else {
    cursor = Last();
  }
  if (!cursor.Valid()) return cursor;
  const bool below = BeginOf(range)(cursor.score(), [&] { return cursor.member(); });
  return below ? Cursor() : cursor;
}

SortedSet::Cursor SortedSet::SeekFirst(const ScoreRange& range) const { return SeekFirstIn(range); }
SortedSet::Cursor SortedSet::SeekFirst(const LexRange& range) const { return SeekFirstIn(range); }
SortedSet::Cursor SortedSet::SeekLast(const ScoreRange& range) const { return SeekLastIn(range); }
SortedSet::Cursor SortedSet::SeekLast(const LexRange& range) const { return SeekLastIn(range); }

// ---- Questions

std::optional<SortedSet::Found> SortedSet::Find(std::string_view member, std::uint64_t hash) const {
  if (small_) {
    const auto place = small_->Find(member);
    if (!place) return std::nullopt;
    return Found{small_->ScoreAt(place->index), place->index, place->offset};
  }
  const auto handle = large_->Find(member, hash);
  if (!handle) return std::nullopt;
  return Found{large_->Score(*handle), *handle, 0};
}

std::optional<double> SortedSet::Score(std::string_view member) const {
  const std::optional<Found> found = Find(member, large_ ? HashBytes(member) : 0);
  return found ? std::optional(found->score) : std::nullopt;
}

std::optional<SortedSet::Position> SortedSet::Rank(std::string_view member, ZEnd from) const {
  const std::optional<Found> found = Find(member, large_ ? HashBytes(member) : 0);
  if (!found) return std::nullopt;
  const std::size_t rank = small_ ? found->at : large_->Rank(found->at);
  return Position{from == ZEnd::kLowest ? rank : size() - 1 - rank, found->score};
}

template <typename Before>
std::size_t SortedSet::RankAt(const Before& before) const {
  return small_ ? small_->PartitionPoint(before).index
                : large_->order().PartitionPoint(before).rank;
}

template <typename Range>
SortedSet::RankRange SortedSet::RanksInRange(const Range& range) const {
  const std::size_t begin = RankAt(BeginOf(range));
  const std::size_t end = RankAt(EndOf(range));
  return {begin, end > begin ? end - begin : 0};
}

SortedSet::RankRange SortedSet::RanksIn(const ScoreRange& range) const {
  return RanksInRange(range);
}
SortedSet::RankRange SortedSet::RanksIn(const LexRange& range) const { return RanksInRange(range); }

std::size_t SortedSet::RemoveIn(const ScoreRange& range) { return RemoveRanks(RanksIn(range)); }
std::size_t SortedSet::RemoveIn(const LexRange& range) { return RemoveRanks(RanksIn(range)); }

std::uint64_t SortedSet::ScanWith(std::uint64_t cursor, void* context, ScanVisitor visitor) const {
  if (large_) {
    return large_->Scan(
        cursor, [=](std::string_view member, double score) { visitor(context, member, score); });
  }
  for (Cursor entry = First(); entry.Valid(); entry.Next()) {
    visitor(context, entry.member(), entry.score());
  }
  return 0;
}

void SortedSet::CheckInvariants() const {
  RUNG_CHECK((small_ == nullptr) != (large_ == nullptr), "sorted set: one form");
  small_ ? small_->CheckInvariants() : large_->CheckInvariants();
}

}  // namespace rung
