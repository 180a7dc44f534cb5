// Looking at a queue: Q.GET and Q.LIST.

#include <array>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "commands/families.h"
#include "commands/queue_scope.h"
#include "commands/queue_text.h"
#include "commands/queue_work.h"
#include "rung/base/numbers.h"
#include "rung/commands/arg_reader.h"
#include "rung/commands/context.h"

namespace rung {
namespace {

// ---- Q.GET

void AddLease(FieldList& fields, const Lease& lease) {
  fields.Add("receipt", Receipt{.id = lease.job->id, .token = lease.token}.Print());
  fields.Add("deadline", lease.deadline_ms);
  fields.Add("worker", lease.worker);
}

void AddTimes(FieldList& fields, const Job& job) {
  if (job.state == JobState::kDelayed) fields.Add("due", job.at_ms);
  if (job.state == JobState::kDead) {
    fields.Add("died", job.at_ms);
    fields.Add("reason", DeathReasonName(job.extra->reason));
  }
  if (job.state == JobState::kDone) fields.Add("finished", job.at_ms);
  if (job.expires_ms() != 0) fields.Add("expires", job.expires_ms());
}

FieldList Describe(const Queue& queue, const Job& job) {
  const QueueSettings& settings = queue.settings();
  FieldList fields;
  fields.Add("id", job.id);
  fields.Add("state", JobStateName(job.state));
  fields.Add("tier", settings.TierName(job.tier()));
  fields.Add("own", settings.TierName(job.own_tier()));
  fields.Add("seq", job.seq);
  fields.AddScore("score", queue.ScoreOf(job));
  fields.Add("since", job.since_ms);
  fields.Add("deliveries", job.deliveries());
  fields.Add("failures", std::uint32_t{job.failures});
  fields.Add("cost", job.cost());
  if (job.group != 0) fields.Add("group", queue.GroupOf(job).name);
  if (job.name_size != 0) fields.Add("name", job.name());
  AddTimes(fields, job);
  if (job.state == JobState::kLeased) AddLease(fields, *job.lease);
  if (job.cancelled) fields.Add("cancelled", std::int64_t{1});
  fields.Add("body", job.body());
  if (job.extra == nullptr) return fields;
  const JobExtra& extra = *job.extra;
  if (!extra.waits_for.empty()) fields.Add("waits-for", PrintIds(extra.waits_for));
  if (!extra.dependents.empty()) {
    fields.Add("dependents", static_cast<std::uint64_t>(extra.dependents.size()));
  }
  if (extra.lease_ms != 0) fields.Add("lease", extra.lease_ms);
  if (extra.tries >= 0) fields.Add("tries", extra.tries);
  if (!extra.user.empty()) fields.Add("user", extra.user);
  if (!extra.error.empty()) fields.Add("error", extra.error);
  if (!extra.progress.empty()) fields.Add("progress", extra.progress);
  if (extra.has_result) fields.Add("result", extra.result);
  return fields;
}

Outcome Get(ExecContext& ctx, ArgReader& args) {
  const std::string_view key = args.Bytes();
  const std::string_view reference = args.Bytes();
  bool blocks = false;
  std::optional<std::chrono::nanoseconds> timeout;
  if (args.TakeWithValue("BLOCK")) {
    blocks = true;
    timeout = TakeBlock(args);
  }
  if (const auto& error = args.Finish()) return ctx.Fail(*error);
  const Result<const Queue*> queue = QueueWork::Read(ctx, key);
  if (!queue.ok()) return ctx.Fail(queue.error());
  const Job* job = *queue == nullptr ? nullptr : FindJob(**queue, reference);
  if (job == nullptr) {
    ctx.reply.NullArray();
    return Outcome::kReplied;
  }
  if (blocks && job->Unfinished() && ctx.MayBlock()) {
    const Outcome outcome =
        ctx.BlockInLine(WaitTopic::kResult, std::span(&key, 1), job->id, timeout);
    // By its id from now on: the name is free again when the job is done.
    NumberBuffer number;
    const std::array<std::string_view, 5> words = {"Q.GET", key, FormatUint64(job->id, number),
                                                   "BLOCK", ctx.args.back()};
    ctx.session.wait->args = OwnedArgs(words);
    return outcome;
  }
  Describe(**queue, *job).Write(ctx.reply);
  return Outcome::kReplied;
}

// ---- Q.LIST

struct ListRequest {
  JobState state = JobState::kReady;
  JobScope scope;
  std::string_view from = "0";
  std::size_t count = 100;
  bool with_body = false;
};

// A page as it is gathered: jobs in order, and the cursor behind them.
struct Page {
  std::vector<const Job*> jobs;
  std::string cursor = "0";
  std::size_t count_max = 0;

  // False if the page is full: the job begins the next one.
  bool Add(const Job* job, const std::string& position) {
    if (jobs.size() == count_max) {
      cursor = position;
      return false;
    }
    jobs.push_back(job);
    return true;
  }
};

// A position is the key of the job that it stands before: "tier_seq_id" of ready jobs, else
// "time_id" ("time_token" of leased ones).
std::optional<std::vector<std::int64_t>> ParsePosition(std::string_view text, std::size_t parts) {
  if (text == "0") return std::vector<std::int64_t>(parts, 0);
  std::vector<std::int64_t> numbers;
  while (true) {
    const std::size_t dash = text.find('_');
    const auto number = ParseInt64(text.substr(0, dash));
    if (!number) return std::nullopt;
    numbers.push_back(*number);
    if (dash == std::string_view::npos) break;
    text.remove_prefix(dash + 1);
  }
  if (numbers.size() != parts) return std::nullopt;
  return numbers;
}

std::string Position(std::initializer_list<std::int64_t> numbers) {
  std::string text;
  for (const std::int64_t number : numbers) {
    if (!text.empty()) text += '_';
    text += std::to_string(number);
  }
  return text;
}

bool ListReady(const Queue& queue, const ListRequest& request, Page& page) {
  const auto from = ParsePosition(request.from, 3);
  if (!from) return false;
  for (const auto& [tier, jobs] : ReadyIn(queue, request.scope)) {
    if (tier->number < static_cast<std::uint64_t>((*from)[0])) continue;
    const bool inside = request.from != "0" && std::int64_t{tier->number} == (*from)[0];
    auto cursor = inside ? jobs->LowerBound({(*from)[1], static_cast<std::uint64_t>((*from)[2])})
                         : jobs->First();
    for (; cursor.Valid(); cursor.Next()) {
      const Job* job = *cursor;
      const std::string position =
          Position({std::int64_t{tier->number}, job->seq, static_cast<std::int64_t>(job->id)});
      if (!page.Add(job, position)) return true;
    }
  }
  return true;
}

bool ListByTime(const OrderedItems<Job*, ByTime>& jobs, const ListRequest& request, Page& page) {
  const auto from = ParsePosition(request.from, 2);
  if (!from) return false;
  auto cursor = jobs.LowerBound({(*from)[0], static_cast<std::uint64_t>((*from)[1])});
  for (; cursor.Valid(); cursor.Next()) {
    const Job* job = *cursor;
    if (!request.scope.Holds(*job)) continue;
    if (!page.Add(job, Position({job->at_ms, static_cast<std::int64_t>(job->id)}))) break;
  }
  return true;
}

bool ListLeased(const Queue& queue, const ListRequest& request, Page& page) {
  const auto from = ParsePosition(request.from, 2);
  if (!from) return false;
  auto cursor = queue.leases().LowerBound({(*from)[0], static_cast<std::uint64_t>((*from)[1])});
  for (; cursor.Valid(); cursor.Next()) {
    const Lease* lease = *cursor;
    if (!request.scope.Holds(*lease->job)) continue;
    const std::string position =
        Position({lease->deadline_ms, static_cast<std::int64_t>(lease->token)});
    if (!page.Add(lease->job, position)) break;
  }
  return true;
}

// In the order of ids; the position is "0_id".
bool ListBlocked(const Queue& queue, const ListRequest& request, Page& page) {
  const auto from = ParsePosition(request.from, 2);
  if (!from) return false;
  auto cursor = queue.blocked().LowerBound(static_cast<std::uint64_t>((*from)[1]));
  for (; cursor.Valid(); cursor.Next()) {
    const Job* job = *cursor;
    if (!request.scope.Holds(*job)) continue;
    if (!page.Add(job, Position({0, static_cast<std::int64_t>(job->id)}))) break;
  }
  return true;
}

bool FillPage(const Queue& queue, const ListRequest& request, Page& page) {
  switch (request.state) {
    case JobState::kReady:
      return ListReady(queue, request, page);
    case JobState::kDelayed:
      return ListByTime(queue.delayed(), request, page);
    case JobState::kDead:
      return ListByTime(queue.dead(), request, page);
    case JobState::kDone:
      return ListByTime(queue.done(), request, page);
    case JobState::kLeased:
      return ListLeased(queue, request, page);
    case JobState::kBlocked:
      return ListBlocked(queue, request, page);
  }
  return true;
}

std::int64_t TimeOf(const Job& job) {
  if (job.state == JobState::kLeased) return job.lease->deadline_ms;
  const bool waits = job.state == JobState::kReady || job.state == JobState::kBlocked;
  return waits ? job.since_ms : job.at_ms;
}

void ReplyPage(ExecContext& ctx, const Queue& queue, const Page& page, bool with_body) {
  ctx.reply.Array(2);
  ctx.reply.Bulk(page.cursor);
  ctx.reply.Array(page.jobs.size());
  for (const Job* job : page.jobs) {
    ctx.reply.Array(with_body ? 5 : 4);
    ctx.reply.Integer(static_cast<std::int64_t>(job->id));
    ctx.reply.Bulk(queue.settings().TierName(job->tier()));
    ctx.reply.Integer(job->seq);
    ctx.reply.Integer(TimeOf(*job));
    if (with_body) ctx.reply.Bulk(job->body());
  }
}

Outcome List(ExecContext& ctx, ArgReader& args) {
  const std::string_view key = args.Bytes();
  ListRequest request;
  const std::optional<JobState> state = ParseJobState(args.Bytes());
  if (!state) args.Fail("ERR a state is ready, delayed, leased, blocked, dead or done");
  request.state = state.value_or(JobState::kReady);
  ScopeWords words;
  while (args.More()) {
    if (args.TakeWithValue("FROM")) {
      request.from = args.Bytes();
    } else if (args.TakeWithValue("COUNT")) {
      request.count = static_cast<std::size_t>(args.IntegerIn(1, 100000, errors::kOutOfRange));
    } else if (args.Take("BODY")) {
      request.with_body = true;
    } else if (!words.Take(args)) {
      args.Fail(errors::kSyntax);
    }
  }
  if (const auto& error = args.Finish()) return ctx.Fail(*error);
  const Result<const Queue*> queue = QueueWork::Read(ctx, key);
  if (!queue.ok()) return ctx.Fail(queue.error());
  Page page;
  page.count_max = request.count;
  const Queue empty;
  const Queue& read = *queue == nullptr ? empty : **queue;
  const Result<JobScope> scope = JobScope::Of(read, words);
  if (!scope.ok()) return ctx.Fail(scope.error());
  request.scope = *scope;
  if (!FillPage(read, request, page)) return ctx.Fail(errors::kInvalidCursor);
  ReplyPage(ctx, read, page, request.with_body);
  return Outcome::kReplied;
}

constexpr std::array kCommands = {
    Declare({.name = "Q.GET",
             .arity = -3,
             .flags = kReadOnly | kFast | kBlocking,
             .keys = {KeyAt(1, kKeyRead | kKeyAccess)},
             .acl = "queue",
             .group = "queue",
             .since = "0.1.0",
             .summary = "Describes one job; waits until it is finished if asked to.",
             .complexity = "O(1)",
             .syntax = "key:key id [BLOCK milliseconds:integer]",
             .handler = &Get}),
    Declare(
        {.name = "Q.LIST",
         .arity = -3,
         .flags = kReadOnly,
         .keys = {KeyAt(1, kKeyRead | kKeyAccess)},
         .acl = "queue",
         .group = "queue",
         .since = "0.1.0",
         .summary = "Lists the jobs of one state, page by page, in their order.",
         .complexity = "O(log n + k) for k jobs returned; with TIER or GROUP in a state other "
                       "than ready also O(n) for n jobs passed over",
         .syntax =
             "key:key state [TIER tier] [GROUP group] [FROM cursor] [COUNT count:integer] [BODY]",
         .handler = &List}),
};

}  // namespace

std::span<const CommandSpec> QueueReadCommands() { return kCommands; }

}  // namespace rung
