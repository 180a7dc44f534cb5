// INFO: which sections are asked for. The sections themselves are in info_*.cc.

#include <array>
#include <cstdio>
#include <string>
#include <string_view>

#include "commands/families.h"
#include "commands/info_text.h"
#include "rung/base/numbers.h"
#include "rung/commands/arg_reader.h"

namespace rung {

void InfoText::Section(std::string_view title) {
  if (!text_.empty()) text_ += "\r\n";
  text_ += "# ";
  text_ += title;
  text_ += "\r\n";
}

void InfoText::Field(std::string_view name, std::string_view value) {
  text_ += name;
  text_ += ':';
  text_ += value;
  text_ += "\r\n";
}

void InfoText::Field(std::string_view name, double value) {
  std::array<char, 64> buffer{};
  std::snprintf(buffer.data(), buffer.size(), "%.2f", value);
  Field(name, std::string_view(buffer.data()));
}

void InfoText::Bytes(std::string_view name, std::size_t bytes) {
  Field(name, bytes);
  Human(name, bytes);
}

void InfoText::Human(std::string_view name, std::size_t bytes) {
  constexpr std::array kUnits = {'B', 'K', 'M', 'G', 'T', 'P'};
  constexpr double kStep = 1024;
  double amount = static_cast<double>(bytes);
  std::size_t unit = 0;
  for (; amount >= kStep && unit + 1 < kUnits.size(); ++unit) amount /= kStep;
  std::array<char, 64> buffer{};
  std::snprintf(buffer.data(), buffer.size(), unit == 0 ? "%.0f%c" : "%.2f%c", amount,
                kUnits[unit]);
  Field(std::string(name) + "_human", std::string_view(buffer.data()));
}

namespace {

struct SectionEntry {
  std::string_view name;
  bool by_default;
  void (*write)(ExecContext& ctx, InfoText& info);
};

// In the order of the report.
constexpr std::array kSections = {
    SectionEntry{"server", true, &WriteServerInfo},
    SectionEntry{"clients", true, &WriteClientsInfo},
    SectionEntry{"memory", true, &WriteMemoryInfo},
    SectionEntry{"persistence", true, &WritePersistenceInfo},
    SectionEntry{"stats", true, &WriteStatsInfo},
    SectionEntry{"replication", true, &WriteReplicationInfo},
    SectionEntry{"cpu", true, &WriteCpuInfo},
    SectionEntry{"modules", true, &WriteModulesInfo},
    SectionEntry{"commandstats", false, &WriteCommandStats},
    SectionEntry{"errorstats", true, &WriteErrorStats},
    SectionEntry{"latencystats", false, &WriteLatencyStats},
    SectionEntry{"cluster", true, &WriteClusterInfo},
    SectionEntry{"keyspace", true, &WriteKeyspaceInfo},
};

bool IsWanted(const SectionEntry& section, std::span<const std::string_view> words) {
  if (words.empty()) return section.by_default;
  for (const std::string_view word : words) {
    if (EqualsIgnoreCase(word, section.name)) return true;
    if (EqualsIgnoreCase(word, "all") || EqualsIgnoreCase(word, "everything")) return true;
    if (section.by_default && EqualsIgnoreCase(word, "default")) return true;
  }
  return false;
}

Outcome Info(ExecContext& ctx, ArgReader& args) {
  const std::span<const std::string_view> words = args.Rest();
  InfoText info;
  for (const SectionEntry& section : kSections) {
    if (IsWanted(section, words)) section.write(ctx, info);
  }
  ctx.reply.Verbatim(info.Take());
  return Outcome::kReplied;
}

constexpr std::array kCommands = {
    Declare({.name = "INFO",
             .arity = -1,
             .flags = kLoading | kStale,
             .acl = "dangerous",
             .tips = "nondeterministic_output request_policy:all_shards response_policy:special",
             .group = "server",
             .since = "1.0.0",
             .summary = "Reports on the state of the server, in sections.",
             .complexity = "O(1), and O(n) for n clients",
             .syntax = "[section...]",
             .handler = &Info}),
};

}  // namespace

std::span<const CommandSpec> InfoCommands() { return kCommands; }

}  // namespace rung
