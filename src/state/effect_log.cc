// Gathering and wrapping of effect records. See effect_log.h.

#include "rung/state/effect_log.h"

#include "rung/base/numbers.h"

namespace rung {
namespace {

void AppendRequest(std::string& out, std::span<const std::string_view> args) {
  NumberBuffer number;
  out += '*';
  out += FormatInt64(static_cast<std::int64_t>(args.size()), number);
  out += "\r\n";
  for (const std::string_view arg : args) {
    out += '$';
    out += FormatInt64(static_cast<std::int64_t>(arg.size()), number);
    out += "\r\n";
    out += arg;
    out += "\r\n";
  }
}

void AppendRequest(std::string& out, std::initializer_list<std::string_view> args) {
  AppendRequest(out, std::span(args.begin(), args.size()));
}

}  // namespace

void EffectLog::Append(int database, std::span<const std::string_view> args) {
  if (!enabled() || muted_) return;
  if (database != selected_database_) {
    NumberBuffer number;
    AppendRequest(unit_, {"SELECT", FormatInt64(database, number)});
    selected_database_ = database;
  }
  AppendRequest(unit_, args);
  ++records_;
}

void EffectLog::FinishUnit() {
  if (records_ == 0) return;
  if (records_ == 1) {
    sink_->OnEffects(unit_);
  } else {
    output_.clear();
    AppendRequest(output_, {"MULTI"});
    output_ += unit_;
    AppendRequest(output_, {"EXEC"});
    sink_->OnEffects(output_);
  }
  unit_.clear();
  records_ = 0;
}

}  // namespace rung
