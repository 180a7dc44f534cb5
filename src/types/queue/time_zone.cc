// TimeZone by CCTZ.
#include "types/queue/time_zone.h"

#include <cctz/civil_time.h>
#include <cctz/time_zone.h>

#include <algorithm>
#include <chrono>
#include <filesystem>
#include <system_error>

namespace rung {

namespace {

using Seconds = cctz::time_point<cctz::seconds>;

Seconds Point(std::int64_t utc_seconds) { return Seconds(cctz::seconds(utc_seconds)); }
std::int64_t Count(Seconds point) { return point.time_since_epoch().count(); }

std::int64_t Count(const cctz::civil_second& civil) { return civil - cctz::civil_second(); }
cctz::civil_second Civil(std::int64_t local_seconds) {
  return cctz::civil_second() + local_seconds;
}

// The letters of the database's names: nothing that leads to another place in the file system.
bool IsName(std::string_view name) {
  if (name.empty() || name.size() > 64 || name.front() == '/') return false;
  return std::all_of(name.begin(), name.end(), [](char c) {
    const bool letter = (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z');
    return letter || (c >= '0' && c <= '9') || c == '_' || c == '/' || c == '+' || c == '-';
  });
}

// Asked for first, since CCTZ would remember each name that it does not find.
bool IsInDatabase(std::string_view name) {
  std::error_code error;
  return std::filesystem::is_regular_file("/usr/share/zoneinfo/" + std::string(name), error);
}

}  // namespace

Result<TimeZone> TimeZone::Load(std::string_view name) {
  if (name == "UTC") return TimeZone();
  cctz::time_zone zone;
  // "localtime" is a file, too, but means another zone on another machine.
  const bool known = IsName(name) && name != "localtime" && IsInDatabase(name);
  if (!known || !cctz::load_time_zone(std::string(name), &zone)) {
    return Error("ERR unknown time zone, names are such as Europe/Berlin or UTC");
  }
  return TimeZone(name);
}

// A look-up in CCTZ's table of loaded zones.
cctz::time_zone TimeZone::Zone() const {
  cctz::time_zone zone = cctz::utc_time_zone();
  if (name_ != "UTC") cctz::load_time_zone(name_, &zone);
  return zone;
}

std::int64_t TimeZone::ToLocal(std::int64_t utc_seconds) const {
  return Count(Zone().lookup(Point(utc_seconds)).cs);
}

TimeZone::Instants TimeZone::FromLocal(std::int64_t local_seconds) const {
  using Kind = Instants::Kind;
  const auto found = Zone().lookup(Civil(local_seconds));
  switch (found.kind) {
    case cctz::time_zone::civil_lookup::SKIPPED:
      return {Kind::kSkipped, Count(found.trans)};
    case cctz::time_zone::civil_lookup::REPEATED:
      return {Kind::kTwice, Count(found.pre)};
    case cctz::time_zone::civil_lookup::UNIQUE:
      break;
  }
  return {Kind::kOne, Count(found.pre)};
}

std::optional<std::int64_t> TimeZone::NextChange(std::int64_t utc_seconds) const {
  const cctz::time_zone zone = Zone();
  cctz::time_zone::civil_transition change;
  if (!zone.next_transition(Point(utc_seconds), &change)) return std::nullopt;
  return Count(zone.lookup(change.to).trans);
}

}  // namespace rung
