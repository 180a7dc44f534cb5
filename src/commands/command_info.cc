// The ten fields of COMMAND INFO. See command_replies.h.

#include <algorithm>
#include <array>
#include <cstddef>
#include <limits>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "commands/categories.h"
#include "commands/command_replies.h"

namespace rung {
namespace {

struct FlagName {
  std::uint32_t flag;
  std::string_view name;
};

// What Redis keeps to itself (may_replicate) is not listed here either.
constexpr std::array kFlagNames = {
    FlagName{kWrite, "write"},
    FlagName{kReadOnly, "readonly"},
    FlagName{kDenyOom, "denyoom"},
    FlagName{kAdmin, "admin"},
    FlagName{kPubSub, "pubsub"},
    FlagName{kNoScript, "noscript"},
    FlagName{kBlocking, "blocking"},
    FlagName{kLoading, "loading"},
    FlagName{kStale, "stale"},
    FlagName{kSkipMonitor, "skip_monitor"},
    FlagName{kSkipSlowLog, "skip_slowlog"},
    FlagName{kFast, "fast"},
    FlagName{kNoAuth, "no_auth"},
    FlagName{kNoMandatoryKeys, "no_mandatory_keys"},
    FlagName{kNoMulti, "no_multi"},
    FlagName{kAllowBusy, "allow_busy"},
};

constexpr std::array kKeyFlagNames = {
    FlagName{kKeyRead, "RO"},
    FlagName{kKeyReadWrite, "RW"},
    FlagName{kKeyOverwrite, "OW"},
    FlagName{kKeyRemove, "RM"},
    FlagName{kKeyAccess, "access"},
    FlagName{kKeyUpdate, "update"},
    FlagName{kKeyInsert, "insert"},
    FlagName{kKeyDelete, "delete"},
    FlagName{kKeyNotKey, "not_key"},
    FlagName{kKeyIncomplete, "incomplete"},
    FlagName{kKeyVariable, "variable_flags"},
};

std::vector<std::string_view> NamesOf(std::uint32_t flags, std::span<const FlagName> names) {
  std::vector<std::string_view> set;
  for (const FlagName& entry : names) {
    if ((flags & entry.flag) != 0) set.push_back(entry.name);
  }
  return set;
}

void ReplyStatuses(ReplyWriter& reply, const std::vector<std::string_view>& words) {
  reply.Set(words.size());
  for (const std::string_view word : words) reply.Status(word);
}

std::vector<std::string_view> Words(std::string_view text) {
  std::vector<std::string_view> words;
  for (std::size_t at = 0; at < text.size();) {
    const std::size_t end = std::min(text.find(' ', at), text.size());
    if (end > at) words.push_back(text.substr(at, end - at));
    at = end + 1;
  }
  return words;
}

std::vector<KeySpec> KeySpecsOf(const Command& command) {
  std::vector<KeySpec> specs;
  for (const KeySpec& spec : command.spec->keys) {
    if (spec.index != 0) specs.push_back(spec);
  }
  return specs;
}

// First key, last key and step, as they were before key specifications: what older clients read.
struct LegacyRange {
  int first = 0;
  int last = 0;
  int step = 0;
  bool movable = false;  // The three numbers do not tell all.
};

bool IsPlainRange(const KeySpec& spec) { return spec.keyword.empty() && spec.count_at < 0; }

int LastWord(const KeySpec& spec) { return spec.last < 0 ? spec.last : spec.index + spec.last; }

LegacyRange LegacyRangeOf(const std::vector<KeySpec>& specs) {
  LegacyRange range;
  if (specs.size() == 1 && IsPlainRange(specs[0])) {
    return {.first = specs[0].index,
            .last = LastWord(specs[0]),
            .step = specs[0].step,
            .movable = (specs[0].flags & kKeyIncomplete) != 0};
  }
  unsigned last = 0;
  for (const KeySpec& spec : specs) {
    if (!IsPlainRange(spec) || spec.step != 1 ||
        (last != 0 && static_cast<int>(last) != spec.index - 1)) {
      range.movable = true;
      continue;
    }
    range.movable = range.movable || (spec.flags & kKeyIncomplete) != 0;
    range.first = range.first == 0 ? spec.index : std::min<int>(range.first, spec.index);
    // Counted from the end is behind anything counted from the start.
    last = std::max(last, static_cast<unsigned>(LastWord(spec)));
  }
  if (range.first != 0) {
    range.last = static_cast<int>(last);
    range.step = 1;
  }
  return range;
}

void ReplyFlags(ReplyWriter& reply, const Command& command, const LegacyRange& range) {
  std::vector<std::string_view> names = NamesOf(command.spec->flags, kFlagNames);
  if (range.movable) names.push_back("movablekeys");
  ReplyStatuses(reply, names);
}

void ReplyBeginSearch(ReplyWriter& reply, const KeySpec& spec) {
  reply.Bulk("begin_search");
  reply.Map(2);
  reply.Bulk("type");
  reply.Bulk(spec.keyword.empty() ? "index" : "keyword");
  reply.Bulk("spec");
  if (spec.keyword.empty()) {
    reply.Map(1);
    reply.Bulk("index");
  } else {
    reply.Map(2);
    reply.Bulk("keyword");
    reply.Bulk(spec.keyword);
    reply.Bulk("startfrom");
  }
  reply.Integer(spec.index);
}

void ReplyFindKeys(ReplyWriter& reply, const KeySpec& spec) {
  const bool range = spec.count_at < 0;
  reply.Bulk("find_keys");
  reply.Map(2);
  reply.Bulk("type");
  reply.Bulk(range ? "range" : "keynum");
  reply.Bulk("spec");
  reply.Map(3);
  reply.Bulk(range ? "lastkey" : "keynumidx");
  reply.Integer(range ? spec.last : spec.count_at);
  reply.Bulk(range ? "keystep" : "firstkey");
  reply.Integer(range ? spec.step : spec.first_key);
  reply.Bulk(range ? "limit" : "keystep");
  reply.Integer(range ? spec.limit : spec.step);
}

void ReplyKeySpecs(ReplyWriter& reply, const std::vector<KeySpec>& specs) {
  reply.Set(specs.size());
  for (const KeySpec& spec : specs) {
    reply.Map(3);
    reply.Bulk("flags");
    ReplyKeyFlags(reply, spec.flags);
    ReplyBeginSearch(reply, spec);
    ReplyFindKeys(reply, spec);
  }
}

}  // namespace

void ReplyKeyFlags(ReplyWriter& reply, std::uint32_t flags) {
  ReplyStatuses(reply, NamesOf(flags, kKeyFlagNames));
}

void ReplyCommandInfo(ReplyWriter& reply, const Command& command) {
  const std::vector<KeySpec> specs = KeySpecsOf(command);
  const LegacyRange range = LegacyRangeOf(specs);
  reply.Array(10);
  reply.Bulk(command.full_name);
  reply.Integer(command.spec->arity);
  ReplyFlags(reply, command, range);
  reply.Integer(range.first);
  reply.Integer(range.last);
  reply.Integer(range.step);
  const std::vector<std::string_view> categories = CategoriesOf(*command.spec);
  reply.Set(categories.size());
  for (const std::string_view category : categories) reply.Status("@" + std::string(category));
  const std::vector<std::string_view> tips = Words(command.spec->tips);
  reply.Set(tips.size());
  for (const std::string_view tip : tips) reply.Bulk(tip);
  ReplyKeySpecs(reply, specs);
  reply.Array(command.subcommands.size());
  for (const Command& sub : command.subcommands) ReplyCommandInfo(reply, sub);
}

}  // namespace rung
