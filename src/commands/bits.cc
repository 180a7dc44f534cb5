// Strings as arrays of bits: SETBIT GETBIT BITCOUNT BITFIELD BITFIELD_RO.
//
// Bit 0 is the highest bit of the first byte. A field of BITFIELD is a number of up to 64 bits at
// any offset, highest bit first.

#include <algorithm>
#include <array>
#include <bit>
#include <cstddef>
#include <cstdint>
#include <limits>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "commands/families.h"
#include "rung/base/numbers.h"
#include "rung/commands/arg_reader.h"
#include "rung/commands/context.h"

namespace rung {
namespace {

constexpr std::string_view kBadOffset = "ERR bit offset is not an integer or out of range";
constexpr std::string_view kBadType =
    "ERR Invalid bitfield type. Use something like i16 u8. Note that u64 is not supported but i64 "
    "is.";

// The last bit that a string of the largest allowed size has.
bool IsBitOffset(const ExecContext& ctx, std::uint64_t offset) {
  return offset / 8 < ctx.broker.options().proto_max_bulk_bytes;
}

bool BitAt(std::string_view bytes, std::uint64_t offset) {
  const std::uint64_t byte = offset / 8;
  if (byte >= bytes.size()) return false;
  return ((static_cast<unsigned char>(bytes[byte]) >> (7 - offset % 8)) & 1) != 0;
}

void PutBit(std::string& bytes, std::uint64_t offset, bool bit) {
  const auto mask = static_cast<unsigned char>(1u << (7 - offset % 8));
  auto byte = static_cast<unsigned char>(bytes[offset / 8]);
  byte = static_cast<unsigned char>(bit ? byte | mask : byte & ~mask);
  bytes[offset / 8] = static_cast<char>(byte);
}

std::int64_t TakeBitOffset(const ExecContext& ctx, ArgReader& args) {
  const std::int64_t offset = args.Integer(kBadOffset);
  if (args.ok() && (offset < 0 || !IsBitOffset(ctx, static_cast<std::uint64_t>(offset)))) {
    args.Fail(kBadOffset);
  }
  return offset;
}

// Opens the string for change with room for `bytes`.
std::string& OpenBits(ExecContext& ctx, std::string_view key, Lookup found, std::uint64_t bytes) {
  std::string& value = ctx.db.GrowString(key, found);
  if (value.size() < bytes) value.resize(static_cast<std::size_t>(bytes));
  return value;
}

bool HoldsString(Lookup found) { return !found || found.entry()->type() == ValueType::kString; }

Outcome SetBit(ExecContext& ctx, ArgReader& args) {
  const std::string_view key = args.Bytes();
  const auto offset = static_cast<std::uint64_t>(TakeBitOffset(ctx, args));
  constexpr std::string_view kBadBit = "ERR bit is not an integer or out of range";
  const bool bit = args.IntegerIn(0, 1, kBadBit, kBadBit) == 1;
  if (const auto& error = args.Finish()) return ctx.Fail(*error);
  const Lookup found = ctx.db.Find(key);
  if (!HoldsString(found)) return ctx.Fail(errors::kWrongType);
  NumberBuffer buffer;
  const std::string_view before = found ? found.entry()->StringView(buffer) : std::string_view();
  const bool old_bit = BitAt(before, offset);
  ctx.reply.Integer(old_bit ? 1 : 0);
  if (old_bit == bit && before.size() > offset / 8) return Outcome::kReplied;
  std::string& value = OpenBits(ctx, key, found, offset / 8 + 1);
  PutBit(value, offset, bit);
  ctx.db.StringGrown(key, "setbit");
  return Outcome::kReplied;
}

Outcome GetBit(ExecContext& ctx, ArgReader& args) {
  const std::string_view key = args.Bytes();
  const auto offset = static_cast<std::uint64_t>(TakeBitOffset(ctx, args));
  if (const auto& error = args.Finish()) return ctx.Fail(*error);
  NumberBuffer buffer;
  const auto value = ctx.db.ReadString(key, buffer);
  if (!value.ok()) return ctx.Fail(value.error());
  ctx.reply.Integer(BitAt(value->value_or(""), offset) ? 1 : 0);
  return Outcome::kReplied;
}

// --- BITCOUNT. ---

// Both ends included, from the end when negative, in bytes or bits.
struct BitRange {
  bool given = false;
  bool in_bits = false;
  std::int64_t first = 0;
  std::int64_t last = -1;
};

BitRange ReadBitRange(ArgReader& args) {
  BitRange range;
  range.given = args.More();
  if (!range.given) return range;
  range.first = args.Integer();
  range.last = args.Integer();
  if (args.Take("BIT")) {
    range.in_bits = true;
  } else {
    args.Take("BYTE");
  }
  return range;
}

std::int64_t CountBits(std::string_view bytes, std::uint64_t first, std::uint64_t last) {
  std::int64_t count = 0;
  for (; first <= last && first % 8 != 0; ++first) count += BitAt(bytes, first) ? 1 : 0;
  for (; first + 7 <= last; first += 8) {
    count += std::popcount(static_cast<unsigned char>(bytes[first / 8]));
  }
  for (; first <= last; ++first) count += BitAt(bytes, first) ? 1 : 0;
  return count;
}

Outcome BitCount(ExecContext& ctx, ArgReader& args) {
  const std::string_view key = args.Bytes();
  const BitRange range = ReadBitRange(args);
  if (const auto& error = args.Finish()) return ctx.Fail(*error);
  NumberBuffer buffer;
  const auto value = ctx.db.ReadString(key, buffer);
  if (!value.ok()) return ctx.Fail(value.error());
  const std::string_view bytes = value->value_or("");
  const std::int64_t unit = range.in_bits ? 1 : 8;
  const auto size = static_cast<std::int64_t>(bytes.size()) * 8 / unit;
  std::int64_t first = range.first;
  std::int64_t last = range.last;
  const bool backwards = first < 0 && last < 0 && first > last;
  if (first < 0) first = std::max<std::int64_t>(0, first + size);
  if (last < 0) last = std::max<std::int64_t>(0, last + size);
  last = std::min(last, size - 1);
  if (backwards || first > last) {
    ctx.reply.Integer(0);
  } else {
    ctx.reply.Integer(CountBits(bytes, static_cast<std::uint64_t>(first * unit),
                                static_cast<std::uint64_t>(last * unit + unit - 1)));
  }
  return Outcome::kReplied;
}

// --- BITFIELD. ---

enum class FieldAction : std::uint8_t { kGet, kSet, kAdd };
enum class Overflow : std::uint8_t { kWrap, kSaturate, kFail };

struct FieldOperation {
  FieldAction action = FieldAction::kGet;
  Overflow overflow = Overflow::kWrap;
  bool is_signed = false;
  unsigned bits = 0;
  std::uint64_t offset = 0;
  std::int64_t operand = 0;
};

void TakeFieldType(ArgReader& args, FieldOperation& operation) {
  const std::string_view text = args.Bytes();
  const bool is_signed = !text.empty() && (text[0] == 'i' || text[0] == 'I');
  const bool is_unsigned = !text.empty() && (text[0] == 'u' || text[0] == 'U');
  const auto bits = text.empty() ? std::nullopt : ParseInt64(text.substr(1));
  const std::int64_t bits_max = is_signed ? 64 : 63;
  if ((!is_signed && !is_unsigned) || !bits || *bits < 1 || *bits > bits_max) {
    return args.Fail(kBadType);
  }
  operation.is_signed = is_signed;
  operation.bits = static_cast<unsigned>(*bits);
}

// "100" is a bit; "#2" the third field of this width.
void TakeFieldOffset(const ExecContext& ctx, ArgReader& args, FieldOperation& operation) {
  std::string_view text = args.Bytes();
  const bool in_fields = !text.empty() && text[0] == '#';
  if (in_fields) text.remove_prefix(1);
  const std::optional<std::int64_t> number = ParseInt64(text);
  std::int64_t offset = number.value_or(-1);
  if (in_fields &&
      __builtin_mul_overflow(offset, static_cast<std::int64_t>(operation.bits), &offset)) {
    offset = -1;
  }
  const bool fits = offset >= 0 && IsBitOffset(ctx, static_cast<std::uint64_t>(offset)) &&
                    IsBitOffset(ctx, static_cast<std::uint64_t>(offset) + operation.bits - 1);
  if (!fits) return args.Fail(kBadOffset);
  operation.offset = static_cast<std::uint64_t>(offset);
}

Overflow TakeOverflow(ArgReader& args) {
  if (args.Take("WRAP")) return Overflow::kWrap;
  if (args.Take("SAT")) return Overflow::kSaturate;
  if (args.Take("FAIL")) return Overflow::kFail;
  args.Fail("ERR Invalid OVERFLOW type specified");
  return Overflow::kWrap;
}

std::vector<FieldOperation> ReadFieldOperations(const ExecContext& ctx, ArgReader& args) {
  std::vector<FieldOperation> operations;
  Overflow overflow = Overflow::kWrap;
  while (args.More()) {
    if (args.TakeWithValue("OVERFLOW")) {
      overflow = TakeOverflow(args);
      continue;
    }
    FieldOperation operation{.overflow = overflow};
    if (args.left() >= 3 && args.Take("GET")) {
      operation.action = FieldAction::kGet;
    } else if (args.left() >= 4 && args.Take("SET")) {
      operation.action = FieldAction::kSet;
    } else if (args.left() >= 4 && args.Take("INCRBY")) {
      operation.action = FieldAction::kAdd;
    } else {
      args.Fail(errors::kSyntax);
      break;
    }
    TakeFieldType(args, operation);
    if (args.ok()) TakeFieldOffset(ctx, args, operation);
    if (operation.action != FieldAction::kGet) operation.operand = args.Integer();
    operations.push_back(operation);
  }
  return operations;
}

// All values of a field are held in 128 bits, so that sums are exact before they are made to fit.
__extension__ using Wide = __int128;

struct FieldBounds {
  Wide min;
  Wide max;
};

FieldBounds BoundsOf(const FieldOperation& operation) {
  const Wide one = 1;
  if (!operation.is_signed) return {.min = 0, .max = (one << operation.bits) - 1};
  return {.min = -(one << (operation.bits - 1)), .max = (one << (operation.bits - 1)) - 1};
}

Wide ReadFieldValue(std::string_view bytes, const FieldOperation& operation) {
  Wide value = 0;
  for (unsigned i = 0; i < operation.bits; ++i) {
    value = value * 2 + (BitAt(bytes, operation.offset + i) ? 1 : 0);
  }
  const Wide one = 1;
  if (operation.is_signed && value >= (one << (operation.bits - 1))) {
    value -= one << operation.bits;
  }
  return value;
}

void WriteFieldValue(std::string& bytes, const FieldOperation& operation, Wide value) {
  for (unsigned i = 0; i < operation.bits; ++i) {
    PutBit(bytes, operation.offset + i, ((value >> (operation.bits - 1 - i)) & 1) != 0);
  }
}

// `value` as the field can hold it; nullopt where OVERFLOW FAIL forbids the change.
std::optional<Wide> Fit(Wide value, const FieldOperation& operation) {
  const FieldBounds bounds = BoundsOf(operation);
  if (value >= bounds.min && value <= bounds.max) return value;
  switch (operation.overflow) {
    case Overflow::kFail:
      return std::nullopt;
    case Overflow::kSaturate:
      return value < bounds.min ? bounds.min : bounds.max;
    case Overflow::kWrap:
      break;
  }
  const Wide span = bounds.max - bounds.min + 1;
  Wide wrapped = (value - bounds.min) % span;
  if (wrapped < 0) wrapped += span;
  return wrapped + bounds.min;
}

// Does one writing operation and replies; returns whether the field was written.
bool Write(ExecContext& ctx, std::string& bytes, const FieldOperation& operation) {
  const Wide old = ReadFieldValue(bytes, operation);
  const bool adds = operation.action == FieldAction::kAdd;
  // SET takes the operand of an unsigned field by its bits, as INCRBY's sum is taken.
  const std::optional<Wide> value =
      Fit(adds ? old + operation.operand : operation.operand, operation);
  if (!value) {
    ctx.reply.Null();
    return false;
  }
  WriteFieldValue(bytes, operation, *value);
  ctx.reply.Integer(static_cast<std::int64_t>(adds ? *value : old));
  return true;
}

Outcome RunFields(ExecContext& ctx, std::string_view key,
                  const std::vector<FieldOperation>& operations) {
  const Lookup found = ctx.db.Find(key);
  if (!HoldsString(found)) return ctx.Fail(errors::kWrongType);
  std::uint64_t bits_needed = 0;
  for (const FieldOperation& operation : operations) {
    if (operation.action == FieldAction::kGet) continue;
    bits_needed = std::max(bits_needed, operation.offset + operation.bits);
  }
  ctx.reply.Array(operations.size());
  if (bits_needed == 0) {
    NumberBuffer buffer;
    const std::string_view bytes = found ? found.entry()->StringView(buffer) : std::string_view();
    for (const FieldOperation& operation : operations) {
      ctx.reply.Integer(static_cast<std::int64_t>(ReadFieldValue(bytes, operation)));
    }
    return Outcome::kReplied;
  }
  std::string& bytes = OpenBits(ctx, key, found, (bits_needed + 7) / 8);
  for (const FieldOperation& operation : operations) {
    if (operation.action == FieldAction::kGet) {
      ctx.reply.Integer(static_cast<std::int64_t>(ReadFieldValue(bytes, operation)));
    } else {
      Write(ctx, bytes, operation);
    }
  }
  ctx.db.StringGrown(key, "setbit");
  return Outcome::kReplied;
}

Outcome BitField(ExecContext& ctx, ArgReader& args) {
  const std::string_view key = args.Bytes();
  const std::vector<FieldOperation> operations = ReadFieldOperations(ctx, args);
  if (const auto& error = args.Finish()) return ctx.Fail(*error);
  return RunFields(ctx, key, operations);
}

Outcome BitFieldRo(ExecContext& ctx, ArgReader& args) {
  const std::string_view key = args.Bytes();
  const std::vector<FieldOperation> operations = ReadFieldOperations(ctx, args);
  if (const auto& error = args.Finish()) return ctx.Fail(*error);
  for (const FieldOperation& operation : operations) {
    if (operation.action != FieldAction::kGet) {
      return ctx.Fail("ERR BITFIELD_RO only supports the GET subcommand");
    }
  }
  return RunFields(ctx, key, operations);
}

// A BITFIELD of GETs alone changes nothing.
std::uint16_t BitFieldKeyFlags(std::span<const std::string_view> args) {
  for (std::size_t i = 2; i < args.size(); ++i) {
    if (EqualsIgnoreCase(args[i], "SET") || EqualsIgnoreCase(args[i], "INCRBY")) {
      return kKeyReadWrite | kKeyAccess | kKeyUpdate;
    }
  }
  return kKeyRead | kKeyAccess;
}

constexpr std::array kCommands = {
    Declare({.name = "SETBIT",
             .arity = 4,
             .flags = kWrite | kDenyOom,
             .keys = {KeyAt(1, kKeyReadWrite | kKeyAccess | kKeyUpdate)},
             .log = LogPolicy::kVerbatim,
             .group = "bitmap",
             .since = "2.2.0",
             .summary = "Sets a bit of a string and returns the one before.",
             .complexity = "O(1)",
             .syntax = "key:key offset:integer value:integer",
             .handler = &SetBit}),
    Declare({.name = "GETBIT",
             .arity = 3,
             .flags = kReadOnly | kFast,
             .keys = {KeyAt(1, kKeyRead | kKeyAccess)},
             .group = "bitmap",
             .since = "2.2.0",
             .summary = "Returns a bit of a string.",
             .complexity = "O(1)",
             .syntax = "key:key offset:integer",
             .handler = &GetBit}),
    Declare({.name = "BITCOUNT",
             .arity = -2,
             .flags = kReadOnly,
             .keys = {KeyAt(1, kKeyRead | kKeyAccess)},
             .group = "bitmap",
             .since = "2.6.0",
             .summary = "Counts the bits that are set.",
             .complexity = "O(n) for n bytes looked at",
             .syntax = "key:key [start:integer end:integer [BYTE | BIT]]",
             .handler = &BitCount}),
    Declare({.name = "BITFIELD",
             .arity = -2,
             .flags = kWrite | kDenyOom,
             .keys = {KeyAt(1, kKeyReadWrite | kKeyAccess | kKeyUpdate | kKeyVariable)},
             .key_flags = &BitFieldKeyFlags,
             .log = LogPolicy::kVerbatim,
             .group = "bitmap",
             .since = "3.2.0",
             .summary = "Reads and writes numbers of any width within a string.",
             .complexity = "O(1) per operation",
             .syntax =
                 "key:key [GET encoding offset | [OVERFLOW (WRAP | SAT | FAIL)] (SET encoding "
                 "offset value:integer | INCRBY encoding offset increment:integer)]...",
             .handler = &BitField}),
    Declare({.name = "BITFIELD_RO",
             .arity = -2,
             .flags = kReadOnly | kFast,
             .keys = {KeyAt(1, kKeyRead | kKeyAccess)},
             .group = "bitmap",
             .since = "6.0.0",
             .summary = "Reads numbers of any width within a string.",
             .complexity = "O(1) per operation",
             .syntax = "key:key [GET encoding offset]...",
             .handler = &BitFieldRo}),
};

}  // namespace

std::span<const CommandSpec> BitCommands() { return kCommands; }

}  // namespace rung
