// CommandSpec: all that is known of a command, declared once beside its handler.
//
// The lookup table, arity errors, key extraction, COMMAND and COMMAND DOCS, ACL categories, the
// gates that apply, metric labels and docs/commands.md all come from here. Declare() is consteval:
// a declaration that contradicts itself does not compile.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <span>
#include <string_view>

namespace rung {

struct ExecContext;
class ArgReader;

enum class Outcome : std::uint8_t {
  kReplied,  // Exactly one reply has been written (or more, for SUBSCRIBE and its kin).
  kFailed,   // An error has been written, and nothing was changed.
  kBlocked,  // Nothing has been written; the session waits.
};

// What runs a command; or nothing. Not a bare pointer: GCC, when it compiles for its sanitizers,
// does not take a function's address for a constant that can be compared with null.
class Handler {
 public:
  using Function = Outcome (*)(ExecContext& ctx, ArgReader& args);

  constexpr Handler() = default;
  constexpr Handler(Function function)  // NOLINT(google-explicit-constructor)
      : function_(function), present_(true) {}

  constexpr explicit operator bool() const { return present_; }
  Outcome operator()(ExecContext& ctx, ArgReader& args) const { return function_(ctx, args); }

 private:
  Function function_ = nullptr;
  bool present_ = false;
};

// What a command is. Names as in COMMAND INFO.
enum CommandFlag : std::uint32_t {
  kWrite = 1u << 0,
  kReadOnly = 1u << 1,
  kDenyOom = 1u << 2,  // May grow the data: refused when memory is full.
  kAdmin = 1u << 3,
  kPubSub = 1u << 4,
  kNoScript = 1u << 5,  // Not from scripts.
  kBlocking = 1u << 6,  // May wait.
  kLoading = 1u << 7,   // Allowed while a data set loads.
  kStale = 1u << 8,     // Allowed on a replica that has lost its primary.
  kSkipMonitor = 1u << 9,
  kSkipSlowLog = 1u << 10,
  kFast = 1u << 11,    // O(1) or O(log n).
  kNoAuth = 1u << 12,  // Allowed before login.
  kMayReplicate = 1u << 13,
  kNoMulti = 1u << 14,          // Not inside MULTI.
  kAllowBusy = 1u << 15,        // Allowed while a script runs too long.
  kRunsInMulti = 1u << 16,      // Runs at once instead of being queued: EXEC, DISCARD, WATCH ...
  kNoMandatoryKeys = 1u << 17,  // Has key arguments, but may come without any: EVAL ... 0.
  kGuarded = 1u << 18,          // DEBUG: only where enable-debug-command allows it.
  kInPubSub = 1u << 19,         // Allowed on a RESP2 connection that listens to channels.
  kAnswersByPush = 1u << 20,    // Its replies are pushes, which CLIENT REPLY OFF does not silence.
};

enum class LogPolicy : std::uint8_t {
  kNone,       // Changes no key.
  kVerbatim,   // If something changed, the request itself is the record.
  kRewritten,  // If something changed, the handler has said what: ctx.Log().
};

// Flags of one key specification: what happens to the key. Names as in COMMAND INFO.
enum KeyFlag : std::uint16_t {
  kKeyRead = 1u << 0,       // RO
  kKeyReadWrite = 1u << 1,  // RW
  kKeyOverwrite = 1u << 2,  // OW
  kKeyRemove = 1u << 3,     // RM
  kKeyAccess = 1u << 4,     // Returns data of the value.
  kKeyUpdate = 1u << 5,
  kKeyInsert = 1u << 6,
  kKeyDelete = 1u << 7,
  kKeyNotKey = 1u << 8,  // A channel, not a key.
  kKeyIncomplete = 1u << 9,
  kKeyVariable = 1u << 10,  // The other flags depend on the arguments.
};

// Where keys stand in a request: first `begin`, then `find` from there.
struct KeySpec {
  std::uint16_t flags = 0;
  // begin: at this word; or, with a keyword, behind the first occurrence of it, looked for from
  // word `index` on (from the end when negative).
  std::int16_t index = 0;
  std::string_view keyword{};
  // find by range: from the first key to `last` (relative to it; -1: the end of the request, -2 the
  // one before), every `step`-th; `limit` 2 takes the first half only (STREAMS keys ids).
  std::int16_t last = 0;
  std::int16_t step = 1;
  std::int16_t limit = 0;
  // find by count: a number at `count_at` (relative to begin) says how many keys follow from
  // `first_key` on. -1: find by range.
  std::int16_t count_at = -1;
  std::int16_t first_key = 1;
};

// One key at word `index`.
constexpr KeySpec KeyAt(std::int16_t index, int flags) {
  return {.flags = static_cast<std::uint16_t>(flags), .index = index};
}
// Keys from `index` to the word `last` of the request's end (-1: the last one).
constexpr KeySpec KeysFrom(std::int16_t index, std::int16_t last, std::int16_t step, int flags) {
  return {.flags = static_cast<std::uint16_t>(flags), .index = index, .last = last, .step = step};
}
// A count at word `index` and as many keys behind it.
constexpr KeySpec KeysCountedAt(std::int16_t index, int flags) {
  return {.flags = static_cast<std::uint16_t>(flags), .index = index, .count_at = 0};
}

// What a request does to its keys, where that depends on its arguments (kKeyVariable).
using KeyFlagsFinder = std::uint16_t (*)(std::span<const std::string_view> args);

struct CommandSpec {
  std::string_view name;  // Upper case; of a subcommand, its own word only.
  int arity = 0;          // Words with the name; negative: at least so many.
  std::uint32_t flags = 0;
  std::array<KeySpec, 2> keys{};  // Unused ones have index 0.
  KeyFlagsFinder key_flags = nullptr;
  LogPolicy log = LogPolicy::kNone;
  std::string_view acl{};   // Further categories: "dangerous", "keyspace", words apart by spaces.
  std::string_view tips{};  // Command tips of COMMAND INFO, words apart by spaces.
  std::string_view group;   // "generic", "sorted-set" ...: the groups of COMMAND DOCS.
  std::string_view since;   // The Redis version (Q.*: the Rung version) that has it.
  std::string_view summary;
  std::string_view complexity;
  // The arguments behind the name, from which COMMAND DOCS and the command reference are made:
  // words in lower case are values, with a type behind a colon (key, integer, double, pattern,
  // unix-time; none: string); words in upper case are literal; [ ] optional, ( a | b ) a choice,
  // ... repetition: "key [NX | XX] [LIMIT offset:integer count:integer] (score:double member)..."
  std::string_view syntax{};
  Handler handler{};  // None: only a container of subcommands.
  std::span<const CommandSpec> subcommands{};
};

// Checks a declaration at compile time; a `throw` reached here is the compiler's error message.
consteval CommandSpec Declare(CommandSpec spec) {
  for (const char c : spec.name) {
    if (c >= 'a' && c <= 'z') throw "a command's name is declared in upper case";
  }
  const bool keyed = spec.keys[0].index != 0 && (spec.keys[0].flags & kKeyNotKey) == 0;
  const bool writes = (spec.flags & kWrite) != 0;
  const bool reads = (spec.flags & kReadOnly) != 0;
  if (spec.name.empty() || spec.arity == 0) throw "name or arity missing";
  if (keyed && writes == reads && (spec.flags & kNoScript) == 0 &&
      (spec.flags & kMayReplicate) == 0 && (spec.flags & kRunsInMulti) == 0) {
    throw "a command with keys is a write or read-only";
  }
  const bool variable = ((spec.keys[0].flags | spec.keys[1].flags) & kKeyVariable) != 0;
  if (variable != (spec.key_flags != nullptr))
    throw "flags that vary need a function, and only they";
  if (writes != (spec.log != LogPolicy::kNone)) throw "a write, and only a write, has a log policy";
  if ((spec.flags & kBlocking) != 0 && writes && spec.log != LogPolicy::kRewritten) {
    throw "a command that waits logs what it did, not what was asked";
  }
  if ((spec.flags & kDenyOom) != 0 && !writes) throw "only a write can be refused for memory";
  if (spec.summary.empty() || spec.since.empty() || spec.group.empty()) throw "docs missing";
  if (!spec.handler && spec.subcommands.empty()) throw "no handler";
  const int words = spec.arity < 0 ? -spec.arity : spec.arity;
  if (keyed && spec.keys[0].keyword.empty() && spec.keys[0].count_at < 0 &&
      spec.keys[0].index >= words) {
    throw "the arity cannot hold the first key";
  }
  return spec;
}

}  // namespace rung
