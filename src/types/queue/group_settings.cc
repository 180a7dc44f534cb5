// The fields of Q.CONF GROUP: a group's own, and what holds for it. See queue_settings.h.

#include <algorithm>
#include <array>
#include <tuple>

#include "rung/base/numbers.h"
#include "types/queue/setting_words.h"

namespace rung {
namespace {

using G = GroupSettings;
using V = std::string_view;

struct GroupField {
  std::string_view name;
  bool (*set)(GroupSettings& group, std::string_view value);
  void (*reset)(GroupSettings& group);
};

bool SetOwnCount(std::optional<std::uint64_t>& target, V value) {
  return SetCount(target.emplace(), value);
}

bool SetOwnRate(G& group, V value) {
  ScopeLimits limits;
  if (!SetRate(limits, value)) return false;
  group.rate.emplace(limits.rate_count, limits.rate_per_ms);
  return true;
}

bool SetOwnMarks(G& group, V value) {
  ScopeLimits limits;
  if (!SetMarks(limits, value)) return false;
  group.marks.emplace(limits.mark_high, limits.mark_low);
  return true;
}

bool SetOwnWeight(G& group, V value) {
  const std::optional<std::uint32_t> weight = ParseWeight(value);
  group.weight = weight.value_or(1);
  return weight.has_value();
}

constexpr std::array kGroupFields = {
    GroupField{"weight", &SetOwnWeight, [](G& g) { g.weight = 1; }},
    GroupField{"len", [](G& g, V v) { return SetOwnCount(g.length, v); },
               [](G& g) { g.length.reset(); }},
    GroupField{"bytes", [](G& g, V v) { return SetOwnCount(g.bytes, v); },
               [](G& g) { g.bytes.reset(); }},
    GroupField{"full", [](G& g, V v) { return SetFull(g.full.emplace(), v, false); },
               [](G& g) { g.full.reset(); }},
    GroupField{"marks", &SetOwnMarks, [](G& g) { g.marks.reset(); }},
    GroupField{"conc", [](G& g, V v) { return SetNumber(g.leases.emplace(), kConcurrencyMax, v); },
               [](G& g) { g.leases.reset(); }},
    GroupField{"rate", &SetOwnRate, [](G& g) { g.rate.reset(); }},
};

}  // namespace

std::optional<Error> QueueSettings::SetOfGroup(std::string_view group,
                                               std::span<const std::string_view> words) {
  if (group.empty() || group.size() > kGroupNameMax) {
    return Error("ERR a group's name has 1 to 255 bytes");
  }
  GroupSettings& own = groups[std::string(group)];
  for (std::size_t i = 0; i < words.size(); i += 2) {
    const auto* found =
        std::find_if(kGroupFields.begin(), kGroupFields.end(),
                     [&](const GroupField& each) { return EqualsIgnoreCase(each.name, words[i]); });
    const std::string shown(words[i].substr(0, 64));
    if (found == kGroupFields.end()) return Error("ERR unknown setting '" + shown + "' of a group");
    if (EqualsIgnoreCase(words[i + 1], "default")) {
      found->reset(own);
    } else if (!found->set(own, words[i + 1])) {
      return Error("ERR invalid value '" + std::string(words[i + 1].substr(0, 64)) +
                   "' for setting '" + shown + "'");
    }
  }
  if (own == GroupSettings{}) groups.erase(groups.find(group));
  return std::nullopt;
}

std::uint32_t QueueSettings::GroupWeight(std::string_view group) const {
  const auto known = groups.find(group);
  return known == groups.end() ? 1 : known->second.weight;
}

ScopeLimits QueueSettings::LimitsOfGroup(std::string_view group) const {
  if (group.empty()) return {};
  ScopeLimits merged = group_limits;
  const auto known = groups.find(group);
  if (known == groups.end()) return merged;
  const GroupSettings& own = known->second;
  merged.length = own.length.value_or(merged.length);
  merged.bytes = own.bytes.value_or(merged.bytes);
  merged.full = own.full.value_or(merged.full);
  merged.leases = own.leases.value_or(merged.leases);
  if (own.marks) std::tie(merged.mark_high, merged.mark_low) = *own.marks;
  if (own.rate) std::tie(merged.rate_count, merged.rate_per_ms) = *own.rate;
  return merged;
}

std::vector<std::pair<std::string_view, std::string>> QueueSettings::PrintGroup(
    std::string_view group) const {
  const ScopeLimits held = LimitsOfGroup(group);
  return {{"weight", std::to_string(GroupWeight(group))},
          {"len", std::to_string(held.length)},
          {"bytes", std::to_string(held.bytes)},
          {"full", std::string(FullPolicyName(held.full))},
          {"marks", PrintMarks(held)},
          {"conc", std::to_string(held.leases)},
          {"rate", PrintRate(held)}};
}

}  // namespace rung
