// Config: reads, changes and prints the options. Front of the table in src/config/options.cc.
//
// Start-up is: defaults, then the configuration file, then standard input, then the command line;
// the last word counts. While running, CONFIG SET changes several options or none. No file is read
// or written here: texts come in and go out, and what the outside must agree to (a port that may be
// taken) is asked of an Applier.
#pragma once

#include <cstdint>
#include <functional>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "rung/base/result.h"
#include "rung/config/options.h"

namespace rung {

// One file that an `include` directive brought in.
struct IncludedFile {
  std::string name;
  std::string text;
};

// Reads what `include <path>` names: one file, or with wildcards in `path` all that match, possibly
// none. An Error's text is the reason why it cannot be read.
using IncludeReader = std::function<Result<std::vector<IncludedFile>>(std::string_view path)>;

// Why a change cannot be made, and which of the changed options is to blame.
struct Refusal {
  std::string_view option;
  std::string reason;
};

// The outside world's say in CONFIG SET.
class Applier {
 public:
  virtual ~Applier() = default;

  // Called once per CONFIG SET that changes something, with the names of the options whose value
  // differs (never aliases). Either makes all of `after` true and returns nullopt, or leaves the
  // world as `before` has it and returns who is to blame; the options then stay as they were.
  virtual std::optional<Refusal> Apply(const Options& before, const Options& after,
                                       const std::vector<std::string_view>& changed) = 0;
};

class Config {
 public:
  using Pair = std::pair<std::string_view, std::string_view>;
  using OwnedPair = std::pair<std::string, std::string>;

  // Where a CONFIG SET came from; protected options may be open to local connections only.
  enum class Origin : std::uint8_t { kLocal, kRemote };
  enum class RewriteScope : std::uint8_t { kChangedOnly, kEverything };

  const Options& options() const { return options_; }

  // Takes a configuration text at start. `source` names it in errors: a file's name, or "command
  // line". Returns the one line to print if the text is refused; `options()` is then of no use.
  // "rung.conf:12: 'port 70000': argument must be between 0 and 65535 inclusive"
  std::optional<std::string> Load(std::string_view text, std::string_view source,
                                  const IncludeReader& reader);

  // CONFIG GET: the options whose name or alias matches any of `patterns`, each once, with their
  // values. Hidden options answer to their full name only.
  std::vector<OwnedPair> Get(std::span<const std::string_view> patterns) const;

  // CONFIG SET: all pairs or none. Errors are those of Redis 7.2, ready to send.
  std::optional<Error> Set(std::span<const Pair> pairs, Origin origin, Applier& applier);

  // CONFIG REWRITE: `old_text` with the values of now. Comments and order stay; a line whose option
  // is set elsewhere in the text is dropped; options that differ from their default and were not in
  // the text are added below a comment. An option that an `include` further down sets again wins at
  // the next start. kEverything writes the options at their default too.
  std::string Rewrite(std::string_view old_text, RewriteScope scope) const;

  // Tells the absolute path of the working directory, which `dir` then reads as.
  void ResolveDirectory(std::string absolute) { options_.dir = std::move(absolute); }

  // Whether the value of this option must not be shown (SLOWLOG, MONITOR). Any case, also aliases.
  static bool IsSecret(std::string_view name);

  // config/rung.conf: every option with its meaning, default, unit and range, commented out.
  static std::string SampleFile();

 private:
  Options options_;
  // Options that have appeared at start: a second `save` adds to the first.
  std::vector<std::string_view> seen_at_start_;
};

}  // namespace rung
