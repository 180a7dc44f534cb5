// Queues against their twin: random requests of several clients, time that passes or leaps, kills
// between (a kill is a replay of the log into a fresh engine), every reply and the whole state
// compared. And twins with a planted defect, each of which must be found.

#include <gtest/gtest.h>

#include <algorithm>
#include <array>
#include <chrono>
#include <map>
#include <memory>
#include <optional>
#include <sstream>
#include <string>
#include <utility>
#include <vector>

#include "kit/engine_test.h"
#include "kit/queue_comparison.h"
#include "kit/queue_reply.h"
#include "kit/queue_twin.h"
#include "rung/base/rng.h"
#include "rung/types/queue.h"

namespace rung::testing {
namespace {

constexpr std::size_t kJobsMax = 40;

// One run: an engine, a twin, and a stream of requests from a seed.
class Episode : public QueueComparison {
 public:
  Episode(std::uint64_t seed, Defect defect)
      : QueueComparison(seed, defect, seed % 2 == 0), rng_(seed) {
    twin_.grouped = seed % 4 >= 2;
    twin_.peek = [this](int client) { return PeekIds(client); };
    Reconnect();
    Configure();
  }
  const QueueTwin& twin() const { return twin_; }
  // Runs so many steps; the first difference, if there is one.
  std::optional<std::string> Run(int steps) {
    for (int i = 0; i < steps && difference_.empty(); ++i) {
      last_request_.clear();
      Remember();
      Step();
      if (i % 8 == 0) CompareState();
    }
    if (difference_.empty()) return std::nullopt;
    return difference_;
  }

 private:
  void Step() {
    switch (rng_.Below(40)) {
      case 0:
        return rng_.Below(12) == 0 ? Kill() : Pass();
      case 1:
      case 2:
        return Pass();
      case 3:
        return Leap();
      default:
        return Request();
    }
  }

  void Request() {
    if (!PickClient()) {
      // All of them wait. Schedules go on; a kill ends the waits.
      return twin_.jobs().size() > kJobsMax ? Kill() : Pass();
    }
    if (twin_.jobs().size() > kJobsMax && !twin_.schedules().empty()) {
      return Drop(twin_.schedules().begin()->first);
    }
    switch (rng_.Below(26)) {
      case 24:
      case 25:
        return Prio();
      case 0:
        return rng_.Below(2) == 0 ? Configure() : ConfigureScope();
      case 1:
        return Pause();
      case 2:
        return rng_.Below(3) == 0 ? Schedule() : Redrive();
      case 3:
        return rng_.Below(6) == 0 ? CancelState() : Cancel();
      case 4:
        return rng_.Below(20) == 0 ? Delete() : rng_.Below(3) == 0 ? Look() : Wait();
      case 5:
      case 6:
        return Extend();
      case 7:
      case 8:
      case 9:
        return Nack();
      case 10:
      case 11:
      case 12:
      case 13:
        return Ack();
      case 14:
      case 15:
      case 16:
      case 17:
      case 18:
        return Take();
      default:
        return twin_.jobs().size() < kJobsMax ? Add() : Take();
    }
  }

  // ---- Requests

  void Add() {
    AddOp op;
    const std::size_t count = rng_.Below(6) == 0 ? 2 + rng_.Below(3) : 1;
    for (std::size_t i = 0; i < count; ++i) op.bodies.push_back("b" + std::to_string(++bodies_));
    Words words = {"Q.ADD", "q", op.bodies[0]};
    for (std::string& body : op.bodies) body += std::string(rng_.Below(12), 'x');
    words[2] = op.bodies[0];
    op.client = client_;
    op.user = UserOf(client_);
    op.tier = Tier();
    if (op.tier != 100 || closed_) Append(words, {"PRIO", std::to_string(op.tier)});
    if (rng_.Below(3) == 0) op.block = ReadBlock(words);
    if (rng_.Below(4) == 0) {
      op.delay = Milliseconds(2000);
      Append(words, {"DELAY", std::to_string(op.delay)});
    }
    if (rng_.Below(6) == 0) {
      op.ttl = 1 + Milliseconds(3000);
      Append(words, {"TTL", std::to_string(op.ttl)});
    }
    if (rng_.Below(8) == 0) {
      op.lease = 1 + Milliseconds(500);
      Append(words, {"LEASE", std::to_string(op.lease)});
    }
    if (rng_.Below(4) == 0) {
      op.cost = static_cast<std::int64_t>(1 + rng_.Below(5));
      Append(words, {"COST", std::to_string(op.cost)});
    }
    if (rng_.Below(8) == 0) {
      op.tries = static_cast<std::int64_t>(rng_.Below(4));
      Append(words, {"TRIES", std::to_string(op.tries)});
    }
    if (twin_.grouped && rng_.Below(4) != 0) {
      op.group = Group();
      Append(words, {"GROUP", op.group});
    }
    for (std::uint64_t i = rng_.Below(4) == 0 ? 1 + rng_.Below(3) : 0; i > 0; --i) {
      op.after.push_back(PickId());
    }
    if (!op.after.empty()) {
      Append(words, {"AFTER", std::to_string(op.after.size())});
      for (const std::uint64_t id : op.after) words.push_back(std::to_string(id));
    }
    if (count > 1) {
      Append(words, {"MORE", std::to_string(count - 1)});
      words.insert(words.end(), op.bodies.begin() + 1, op.bodies.end());
    } else if (rng_.Below(3) == 0) {
      op.name = "n" + std::to_string(rng_.Below(4));
      Append(words, {"NAME", op.name});
      op.taken_name = "mnr"[rng_.Below(op.after.empty() ? 3 : 2)];
      if (op.taken_name == 'n') words.emplace_back("NX");
      if (op.taken_name == 'r') words.emplace_back("REPLACE");
    }
    Send(words);
    std::optional<Reply> expected = twin_.Add(op);
    if (!expected) {
      // It may wait and be served at once: what its request settled may have served a taker.
      twin_.ServeWaiters();
      for (auto it = twin_.served.begin(); it != twin_.served.end(); ++it) {
        if (it->first != client_) continue;
        expected = it->second;
        twin_.served.erase(it);
        break;
      }
    }
    Compare(expected);
  }

  // For ever, or until a time when no other wait ends.
  std::int64_t ReadBlock(Words& words) {
    std::int64_t block = 0;
    if (rng_.Below(3) != 0) {
      do {
        block = 1 + Milliseconds(2000);
      } while (twin_.HasDeadline(twin_.now() + block));
    }
    Append(words, {"BLOCK", std::to_string(block)});
    return block;
  }

  void Take() {
    TakeOp op;
    op.client = client_;
    Words words = {"Q.TAKE", "q"};
    if (rng_.Below(4) == 0) {
      op.count = 1 + rng_.Below(4);
      Append(words, {"COUNT", std::to_string(op.count)});
    }
    bool foretold = rng_.Below(2) == 0;
    if (rng_.Below(3) == 0) op.block = ReadBlock(words);
    if (rng_.Below(6) == 0) {
      op.lease = 1 + Milliseconds(800);
      Append(words, {"LEASE", std::to_string(op.lease)});
    }
    if (rng_.Below(5) == 0) {
      foretold = false;
      const std::uint32_t a = Tier(), b = Tier();
      op.tiers = {std::min(a, b), std::max(a, b)};
      Append(words,
             {"TIERS", std::to_string(op.tiers->first) + "-" + std::to_string(op.tiers->second)});
    }
    if (rng_.Below(10) == 0) {
      op.without_ack = true;
      words.emplace_back("NOACK");
    }
    std::vector<std::uint64_t> promised;
    if (foretold) promised = ReadPromise(op.count);
    Send(words);
    const std::optional<Reply> expected = twin_.Take(op);
    if (foretold && IdsIn(expected.value_or(Nil())) != promised) Differ("another was promised");
    Compare(expected);
  }

  // The ids that Q.EXPLAIN tells beforehand.
  std::vector<std::uint64_t> ReadPromise(std::size_t count) {
    // First what is due, and those who have waited for it.
    Send({"Q.EXPLAIN", "q"});
    Read(client_);
    twin_.SettleNow();
    AfterRequest();
    Send({"Q.EXPLAIN", "q", "NEXT", std::to_string(count)});
    const std::optional<Reply> reply = Read(client_);
    std::vector<std::uint64_t> promised;
    if (!reply) Differ("no explanation");
    for (const Reply& next : FieldOf(reply.value_or(Nil()), "next").elements) {
      promised.push_back(static_cast<std::uint64_t>(next.elements[0].integer));
    }
    return promised;
  }

  static std::vector<std::uint64_t> IdsIn(const Reply& entries) {
    std::vector<std::uint64_t> ids;
    for (const Reply& entry : entries.elements) {
      ids.push_back(std::stoull(entry.elements.at(1).text));
    }
    return ids;
  }

  // What a client has been given by now; its reply is still to be read.
  std::vector<std::uint64_t> PeekIds(int client) {
    std::optional<Reply>& peeked = peeked_[static_cast<std::size_t>(client)];
    if (!peeked) peeked = clients_[static_cast<std::size_t>(client)].TryRead();
    return IdsIn(peeked.value_or(Nil()));
  }

  void Prio() {
    PrioOp op;
    op.user = UserOf(client_);
    op.id = PickId();
    op.tier = Tier();
    op.way = "kkrfbu"[rng_.Below(6)];
    Words words = {"Q.PRIO", "q", std::to_string(op.id), std::to_string(op.tier)};
    if (op.way == 'r') words.emplace_back("FRESH");
    if (op.way == 'f') words.emplace_back("FRONT");
    if (op.way == 'b' || op.way == 'u') words.emplace_back("BOOST");
    if (op.way == 'u') words[3] = "-";
    Check(words, twin_.Prio(op));
  }

  void Ack() {
    std::vector<std::pair<std::uint64_t, std::uint64_t>> receipts = {PickReceipt()};
    while (rng_.Below(5) == 0) receipts.push_back(PickReceipt());
    Words words = {"Q.ACK", "q"};
    for (const auto& receipt : receipts) words.push_back(Print(receipt));
    std::optional<std::string> result;
    if (receipts.size() == 1 && rng_.Below(5) == 0) {
      result = "r" + std::to_string(rng_.Below(100));
      Append(words, {"RESULT", *result});
    }
    Check(words, twin_.Ack(receipts, result));
  }

  void Nack() {
    NackOp op;
    const auto receipt = PickReceipt();
    op.id = receipt.first;
    op.token = receipt.second;
    Words words = {"Q.NACK", "q", Print(receipt)};
    op.way = "bbbddxf"[rng_.Below(7)];
    if (op.way == 'd') {
      op.delay = Milliseconds(400);
      Append(words, {"DELAY", std::to_string(op.delay)});
    }
    if (op.way == 'x') words.emplace_back("DEAD");
    if (op.way == 'f') {
      words.emplace_back("FREE");
    } else if (rng_.Below(3) == 0) {
      op.error = "e" + std::to_string(rng_.Below(100));
      Append(words, {"ERR", op.error});
    }
    Check(words, twin_.Nack(op));
  }

  void Extend() {
    const auto receipt = PickReceipt();
    Words words = {"Q.EXTEND", "q", Print(receipt)};
    std::int64_t length = 0;
    std::string progress;
    if (rng_.Below(2) == 0) {
      length = 1 + Milliseconds(1000);
      Append(words, {"LEASE", std::to_string(length)});
    }
    if (rng_.Below(4) == 0) {
      progress = "p" + std::to_string(rng_.Below(100));
      Append(words, {"PROGRESS", progress});
    }
    Check(words, twin_.Extend(receipt.first, receipt.second, length, progress));
  }

  void Cancel() {
    std::vector<std::uint64_t> ids;
    Words words = {"Q.CANCEL", "q"};
    do {
      ids.push_back(PickId());
      words.push_back(std::to_string(ids.back()));
    } while (rng_.Below(3) == 0);
    const bool force = rng_.Below(3) == 0;
    if (force) words.emplace_back("FORCE");
    const char followers = "-cd"[rng_.Below(3)];
    if (followers == 'c') words.emplace_back("CASCADE");
    if (followers == 'd') words.emplace_back("DETACH");
    Check(words, twin_.Cancel(ids, force, followers));
  }

  void CancelState() {
    const auto state = static_cast<JobState>(rng_.Below(kJobStates));
    Words words = {"Q.CANCEL", "q", "STATE", std::string(JobStateName(state))};
    const TwinScope scope = PickScope(words);
    const std::size_t count = 1 + rng_.Below(3);
    Append(words, {"COUNT", std::to_string(count)});
    const bool force = rng_.Below(3) == 0;
    if (force) words.emplace_back("FORCE");
    Check(words, twin_.CancelState(state, scope, count, force));
  }

  TwinScope PickScope(Words& words) {
    TwinScope scope;
    if (rng_.Below(3) == 0) {
      scope.tier = Tier();
      Append(words, {"TIER", std::to_string(*scope.tier)});
    }
    if (twin_.grouped && rng_.Below(2) == 0) {
      scope.group = rng_.Below(5) == 0 ? "" : Group();
      Append(words, {"GROUP", *scope.group});
    }
    return scope;
  }

  // Lists, and what is told of groups.
  void Look() {
    const auto state = static_cast<JobState>(rng_.Below(kJobStates));
    Words words = {"Q.LIST", "q", std::string(JobStateName(state)), "COUNT", "100"};
    const TwinScope scope = PickScope(words);
    twin_.SettleNow();
    std::vector<std::int64_t> expected, listed;
    for (const TwinJob* job : twin_.InOrder(state, scope)) {
      expected.push_back(static_cast<std::int64_t>(job->id));
    }
    Send(words);
    const Reply page = Read(client_).value_or(Nil());
    if (page.elements.size() == 2) {
      for (const Reply& job : page.elements[1].elements) {
        listed.push_back(job.elements[0].integer);
      }
    }
    if (listed != expected) Differ("another list");
    AfterRequest();
    if (twin_.grouped && twin_.exists()) LookAtGroup(Group());
  }

  void LookAtGroup(const std::string& group) {
    Send({"Q.STATS", "q", "GROUP", group});
    const Reply stats = Read(client_).value_or(Nil());
    for (const auto& [field, state] : {std::pair("ready", JobState::kReady),
                                       {"delayed", JobState::kDelayed},
                                       {"blocked", JobState::kBlocked},
                                       {"leased", JobState::kLeased}}) {
      const auto jobs = twin_.InOrder(state, {.tier = {}, .group = group});
      if (FieldOf(stats, field) != Int(static_cast<std::int64_t>(jobs.size()))) {
        Differ("another number of " + std::string(field));
      }
    }
    if ((FieldOf(stats, "held") != Bulk("no")) != twin_.IsGroupShut(group)) {
      Differ("whether " + group + " is held");
    }
  }

  // By value: the name may be the one in the twin, which goes with the schedule.
  void Drop(std::string schedule) {
    const Reply expected = twin_.DropSchedule(schedule);
    Check({"Q.CRON", "q", "DEL", std::move(schedule)}, expected);
  }

  void Schedule() {
    TwinSchedule schedule;
    schedule.name = "s" + std::to_string(rng_.Below(3));
    if (rng_.Below(3) == 0) return Drop(schedule.name);
    constexpr std::array<const char*, 7> kLines = {
        "@every 1000",   "@every 3500",    "*/2 * * * * *", "10-50/20 * * * * *",
        "0 */7 * * * *", "0 30 */5 * * *", "59 59 23 * * *"};
    schedule.expression = kLines[rng_.Below(kLines.size())];
    schedule.body = "c" + std::string(rng_.Below(9), 'x');
    schedule.user = UserOf(client_);
    Words words = {"Q.CRON", "q", "SET", schedule.name, schedule.expression, schedule.body};
    if (rng_.Below(4) != 0) {
      schedule.tier = Tier();
      Append(words, {"PRIO", std::to_string(*schedule.tier)});
    }
    if (rng_.Below(3) == 0) {
      schedule.job_name = "n" + std::to_string(rng_.Below(4));
      Append(words, {"NAME", schedule.job_name});
    }
    if (rng_.Below(3) == 0) {
      schedule.ttl = 1 + Milliseconds(3000);
      Append(words, {"TTL", std::to_string(schedule.ttl)});
    }
    Check(words, twin_.SetSchedule(schedule));
  }

  void Redrive() {
    const std::size_t count = 1 + rng_.Below(4);
    Words words = {"Q.REDRIVE", "q", "COUNT", std::to_string(count)};
    std::optional<std::uint32_t> tier;
    if (rng_.Below(4) == 0) {
      tier = Tier();
      Append(words, {"PRIO", std::to_string(*tier)});
    }
    const bool fresh = rng_.Below(3) == 0;
    if (fresh) words.emplace_back("FRESH");
    Check(words, twin_.Redrive(count, tier, fresh, UserOf(client_)));
  }

  void Pause() {
    const bool resume = rng_.Below(2) == 0;
    Words words = {resume ? "Q.RESUME" : "Q.PAUSE", "q"};
    const char way = "ioa"[rng_.Below(3)];
    words.emplace_back(way == 'i' ? "IN" : way == 'o' ? "OUT" : "ALL");
    TwinScope scope;
    if (twin_.grouped && rng_.Below(3) == 0) {
      scope.group = Group();
      Append(words, {"GROUP", *scope.group});
    } else if (rng_.Below(2) == 0) {
      scope.tier = Tier();
      Append(words, {"TIER", std::to_string(*scope.tier)});
    }
    std::int64_t until = 0;
    if (!resume) {
      const std::int64_t length = 1 + Milliseconds(1500);
      Append(words, {"FOR", std::to_string(length)});
      until = twin_.now() + length;
    }
    Check(words, twin_.Pause(scope, way != 'o', way != 'i', until));
  }

  void Configure() {
    TwinSettings settings;
    settings.tiers = twin_.settings().tiers;
    settings.lease = 1 + Milliseconds(1000);
    settings.tries = static_cast<std::uint32_t>(rng_.Below(5));
    settings.backoff = {Milliseconds(100), Milliseconds(500)};
    settings.retry_to_back = rng_.Below(3) == 0;
    settings.dedup = rng_.Below(2) == 0 ? 0 : Milliseconds(1000);
    settings.keep_count = rng_.Below(2) == 0 ? 0 : rng_.Below(6);
    settings.keep_ms = rng_.Below(2) == 0 ? 0 : Milliseconds(2000);
    settings.dead_count = rng_.Below(8);
    settings.dead_ms = rng_.Below(2) == 0 ? 0 : Milliseconds(3000);
    Words words = {
        "Q.CONF",   "q",
        "JITTER",   "0",
        "LEASE",    std::to_string(settings.lease),
        "TRIES",    std::to_string(settings.tries),
        "BACKOFF",  std::to_string(settings.backoff[0]) + "," + std::to_string(settings.backoff[1]),
        "RETRYPOS", settings.retry_to_back ? "back" : "keep",
        "DEDUP",    std::to_string(settings.dedup),
        "KEEP",     std::to_string(settings.keep_count) + ":" + std::to_string(settings.keep_ms),
        "DEADKEEP", std::to_string(settings.dead_count) + ":" + std::to_string(settings.dead_ms)};
    settings.groups = "offee"[rng_.Below(5)];
    Append(words, {"GROUPS", settings.groups == 'o'   ? "off"
                             : settings.groups == 'f' ? "fair"
                                                      : "exact"});
    settings.own_groups = twin_.settings().own_groups;
    settings.group_weights = twin_.settings().group_weights;
    if (twin_.grouped) settings.group_limits = ReadLimits(words, Scope::kAllGroups);
    settings.on_dead = "bfr"[rng_.Below(3)];
    Append(words, {"ONDEAD", settings.on_dead == 'b'   ? "block"
                             : settings.on_dead == 'f' ? "fail"
                                                       : "run"});
    ConfigureMode(settings, words);
    settings.limits = ReadLimits(words, Scope::kQueue);
    Check(words, twin_.Configure(settings));
  }

  enum class Scope : std::uint8_t { kQueue, kTier, kGroup, kAllGroups };

  TwinLimits ReadLimits(Words& words, Scope kind) {
    TwinLimits limits;
    const bool whole = kind == Scope::kQueue;
    const std::string prefix = kind == Scope::kAllGroups ? "G" : "";
    if (rng_.Below(2) == 0) limits.len = 1 + rng_.Below(whole ? 20 : 8);
    if (rng_.Below(3) == 0) limits.bytes = 20 + rng_.Below(whole ? 200 : 80);
    limits.full = "rbobs"[rng_.Below(whole ? 5 : 4)];
    if (rng_.Below(3) == 0) limits.conc = 1 + rng_.Below(4);
    if (rng_.Below(3) == 0) {
      limits.rate = static_cast<std::int64_t>(1 + rng_.Below(4));
      limits.per = 1 + Milliseconds(300);
    }
    limits.low = static_cast<std::uint32_t>(rng_.Below(90));
    limits.high = limits.low + 1 + static_cast<std::uint32_t>(rng_.Below(100 - limits.low));
    Append(words,
           {prefix + "MARKS", std::to_string(limits.high) + ":" + std::to_string(limits.low)});
    Append(words,
           {prefix + "LEN", std::to_string(limits.len), prefix + "BYTES",
            std::to_string(limits.bytes), prefix + "FULL",
            limits.full == 'r'   ? "reject"
            : limits.full == 'b' ? "block"
            : limits.full == 'o' ? "oldest"
                                 : "shed",
            prefix + "CONC", std::to_string(limits.conc), prefix + "RATE",
            limits.rate == 0 ? std::string("0")
                             : std::to_string(limits.rate) + "/" + std::to_string(limits.per)});
    return limits;
  }

  // Limits of one tier or group, on top of the settings that hold.
  void ConfigureScope() {
    if (!twin_.exists()) return Configure();
    TwinSettings settings = twin_.settings();
    if (rng_.Below(2) == 0) {
      const std::string group = Group();
      settings.group_weights[group] = static_cast<std::int64_t>(1 + rng_.Below(4));
      Words words = {"Q.CONF", "q",      "GROUP",
                     group,    "WEIGHT", std::to_string(settings.group_weights[group])};
      if (rng_.Below(3) == 0) {
        settings.own_groups.erase(group);
        Append(words, {"LEN", "default", "BYTES", "default", "FULL", "default", "MARKS", "default",
                       "CONC", "default", "RATE", "default"});
      } else {
        settings.own_groups[group] = ReadLimits(words, Scope::kGroup);
      }
      return Check(words, twin_.Configure(settings));
    }
    const std::uint32_t tier = Tier();
    Words words = {"Q.CONF", "q", "TIER", std::to_string(tier)};
    settings.tiers[tier] = ReadLimits(words, Scope::kTier);
    Check(words, twin_.Configure(settings));
  }

  void ConfigureMode(TwinSettings& settings, Words& words) {
    settings.mode = closed_ ? "sapwwwff"[rng_.Below(8)] : "sa"[rng_.Below(2)];
    settings.charge = rng_.Below(2) == 0;
    settings.aging = 1 + Milliseconds(400);
    constexpr std::string_view kLetters = "sapwf";
    constexpr std::array<const char*, 5> kModes = {"strict", "aging", "step", "weighted", "floors"};
    Append(words,
           {"AGING", std::to_string(settings.aging), "MODE", kModes[kLetters.find(settings.mode)],
            "CHARGE", settings.charge ? "cost" : "jobs"});
    if (!closed_) return;
    settings.names = "abcd";
    settings.cap = static_cast<std::uint32_t>(rng_.Below(3));
    settings.steps = {{2, 100, 1}, {3, 200, 2}, {3, 400, 0}};
    Append(words, {"CAP", std::to_string(settings.cap), "STEPS", "c:100:b,d:200:c,d:400:a"});
    settings.max_waits = {0, 0, 0, 0};
    for (std::size_t tier = 0; tier < settings.names.size(); ++tier) {
      settings.weights.push_back(static_cast<std::int64_t>(1 + rng_.Below(6)));
      settings.floors.push_back(10 * static_cast<std::int64_t>(rng_.Below(2) * rng_.Below(25)));
      if (rng_.Below(4) == 0) settings.max_waits[tier] = 1 + Milliseconds(400);
    }
    Append(words, {"TIERS", ByTier(settings.weights, 1), "FLOORS", ByTier(settings.floors, 10),
                   "MAXWAIT", ByTier(settings.max_waits, 1)});
  }

  // "a:7,c:2"; in so many units of a setting.
  static std::string ByTier(const std::vector<std::int64_t>& numbers, std::int64_t unit) {
    std::string text;
    for (std::size_t tier = 0; tier < numbers.size(); ++tier) {
      if (numbers[tier] == 0) continue;
      text += std::string(text.empty() ? "" : ",") + "abcd"[tier] + ":" +
              std::to_string(numbers[tier] / unit);
    }
    return text.empty() ? "none" : text;
  }

  void Wait() {
    const std::uint64_t id = PickId();
    Send({"Q.GET", "q", std::to_string(id), "BLOCK", "0"});
    // It may wait and be answered at once: what its request settled may have ended the job.
    const bool waits = twin_.WaitForJob(client_, id);
    if (!waits && !Read(client_)) {
      Differ("Q.GET BLOCK " + std::to_string(id) + " waits");
    }
    AfterRequest();
  }

  void Delete() {
    Check({"DEL", "q"}, twin_.Delete());
    Configure();
  }

  // ---- Time

  void Pass() {
    const std::int64_t length = rng_.Below(30) == 0 ? 5000 : 1 + Milliseconds(300);
    last_request_ = "passing " + std::to_string(length);
    Advance(std::chrono::milliseconds(length));
    twin_.AdvanceTo(twin_.now() + length);
    CompareServed();
  }

  // Time moves on, and the next request comes before any tick.
  void Leap() {
    const std::int64_t length = rng_.Below(20) == 0 ? 4000000 : Milliseconds(2000);
    clock.Advance(std::chrono::milliseconds(length));
    twin_.LeapTo(twin_.now() + length);
    Request();
    engine->Tick();
    Settle();
    twin_.SettleNow();
    twin_.ServeWaiters();
    twin_.TimeOutWaiters();
    twin_.ServeWaiters();
    CompareServed();
  }

  void Kill() {
    CompareState();
    CompareCopy();
    history_ += std::exchange(log.bytes, {});
    const std::string before = QueueDigest();
    last_request_ = "kill";
    for (int times = 1; times <= 2; ++times) {
      engine = std::make_unique<Engine>(config, clock, host, rng_.Next());
      Client loader = Connect();
      for (int i = 0; i < times; ++i) loader.SendRaw(history_);
      if (QueueDigest() != before) Differ("a replay gives another state");
      loader.Disconnect();
    }
    engine = std::make_unique<Engine>(config, clock, host, rng_.Next());
    Client loader = Connect();
    loader.SendRaw(history_);
    loader.Disconnect();
    engine->broker().effects.set_sink(&log);
    twin_.Restart();
    Reconnect();
    CompareState();
  }

  // ---- Means

  // False if all of them wait.
  bool PickClient() {
    for (int tries = 0; tries < 20; ++tries) {
      client_ = static_cast<int>(rng_.Below(kClients));
      if (!twin_.IsBlocked(client_)) return true;
    }
    return false;
  }
  static void Append(Words& words, const Words& more) {
    words.insert(words.end(), more.begin(), more.end());
  }
  std::uint32_t Tier() {
    if (closed_) return static_cast<std::uint32_t>(rng_.Below(4));
    constexpr std::uint32_t kTiers[] = {0, 3, 7, 100, 100};
    return kTiers[rng_.Below(5)];
  }
  std::string Group() { return "g" + std::to_string(rng_.Below(5)); }
  std::int64_t Milliseconds(std::uint64_t below) {
    return static_cast<std::int64_t>(rng_.Below(below));
  }
  std::uint64_t PickId() {
    if (twin_.jobs().empty() || rng_.Below(8) == 0) return rng_.Below(50);
    return twin_.jobs()[rng_.Below(twin_.jobs().size())].id;
  }
  // Mostly a receipt that is current; sometimes one of another lease, or of nothing.
  std::pair<std::uint64_t, std::uint64_t> PickReceipt() {
    std::vector<const TwinJob*> leased;
    for (const TwinJob& job : twin_.jobs()) {
      if (job.state == JobState::kLeased) leased.push_back(&job);
    }
    if (leased.empty() || rng_.Below(12) == 0) {
      return {PickId(), rng_.Below(twin_.last_token() + 2)};
    }
    const TwinJob& job = *leased[rng_.Below(leased.size())];
    return {job.id, rng_.Below(10) == 0 ? job.token - 1 : job.token};
  }
  static std::string Print(const std::pair<std::uint64_t, std::uint64_t>& receipt) {
    return std::to_string(receipt.first) + "-" + std::to_string(receipt.second);
  }

  Rng rng_;
  std::string history_;
  int bodies_ = 0;
};

TEST(QueueModelTest, RandomRequestsAnswerAsTheTwinDoes) {
  // Longer, by hand: model_tests --gtest_filter='QueueModel*' --gtest_random_seed=N for several N.
  const auto first = static_cast<std::uint64_t>(GTEST_FLAG_GET(random_seed)) * 1000 + 1;
  int requests = 0;
  std::size_t given = 0, level = 0;
  for (std::uint64_t seed = first; requests < 100000; ++seed) {
    Episode episode(seed, Defect::kNone);
    const std::optional<std::string> difference = episode.Run(2500);
    ASSERT_EQ(difference, std::nullopt) << "seed " << seed;
    requests += episode.requests();
    given += episode.twin().given();
    level += episode.twin().level();
  }
  // Nearly all turns follow from the rules alone; a rounding decides the rest.
  RecordProperty("given", std::to_string(given));
  RecordProperty("level", std::to_string(level));
  EXPECT_LT(level * 10, given);
}

TEST(QueueModelTest, PlantedDefectsAreFound) {
  for (const Defect defect :
       {Defect::kFreshSeqOnRetry,   Defect::kStaleAckAccepted,  Defect::kWrappedPosition,
        Defect::kEndedLeaseIsFree,  Defect::kForgottenName,     Defect::kForgottenBoost,
        Defect::kAgeAdded,          Defect::kInheritsForEver,   Defect::kExactServesTwo,
        Defect::kGroupLeaseStays,   Defect::kClosedGroupsAge,   Defect::kBytesOfBodies,
        Defect::kProducersSleep,    Defect::kRunsMissedTimes,   Defect::kNoHysteresis,
        Defect::kMergesBeyondRight, Defect::kProducersOvertake, Defect::kNeighboursWeight,
        Defect::kCostNotCharged,    Defect::kDebtForgiven,      Defect::kIdlingEarns,
        Defect::kWeightStays,       Defect::kBoostIsFree,       Defect::kPauseEarns,
        Defect::kStartForgotten,    Defect::kMoveLosesTurn,     Defect::kGroupDebtForgiven,
        Defect::kGroupWeightStays,  Defect::kClaimKept,         Defect::kOverdueUnbounded}) {
    bool found = false;
    for (std::uint64_t seed = 1; seed <= 20 && !found; ++seed) {
      found = Episode(seed, defect).Run(2500).has_value();
    }
    EXPECT_TRUE(found) << "defect " << static_cast<int>(defect);
  }
}

}  // namespace
}  // namespace rung::testing
