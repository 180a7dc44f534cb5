// CONFIG GET, CONFIG SET and loading. See config.h.

#include "rung/config/config.h"

#include <algorithm>

#include "config/option_spec.h"
#include "config/parser.h"
#include "rung/base/glob.h"
#include "rung/base/numbers.h"

namespace rung {
namespace {

Error SetFailed(std::string_view name, std::string_view reason) {
  std::string text = "ERR CONFIG SET failed (possibly related to argument '";
  return Error(text.append(name).append("') - ").append(reason));
}

// The words of a list in CONFIG SET: plain, without quotes.
std::vector<std::string> SplitAtSpaces(std::string_view value) {
  std::vector<std::string> words;
  std::size_t at = 0;
  while ((at = value.find_first_not_of(' ', at)) != std::string_view::npos) {
    const std::size_t end = std::min(value.find(' ', at), value.size());
    words.emplace_back(value.substr(at, end - at));
    at = end;
  }
  return words;
}

// The pairs of one CONFIG SET with the options that they name.
struct Change {
  const OptionSpec* spec;
  std::string_view name;  // As the table writes it: the name or the alias.
  std::string_view value;
};

bool MayChangeProtected(Permission permission, Config::Origin origin) {
  return permission == Permission::kYes ||
         (permission == Permission::kLocal && origin == Config::Origin::kLocal);
}

Result<std::vector<Change>> FindChanges(std::span<const Config::Pair> pairs, Config::Origin origin,
                                        const Options& options) {
  std::vector<Change> changes;
  for (const auto& [name, value] : pairs) {
    const OptionSpec* const spec = FindOption(name);
    if (spec == nullptr) {
      std::string text = "ERR Unknown option or number of arguments for CONFIG SET - '";
      return Error(text.append(name).append("'"));
    }
    if (spec->Is(kStartOnly)) return SetFailed(name, "can't set immutable config");
    if (spec->Is(kProtected) && !MayChangeProtected(options.enable_protected_configs, origin)) {
      return SetFailed(name, "can't set protected config");
    }
    const bool twice = std::any_of(changes.begin(), changes.end(),
                                   [&](const Change& earlier) { return earlier.spec == spec; });
    if (twice) return SetFailed(name, "duplicate parameter");
    changes.push_back({spec, EqualsIgnoreCase(name, spec->name) ? spec->name : spec->alias, value});
  }
  return changes;
}

// Adds `name` to an answer of CONFIG GET unless it is there.
void AddOnce(std::vector<Config::OwnedPair>& found, std::string_view name, const OptionSpec& spec,
             const Options& options) {
  const bool known = std::any_of(found.begin(), found.end(), [&](const Config::OwnedPair& pair) {
    return EqualsIgnoreCase(pair.first, name);
  });
  if (!known) found.emplace_back(name, FormatValue(spec, options));
}

}  // namespace

std::optional<std::string> Config::Load(std::string_view text, std::string_view source,
                                        const IncludeReader& reader) {
  return ConfigLoader(options_, seen_at_start_, reader).Load(text, source);
}

std::vector<Config::OwnedPair> Config::Get(std::span<const std::string_view> patterns) const {
  std::vector<OwnedPair> found;
  for (const std::string_view pattern : patterns) {
    if (!HasGlobWildcard(pattern)) {
      const OptionSpec* const spec = FindOption(pattern);
      if (spec != nullptr) AddOnce(found, pattern, *spec, options_);
      continue;
    }
    for (const OptionSection& section : OptionTable()) {
      for (const OptionSpec& spec : section.options) {
        if (spec.Is(kHidden)) continue;
        for (const std::string_view name : {spec.name, spec.alias}) {
          if (name.empty() || !GlobMatch(pattern, name, CaseMode::kIgnore)) continue;
          AddOnce(found, name, spec, options_);
        }
      }
    }
  }
  return found;
}

std::optional<Error> Config::Set(std::span<const Pair> pairs, Origin origin, Applier& applier) {
  const Result<std::vector<Change>> changes = FindChanges(pairs, origin, options_);
  if (!changes.ok()) return changes.error();
  Options after = options_;
  for (const Change& change : *changes) {
    const std::vector<std::string> words = change.spec->Is(kSeveralWords)
                                               ? SplitAtSpaces(change.value)
                                               : std::vector{std::string(change.value)};
    const Reason refused = StoreValue(*change.spec, words, ReadMode::kReplace, after);
    if (refused) return SetFailed(change.name, *refused);
  }
  std::vector<std::string_view> changed;
  for (const Change& change : *changes) {
    const OptionSpec& spec = *change.spec;
    if (FormatValue(spec, options_) != FormatValue(spec, after)) changed.push_back(spec.name);
  }
  if (changed.empty()) return std::nullopt;
  if (const std::optional<Refusal> refusal = applier.Apply(options_, after, changed)) {
    return SetFailed(refusal->option, refusal->reason);
  }
  options_ = std::move(after);
  return std::nullopt;
}

bool Config::IsSecret(std::string_view name) {
  const OptionSpec* const spec = FindOption(name);
  return spec != nullptr && spec->Is(kSecret);
}

}  // namespace rung
