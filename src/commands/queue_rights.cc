// Who may use which tier. See queue_rights.h.

#include "commands/queue_rights.h"

namespace rung {

std::optional<std::string> RefuseTier(const Session& session, std::uint32_t tier) {
  if (session.tier_rights.Allow(tier)) return std::nullopt;
  // By number, as the right is given: it holds for many queues, whose names for tiers differ.
  return "NOPERM tier " + std::to_string(tier) + " not allowed for user " + session.user +
         " (allowed " + session.tier_rights.Print() + ")";
}

std::optional<std::string> RefuseRaise(const Session& session, std::uint32_t before,
                                       std::uint32_t tier) {
  return tier < before ? RefuseTier(session, tier) : std::nullopt;
}

}  // namespace rung
