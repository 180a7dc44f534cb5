// Reply: a RESP2 or RESP3 reply as a value, with builders, so that tests compare whole replies.
#pragma once

#include <cstddef>
#include <cstdint>
#include <iosfwd>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace rung::testing {

struct Reply {
  // '+' status, '-' error, ':' integer, '$' bulk, '*' array, 'N' null bulk, 'A' null array, and of
  // RESP3: '_' null, ',' double, '#' bool, '%' map, '~' set, '>' push, '=' verbatim, '(' big
  // number.
  char type = 'N';
  std::string text;  // Also the printed form of doubles, bools and big numbers.
  std::int64_t integer = 0;
  std::vector<Reply> elements;  // Of a map: key, value, key, value ...

  bool operator==(const Reply&) const = default;
  bool IsError() const { return type == '-'; }
};

std::ostream& operator<<(std::ostream& out, const Reply& reply);

Reply Status(std::string_view text);
Reply Ok();
Reply Err(std::string_view text);
Reply Int(std::int64_t value);
Reply Bulk(std::string_view text);
Reply Nil();        // RESP2 null bulk string.
Reply NullArray();  // RESP2 null array.
Reply Null3();      // RESP3 null.
Reply Array(std::vector<Reply> elements);
Reply Bulks(std::vector<std::string_view> texts);  // An array of bulk strings.
Reply Map(std::vector<Reply> keys_and_values);
Reply SetOf(std::vector<Reply> elements);
Reply Push(std::vector<Reply> elements);
Reply Double(std::string_view text);
Reply Bool(bool value);
Reply Verbatim(std::string_view text);  // Format "txt:" included in the text.

// Reads one reply off the front of `bytes` and removes it; nullopt if it is not all there.
// Malformed bytes end the test program with a message.
std::optional<Reply> TakeReply(std::string& bytes);

// A request in RESP form.
std::string EncodeRequest(const std::vector<std::string>& args);
// Words as SplitQuoted (base/quoting.h) has them; a line with unbalanced quotes is one word.
std::vector<std::string> SplitWords(std::string_view line);

}  // namespace rung::testing
