// Set: chooses between its forms and keeps its encoding. The small forms are in small_set.cc, the
// large one is types/record_table.h.

#include "rung/types/set.h"

#include <algorithm>
#include <utility>

#include "rung/base/check.h"
#include "rung/base/hash.h"
#include "rung/base/memory.h"
#include "types/record_table.h"
#include "types/sampling.h"
#include "types/small_set.h"

namespace rung {

struct LargeSet {
  struct MemberOf {
    std::string_view operator()(std::string_view record) const { return record; }
  };

  // Returns whether the member is new.
  bool Add(std::string_view member) {
    const std::uint64_t hash = HashBytes(member);
    if (table.Find(member, hash) != nullptr) return false;
    table.Add(member, hash, member.size(),
              [&](char* at) { std::copy(member.begin(), member.end(), at); });
    return true;
  }

  RecordTable<MemberOf> table;
  SetEncoding encoding = SetEncoding::kHashtable;
};

namespace {

bool IsInteger(std::string_view member) { return ParseInt64(member).has_value(); }

// What a set's encoding becomes by adding members, in the order of Redis's decisions.
class EncodingChoice {
 public:
  EncodingChoice(const SetRules& rules, std::size_t arguments) : rules_(rules) {
    many_for_listpack_ = arguments > rules.listpack_members_max;
    many_for_intset_ = arguments > rules.intset_members_max;
  }

  SetEncoding ForNew(std::string_view first) const {
    if (IsInteger(first) && !many_for_intset_) return SetEncoding::kIntset;
    return many_for_listpack_ ? SetEncoding::kHashtable : SetEncoding::kListpack;
  }
  SetEncoding ForExisting(SetEncoding now) const {
    const bool beyond = now == SetEncoding::kIntset ? many_for_intset_ : many_for_listpack_;
    return beyond ? SetEncoding::kHashtable : now;
  }
  // After `member` has come as number `count`. `set` is a set with it in.
  SetEncoding AfterAdding(SetEncoding now, std::string_view member, std::size_t count,
                          const Set& set) const {
    const bool fits_listpack =
        count <= rules_.listpack_members_max && member.size() <= rules_.listpack_bytes_max;
    if (now == SetEncoding::kListpack) return fits_listpack ? now : SetEncoding::kHashtable;
    if (now == SetEncoding::kHashtable) return now;
    if (IsInteger(member)) {
      return count <= rules_.intset_members_max ? now : SetEncoding::kHashtable;
    }
    return fits_listpack && LongestMember(set) <= rules_.listpack_bytes_max
               ? SetEncoding::kListpack
               : SetEncoding::kHashtable;
  }

 private:
  static std::size_t LongestMember(const Set& set) {
    std::size_t longest = 0;
    set.ForEach([&](std::string_view member) { longest = std::max(longest, member.size()); });
    return longest;
  }

  const SetRules& rules_;
  bool many_for_listpack_ = false;
  bool many_for_intset_ = false;
};

}  // namespace

Set& Set::operator=(Set&& other) noexcept {
  if (this != &other) {
    Clear();
    form_ = std::exchange(other.form_, 0);
  }
  return *this;
}

void Set::Clear() {
  if (IsLarge()) {
    delete &large();
  } else if (form_ != 0) {
    SmallSet::Destroy(small());
  }
  form_ = 0;
}

std::size_t Set::size() const {
  if (IsLarge()) return large().table.size();
  return form_ == 0 ? 0 : small()->size();
}

std::size_t Set::MemoryBytes() const {
  if (IsLarge()) return AllocationSize(sizeof(LargeSet)) + large().table.MemoryBytes();
  return form_ == 0 ? 0 : small()->MemoryBytes();
}

SetEncoding Set::encoding() const {
  if (IsLarge()) return large().encoding;
  return form_ == 0 ? SetEncoding::kIntset : small()->encoding();
}

void Set::SetEncodingTo(SetEncoding encoding) {
  if (IsLarge()) {
    large().encoding = encoding;
  } else {
    small()->set_encoding(encoding);
  }
}

std::size_t Set::AddAll(std::span<const std::string_view> members, const SetRules& rules) {
  if (members.empty()) return 0;
  const EncodingChoice choice(rules, members.size());
  SetEncoding now = empty() ? choice.ForNew(members.front()) : choice.ForExisting(encoding());
  std::size_t added = 0;
  for (const std::string_view member : members) {
    if (!AddOne(member)) continue;
    ++added;
    if (now == SetEncoding::kHashtable) continue;
    now = choice.AfterAdding(now, member, size(), *this);
  }
  SetEncodingTo(now);
  return added;
}

// Adds a member; the encoding is left to the caller. Returns whether it is new.
bool Set::AddOne(std::string_view member) {
  if (!IsLarge()) {
    if (form_ != 0 && small()->Contains(member)) return false;
    SmallSet* set = form_ == 0 ? SmallSet::Create(member) : SmallSet::Add(small(), member);
    if (set != nullptr) {
      form_ = reinterpret_cast<std::uintptr_t>(set);
      return true;
    }
    BecomeLarge();
  }
  return large().Add(member);
}

void Set::BecomeLarge() {
  auto* all = new LargeSet;
  ForEach([&](std::string_view member) { all->Add(member); });
  Clear();
  form_ = reinterpret_cast<std::uintptr_t>(all) | 1;
}

bool Set::Remove(std::string_view member) {
  if (!IsLarge()) {
    if (form_ == 0 || !small()->Contains(member)) return false;
    if (small()->size() == 1) {
      Clear();
    } else {
      form_ = reinterpret_cast<std::uintptr_t>(SmallSet::Remove(small(), member));
    }
    return true;
  }
  auto& table = large().table;
  const std::uint64_t hash = HashBytes(member);
  ByteRecords::Handle* place = table.Find(member, hash);
  if (place == nullptr) return false;
  table.Erase(place, hash);
  if (table.size() == 0) Clear();
  return true;
}

void Set::Foresee(std::span<const std::string_view> words, ForesightStep step,
                  std::uint64_t& note) const {
  if (IsLarge()) large().table.Foresee(words.front(), step, note);
}

bool Set::Contains(std::string_view member) const {
  if (IsLarge()) return std::as_const(large()).table.Find(member, HashBytes(member)) != nullptr;
  return form_ != 0 && small()->Contains(member);
}

std::string_view Set::Random(Rng& rng, NumberBuffer& buffer) const {
  RUNG_CHECK(form_ != 0, "Set::Random on an empty set");
  if (IsLarge()) return large().table.Bytes(*large().table.Random(rng));
  return small()->Member(rng.Below(small()->size()), buffer);
}

void Set::VisitWith(void* context, Visitor visitor) const {
  const auto visit = [&](std::string_view member) { visitor(context, member); };
  if (IsLarge()) {
    large().table.ForEach(visit);
  } else if (form_ != 0) {
    small()->ForEach(visit);
  }
}

std::uint64_t Set::ScanWith(std::uint64_t cursor, void* context, Visitor visitor) const {
  if (!IsLarge()) {
    VisitWith(context, visitor);
    return 0;
  }
  return large().table.Scan(cursor, [&](std::string_view member) { visitor(context, member); });
}

void Set::SampleWith(Rng& rng, std::size_t count, void* context, Visitor visitor) const {
  const auto visit = [&](std::string_view member) { visitor(context, member); };
  if (IsLarge()) return large().table.Sample(rng, count, visit);
  SampleFrom(
      size(), rng, count, [&](auto pick) { ForEach(pick); }, visit);
}

// Requires size() > 1.
void Set::PopWith(Rng& rng, void* context, Visitor visitor) {
  if (!IsLarge()) {
    NumberBuffer buffer;
    const std::string_view member = small()->Member(rng.Below(small()->size()), buffer);
    visitor(context, member);
    form_ = reinterpret_cast<std::uintptr_t>(SmallSet::Remove(small(), member));
    return;
  }
  ByteRecords::Handle* place = large().table.Random(rng);
  const std::string_view member = large().table.Bytes(*place);
  visitor(context, member);
  large().table.Erase(place, HashBytes(member));
}

std::unique_ptr<Set> Set::Clone() const {
  auto clone = std::make_unique<Set>();
  if (IsLarge()) {
    auto* all = new LargeSet;
    ForEach([&](std::string_view member) { all->Add(member); });
    all->encoding = encoding();
    clone->form_ = reinterpret_cast<std::uintptr_t>(all) | 1;
  } else if (form_ != 0) {
    clone->form_ = reinterpret_cast<std::uintptr_t>(SmallSet::Clone(small()));
  }
  return clone;
}

void Set::CheckInvariants() const {
  if (form_ == 0) return;
  if (!IsLarge()) return small()->CheckInvariants();
  RUNG_CHECK(large().table.size() > 0, "set: empty large form");
  large().table.CheckInvariants();
  if (encoding() != SetEncoding::kIntset) return;
  ForEach([](std::string_view member) {
    RUNG_CHECK(IsInteger(member), "set: an intset of other members");
  });
}

}  // namespace rung
