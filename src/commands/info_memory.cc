// INFO memory, and the figures behind it. See memory_report.h.

#include <algorithm>

#include "commands/client_line.h"
#include "commands/info_text.h"
#include "commands/memory_report.h"
#include "rung/base/memory.h"
#include "rung/commands/scripting.h"

namespace rung {
namespace {

double Percent(std::size_t part, std::size_t whole) {
  return whole == 0 ? 0 : static_cast<double>(part) * 100 / static_cast<double>(whole);
}

std::string PercentText(double percent) {
  std::array<char, 32> buffer{};
  std::snprintf(buffer.data(), buffer.size(), "%.2f%%", percent);
  return buffer.data();
}

MemoryReport::Overhead Compare(std::size_t inner, std::size_t outer) {
  const double ratio = inner == 0 ? 0 : static_cast<double>(outer) / static_cast<double>(inner);
  return {.ratio = ratio,
          .bytes = static_cast<std::int64_t>(outer) - static_cast<std::int64_t>(inner)};
}

void WriteOverhead(InfoText& info, const std::string& ratio_name, const std::string& bytes_name,
                   const MemoryReport::Overhead& overhead) {
  info.Field(ratio_name, overhead.ratio);
  info.Field(bytes_name, overhead.bytes);
}

void WriteScriptFields(const ScriptFigures& figures, InfoText& info) {
  info.Bytes("used_memory_lua", figures.eval_machine_bytes);
  info.Field("used_memory_vm_eval", figures.eval_machine_bytes);
  info.Field("used_memory_scripts_eval", figures.script_bytes);
  info.Field("number_of_cached_scripts", figures.scripts);
  info.Field("number_of_functions", figures.functions);
  info.Field("number_of_libraries", figures.libraries);
  info.Field("used_memory_vm_functions", figures.function_machine_bytes);
  info.Bytes("used_memory_vm_total", figures.eval_machine_bytes + figures.function_machine_bytes);
  info.Field("used_memory_functions", figures.function_bytes);
  info.Bytes("used_memory_scripts", figures.script_bytes + figures.function_bytes);
}

}  // namespace

double MemoryReport::PeakPercent() const { return Percent(allocated, peak); }

double MemoryReport::DatasetPercent() const {
  return Percent(dataset, allocated - std::min(allocated, startup));
}

MemoryReport::Overhead MemoryReport::Fragmentation() const {
  return Compare(allocated, allocator_active);
}
MemoryReport::Overhead MemoryReport::AllocatorResident() const {
  return Compare(allocator_active, allocator_resident);
}
MemoryReport::Overhead MemoryReport::Process() const {
  return Compare(allocator_resident, resident);
}
MemoryReport::Overhead MemoryReport::Total() const { return Compare(allocated, resident); }

MemoryReport MakeMemoryReport(ExecContext& ctx) {
  const ProcessUsage usage = ctx.broker.host.Usage();
  Statistics& statistics = ctx.broker.statistics;
  MemoryReport report;
  report.allocated = AllocatedBytes();
  statistics.peak_memory_bytes =
      std::max<std::uint64_t>(statistics.peak_memory_bytes, report.allocated);
  report.peak = statistics.peak_memory_bytes;
  report.startup = statistics.startup_memory_bytes;
  report.resident = usage.resident_bytes;
  const AllocatorUse use = ReadAllocatorUse();
  report.allocator_active = use.active;
  report.allocator_resident = use.resident;
  report.system = usage.system_memory_bytes;
  for (const auto& [id, session] : ctx.broker.sessions)
    report.clients += ClientMemoryBytes(*session);
  for (int i = 0; i < ctx.broker.store.database_count(); ++i) {
    const Database& db = ctx.broker.store.database(i);
    if (db.size() == 0) continue;
    report.databases.emplace_back(i, db.TableBytes());
    report.tables += db.TableBytes();
    report.keys += db.size();
  }
  report.overhead = std::min(report.allocated, report.startup + report.clients + report.tables);
  report.dataset = report.allocated - report.overhead;
  return report;
}

void WriteMemoryInfo(ExecContext& ctx, InfoText& info) {
  const MemoryReport report = MakeMemoryReport(ctx);
  info.Section("Memory");
  info.Bytes("used_memory", report.allocated);
  info.Bytes("used_memory_rss", report.resident);
  info.Bytes("used_memory_peak", report.peak);
  info.Field("used_memory_peak_perc", PercentText(report.PeakPercent()));
  info.Field("used_memory_overhead", report.overhead);
  info.Field("used_memory_startup", report.startup);
  info.Field("used_memory_dataset", report.dataset);
  info.Field("used_memory_dataset_perc", PercentText(report.DatasetPercent()));
  info.Field("allocator_allocated", report.allocated);
  info.Field("allocator_active", report.allocator_active);
  info.Field("allocator_resident", report.allocator_resident);
  info.Bytes("total_system_memory", report.system);
  WriteScriptFields(ctx.dispatcher.scripting().Figures(), info);
  info.Bytes("maxmemory", ctx.broker.options().maxmemory);
  info.Field("maxmemory_policy", "noeviction");
  WriteOverhead(info, "allocator_frag_ratio", "allocator_frag_bytes", report.Fragmentation());
  WriteOverhead(info, "allocator_rss_ratio", "allocator_rss_bytes", report.AllocatorResident());
  WriteOverhead(info, "rss_overhead_ratio", "rss_overhead_bytes", report.Process());
  WriteOverhead(info, "mem_fragmentation_ratio", "mem_fragmentation_bytes", report.Total());
  info.Field("mem_not_counted_for_evict", 0);
  info.Field("mem_replication_backlog", 0);
  info.Field("mem_total_replication_buffers", 0);
  info.Field("mem_clients_slaves", 0);
  info.Field("mem_clients_normal", report.clients);
  info.Field("mem_cluster_links", 0);
  info.Field("mem_aof_buffer", 0);
  info.Field("mem_allocator", AllocatorName());
  info.Field("active_defrag_running", 0);
  info.Field("lazyfree_pending_objects", ctx.broker.host.PendingGarbage());
  info.Field("lazyfreed_objects",
             ctx.broker.host.FreedGarbage() - ctx.broker.statistics.garbage_freed_before);
}

}  // namespace rung
