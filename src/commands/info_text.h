// INFO: the text under construction, and the functions that write a section each.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <type_traits>

#include "rung/commands/context.h"

namespace rung {

// Lines "name:value", CR LF at the end of each, sections apart by an empty line.
class InfoText {
 public:
  void Section(std::string_view title);
  void Field(std::string_view name, std::string_view value);
  void Field(std::string_view name, const char* value) { Field(name, std::string_view(value)); }
  template <typename T>
  requires std::is_integral_v<T>
  void Field(std::string_view name, T value) {
    Field(name, std::string_view(std::to_string(value)));
  }
  // With two digits behind the point.
  void Field(std::string_view name, double value);
  // The field, and beside it "<name>_human" for people.
  void Bytes(std::string_view name, std::size_t bytes);
  void Human(std::string_view name, std::size_t bytes);

  std::string Take() { return std::move(text_); }

 private:
  std::string text_;
};

// info_server.cc
void WriteServerInfo(ExecContext& ctx, InfoText& info);
void WriteClientsInfo(ExecContext& ctx, InfoText& info);
void WriteReplicationInfo(ExecContext& ctx, InfoText& info);
void WriteCpuInfo(ExecContext& ctx, InfoText& info);
void WriteModulesInfo(ExecContext& ctx, InfoText& info);
void WriteClusterInfo(ExecContext& ctx, InfoText& info);
void WriteKeyspaceInfo(ExecContext& ctx, InfoText& info);

// info_memory.cc
void WriteMemoryInfo(ExecContext& ctx, InfoText& info);

// info_stats.cc
void WritePersistenceInfo(ExecContext& ctx, InfoText& info);
void WriteStatsInfo(ExecContext& ctx, InfoText& info);
void WriteCommandStats(ExecContext& ctx, InfoText& info);
void WriteErrorStats(ExecContext& ctx, InfoText& info);
void WriteLatencyStats(ExecContext& ctx, InfoText& info);

}  // namespace rung
