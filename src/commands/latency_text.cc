// See latency_text.h.

#include "commands/latency_text.h"

#include <algorithm>
#include <array>
#include <cstdio>
#include <vector>

namespace rung {
namespace {

constexpr std::size_t kColumns = 80;
constexpr std::int64_t kRows = 4;

// "12s", "3m", "5h", "2d".
std::string Age(std::int64_t seconds) {
  constexpr std::int64_t kMinute = 60;
  constexpr std::int64_t kHour = 60 * kMinute;
  constexpr std::int64_t kDay = 24 * kHour;
  if (seconds < kMinute) return std::to_string(seconds) + "s";
  if (seconds < kHour) return std::to_string(seconds / kMinute) + "m";
  if (seconds < kDay) return std::to_string(seconds / kHour) + "h";
  return std::to_string(seconds / kDay) + "d";
}

struct Column {
  std::int64_t height = 0;  // 1 to 2 * kRows, in half rows.
  std::string label;
};

std::vector<Column> MakeColumns(const LatencyMonitor::Series& series, std::int64_t low,
                                std::int64_t high, std::int64_t now_seconds) {
  std::vector<Column> columns;
  const auto& samples = series.samples;
  const std::size_t skip = samples.size() > kColumns ? samples.size() - kColumns : 0;
  for (std::size_t i = skip; i < samples.size(); ++i) {
    const std::int64_t range = std::max<std::int64_t>(1, high - low);
    const std::int64_t height = 1 + (samples[i].milliseconds - low) * (2 * kRows - 1) / range;
    columns.push_back({.height = height, .label = Age(now_seconds - samples[i].wall_seconds)});
  }
  return columns;
}

std::string TrimmedLine(std::string line) {
  while (!line.empty() && line.back() == ' ') line.pop_back();
  return line + '\n';
}

}  // namespace

std::string LatencyGraph(std::string_view event, const LatencyMonitor::Series& series,
                         std::int64_t now_seconds) {
  std::int64_t low = series.worst_milliseconds;
  std::int64_t high = 0;
  for (const LatencyMonitor::Sample& sample : series.samples) {
    low = std::min(low, sample.milliseconds);
    high = std::max(high, sample.milliseconds);
  }
  std::string graph = std::string(event) + " - high " + std::to_string(high) + " ms, low " +
                      std::to_string(low) + " ms (all time high " +
                      std::to_string(series.worst_milliseconds) + " ms)\n" +
                      std::string(kColumns, '-') + "\n";
  const std::vector<Column> columns = MakeColumns(series, low, high, now_seconds);
  for (std::int64_t row = kRows - 1; row >= 0; --row) {
    std::string line;
    for (const Column& column : columns) {
      const std::int64_t here = column.height - 2 * row;
      line += here >= 2 ? '#' : here == 1 ? '_' : ' ';
    }
    graph += TrimmedLine(line);
  }
  std::size_t label_rows = 0;
  for (const Column& column : columns) label_rows = std::max(label_rows, column.label.size());
  for (std::size_t row = 0; row < label_rows; ++row) {
    std::string line;
    for (const Column& column : columns) {
      line += row < column.label.size() ? column.label[row] : ' ';
    }
    graph += TrimmedLine(line);
  }
  return graph;
}

std::string LatencyReport(const LatencyMonitor& monitor, const Options& options) {
  if (options.latency_monitor_threshold_ms == 0 && monitor.series().empty()) {
    return "The latency monitor is off. CONFIG SET latency-monitor-threshold <milliseconds> turns "
           "it on.\n";
  }
  if (monitor.series().empty()) return "No latency spike has been seen.\n";
  std::string report = "Latency spikes have been seen:\n\n";
  int number = 0;
  for (const auto& [event, series] : monitor.series()) {
    std::int64_t sum = 0;
    for (const LatencyMonitor::Sample& sample : series.samples) sum += sample.milliseconds;
    const auto count = static_cast<std::int64_t>(series.samples.size());
    std::array<char, 256> line{};
    std::snprintf(line.data(), line.size(),
                  "%d. %s: %lld spikes, %lld ms on average, %lld ms at worst.\n", ++number,
                  event.c_str(), static_cast<long long>(count), static_cast<long long>(sum / count),
                  static_cast<long long>(series.worst_milliseconds));
    report += line.data();
  }
  report += "\nAdvice:\n\n";
  const std::int64_t threshold_us = options.latency_monitor_threshold_ms * 1000;
  if (options.slowlog_log_slower_than_us < 0 || options.slowlog_log_slower_than_us > threshold_us) {
    report += "- SLOWLOG does not see all of these: CONFIG SET slowlog-log-slower-than " +
              std::to_string(threshold_us) + " shows which commands they are.\n";
  } else {
    report += "- SLOWLOG GET shows which commands they are.\n";
  }
  report +=
      "- A fast-command that takes long points to the machine and not to the command: another "
      "process, a noisy neighbour, swapping. redis-cli --intrinsic-latency 100 measures it.\n";
  return report;
}

}  // namespace rung
