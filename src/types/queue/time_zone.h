// TimeZone: local time in a zone of the IANA database, by name.
//
// The database is the system's (package tzdata), read by Google's CCTZ, which appears in the .cc
// file alone. A zone that was loaded stays as it was until the process ends.
//
// Local times are seconds since 1970-01-01 00:00 of the clock on the wall there, as if that clock
// were UTC. All functions are pure, and take microseconds at most.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

#include "rung/base/result.h"

namespace cctz {
class time_zone;
}

namespace rung {

class TimeZone {
 public:
  // UTC.
  TimeZone() = default;

  // "Europe/Berlin", "UTC". Errors: a name that the database does not have; an unknown name leaves
  // no trace. Reads one file when a zone is first loaded.
  static Result<TimeZone> Load(std::string_view name);

  const std::string& name() const { return name_; }

  std::int64_t ToLocal(std::int64_t utc_seconds) const;

  // What a local time stands for. When clocks are set forward some stand for nothing, when they are
  // set back some stand for two instants.
  struct Instants {
    enum class Kind : std::uint8_t { kOne, kSkipped, kTwice };

    Kind kind = Kind::kOne;
    // UTC seconds: the one, the first of the two, or the instant at which the clocks were set.
    std::int64_t at = 0;
  };
  Instants FromLocal(std::int64_t local_seconds) const;

  // When clocks are set next after `utc_seconds`, if ever.
  std::optional<std::int64_t> NextChange(std::int64_t utc_seconds) const;

 private:
  explicit TimeZone(std::string_view name) : name_(name) {}

  cctz::time_zone Zone() const;

  std::string name_ = "UTC";
};

}  // namespace rung
