// GlobMatch: the patterns of KEYS, SCAN MATCH, PSUBSCRIBE and CONFIG GET.
//
// The dialect is Redis's:
//   *       any bytes, also none          ?       any one byte
//   [abc]   one of these                  [^abc]  one that is none of these
//   [a-z]   one in the range, which may also be written backwards
//   \x      the byte x, also within brackets
// A bracket that is never closed ends with the pattern; a backslash at the very end is itself.
//
// Why it is safe to hand in a client's pattern: only the last '*' is ever tried again, as a longer
// match of an earlier one cannot help. So the work is at most pattern times text, however the stars
// are nested, where a recursive matcher takes exponential time.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string_view>

namespace rung {

enum class CaseMode : std::uint8_t { kExact, kIgnore };  // kIgnore folds ASCII letters only.

// Whether the whole of `text` matches the whole of `pattern`. Bytes are compared unsigned.
bool GlobMatch(std::string_view pattern, std::string_view text, CaseMode mode = CaseMode::kExact);

// The same, and adds to `steps` the pattern elements tried: the cost, independent of the machine.
bool GlobMatchCounted(std::string_view pattern, std::string_view text, CaseMode mode,
                      std::size_t& steps);

// Whether `pattern` can match more than the one text it spells. A backslash does not count, as
// CONFIG GET wants it.
bool HasGlobWildcard(std::string_view pattern);

}  // namespace rung
