// Streams against a naive twin: a map from id to fields.

#include <gtest/gtest.h>

#include <cstddef>
#include <cstdint>
#include <map>
#include <string>
#include <utility>
#include <vector>

#include "rung/base/rng.h"
#include "rung/types/stream.h"

namespace rung {
namespace {

using Fields = std::vector<std::pair<std::string, std::string>>;
using Twin = std::map<StreamId, Fields>;

Twin Read(const Stream& stream, StreamId first, StreamId last, Stream::Order order) {
  Twin read;
  std::optional<StreamId> before;
  stream.ForEach(first, last, order, [&](const StreamEntry& entry) {
    if (before) {
      EXPECT_TRUE(order == Stream::Order::kForward ? *before < entry.id : entry.id < *before);
    }
    before = entry.id;
    Fields& fields = read[entry.id];
    for (const StreamField& field : entry.fields) fields.emplace_back(field.first, field.second);
    return true;
  });
  return read;
}

class StreamModel {
 public:
  explicit StreamModel(std::uint64_t seed) : rng_(seed) {}

  void Step() {
    switch (rng_.Below(10)) {
      case 0:
        return Delete();
      case 1:
        return rng_.Below(20) == 0 ? Trim() : Append();
      case 2:
        return CompareRange();
      default:
        return Append();
    }
  }

  void CompareAll() {
    stream_.CheckInvariants();
    EXPECT_EQ(stream_.entry_count(), twin_.size());
    EXPECT_EQ(Read(stream_, StreamId::Min(), StreamId::Max(), Stream::Order::kForward), twin_);
    EXPECT_EQ(Read(stream_, StreamId::Min(), StreamId::Max(), Stream::Order::kBackward), twin_);
    EXPECT_EQ(stream_.first_id(), twin_.empty() ? StreamId{} : twin_.begin()->first);
    EXPECT_EQ(stream_.entries_added(), added_);
  }

 private:
  StreamId AnyId() { return {.ms = rng_.Below(now_ + 2), .seq = rng_.Below(4)}; }

  void Append() {
    if (rng_.Below(3) == 0) now_ += rng_.Below(1000);
    const StreamId id = *stream_.NextId(static_cast<std::int64_t>(now_));
    Fields fields;
    const std::size_t count = 1 + rng_.Below(3);
    for (std::size_t i = 0; i < count; ++i) {
      const std::string name = rng_.Below(8) == 0 ? "odd" : "f" + std::to_string(i);
      fields.emplace_back(name, std::string(rng_.Below(200), 'v'));
    }
    std::vector<StreamField> views(fields.begin(), fields.end());
    stream_.Append(id, views, {.bytes_max = 512, .entries_max = 10});
    twin_[id] = fields;
    ++added_;
  }

  void Delete() {
    if (twin_.empty()) return;
    auto victim = twin_.begin();
    std::advance(victim, static_cast<std::ptrdiff_t>(rng_.Below(twin_.size())));
    const StreamId id = rng_.Below(4) == 0 ? AnyId() : victim->first;
    EXPECT_EQ(stream_.Delete(id), twin_.erase(id) == 1);
  }

  void Trim() {
    StreamTrim trim;
    Twin::iterator end = twin_.begin();
    if (rng_.Below(2) == 0) {
      trim.by = StreamTrim::By::kMinId;
      trim.min_id = AnyId();
      end = twin_.lower_bound(trim.min_id);
    } else {
      trim.length_max = rng_.Below(twin_.size() + 2);
      while (static_cast<std::size_t>(std::distance(end, twin_.end())) > trim.length_max) ++end;
    }
    const auto expected = static_cast<std::uint64_t>(std::distance(twin_.begin(), end));
    EXPECT_EQ(stream_.Trim(trim), expected);
    twin_.erase(twin_.begin(), end);
  }

  void CompareRange() {
    const StreamId first = AnyId();
    const StreamId last = AnyId();
    Twin expected;
    for (const auto& [id, fields] : twin_) {
      if (first <= id && id <= last) expected[id] = fields;
    }
    EXPECT_EQ(Read(stream_, first, last, Stream::Order::kForward), expected);
    EXPECT_EQ(Read(stream_, first, last, Stream::Order::kBackward), expected);
    EXPECT_EQ(stream_.Contains(first), twin_.count(first) == 1);
  }

  Rng rng_;
  Stream stream_;
  Twin twin_;
  std::uint64_t now_ = 1;
  std::uint64_t added_ = 0;
};

TEST(StreamModelTest, AgreesWithAMapOverManySteps) {
  for (const std::uint64_t seed : {1, 2, 3, 4}) {
    StreamModel model(seed);
    for (int step = 0; step < 3000; ++step) {
      model.Step();
      if (step % 100 == 0) model.CompareAll();
      if (::testing::Test::HasFailure()) FAIL() << "seed=" << seed << " step=" << step;
    }
    model.CompareAll();
  }
}

TEST(StreamModelTest, ApproximateTrimRemovesWholeBlocksOnly) {
  Stream stream;
  const StreamField field{"f", "v"};
  for (std::uint64_t i = 1; i <= 100; ++i) {
    stream.Append({.ms = i, .seq = 0}, std::span(&field, 1), {.bytes_max = 0, .entries_max = 10});
  }
  StreamTrim trim;
  trim.approximate = true;
  trim.length_max = 55;
  EXPECT_EQ(stream.Trim(trim), 40u);
  EXPECT_EQ(stream.entry_count(), 60u);
  trim.length_max = 0;
  trim.limit = 25;
  EXPECT_EQ(stream.Trim(trim), 20u);
  EXPECT_EQ(stream.first_id(), (StreamId{.ms = 61, .seq = 0}));
}

TEST(StreamModelTest, AnEntryOfTwoShortFieldsTakesLittle) {
  Stream stream;
  const std::vector<StreamField> fields = {{"event", "added"}, {"job", "1234567"}};
  for (std::uint64_t i = 0; i < 10000; ++i) {
    stream.Append({.ms = 1700000000000 + i, .seq = 0}, fields, {});
  }
  EXPECT_LE(stream.MemoryBytes() / 10000, 32u);
}

}  // namespace
}  // namespace rung
