// Hash: chooses between its forms. The packed one is in packed_hash.cc, the large one in
// large_hash.h.

#include "rung/types/hash.h"

#include <algorithm>
#include <utility>
#include <vector>

#include "rung/base/check.h"
#include "rung/base/hash.h"
#include "rung/base/memory.h"
#include "types/large_hash.h"
#include "types/packed_hash.h"
#include "types/sampling.h"

namespace rung {
namespace {

// About as much as one step of a table's scan shows.
constexpr std::size_t kScanPortion = 10;

// Where a table's scan would meet the field: see ExtendibleTable::Scan.
std::uint64_t ScanPlaceOf(std::string_view name) { return HashBytes(name) >> 16; }

// A step of the scan of a packed hash, whose fields lie in the order of their coming: in the order
// of their hashes, so that a scan goes on where it was when the hash becomes a table. O(size).
template <typename Visit>
std::uint64_t ScanPacked(const Hash& hash, std::uint64_t cursor, Visit visit) {
  std::vector<std::uint64_t> places;
  places.reserve(hash.size());
  hash.ForEach([&](std::string_view name, std::string_view) {
    if (const std::uint64_t place = ScanPlaceOf(name); place >= cursor) places.push_back(place);
  });
  std::sort(places.begin(), places.end());
  const auto next = places.size() <= kScanPortion
                        ? places.end()
                        : std::upper_bound(places.begin(), places.end(), places[kScanPortion - 1]);
  hash.ForEach([&](std::string_view name, std::string_view value) {
    const std::uint64_t place = ScanPlaceOf(name);
    if (place >= cursor && (next == places.end() || place < *next)) visit(name, value);
  });
  return next == places.end() ? 0 : *next;
}

}  // namespace

Hash& Hash::operator=(Hash&& other) noexcept {
  if (this != &other) {
    Clear();
    form_ = std::exchange(other.form_, 0);
  }
  return *this;
}

void Hash::Clear() {
  if (IsLarge()) {
    delete &large();
  } else if (form_ != 0) {
    PackedHash::Destroy(packed());
  }
  form_ = 0;
}

std::size_t Hash::size() const {
  if (IsLarge()) return large().table().size();
  return form_ == 0 ? 0 : PackedHash(packed()).size();
}

std::size_t Hash::MemoryBytes() const {
  if (IsLarge()) return AllocationSize(sizeof(LargeHash)) + large().table().MemoryBytes();
  return form_ == 0 ? 0 : PackedHash(packed()).MemoryBytes();
}

bool Hash::IsSmall() const {
  if (IsLarge()) return !large().marked_large();
  return form_ == 0 || !PackedHash(packed()).IsMarkedLarge();
}

bool Hash::Set(std::string_view name, std::string_view value, const HashRules& rules) {
  const std::string_view pair[] = {name, value};
  return SetAll(pair, rules) == 1;
}

std::size_t Hash::SetAll(std::span<const std::string_view> names_and_values,
                         const HashRules& rules) {
  RUNG_CHECK(names_and_values.size() % 2 == 0, "Hash::SetAll: a name without a value");
  std::span<const std::string_view> left = names_and_values;
  std::size_t added = 0;
  if (!IsLarge()) left = left.subspan(AssignPacked(left));
  if (!IsLarge() && !left.empty()) added = SetThroughDraft(left, rules);
  if (IsLarge()) {
    for (std::size_t i = 0; i < left.size(); i += 2) added += large().Set(left[i], left[i + 1]);
  }
  MarkIfLarge(names_and_values, rules);
  return added;
}

// Replaces values of a packed hash as long as their names are there and there is room. Returns how
// many of the views are done; the hash is large if it stopped for want of room.
std::size_t Hash::AssignPacked(std::span<const std::string_view> names_and_values) {
  if (form_ == 0) return 0;
  for (std::size_t i = 0; i < names_and_values.size(); i += 2) {
    PackedHash hash(packed());
    const FieldNames names = hash.names();
    const std::size_t index = names.IndexOf(names_and_values[i]);
    if (index == names.count()) return i;
    char* record = hash.Assign(index, names_and_values[i + 1]);
    if (record == nullptr) {
      BecomeLarge();
      return i;
    }
    SetPacked(record);
  }
  return names_and_values.size();
}

// Sets fields of which at least the first is new to an empty or packed hash. If it becomes large on
// the way, nothing of this is done yet. Returns how many fields are new.
std::size_t Hash::SetThroughDraft(std::span<const std::string_view> names_and_values,
                                  const HashRules& rules) {
  PackedHashDraft draft;
  if (form_ != 0) draft.Load(PackedHash(packed()));
  std::size_t added = 0;
  for (std::size_t i = 0; i < names_and_values.size(); i += 2) {
    const PackedHashDraft::Outcome outcome =
        draft.Put(names_and_values[i], names_and_values[i + 1]);
    if (outcome == PackedHashDraft::Outcome::kFull) {
      BecomeLarge();
      return 0;
    }
    if (outcome == PackedHashDraft::Outcome::kAdded) ++added;
  }
  SetPacked(draft.Build(packed(), rules.shapes));
  return added;
}

void Hash::BecomeLarge() {
  auto* all = new LargeHash;
  ForEach([&](std::string_view name, std::string_view value) { all->Set(name, value); });
  if (!IsSmall()) all->MarkLarge();
  Clear();
  form_ = reinterpret_cast<std::uintptr_t>(all) | 1;
}

void Hash::MarkIfLarge(std::span<const std::string_view> names_and_values, const HashRules& rules) {
  bool beyond = size() > rules.small_fields_max;
  for (const std::string_view text : names_and_values) {
    beyond = beyond || text.size() > rules.small_bytes_max;
  }
  if (!beyond) return;
  IsLarge() ? large().MarkLarge() : PackedHash(packed()).MarkLarge();
}

bool Hash::Remove(std::string_view name, const HashRules& rules) {
  if (form_ == 0) return false;
  if (IsLarge()) {
    if (!large().Remove(name)) return false;
    if (large().table().size() == 0) Clear();
    return true;
  }
  const FieldNames names = PackedHash(packed()).names();
  const std::size_t index = names.IndexOf(name);
  if (index == names.count()) return false;
  if (names.count() == 1) {
    Clear();
    return true;
  }
  PackedHashDraft draft;
  draft.Load(PackedHash(packed()));
  draft.Remove(index);
  SetPacked(draft.Build(packed(), rules.shapes));
  return true;
}

std::optional<std::string_view> Hash::Get(std::string_view name, NumberBuffer& buffer) const {
  if (form_ == 0) return std::nullopt;
  if (IsLarge()) {
    const auto& table = std::as_const(large()).table();
    const ByteRecords::Handle* place = table.Find(name, HashBytes(name));
    if (place == nullptr) return std::nullopt;
    return LargeHash::FieldOf(table.Bytes(*place)).value;
  }
  const PackedHash hash(packed());
  const FieldNames names = hash.names();
  const std::size_t index = names.IndexOf(name);
  if (index == names.count()) return std::nullopt;
  return hash_value::Decode(hash.ValueAt(index), buffer);
}

void Hash::Foresee(std::span<const std::string_view> words, ForesightStep step,
                   std::uint64_t& note) const {
  if (form_ == 0) return;
  if (IsLarge()) {
    large().table().Foresee(words.front(), step, note);
  } else if (step == ForesightStep::kPlace) {
    PackedHash(packed()).Prefetch();
  }
}

bool Hash::Contains(std::string_view name) const {
  if (form_ == 0) return false;
  if (IsLarge()) return large().table().Find(name, HashBytes(name)) != nullptr;
  const FieldNames names = PackedHash(packed()).names();
  return names.IndexOf(name) != names.count();
}

Hash::Field Hash::Random(Rng& rng, NumberBuffer& buffer) const {
  RUNG_CHECK(form_ != 0, "Hash::Random on an empty hash");
  if (IsLarge()) return LargeHash::FieldOf(large().table().Bytes(*large().table().Random(rng)));
  const PackedHash hash(packed());
  const std::size_t index = rng.Below(hash.size());
  return {hash.names().Name(index), hash_value::Decode(hash.ValueAt(index), buffer)};
}

void Hash::VisitWith(void* context, Visitor visitor) const {
  if (form_ == 0) return;
  if (IsLarge()) {
    large().table().ForEach([&](std::string_view record) {
      const Field field = LargeHash::FieldOf(record);
      visitor(context, field.name, field.value);
    });
    return;
  }
  const PackedHash hash(packed());
  const FieldNames names = hash.names();
  const char* name = names.first();
  const char* value = hash.FirstValue();
  NumberBuffer buffer;
  for (std::size_t left = names.count(); left > 0; --left) {
    visitor(context, FieldNames::NameAt(name), hash_value::Decode(value, buffer));
    name = FieldNames::Behind(name);
    value += hash_value::BytesAt(value);
  }
}

std::uint64_t Hash::ScanWith(std::uint64_t cursor, void* context, Visitor visitor) const {
  if (!IsLarge()) {
    if (IsSmall()) {
      VisitWith(context, visitor);
      return 0;
    }
    return ScanPacked(*this, cursor, [&](std::string_view name, std::string_view value) {
      visitor(context, name, value);
    });
  }
  return large().table().Scan(cursor, [&](std::string_view record) {
    const Field field = LargeHash::FieldOf(record);
    visitor(context, field.name, field.value);
  });
}

void Hash::SampleWith(Rng& rng, std::size_t count, void* context, Visitor visitor) const {
  if (IsLarge()) {
    return large().table().Sample(rng, count, [&](std::string_view record) {
      const Field field = LargeHash::FieldOf(record);
      visitor(context, field.name, field.value);
    });
  }
  SampleFrom(
      size(), rng, count, [&](auto pick) { ForEach(pick); },
      [&](std::string_view name, std::string_view value) { visitor(context, name, value); });
}

std::unique_ptr<Hash> Hash::Clone() const {
  auto clone = std::make_unique<Hash>();
  if (IsLarge()) {
    auto* all = new LargeHash;
    ForEach([&](std::string_view name, std::string_view value) { all->Set(name, value); });
    if (!IsSmall()) all->MarkLarge();
    clone->form_ = reinterpret_cast<std::uintptr_t>(all) | 1;
  } else if (form_ != 0) {
    clone->SetPacked(PackedHash::Clone(packed()));
  }
  return clone;
}

void Hash::CheckInvariants() const {
  if (IsLarge()) {
    RUNG_CHECK(large().table().size() > 0, "hash: empty large form");
    large().table().CheckInvariants();
  } else if (form_ != 0) {
    PackedHash(packed()).CheckInvariants();
  }
}

}  // namespace rung
