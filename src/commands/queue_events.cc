// What a queue publishes on its channel: "event id tier detail". See queue_work.h.

#include <cctype>
#include <string>

#include "commands/queue_work.h"
#include "rung/base/numbers.h"

namespace rung {
namespace {

// "in", "out", "all", or nothing.
std::string_view WayOf(bool in, bool out) {
  if (in && out) return "all";
  if (in) return "in";
  return out ? "out" : "";
}

std::string InLowerCase(std::string_view word) {
  std::string text(word);
  for (char& c : text) c = static_cast<char>(std::tolower(static_cast<unsigned char>(c)));
  return text;
}

// "group=a ", or nothing.
std::string OfGroup(std::string_view group) {
  return group.empty() ? std::string() : "group=" + std::string(group) + " ";
}

// "len=8/10 bytes=100/2000": the limits that there are, and what they hold.
std::string PrintLoad(const ScopeLimits& limits, const ScopeLoad& load) {
  std::string text;
  const auto add = [&](std::string_view name, std::uint64_t use, std::uint64_t limit) {
    if (limit == 0) return;
    if (!text.empty()) text += ' ';
    text += name;
    text += std::to_string(use) + "/" + std::to_string(limit);
  };
  add("len=", load.length, limits.length);
  add("bytes=", load.bytes, limits.bytes);
  return text;
}

}  // namespace

void QueueWork::Tell(QueueEvent event, std::uint64_t id, std::string_view tier,
                     std::string_view detail) const {
  std::string message(QueueEventName(event));
  message += " " + std::to_string(id) + " " + std::string(tier);
  if (!detail.empty()) message += " " + std::string(detail);
  const std::string channel = "__queue@" + std::to_string(db_->index()) + "__:" + std::string(key_);
  dispatcher_->Publish(TopicKind::kChannel, channel, message);
}

void QueueWork::PublishNow(QueueEvent event, const Job& job, std::string_view detail) const {
  Tell(event, job.id, edit_->settings().TierName(job.tier()), detail);
}

void QueueWork::PublishOfScope(QueueEvent event, std::string_view tier,
                               std::string_view detail) const {
  if (edit_->settings().Publishes(event)) Tell(event, 0, tier, detail);
}

void QueueWork::Announce(const QueueNotices& notices) const {
  for (const QueueNotices::Lift& lift : notices.lifts) {
    const Job& job = *edit_->Find(lift.id);
    Publish(lift.up ? QueueEvent::kBoost : QueueEvent::kUnboost, job,
            "own=" + edit_->settings().TierName(job.own_tier()));
  }
  for (const QueueNotices::Crossing& crossing : notices.crossings) {
    const LoadScope scope = crossing.scope;
    const bool of_tier = scope.kind == LoadScope::Kind::kTier;
    const bool of_group = scope.kind == LoadScope::Kind::kGroup;
    PublishOfScope(crossing.full ? QueueEvent::kFull : QueueEvent::kEase,
                   of_tier ? edit_->settings().TierName(scope.number) : "*",
                   OfGroup(of_group ? edit_->groups()[scope.number].name : "") +
                       PrintLoad(edit_->LimitsOf(scope), edit_->LoadOf(scope)));
  }
}

void QueueWork::AnnounceSettings(std::span<const std::string_view> fields) const {
  std::string tier = "*";
  std::string detail;
  if (fields.size() > 2 && EqualsIgnoreCase(fields[0], "TIER")) {
    const Result<std::uint32_t> number = edit_->settings().ParseTier(fields[1]);
    if (number.ok()) tier = edit_->settings().TierName(*number);
    fields = fields.subspan(2);
  } else if (fields.size() > 2 && EqualsIgnoreCase(fields[0], "GROUP")) {
    detail = OfGroup(fields[1]);
    fields = fields.subspan(2);
  }
  for (std::size_t i = 0; i < fields.size(); i += 2) {
    detail += (i == 0 ? "" : ",") + InLowerCase(fields[i]);
  }
  PublishOfScope(QueueEvent::kConf, tier, detail);
}

void QueueWork::AnnouncePause(std::string_view tier, std::string_view group,
                              const PauseTimes& before, const PauseTimes& after) const {
  const auto begins = [](std::int64_t was, std::int64_t is) { return is != 0 && is != was; };
  const auto ends = [](std::int64_t was, std::int64_t is) { return is == 0 && was != 0; };
  const std::string_view begun = WayOf(begins(before.in_until_ms, after.in_until_ms),
                                       begins(before.out_until_ms, after.out_until_ms));
  const std::string_view ended = WayOf(ends(before.in_until_ms, after.in_until_ms),
                                       ends(before.out_until_ms, after.out_until_ms));
  const std::string scope = OfGroup(group);
  if (!begun.empty()) PublishOfScope(QueueEvent::kPause, tier, scope + std::string(begun));
  if (!ended.empty()) PublishOfScope(QueueEvent::kResume, tier, scope + std::string(ended));
}

}  // namespace rung
