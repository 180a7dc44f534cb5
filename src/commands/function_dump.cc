// Layout: for each library the byte 245 and its text as an RDB string; then the RDB version in two
// bytes and a CRC-64 of all before in eight, low byte first. See function_dump.h.
//
// An RDB string is a length and bytes. The length's first two bits tell its form; one form stands
// for bytes packed with LZF, which Redis writes and we only read.

#include "commands/function_dump.h"

#include <cstddef>
#include <cstdint>
#include <optional>

#include "rung/base/crc64.h"

namespace rung {
namespace {

constexpr unsigned char kFunctionMark = 245;
constexpr unsigned char kOldFunctionMark = 246;
constexpr std::uint16_t kVersion = 11;
constexpr std::size_t kFooterBytes = 10;

constexpr unsigned char kLength32 = 0x80;
constexpr unsigned char kLength64 = 0x81;
constexpr unsigned char kPackedString = 0xc3;

// No text is longer, whatever a payload says of it.
constexpr std::uint64_t kTextBytesMax = std::uint64_t{512} << 20;

void AppendLowFirst(std::string& out, std::uint64_t value, int bytes) {
  for (int i = 0; i < bytes; ++i) out += static_cast<char>(value >> (8 * i));
}

std::uint64_t ReadLowFirst(std::string_view bytes) {
  std::uint64_t value = 0;
  for (std::size_t i = bytes.size(); i > 0; --i) {
    value = (value << 8) | static_cast<unsigned char>(bytes[i - 1]);
  }
  return value;
}

void AppendLength(std::string& out, std::size_t length) {
  out += static_cast<char>(kLength64);
  for (int shift = 56; shift >= 0; shift -= 8) out += static_cast<char>(length >> shift);
}

class DumpReader {
 public:
  explicit DumpReader(std::string_view bytes) : left_(bytes) {}

  bool AtEnd() const { return left_.empty(); }
  std::optional<unsigned char> Byte();
  std::optional<std::string> String();

 private:
  std::optional<std::uint64_t> HighFirst(int bytes);
  std::optional<std::uint64_t> LengthAfter(unsigned char first);
  std::optional<std::string_view> Take(std::uint64_t bytes);
  std::optional<std::string> Packed();

  std::string_view left_;
};

std::optional<unsigned char> DumpReader::Byte() {
  if (left_.empty()) return std::nullopt;
  const auto byte = static_cast<unsigned char>(left_.front());
  left_.remove_prefix(1);
  return byte;
}

std::optional<std::uint64_t> DumpReader::HighFirst(int bytes) {
  std::uint64_t value = 0;
  for (int i = 0; i < bytes; ++i) {
    const auto byte = Byte();
    if (!byte) return std::nullopt;
    value = (value << 8) | *byte;
  }
  return value;
}

std::optional<std::uint64_t> DumpReader::LengthAfter(unsigned char first) {
  if (first == kLength32) return HighFirst(4);
  if (first == kLength64) return HighFirst(8);
  const unsigned char form = first >> 6;
  const unsigned char rest = first & 0x3f;
  if (form == 0) return rest;
  if (form != 1) return std::nullopt;
  const auto low = Byte();
  if (!low) return std::nullopt;
  return (std::uint64_t{rest} << 8) | *low;
}

std::optional<std::string_view> DumpReader::Take(std::uint64_t bytes) {
  if (bytes > left_.size()) return std::nullopt;
  const std::string_view taken = left_.substr(0, static_cast<std::size_t>(bytes));
  left_.remove_prefix(taken.size());
  return taken;
}

// LZF: a byte below 32 is followed by that many bytes and one more; any other says how far back to
// copy from, and how much.
std::optional<std::string> Unpack(std::string_view packed, std::uint64_t size) {
  std::string text;
  std::size_t at = 0;
  const auto next = [&]() -> std::size_t {
    return at < packed.size() ? static_cast<unsigned char>(packed[at++]) : 0;
  };
  while (at < packed.size()) {
    const std::size_t control = next();
    if (control < 32) {
      if (packed.size() - at < control + 1) return std::nullopt;
      text.append(packed.substr(at, control + 1));
      at += control + 1;
    } else {
      std::size_t count = control >> 5;
      if (count == 7) count += next();
      const std::size_t back = ((control & 31) << 8) + next() + 1;
      if (back > text.size()) return std::nullopt;
      for (std::size_t i = 0; i < count + 2; ++i) text += text[text.size() - back];
    }
    if (text.size() > size) return std::nullopt;
  }
  if (text.size() != size) return std::nullopt;
  return text;
}

std::optional<std::string> DumpReader::Packed() {
  const auto packed_first = Byte();
  const auto packed_size = packed_first ? LengthAfter(*packed_first) : std::nullopt;
  const auto first = Byte();
  const auto size = first ? LengthAfter(*first) : std::nullopt;
  if (!packed_size || !size || *size > kTextBytesMax) return std::nullopt;
  const auto packed = Take(*packed_size);
  return packed ? Unpack(*packed, *size) : std::nullopt;
}

std::optional<std::string> DumpReader::String() {
  const auto first = Byte();
  if (!first) return std::nullopt;
  if (*first == kPackedString) return Packed();
  const auto size = LengthAfter(*first);
  const auto text = size ? Take(*size) : std::nullopt;
  if (!text) return std::nullopt;
  return std::string(*text);
}

bool HasValidFooter(std::string_view payload) {
  if (payload.size() < kFooterBytes) return false;
  const std::string_view footer = payload.substr(payload.size() - kFooterBytes);
  if (ReadLowFirst(footer.substr(0, 2)) > kVersion) return false;
  const std::uint64_t crc = ReadLowFirst(footer.substr(2));
  return crc == Crc64(payload.substr(0, payload.size() - 8));
}

}  // namespace

std::string DumpLibraries(const std::vector<LibraryInfo>& libraries) {
  std::string payload;
  for (const LibraryInfo& library : libraries) {
    payload += static_cast<char>(kFunctionMark);
    AppendLength(payload, library.code.size());
    payload += library.code;
  }
  AppendLowFirst(payload, kVersion, 2);
  AppendLowFirst(payload, Crc64(payload), 8);
  return payload;
}

Result<std::vector<std::string>> ReadLibraryDump(std::string_view payload) {
  if (!HasValidFooter(payload)) return Error("ERR DUMP payload version or checksum are wrong");
  DumpReader reader(payload.substr(0, payload.size() - kFooterBytes));
  std::vector<std::string> codes;
  while (!reader.AtEnd()) {
    const auto mark = reader.Byte();
    if (*mark == kOldFunctionMark) return Error("ERR Pre-GA function format not supported");
    if (*mark != kFunctionMark) return Error("ERR given type is not a function");
    std::optional<std::string> code = reader.String();
    if (!code) return Error("ERR failed loading the given functions payload");
    codes.push_back(std::move(*code));
  }
  return codes;
}

}  // namespace rung
