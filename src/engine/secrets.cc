// See secrets.h.

#include "engine/secrets.h"

#include "rung/base/numbers.h"
#include "rung/config/config.h"

namespace rung {
namespace {

constexpr std::string_view kRedacted = "(redacted)";

// The values of passwords among the pairs of CONFIG SET.
void HideOptions(std::vector<std::string_view>& words) {
  for (std::size_t i = 2; i + 1 < words.size(); i += 2) {
    if (Config::IsSecret(words[i])) words[i + 1] = kRedacted;
  }
}

// HELLO 3 AUTH user password.
void HideLogin(std::vector<std::string_view>& words) {
  for (std::size_t i = 2; i + 2 < words.size(); ++i) {
    if (!EqualsIgnoreCase(words[i], "AUTH")) continue;
    words[i + 1] = kRedacted;
    words[i + 2] = kRedacted;
    return;
  }
}

}  // namespace

std::vector<std::string_view> WithoutSecrets(const Command& command,
                                             std::span<const std::string_view> args) {
  std::vector<std::string_view> words(args.begin(), args.end());
  if (command.full_name == "auth") {
    for (std::size_t i = 1; i < words.size(); ++i) words[i] = kRedacted;
  } else if (command.full_name == "hello") {
    HideLogin(words);
  } else if (command.full_name == "config|set") {
    HideOptions(words);
  }
  return words;
}

}  // namespace rung
