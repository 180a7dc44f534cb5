// List against std::deque<std::string>: the same calls, the same content, whatever the sizes.

#include <gtest/gtest.h>

#include <algorithm>
#include <cstdint>
#include <deque>
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "rung/base/rng.h"
#include "rung/types/list.h"

namespace rung {
namespace {

using Twin = std::deque<std::string>;

// How long elements are: the mix decides which forms of the list a run passes through.
struct Sizes {
  const char* name;
  std::size_t small_max;
  std::size_t large_max;  // Of one element in `large_every`.
  std::uint64_t large_every;
  int stretch;  // Steps of growth, then as many of decline.
};

class ListModelTest : public ::testing::TestWithParam<Sizes> {
 protected:
  std::string RandomValue() {
    const Sizes& sizes = GetParam();
    const std::size_t bound =
        rng_.Below(sizes.large_every) == 0 ? sizes.large_max : sizes.small_max;
    // Few different contents, so that searches find several matches.
    return std::string(rng_.Below(bound + 1), static_cast<char>('a' + rng_.Below(3)));
  }
  std::string PresentOrRandom() {
    if (twin_.empty() || rng_.Below(4) == 0) return RandomValue();
    return twin_[rng_.Below(twin_.size())];
  }
  ListEnd RandomEnd() { return rng_.Below(2) == 0 ? ListEnd::kHead : ListEnd::kTail; }
  std::int64_t RandomIndex() {
    const std::int64_t bound = static_cast<std::int64_t>(twin_.size()) + 2;
    return static_cast<std::int64_t>(rng_.Below(static_cast<std::uint64_t>(2 * bound))) - bound;
  }

  void PushBoth(ListEnd end, const std::string& value) {
    list_.Push(end, value);
    end == ListEnd::kHead ? twin_.push_front(value) : twin_.push_back(value);
  }
  void PopBoth(ListEnd end) {
    ASSERT_EQ(list_.empty(), twin_.empty());
    if (twin_.empty()) return;
    ASSERT_EQ(list_.Peek(end), end == ListEnd::kHead ? twin_.front() : twin_.back());
    list_.Drop(end);
    end == ListEnd::kHead ? twin_.pop_front() : twin_.pop_back();
  }
  void DropBoth() {
    const std::size_t count = std::min<std::size_t>(rng_.Below(30), twin_.size());
    const ListEnd end = RandomEnd();
    list_.Drop(end, count);
    const auto length = static_cast<std::ptrdiff_t>(count);
    end == ListEnd::kHead ? twin_.erase(twin_.begin(), twin_.begin() + length)
                          : twin_.erase(twin_.end() - length, twin_.end());
  }
  void RotateBoth() {
    if (twin_.empty()) return;
    const ListEnd end = RandomEnd();
    list_.Push(Opposite(end), list_.Peek(end));
    list_.Drop(end);
    const std::string moved = end == ListEnd::kHead ? twin_.front() : twin_.back();
    end == ListEnd::kHead ? twin_.pop_front() : twin_.pop_back();
    end == ListEnd::kHead ? twin_.push_back(moved) : twin_.push_front(moved);
  }
  void SetBoth() {
    const std::int64_t index = RandomIndex();
    const std::string value = RandomValue();
    const std::int64_t count = static_cast<std::int64_t>(twin_.size());
    const std::int64_t at = index < 0 ? index + count : index;
    const bool inside = at >= 0 && at < count;
    ASSERT_EQ(list_.Set(index, value), inside);
    if (inside) twin_[static_cast<std::size_t>(at)] = value;
  }
  void InsertBoth() {
    const std::string pivot = PresentOrRandom();
    const std::string value = RandomValue();
    const bool after = rng_.Below(2) == 0;
    const auto found = std::find(twin_.begin(), twin_.end(), pivot);
    const bool present = found != twin_.end();
    if (present) twin_.insert(found + (after ? 1 : 0), value);
    ASSERT_EQ(list_.InsertBeside(pivot, value, after ? List::Where::kAfter : List::Where::kBefore),
              present);
  }
  void RemoveBoth() {
    const std::string value = PresentOrRandom();
    const std::int64_t count = static_cast<std::int64_t>(rng_.Below(9)) - 4;
    std::size_t left = count == 0 ? twin_.size() : static_cast<std::size_t>(std::abs(count));
    std::size_t removed = 0;
    if (count < 0) std::reverse(twin_.begin(), twin_.end());
    for (auto it = twin_.begin(); it != twin_.end() && left > 0;) {
      if (*it != value) {
        ++it;
        continue;
      }
      it = twin_.erase(it);
      --left;
      ++removed;
    }
    if (count < 0) std::reverse(twin_.begin(), twin_.end());
    ASSERT_EQ(list_.RemoveEqual(value, count), removed);
  }
  void TrimBoth() {
    if (twin_.empty()) return;
    const std::size_t first = rng_.Below(1 + twin_.size() / 8);
    const std::size_t last = twin_.size() - 1 - rng_.Below(1 + twin_.size() / 8);
    list_.Trim(first, last);
    twin_.erase(twin_.begin() + static_cast<std::ptrdiff_t>(std::min(last + 1, twin_.size())),
                twin_.end());
    twin_.erase(twin_.begin(),
                twin_.begin() + static_cast<std::ptrdiff_t>(std::min(first, twin_.size())));
    if (first > last) twin_.clear();
  }
  void FindBoth() {
    const std::string value = PresentOrRandom();
    List::FindRule rule;
    rule.rank = static_cast<std::int64_t>(1 + rng_.Below(3)) * (rng_.Below(2) == 0 ? 1 : -1);
    rule.count = rng_.Below(4);
    rule.max_compared = rng_.Below(2) == 0 ? 0 : rng_.Below(40);
    std::vector<std::size_t> expected;
    std::int64_t skip = std::abs(rule.rank) - 1;
    for (std::size_t i = 0; i < twin_.size(); ++i) {
      if (rule.max_compared != 0 && i == rule.max_compared) break;
      const std::size_t at = rule.rank > 0 ? i : twin_.size() - 1 - i;
      if (twin_[at] != value || skip-- > 0) continue;
      expected.push_back(at);
      if (rule.count != 0 && expected.size() == rule.count) break;
    }
    ASSERT_EQ(list_.Find(value, rule), expected);
  }
  void LookAt() {
    const std::int64_t index = RandomIndex();
    const std::int64_t count = static_cast<std::int64_t>(twin_.size());
    const std::int64_t at = index < 0 ? index + count : index;
    List::Cursor cursor = list_.At(index);
    ASSERT_EQ(cursor.Valid(), at >= 0 && at < count);
    std::size_t i = static_cast<std::size_t>(at);
    for (int steps = 0; cursor.Valid() && steps < 20; ++steps, ++i, cursor.Next()) {
      ASSERT_EQ(cursor.value(), twin_[i]);
    }
  }

  // Long stretches of growth and of decline, so that every form is passed in both directions.
  void Step(int step) {
    switch (rng_.Below(100)) {
      case 0:
      case 1:
        return SetBoth();
      case 2:
      case 3:
        return InsertBoth();
      case 4:
        return RemoveBoth();
      case 5:
        return FindBoth();
      case 6:
      case 7:
        return LookAt();
      case 8:
        return DropBoth();
      case 9:
        return RotateBoth();
      case 10:
        if (rng_.Below(20) == 0) TrimBoth();
        return;
      default:
        const bool growing = step / GetParam().stretch % 2 == 0;
        if (rng_.Below(20) < (growing ? 17 : 5)) return PushBoth(RandomEnd(), RandomValue());
        return PopBoth(RandomEnd());
    }
  }

  void ExpectEqual() {
    list_.CheckInvariants();
    ASSERT_EQ(list_.size(), twin_.size());
    std::size_t i = 0;
    list_.ForEach([&](std::string_view value) { ASSERT_EQ(value, twin_[i++]); });
    ASSERT_EQ(i, twin_.size());
    for (List::Cursor cursor = list_.Last(); cursor.Valid(); cursor.Prev()) {
      ASSERT_EQ(cursor.value(), twin_[--i]);
    }
    ASSERT_EQ(i, 0U);
  }

  Rng rng_{20261130};
  List list_;
  Twin twin_;
};

TEST_P(ListModelTest, SameCallsGiveTheSameList) {
  for (int step = 0; step < 30000; ++step) {
    Step(step);
    if (step % 100 == 0) ExpectEqual();
    if (HasFatalFailure()) FAIL() << "at step " << step;
  }
  const std::unique_ptr<List> clone = list_.Clone();
  clone->CheckInvariants();
  list_.Clear();
  EXPECT_TRUE(list_.empty());
  list_ = std::move(*clone);
  ExpectEqual();
}

INSTANTIATE_TEST_SUITE_P(Mixes, ListModelTest,
                         ::testing::Values(Sizes{"AFewSmall", 12, 12, 1, 300},
                                           Sizes{"ManySmall", 60, 300, 20, 9000},
                                           Sizes{"ManyMedium", 700, 5000, 20, 5000},
                                           Sizes{"Large", 9000, 70000, 8, 1000},
                                           Sizes{"AroundABlock", 4200, 8300, 2, 2000}),
                         [](const auto& sizes) { return std::string(sizes.param.name); });

}  // namespace
}  // namespace rung
