// SortedSet beside std::set and a textbook skiplist with spans, each of those with an unordered_map
// from member to score: what an operation costs all in all, and bytes per member.
//
// Members have 16 to 40 bytes. The counter "op" is the time of one operation.

#include <benchmark/benchmark.h>

#include <array>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <set>
#include <string>
#include <string_view>
#include <unordered_map>
#include <utility>
#include <vector>

#include "rung/base/memory.h"
#include "rung/base/rng.h"
#include "rung/types/sorted_set.h"
#include "types/blocked_skiplist.h"
#include "types/score_records.h"
#include "types/sorted_set_bounds.h"

namespace rung {
namespace {

// Members and random scores, side by side in memory so that reading them costs next to nothing.
class Input {
 public:
  explicit Input(std::size_t count, std::size_t length = 0) {
    Rng rng(11);
    offsets_.push_back(0);
    for (std::size_t i = 0; i < count; ++i) {
      const std::size_t bytes = length > 0 ? length : 16 + rng.Below(25);
      std::string member = "job:" + std::to_string(i) + ":";
      while (member.size() < bytes) member += static_cast<char>('a' + rng.Below(26));
      member.resize(bytes);
      text_ += member;
      offsets_.push_back(text_.size());
      scores_.push_back(rng.Unit() * 1e9);
    }
  }
  std::size_t size() const { return scores_.size(); }
  std::string_view member(std::size_t i) const {
    return std::string_view(text_).substr(offsets_[i], offsets_[i + 1] - offsets_[i]);
  }
  double score(std::size_t i) const { return scores_[i]; }

 private:
  std::string text_;
  std::vector<std::size_t> offsets_;
  std::vector<double> scores_;
};

const Input& InputOf(std::size_t count) {
  static std::unordered_map<std::size_t, std::unique_ptr<Input>> inputs;
  std::unique_ptr<Input>& input = inputs[count];
  if (!input) input = std::make_unique<Input>(count);
  return *input;
}

// ---- The three kinds behind the same words

struct Ours {
  Rng rng{1};
  SortedSet set{rng};

  void Put(std::string_view member, double score) {
    benchmark::DoNotOptimize(set.Put(member, score));
  }
  double Score(std::string_view member) const { return *set.Score(member); }
  std::size_t Rank(std::string_view member) const { return set.Rank(member, ZEnd::kLowest)->rank; }
  void Remove(std::string_view member) { set.Remove(member); }
  void PopMin() {
    set.PopEach(ZEnd::kLowest, 1, [](std::string_view member, double score) {
      benchmark::DoNotOptimize(member.data());
      benchmark::DoNotOptimize(score);
    });
  }
  std::size_t Range(std::string_view from, std::size_t count) const {
    std::size_t bytes = 0;
    SortedSet::Cursor cursor = set.SeekFirst(ScoreRange{.min = Score(from)});
    for (; count > 0 && cursor.Valid(); --count, cursor.Next()) bytes += cursor.member().size();
    return bytes;
  }
};

struct Standard {
  using Members = std::unordered_map<std::string, double>;
  Members members;
  std::set<std::pair<double, std::string_view>> order;

  void Put(std::string_view member, double score) {
    const auto [at, added] = members.try_emplace(std::string(member), score);
    if (!added) {
      order.erase({at->second, at->first});
      at->second = score;
    }
    order.emplace(score, at->first);
  }
  double Score(std::string_view member) const { return members.find(std::string(member))->second; }
  std::size_t Rank(std::string_view member) const {  // There is no rank: only the way to the place.
    return order.find({Score(member), member})->second.size();
  }
  void Remove(std::string_view member) {
    const auto at = members.find(std::string(member));
    order.erase({at->second, member});
    members.erase(at);
  }
  void PopMin() {
    const auto first = order.begin();
    const auto at = members.find(std::string(first->second));
    order.erase(first);
    members.erase(at);
  }
  std::size_t Range(std::string_view from, std::size_t count) const {
    std::size_t bytes = 0;
    auto at = order.lower_bound({Score(from), std::string_view()});
    for (; count > 0 && at != order.end(); --count, ++at) bytes += at->second.size();
    return bytes;
  }
};

// Pugh's skiplist with spans, one element a node, heights with probability 1/4.
class TextbookList {
 public:
  struct Node;
  struct Link {
    Node* next = nullptr;
    std::size_t span = 0;
  };
  struct Node {
    double score = 0;
    std::string_view member;
    Link links[1];  // As many as the node is high.
  };
  using Key = std::pair<double, std::string_view>;

  ~TextbookList() {
    while (size_ > 0) Erase({first()->score, first()->member});
    ::operator delete(head_);
  }

  void Insert(double score, std::string_view member) {
    const Way way = Find({score, member});
    std::size_t height = 1;
    while (height < kLevels && rng_.Below(4) == 0) ++height;
    Node* const node = NewNode(height);
    node->score = score;
    node->member = member;
    for (std::size_t level = 0; level < kLevels; ++level) {
      Link& link = way.nodes[level]->links[level];
      if (level >= height) {
        ++link.span;
        continue;
      }
      const std::size_t before = way.ranks[0] - way.ranks[level];
      node->links[level] = {link.next, link.span - before};
      link = {node, before + 1};
    }
    ++size_;
  }

  void Erase(const Key& key) {
    const Way way = Find(key);
    Node* const node = way.nodes[0]->links[0].next;
    for (std::size_t level = 0; level < kLevels; ++level) {
      Link& link = way.nodes[level]->links[level];
      if (link.next == node) {
        link = {node->links[level].next, link.span + node->links[level].span - 1};
      } else {
        --link.span;
      }
    }
    --size_;
    ::operator delete(node);
  }

  std::size_t Rank(const Key& key) const { return Find(key).ranks[0]; }
  const Node* LowerBound(const Key& key) const { return Find(key).nodes[0]->links[0].next; }
  const Node* first() const { return head_->links[0].next; }

 private:
  static constexpr std::size_t kLevels = 16;
  struct Way {
    std::array<Node*, kLevels> nodes;
    std::array<std::size_t, kLevels> ranks;
  };

  static Node* NewNode(std::size_t height) {
    void* const block = ::operator new(sizeof(Node) + (height - 1) * sizeof(Link));
    auto* const node = new (block) Node;
    for (std::size_t level = 1; level < height; ++level) new (&node->links[level]) Link;
    return node;
  }

  Way Find(const Key& key) const {
    Way way;
    Node* node = head_;
    std::size_t rank = 0;
    for (std::size_t level = kLevels; level-- > 0;) {
      for (Node* next = node->links[level].next;
           next != nullptr && Key{next->score, next->member} < key;
           next = node->links[level].next) {
        rank += node->links[level].span;
        node = next;
      }
      way.nodes[level] = node;
      way.ranks[level] = rank;
    }
    return way;
  }

  Rng rng_{1};
  Node* head_ = NewNode(kLevels);
  std::size_t size_ = 0;
};

struct Textbook {
  std::unordered_map<std::string, double> members;
  TextbookList order;

  void Put(std::string_view member, double score) {
    const auto [at, added] = members.try_emplace(std::string(member), score);
    if (!added) {
      order.Erase({at->second, at->first});
      at->second = score;
    }
    order.Insert(score, at->first);
  }
  double Score(std::string_view member) const { return members.find(std::string(member))->second; }
  std::size_t Rank(std::string_view member) const { return order.Rank({Score(member), member}); }
  void Remove(std::string_view member) {
    const auto at = members.find(std::string(member));
    order.Erase({at->second, member});
    members.erase(at);
  }
  void PopMin() {
    const TextbookList::Node* const first = order.first();
    const auto at = members.find(std::string(first->member));
    order.Erase({first->score, first->member});
    members.erase(at);
  }
  std::size_t Range(std::string_view from, std::size_t count) const {
    std::size_t bytes = 0;
    const TextbookList::Node* at = order.LowerBound({Score(from), std::string_view()});
    for (; count > 0 && at != nullptr; --count, at = at->links[0].next) bytes += at->member.size();
    return bytes;
  }
};

// ---- The benchmarks

template <typename Kind>
std::unique_ptr<Kind> Filled(const Input& input) {
  auto kind = std::make_unique<Kind>();
  for (std::size_t i = 0; i < input.size(); ++i) kind->Put(input.member(i), input.score(i));
  return kind;
}

void ReportPerOperation(benchmark::State& state, std::size_t per_iteration) {
  const auto count = static_cast<double>(state.iterations()) * static_cast<double>(per_iteration);
  state.counters["op"] =
      benchmark::Counter(count, benchmark::Counter::kIsRate | benchmark::Counter::kInvert);
}

template <typename Kind>
void BM_InsertRandom(benchmark::State& state) {
  const Input& input = InputOf(static_cast<std::size_t>(state.range(0)));
  for (auto _ : state) {
    auto kind = Filled<Kind>(input);
    state.PauseTiming();
    kind.reset();
    state.ResumeTiming();
  }
  ReportPerOperation(state, input.size());
}

template <typename Kind>
void BM_InsertAtEnd(benchmark::State& state) {
  const Input& input = InputOf(static_cast<std::size_t>(state.range(0)));
  for (auto _ : state) {
    auto kind = std::make_unique<Kind>();
    for (std::size_t i = 0; i < input.size(); ++i) {
      kind->Put(input.member(i), static_cast<double>(i));
    }
    state.PauseTiming();
    kind.reset();
    state.ResumeTiming();
  }
  ReportPerOperation(state, input.size());
}

// Three tiers, each first in, first out: score = tier * 2^32 + counter.
template <typename Kind>
void BM_InsertTiers(benchmark::State& state) {
  const Input& input = InputOf(static_cast<std::size_t>(state.range(0)));
  for (auto _ : state) {
    auto kind = std::make_unique<Kind>();
    for (std::size_t i = 0; i < input.size(); ++i) {
      kind->Put(input.member(i), static_cast<double>(i % 3 << 32) + static_cast<double>(i));
    }
    state.PauseTiming();
    kind.reset();
    state.ResumeTiming();
  }
  ReportPerOperation(state, input.size());
}

template <typename Kind>
void BM_PopMin(benchmark::State& state) {
  const Input& input = InputOf(static_cast<std::size_t>(state.range(0)));
  for (auto _ : state) {
    state.PauseTiming();
    auto kind = Filled<Kind>(input);
    state.ResumeTiming();
    for (std::size_t i = 0; i < input.size(); ++i) kind->PopMin();
    state.PauseTiming();
    kind.reset();
    state.ResumeTiming();
  }
  ReportPerOperation(state, input.size());
}

template <typename Kind>
void BM_Delete(benchmark::State& state) {
  const Input& input = InputOf(static_cast<std::size_t>(state.range(0)));
  for (auto _ : state) {
    state.PauseTiming();
    auto kind = Filled<Kind>(input);
    state.ResumeTiming();
    for (std::size_t i = 0; i < input.size(); ++i) kind->Remove(input.member(i));
  }
  ReportPerOperation(state, input.size());
}

// One operation a member, on a set that stays as it is. Members come in the order of the input,
// which is random in the order of the set.
template <typename Kind, typename Operation>
void OnFilled(benchmark::State& state, Operation operation) {
  const Input& input = InputOf(static_cast<std::size_t>(state.range(0)));
  const auto kind = Filled<Kind>(input);
  std::size_t i = 0;
  for (auto _ : state) {
    operation(*kind, input, i);
    if (++i == input.size()) i = 0;
  }
  ReportPerOperation(state, 1);
}

template <typename Kind>
void BM_Score(benchmark::State& state) {
  OnFilled<Kind>(state, [](Kind& kind, const Input& input, std::size_t i) {
    benchmark::DoNotOptimize(kind.Score(input.member(i)));
  });
}

template <typename Kind>
void BM_Rank(benchmark::State& state) {
  OnFilled<Kind>(state, [](Kind& kind, const Input& input, std::size_t i) {
    benchmark::DoNotOptimize(kind.Rank(input.member(i)));
  });
}

template <typename Kind>
void BM_Range100(benchmark::State& state) {
  OnFilled<Kind>(state, [](Kind& kind, const Input& input, std::size_t i) {
    benchmark::DoNotOptimize(kind.Range(input.member(i), 100));
  });
}

// A member gets a score elsewhere in the set.
template <typename Kind>
void BM_Update(benchmark::State& state) {
  Rng rng(3);
  OnFilled<Kind>(state, [&](Kind& kind, const Input& input, std::size_t i) {
    kind.Put(input.member(i), rng.Unit() * 1e9);
  });
}

// A queue at its full length: one goes in at the end, one comes out at the front.
template <typename Kind>
void BM_QueueStep(benchmark::State& state) {
  const Input& input = InputOf(static_cast<std::size_t>(state.range(0)));
  auto kind = std::make_unique<Kind>();
  double clock = 0;
  for (std::size_t i = 0; i < input.size(); ++i) kind->Put(input.member(i), clock += 1);
  std::size_t i = 0;
  for (auto _ : state) {
    kind->PopMin();
    kind->Put(input.member(i), clock += 1);
    if (++i == input.size()) i = 0;
  }
  ReportPerOperation(state, 1);
}

// Bytes a member of exactly 16 bytes takes, all in all.
template <typename Kind>
void BM_BytesPerMember(benchmark::State& state) {
  const Input input(static_cast<std::size_t>(state.range(0)), 16);
  for (auto _ : state) {
    const std::size_t before = AllocatedBytes();
    const auto kind = Filled<Kind>(input);
    state.counters["bytes"] =
        static_cast<double>(AllocatedBytes() - before) / static_cast<double>(input.size());
  }
}

// ---- The order alone: blocked skiplist over records that are there already

struct OrderInput {
  explicit OrderInput(const Input& input) {
    for (std::size_t i = 0; i < input.size(); ++i) {
      handles.push_back(records.Add(input.member(i), input.score(i)));
    }
  }
  void Insert(BlockedSkiplist& order, std::size_t i) const {
    const double score = records.Score(handles[i]);
    const std::string_view member = records.Member(handles[i]);
    BlockedSkiplist::Path way = order.WayTo(score, member);
    order.Insert(way, order.CountBelow(way, score), {score, member, handles[i]});
  }
  std::unique_ptr<BlockedSkiplist> Filled() {
    auto order = std::make_unique<BlockedSkiplist>(&rng, &records);
    for (std::size_t i = 0; i < handles.size(); ++i) Insert(*order, i);
    return order;
  }

  Rng rng{1};
  ScoreRecords records;
  std::vector<ScoreRecords::Handle> handles;
};

void BM_OrderInsert(benchmark::State& state) {
  OrderInput input(InputOf(static_cast<std::size_t>(state.range(0))));
  for (auto _ : state) {
    auto order = input.Filled();
    state.PauseTiming();
    state.counters["bytes"] =
        static_cast<double>(order->MemoryBytes()) / static_cast<double>(order->size());
    order.reset();
    state.ResumeTiming();
  }
  ReportPerOperation(state, input.handles.size());
}

void BM_OrderPopMin(benchmark::State& state) {
  OrderInput input(InputOf(static_cast<std::size_t>(state.range(0))));
  for (auto _ : state) {
    state.PauseTiming();
    auto order = input.Filled();
    state.ResumeTiming();
    while (order->size() > 0) {
      order->EraseFront(1, [](ScoreRecords::Handle handle) { benchmark::DoNotOptimize(handle); });
    }
  }
  ReportPerOperation(state, input.handles.size());
}

void BM_OrderErase(benchmark::State& state) {
  OrderInput input(InputOf(static_cast<std::size_t>(state.range(0))));
  for (auto _ : state) {
    state.PauseTiming();
    auto order = input.Filled();
    state.ResumeTiming();
    for (const ScoreRecords::Handle handle : input.handles) {
      order->Erase({input.records.Score(handle), input.records.Member(handle), handle});
    }
  }
  ReportPerOperation(state, input.handles.size());
}

void BM_OrderRank(benchmark::State& state) {
  OrderInput input(InputOf(static_cast<std::size_t>(state.range(0))));
  const auto order = input.Filled();
  std::size_t i = 0;
  for (auto _ : state) {
    const ScoreRecords::Handle handle = input.handles[i];
    benchmark::DoNotOptimize(
        order->PartitionPoint(BeforeScore{input.records.Score(handle), false}));
    if (++i == input.handles.size()) i = 0;
  }
  ReportPerOperation(state, 1);
}

#define RUNG_SIZES Arg(1'000)->Arg(100'000)->Arg(1'000'000)
#define RUNG_SORTED_SET_BENCH(name)                                             \
  BENCHMARK_TEMPLATE(name, Ours)->RUNG_SIZES->Unit(benchmark::kNanosecond);     \
  BENCHMARK_TEMPLATE(name, Standard)->RUNG_SIZES->Unit(benchmark::kNanosecond); \
  BENCHMARK_TEMPLATE(name, Textbook)->RUNG_SIZES->Unit(benchmark::kNanosecond)

RUNG_SORTED_SET_BENCH(BM_InsertRandom);
RUNG_SORTED_SET_BENCH(BM_InsertAtEnd);
RUNG_SORTED_SET_BENCH(BM_InsertTiers);
RUNG_SORTED_SET_BENCH(BM_PopMin);
RUNG_SORTED_SET_BENCH(BM_QueueStep);
RUNG_SORTED_SET_BENCH(BM_Score);
RUNG_SORTED_SET_BENCH(BM_Rank);
RUNG_SORTED_SET_BENCH(BM_Range100);
RUNG_SORTED_SET_BENCH(BM_Update);
RUNG_SORTED_SET_BENCH(BM_Delete);
RUNG_SORTED_SET_BENCH(BM_BytesPerMember);

BENCHMARK(BM_OrderInsert)->RUNG_SIZES->Unit(benchmark::kNanosecond);
BENCHMARK(BM_OrderPopMin)->RUNG_SIZES->Unit(benchmark::kNanosecond);
BENCHMARK(BM_OrderErase)->RUNG_SIZES->Unit(benchmark::kNanosecond);
BENCHMARK(BM_OrderRank)->RUNG_SIZES->Unit(benchmark::kNanosecond);

}  // namespace
}  // namespace rung
