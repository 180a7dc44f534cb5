// Logging in with the one user there is. See authentication.h.

#include "commands/authentication.h"

#include <algorithm>
#include <cstddef>
#include <string>

namespace rung {
namespace {

bool EqualInConstantTime(std::string_view given, std::string_view expected) {
  std::size_t difference = given.size() ^ expected.size();
  for (std::size_t i = 0; i < given.size(); ++i) {
    const char other = expected.empty() ? '\0' : expected[i % expected.size()];
    difference |= static_cast<unsigned char>(given[i] ^ other);
  }
  return difference == 0;
}

}  // namespace

bool IsClientName(std::string_view name) {
  return std::all_of(name.begin(), name.end(), [](char c) { return c >= '!' && c <= '~'; });
}

std::optional<Error> Authenticate(ExecContext& ctx, std::string_view user,
                                  std::string_view password) {
  const std::string& expected = ctx.broker.options().requirepass;
  // Without a password configured the default user takes any.
  const bool matches = expected.empty() || EqualInConstantTime(password, expected);
  if (user != "default" || !matches) {
    ++ctx.broker.statistics.auth_failures;
    return Error("WRONGPASS invalid username-password pair or user is disabled.");
  }
  ctx.session.authenticated = true;
  ctx.session.user = "default";
  return std::nullopt;
}

}  // namespace rung
