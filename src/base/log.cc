// The log on top of spdlog. See log.h; no other file knows spdlog.

#include "rung/base/log.h"

#include <spdlog/logger.h>
#include <spdlog/pattern_formatter.h>
#include <spdlog/sinks/basic_file_sink.h>
#include <spdlog/sinks/stdout_sinks.h>

namespace rung {
namespace {

constexpr const char* kLine = "%P:M %d %b %Y %H:%M:%S.%e %v";

char SignOf(LogLevel level) {
  constexpr std::string_view kSigns = ".-*#";
  return kSigns[static_cast<std::size_t>(level)];
}

}  // namespace

struct Log::Output {
  explicit Output(spdlog::sink_ptr sink) : logger("rung", std::move(sink)) {
    logger.set_formatter(std::make_unique<spdlog::pattern_formatter>(kLine));
    logger.set_level(spdlog::level::trace);
    logger.flush_on(spdlog::level::trace);
    // A full disk must not end the broker, nor flood the console.
    logger.set_error_handler([](const std::string&) {});
  }

  spdlog::logger logger;
};

Log::Log() : output_(std::make_unique<Output>(std::make_shared<spdlog::sinks::stdout_sink_mt>())) {}

Log::~Log() = default;

std::optional<Error> Log::Open(const std::string& file) {
  try {
    spdlog::sink_ptr sink;
    if (file.empty()) {
      sink = std::make_shared<spdlog::sinks::stdout_sink_mt>();
    } else {
      sink = std::make_shared<spdlog::sinks::basic_file_sink_mt>(file);
    }
    output_ = std::make_unique<Output>(std::move(sink));
  } catch (const spdlog::spdlog_ex& exception) {
    return Error(exception.what());
  }
  file_ = file;
  return std::nullopt;
}

void Log::Write(LogLevel level, std::string_view text) {
  if (!Shows(level) || level == LogLevel::kNothing) return;
  output_->logger.log(spdlog::level::info, "{} {}", SignOf(level), text);
}

}  // namespace rung
