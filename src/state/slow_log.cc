// Keeping slow commands, cut to size. See slow_log.h.

#include "rung/state/slow_log.h"

#include <utility>

namespace rung {
namespace {

std::string CutArgument(std::string_view arg) {
  if (arg.size() <= SlowLog::kArgumentBytesMax) return std::string(arg);
  std::string cut(arg.substr(0, SlowLog::kArgumentBytesMax));
  cut += "... (" + std::to_string(arg.size() - SlowLog::kArgumentBytesMax) + " more bytes)";
  return cut;
}

}  // namespace

void SlowLog::Add(std::span<const std::string_view> args, Record record, std::size_t length_max) {
  const bool too_many = args.size() > kArgumentsMax;
  const std::size_t kept = too_many ? kArgumentsMax - 1 : args.size();
  for (const std::string_view arg : args.first(kept)) record.args.push_back(CutArgument(arg));
  if (too_many) {
    record.args.push_back("... (" + std::to_string(args.size() - kept) + " more arguments)");
  }
  record.id = next_id_++;
  records_.push_front(std::move(record));
  Trim(length_max);
}

void SlowLog::Trim(std::size_t length_max) {
  while (records_.size() > length_max) records_.pop_back();
}

}  // namespace rung
