// SlowLog: the last commands that took long, newest first.
#pragma once

#include <cstddef>
#include <cstdint>
#include <deque>
#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace rung {

class SlowLog {
 public:
  static constexpr std::size_t kArgumentsMax = 32;
  static constexpr std::size_t kArgumentBytesMax = 128;

  struct Record {
    std::uint64_t id = 0;
    std::int64_t wall_seconds = 0;
    std::int64_t microseconds = 0;
    std::vector<std::string> args;  // Cut to the limits above, with a note of what was cut.
    std::string client_address;
    std::string client_name;
  };

  // Keeps at most `length_max` records, the newest.
  void Add(std::span<const std::string_view> args, Record record, std::size_t length_max);
  void Trim(std::size_t length_max);
  const std::deque<Record>& records() const { return records_; }
  void Reset() { records_.clear(); }

 private:
  std::deque<Record> records_;
  std::uint64_t next_id_ = 0;
};

}  // namespace rung
