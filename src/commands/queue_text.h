// How queues are spoken of: receipts, references to jobs, options and replies that several Q.*
// commands share.
#pragma once

#include <chrono>
#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "rung/base/result.h"
#include "rung/commands/arg_reader.h"
#include "rung/resp/reply_writer.h"
#include "rung/types/queue.h"

namespace rung {

// What a worker holds: "id-token".
struct Receipt {
  std::uint64_t id = 0;
  std::uint64_t token = 0;

  static std::optional<Receipt> Parse(std::string_view text);
  std::string Print() const;
};

// A receipt as the next argument. Errors: ERR invalid receipt.
Receipt TakeReceipt(ArgReader& args);
// True if the next argument looks like one.
bool NextIsReceipt(const ArgReader& args);

// "QSTALE receipt=2-1": this lease is not the current one of its job.
std::string StaleReceipt(Receipt receipt);
std::string CancelledReceipt(Receipt receipt);
std::string UnknownJob(std::string_view reference);
std::string NoQueue(std::string_view key);
// "3,5,8".
std::string PrintIds(std::span<const std::uint64_t> ids);

// "ready", "delayed" ... in any case.
std::optional<JobState> ParseJobState(std::string_view text);

// Milliseconds of an option: at least `min`. Errors: not an integer, out of range.
std::int64_t TakeMilliseconds(ArgReader& args, std::int64_t min);
// BLOCK: 0 and no value wait for ever.
std::optional<std::chrono::nanoseconds> TakeBlock(ArgReader& args);

// "42", or "=name" for the holder of that name; null if there is no such job.
const Job* FindJob(const Queue& queue, std::string_view reference);
// False if `reference` is neither a number nor "=name".
bool IsJobReference(std::string_view reference);

// A map reply whose length is known only at its end.
class FieldList {
 public:
  void Add(std::string_view name, std::int64_t value) {
    fields_.push_back({.name = name, .kind = Kind::kInteger, .integer = value});
  }
  void Add(std::string_view name, std::uint64_t value) {
    Add(name, static_cast<std::int64_t>(value));
  }
  void Add(std::string_view name, std::uint32_t value) { Add(name, std::int64_t{value}); }
  void Add(std::string_view name, std::string_view value) {
    fields_.push_back({.name = name, .kind = Kind::kText, .text = std::string(value)});
  }
  void AddNull(std::string_view name) { fields_.push_back({.name = name, .kind = Kind::kNull}); }
  void AddScore(std::string_view name, std::optional<std::int64_t> score) {
    score ? Add(name, *score) : AddNull(name);
  }
  // A map of its own; `name` must outlive the reply, as all names.
  void Add(std::string_view name, FieldList fields) {
    fields_.push_back({.name = name, .kind = Kind::kMap, .map = std::move(fields.fields_)});
  }
  // A list of maps.
  void Add(std::string_view name, std::vector<FieldList> list);
  void Write(ReplyWriter& reply) const { Write(reply, fields_); }

 private:
  enum class Kind : std::uint8_t { kInteger, kText, kNull, kMap, kList };
  struct Field {
    std::string_view name{};
    Kind kind = Kind::kNull;
    std::int64_t integer = 0;
    std::string text{};
    std::vector<Field> map{};  // kList: one field for each map in it.
  };
  static void Write(ReplyWriter& reply, const std::vector<Field>& fields);
  static void WriteValue(ReplyWriter& reply, const Field& field);

  std::vector<Field> fields_;
};

}  // namespace rung
