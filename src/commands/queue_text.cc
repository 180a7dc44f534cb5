// Receipts, references and replies of the Q.* commands. See queue_text.h.

#include "commands/queue_text.h"

#include "rung/base/numbers.h"

namespace rung {

std::optional<Receipt> Receipt::Parse(std::string_view text) {
  const std::size_t dash = text.find('-');
  if (dash == std::string_view::npos) return std::nullopt;
  const auto id = ParseUint64(text.substr(0, dash));
  const auto token = ParseUint64(text.substr(dash + 1));
  if (!id || !token) return std::nullopt;
  return Receipt{.id = *id, .token = *token};
}

std::string Receipt::Print() const { return std::to_string(id) + "-" + std::to_string(token); }

Receipt TakeReceipt(ArgReader& args) {
  const std::optional<Receipt> receipt = Receipt::Parse(args.Bytes());
  if (!receipt) args.Fail("ERR invalid receipt: it is what Q.TAKE gave, such as 42-7");
  return receipt.value_or(Receipt{});
}

bool NextIsReceipt(const ArgReader& args) {
  return args.More() && Receipt::Parse(args.Peek()).has_value();
}

std::string StaleReceipt(Receipt receipt) { return "QSTALE receipt=" + receipt.Print(); }
std::string CancelledReceipt(Receipt receipt) { return "QCANCELLED receipt=" + receipt.Print(); }
std::string UnknownJob(std::string_view reference) {
  return "QNOJOB id=" + std::string(reference.substr(0, 64));
}
std::string PrintIds(std::span<const std::uint64_t> ids) {
  std::string text;
  for (const std::uint64_t id : ids) {
    if (!text.empty()) text += ',';
    text += std::to_string(id);
  }
  return text;
}

std::string NoQueue(std::string_view key) {
  return "QNOQUEUE key=" + std::string(key.substr(0, 64));
}

std::optional<JobState> ParseJobState(std::string_view text) {
  for (std::size_t i = 0; i < kJobStates; ++i) {
    const auto state = static_cast<JobState>(i);
    if (EqualsIgnoreCase(text, JobStateName(state))) return state;
  }
  return std::nullopt;
}

std::int64_t TakeMilliseconds(ArgReader& args, std::int64_t min) {
  return args.IntegerIn(min, kTimeMaxMs, errors::kOutOfRange);
}

std::optional<std::chrono::nanoseconds> TakeBlock(ArgReader& args) {
  return args.TimeoutMilliseconds();
}

bool IsJobReference(std::string_view reference) {
  return reference.starts_with('=') || ParseUint64(reference).has_value();
}

const Job* FindJob(const Queue& queue, std::string_view reference) {
  if (reference.starts_with('=')) return queue.FindName(reference.substr(1));
  const std::optional<std::uint64_t> id = ParseUint64(reference);
  return id ? queue.Find(*id) : nullptr;
}

void FieldList::Add(std::string_view name, std::vector<FieldList> list) {
  Field field{.name = name, .kind = Kind::kList};
  for (FieldList& fields : list) {
    field.map.push_back({.kind = Kind::kMap, .map = std::move(fields.fields_)});
  }
  fields_.push_back(std::move(field));
}

void FieldList::Write(ReplyWriter& reply, const std::vector<Field>& fields) {
  reply.Map(fields.size());
  for (const Field& field : fields) {
    reply.Bulk(field.name);
    WriteValue(reply, field);
  }
}

void FieldList::WriteValue(ReplyWriter& reply, const Field& field) {
  switch (field.kind) {
    case Kind::kInteger:
      return reply.Integer(field.integer);
    case Kind::kText:
      return reply.Bulk(field.text);
    case Kind::kNull:
      return reply.Null();
    case Kind::kMap:
      return Write(reply, field.map);
    case Kind::kList:
      reply.Array(field.map.size());
      for (const Field& map : field.map) Write(reply, map.map);
      return;
  }
}

}  // namespace rung
