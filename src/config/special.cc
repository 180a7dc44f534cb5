// Options whose value is no single number, name or text: each with its grammar. See SpecialValue.

#include <algorithm>
#include <array>
#include <limits>
#include <utility>

#include "config/option_spec.h"
#include "rung/base/events.h"
#include "rung/base/numbers.h"
#include "rung/base/quoting.h"

namespace rung {
namespace {

// A list that is given as one empty word is empty.
bool IsEmptyList(Words words) { return words.empty() || (words.size() == 1 && words[0].empty()); }

void AppendWord(std::string& words, std::string_view word) {
  if (!words.empty()) words += ' ';
  words += word;
}

// --- bind ---------------------------------------------------------------------------------------

Reason ParseBind(Words words, ReadMode, Options& options) {
  constexpr std::size_t kMostAddresses = 16;
  if (words.size() > kMostAddresses) return "Too many bind addresses specified.";
  options.bind.clear();
  if (!IsEmptyList(words)) options.bind.assign(words.begin(), words.end());
  return std::nullopt;
}

std::string FormatBind(const Options& options) {
  std::string words;
  for (const std::string& address : options.bind) AppendWord(words, address);
  return words;
}

std::vector<std::string> BindLines(const Options& options) {
  if (options.bind.empty()) return {"\"\""};
  std::string words;
  for (const std::string& address : options.bind) AppendWord(words, QuoteIfNeeded(address));
  return {words};
}

// --- save ---------------------------------------------------------------------------------------

Reason ParseSave(Words words, ReadMode mode, Options& options) {
  if (IsEmptyList(words)) {
    options.save_points.clear();
    return std::nullopt;
  }
  std::vector<SavePoint> points;
  for (std::size_t i = 0; i < words.size(); i += 2) {
    const std::optional<std::int64_t> seconds = ParseInt64(words[i]);
    const std::optional<std::int64_t> changes =
        i + 1 < words.size() ? ParseInt64(words[i + 1]) : std::nullopt;
    if (!seconds || !changes || *seconds < 1 || *changes < 0) return "Invalid save parameters";
    points.push_back({*seconds, *changes});
  }
  if (mode == ReadMode::kReplace) options.save_points.clear();
  options.save_points.insert(options.save_points.end(), points.begin(), points.end());
  return std::nullopt;
}

std::vector<std::string> SaveLines(const Options& options) {
  if (options.save_points.empty()) return {"\"\""};
  std::vector<std::string> lines;
  for (const SavePoint& point : options.save_points) {
    lines.push_back(std::to_string(point.seconds) + ' ' + std::to_string(point.changes));
  }
  return lines;
}

std::string FormatSave(const Options& options) {
  std::string words;
  for (const SavePoint& point : options.save_points) {
    AppendWord(words, std::to_string(point.seconds));
    AppendWord(words, std::to_string(point.changes));
  }
  return words;
}

// --- client-output-buffer-limit -----------------------------------------------------------------

struct ClassName {
  std::string_view name;
  std::string_view old_name;  // What CONFIG GET still says.
  BufferClass buffer_class;
};
constexpr std::array kClassNames = {
    ClassName{"normal", "normal", BufferClass::kNormal},
    ClassName{"replica", "slave", BufferClass::kReplica},
    ClassName{"pubsub", "pubsub", BufferClass::kPubsub},
};

std::size_t IndexOf(BufferClass buffer_class) { return static_cast<std::size_t>(buffer_class); }

// Classes that are not named keep their limits.
Reason ParseOutputBufferLimits(Words words, ReadMode, Options& options) {
  constexpr std::string_view kWhere = " in buffer limit configuration.";
  if (words.size() % 4 != 0) {
    return std::string("Wrong number of arguments").append(kWhere);
  }
  for (std::size_t i = 0; i < words.size(); i += 4) {
    const auto* const known =
        std::find_if(kClassNames.begin(), kClassNames.end(), [&](const ClassName& name) {
          return EqualsIgnoreCase(words[i], name.name) || EqualsIgnoreCase(words[i], name.old_name);
        });
    if (known == kClassNames.end()) {
      return std::string("Invalid client class specified").append(kWhere);
    }
    const std::optional<std::int64_t> hard = ParseMemory(words[i + 1]);
    const std::optional<std::int64_t> soft = ParseMemory(words[i + 2]);
    const std::optional<std::int64_t> seconds = ParseInt64(words[i + 3]);
    if (!hard || !soft || !seconds || *seconds < 0) {
      return std::string("Error in hard, soft or soft_seconds setting").append(kWhere);
    }
    options.client_output_buffer_limits[IndexOf(known->buffer_class)] = {
        static_cast<std::uint64_t>(*hard), static_cast<std::uint64_t>(*soft), *seconds};
  }
  return std::nullopt;
}

std::string FormatOutputBufferLimits(const Options& options) {
  std::string words;
  for (const ClassName& name : kClassNames) {
    const OutputBufferLimit& limit =
        options.client_output_buffer_limits[IndexOf(name.buffer_class)];
    AppendWord(words, name.old_name);
    AppendWord(words, std::to_string(limit.hard_bytes));
    AppendWord(words, std::to_string(limit.soft_bytes));
    AppendWord(words, std::to_string(limit.soft_seconds));
  }
  return words;
}

std::vector<std::string> OutputBufferLimitLines(const Options& options) {
  std::vector<std::string> lines;
  for (const ClassName& name : kClassNames) {
    const OutputBufferLimit& limit =
        options.client_output_buffer_limits[IndexOf(name.buffer_class)];
    std::string line(name.name);
    AppendWord(line, FormatMemory(limit.hard_bytes));
    AppendWord(line, FormatMemory(limit.soft_bytes));
    AppendWord(line, std::to_string(limit.soft_seconds));
    lines.push_back(std::move(line));
  }
  return lines;
}

// --- oom-score-adj-values -----------------------------------------------------------------------

Reason ParseOomScores(Words words, ReadMode, Options& options) {
  constexpr std::int64_t kLimit = 2000;
  if (words.size() != options.oom_score_adj_values.size()) return "wrong number of arguments";
  for (std::size_t i = 0; i < words.size(); ++i) {
    const std::optional<std::int64_t> score = ParseInt64(words[i]);
    if (!score || *score < -kLimit || *score > kLimit) {
      return "Invalid oom-score-adj-values, elements must be between -2000 and 2000.";
    }
    options.oom_score_adj_values[i] = static_cast<int>(*score);
  }
  return std::nullopt;
}

std::string FormatOomScores(const Options& options) {
  std::string words;
  for (const int score : options.oom_score_adj_values) AppendWord(words, std::to_string(score));
  return words;
}

// --- notify-keyspace-events ---------------------------------------------------------------------

Reason ParseKeyspaceEvents(Words words, ReadMode, Options& options) {
  const std::optional<EventMask> mask = ParseEventMask(words[0]);
  if (!mask) return "Invalid event class character. Use 'Ag$lshzxeKEtmdn'.";
  options.notify_keyspace_events = *mask;
  return std::nullopt;
}

std::string FormatKeyspaceEvents(const Options& options) {
  return FormatEventMask(options.notify_keyspace_events);
}

// --- replicaof ----------------------------------------------------------------------------------

Reason ParseReplicaOf(Words words, ReadMode, Options& options) {
  if (IsEmptyList(words) || (words.size() == 2 && EqualsIgnoreCase(words[0], "no") &&
                             EqualsIgnoreCase(words[1], "one"))) {
    options.primary_host.clear();
    options.primary_port = 0;
    return std::nullopt;
  }
  if (words.size() != 2) return "wrong number of arguments";
  const std::optional<std::int64_t> port = ParseInt64(words[1]);
  if (!port || *port < 0 || *port > 65535) return "Invalid master port";
  options.primary_host = words[0];
  options.primary_port = static_cast<int>(*port);
  return std::nullopt;
}

std::string FormatReplicaOf(const Options& options) {
  if (options.primary_host.empty()) return {};
  return options.primary_host + ' ' + std::to_string(options.primary_port);
}

std::vector<std::string> ReplicaOfLines(const Options& options) {
  if (options.primary_host.empty()) return {"no one"};
  return {QuoteIfNeeded(options.primary_host) + ' ' + std::to_string(options.primary_port)};
}

// --- latency-tracking-info-percentiles ----------------------------------------------------------

Reason ParsePercentiles(Words words, ReadMode, Options& options) {
  std::vector<double> percentiles;
  if (IsEmptyList(words)) words = {};
  for (const std::string& word : words) {
    const std::optional<double> percentile = ParseDouble(word);
    if (!percentile) return "Invalid latency-tracking-info-percentiles parameters";
    if (*percentile < 0.0 || *percentile > 100.0) {
      return "latency-tracking-info-percentiles parameters should sit between [0.0,100.0]";
    }
    percentiles.push_back(*percentile);
  }
  options.latency_tracking_info_percentiles = std::move(percentiles);
  return std::nullopt;
}

std::string FormatPercentiles(const Options& options) {
  std::string words;
  NumberBuffer buffer;
  for (const double percentile : options.latency_tracking_info_percentiles) {
    AppendWord(words, FormatDouble(percentile, buffer));
  }
  return words;
}

// --- Options with one possible value ------------------------------------------------------------

Reason ParseMaxmemoryPolicy(Words words, ReadMode, Options&) {
  if (EqualsIgnoreCase(words[0], "noeviction")) return std::nullopt;
  return "the only policy is noeviction: a queue never drops work silently";
}

std::string FormatMaxmemoryPolicy(const Options&) { return "noeviction"; }

Reason ParseClusterEnabled(Words words, ReadMode, Options&) {
  if (EqualsIgnoreCase(words[0], "no")) return std::nullopt;
  return "there is no cluster mode";
}

std::string FormatClusterEnabled(const Options&) { return "no"; }

}  // namespace

constexpr SpecialValue kBindValue = {&ParseBind, &FormatBind, &BindLines, "addresses"};
constexpr SpecialValue kSaveValue = {&ParseSave, &FormatSave, &SaveLines, "pairs, or \"\""};
constexpr SpecialValue kOutputBufferLimitValue = {
    &ParseOutputBufferLimits, &FormatOutputBufferLimits, &OutputBufferLimitLines,
    "class, hard limit, soft limit, seconds, for one class or more"};
constexpr SpecialValue kOomScoreAdjValuesValue = {&ParseOomScores, &FormatOomScores, nullptr,
                                                  "three numbers"};
constexpr SpecialValue kKeyspaceEventsValue = {&ParseKeyspaceEvents, &FormatKeyspaceEvents, nullptr,
                                               "letters"};
constexpr SpecialValue kReplicaOfValue = {&ParseReplicaOf, &FormatReplicaOf, &ReplicaOfLines,
                                          "host and port, or no one"};
constexpr SpecialValue kPercentilesValue = {&ParsePercentiles, &FormatPercentiles, nullptr,
                                            "numbers from 0 to 100, or \"\""};
constexpr SpecialValue kMaxmemoryPolicyValue = {&ParseMaxmemoryPolicy, &FormatMaxmemoryPolicy,
                                                nullptr, "noeviction"};
constexpr SpecialValue kClusterEnabledValue = {&ParseClusterEnabled, &FormatClusterEnabled, nullptr,
                                               "no"};

}  // namespace rung
