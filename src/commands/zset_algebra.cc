// Union, intersection, difference. See zset_algebra.h.
//
// Inputs are visited from the smallest on, ties in the order of the request. That order shows in
// sums of fractions, which round, and so must not depend on anything else.

#include "commands/zset_algebra.h"

#include <algorithm>
#include <cmath>
#include <span>
#include <utility>

namespace rung {
namespace {

void SmallestFirst(std::vector<WeightedSource>& inputs) {
  std::stable_sort(inputs.begin(), inputs.end(),
                   [](const WeightedSource& a, const WeightedSource& b) {
                     return a.source.size() < b.source.size();
                   });
}

// An infinite score of weight 0 counts as 0.
double Weigh(double score, double weight) {
  const double weighted = score * weight;
  return std::isnan(weighted) ? 0.0 : weighted;
}

double Combine(Aggregate aggregate, double a, double b) {
  switch (aggregate) {
    case Aggregate::kSum: {
      const double sum = a + b;
      return std::isnan(sum) ? 0.0 : sum;
    }
    case Aggregate::kMin:
      return b < a ? b : a;
    case Aggregate::kMax:
      return b > a ? b : a;
  }
  return a;
}

// Puts the member in; false, with the reason in `failure`, if that does not work.
bool PutInto(SortedSet& result, std::string_view member, double score,
             std::optional<Error>& failure) {
  const Result<PutOutcome> put = result.Put(member, score);
  if (!put.ok()) failure = put.error();
  return put.ok();
}

// The member's score in all the inputs; nullopt if one has it not.
std::optional<double> CommonScore(std::span<const WeightedSource> others, std::string_view member,
                                  double score, Aggregate aggregate) {
  for (const WeightedSource& other : others) {
    const std::optional<double> found = other.source.Score(member);
    if (!found) return std::nullopt;
    score = Combine(aggregate, score, *found * other.weight);
  }
  return score;
}

bool AnyHas(std::span<const WeightedSource> inputs, std::string_view member) {
  return std::any_of(inputs.begin(), inputs.end(), [member](const WeightedSource& input) {
    return input.source.Score(member).has_value();
  });
}

}  // namespace

Result<MemberSource> MemberSource::Read(Database& db, std::string_view key) {
  MemberSource source;
  const Lookup found = db.Read(key);
  if (!found) return source;
  if (found.entry()->type() == ValueType::kSortedSet) {
    source.sorted_ = static_cast<const SortedSet*>(found.entry()->object());
  } else if (found.entry()->type() == ValueType::kSet) {
    source.plain_ = static_cast<const Set*>(found.entry()->object());
  } else {
    return Error(errors::kWrongType);
  }
  return source;
}

std::size_t MemberSource::size() const {
  if (sorted_ != nullptr) return sorted_->size();
  return plain_ != nullptr ? plain_->size() : 0;
}

std::optional<double> MemberSource::Score(std::string_view member) const {
  if (sorted_ != nullptr) return sorted_->Score(member);
  if (plain_ != nullptr && plain_->Contains(member)) return 1.0;
  return std::nullopt;
}

std::optional<Error> Unite(std::vector<WeightedSource> inputs, Aggregate aggregate,
                           SortedSet& result) {
  SmallestFirst(inputs);
  std::optional<Error> failure;
  for (const WeightedSource& input : inputs) {
    input.source.ForEach([&](std::string_view member, double own) {
      double score = Weigh(own, input.weight);
      if (const std::optional<double> so_far = result.Score(member)) {
        score = Combine(aggregate, *so_far, score);
      }
      return PutInto(result, member, score, failure);
    });
    if (failure) break;
  }
  return failure;
}

std::optional<Error> Intersect(std::vector<WeightedSource> inputs, Aggregate aggregate,
                               SortedSet& result) {
  SmallestFirst(inputs);
  const WeightedSource& smallest = inputs.front();
  const std::span<const WeightedSource> others = std::span(inputs).subspan(1);
  std::optional<Error> failure;
  smallest.source.ForEach([&](std::string_view member, double own) {
    const auto score = CommonScore(others, member, Weigh(own, smallest.weight), aggregate);
    return !score || PutInto(result, member, *score, failure);
  });
  return failure;
}

std::optional<Error> Subtract(std::vector<WeightedSource> inputs, SortedSet& result) {
  const MemberSource first = inputs.front().source;
  std::size_t others_size = 0;
  for (std::size_t i = 1; i < inputs.size(); ++i) others_size += inputs[i].source.size();
  std::erase_if(inputs, [](const WeightedSource& input) { return input.source.size() == 0; });
  std::optional<Error> failure;
  if (first.size() == 0) return failure;
  const std::span<const WeightedSource> others = std::span(inputs).subspan(1);

  // Either each member is looked for in each of the others, or all are taken and those of the
  // others removed again. A look costs about a quarter of a removal.
  const bool looks = first.size() * others.size() / 4 <= first.size() + others_size;
  first.ForEach([&](std::string_view member, double score) {
    if (looks && AnyHas(others, member)) return true;
    return PutInto(result, member, score, failure);
  });
  if (looks || failure) return failure;
  for (const WeightedSource& other : others) {
    other.source.ForEach([&](std::string_view member, double /*score*/) {
      result.Remove(member);
      return !result.empty();
    });
  }
  return failure;
}

std::size_t CountCommon(std::vector<WeightedSource> inputs, std::size_t limit) {
  SmallestFirst(inputs);
  const std::span<const WeightedSource> others = std::span(inputs).subspan(1);
  std::size_t count = 0;
  inputs.front().source.ForEach([&](std::string_view member, double /*score*/) {
    const bool common = std::all_of(
        others.begin(), others.end(),
        [member](const WeightedSource& other) { return other.source.Score(member).has_value(); });
    if (common) ++count;
    return limit == 0 || count < limit;
  });
  return count;
}

}  // namespace rung
