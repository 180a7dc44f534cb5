// DEBUG DIGEST, DIGEST-VALUE, OBJECT and POPULATE. See debug.h.

#include <algorithm>
#include <array>
#include <cstdio>
#include <string>
#include <string_view>

#include "commands/debug.h"
#include "rung/base/digest.h"
#include "rung/base/hash.h"
#include "rung/base/numbers.h"
#include "rung/commands/arg_reader.h"

namespace rung {
namespace {

Digest DigestOf(const Entry& entry) {
  Digest digest = entry.ValueDigest();
  if (entry.has_expiry()) digest.Append("expires");
  return digest;
}

}  // namespace

Outcome DebugDigest(ExecContext& ctx, ArgReader& /*args*/) {
  Digest total;
  for (int i = 0; i < ctx.broker.store.database_count(); ++i) {
    ctx.broker.store.database(i).ForEach([&](const Entry& entry) {
      Digest item;
      item.Append(std::to_string(i));
      item.Append(entry.key());
      item.Append(DigestOf(entry));
      total.AddUnordered(item);
    });
  }
  ctx.reply.Status(total.Hex());
  return Outcome::kReplied;
}

Outcome DebugDigestValue(ExecContext& ctx, ArgReader& args) {
  ctx.reply.Array(args.left());
  for (const std::string_view key : args.Rest()) {
    const Lookup found = ctx.db.Peek(key);
    ctx.reply.Status((found ? DigestOf(*found.entry()) : Digest()).Hex());
  }
  return Outcome::kReplied;
}

// A key past its time that nobody has touched is described too, and not removed. The address that
// Redis prints is a number drawn from the key here: equal runs answer equally.
Outcome DebugObject(ExecContext& ctx, ArgReader& args) {
  const std::string_view key = args.Bytes();
  const Entry* const found = ctx.db.EntryUnder(key);
  if (found == nullptr) return ctx.Fail(errors::kNoSuchKey);
  const Entry& entry = *found;
  const std::int64_t now_seconds = ctx.now.wall_ms() / 1000;
  std::array<char, 256> text{};
  std::snprintf(text.data(), text.size(),
                "Value at:0x%llx refcount:1 encoding:%s serializedlength:%zu lru:%u "
                "lru_seconds_idle:%lld",
                static_cast<unsigned long long>(HashBytes(key)),
                std::string(entry.EncodingName()).c_str(), entry.MemoryBytes(),
                entry.access_seconds(),
                static_cast<long long>(now_seconds - entry.access_seconds()));
  ctx.reply.Status(text.data());
  return Outcome::kReplied;
}

Outcome DebugPopulate(ExecContext& ctx, ArgReader& args) {
  constexpr std::int64_t kCountMax = 1000000000;
  const std::int64_t count = args.IntegerIn(0, kCountMax, errors::kNotPositive);
  const std::string prefix(args.More() ? args.Bytes() : "key");
  std::int64_t size = 0;
  if (args.More()) size = args.IntegerIn(0, INT32_MAX, errors::kNotPositive);
  if (const auto& error = args.Finish()) return ctx.Fail(*error);
  for (std::int64_t i = 0; i < count; ++i) {
    const std::string key = prefix + ":" + std::to_string(i);
    const Lookup found = ctx.db.Find(key);
    if (found) continue;
    std::string value = "value:" + std::to_string(i);
    if (size > 0) value.resize(static_cast<std::size_t>(size));
    ctx.db.PutString(key, found, value, {});
    ctx.Log({"SET", key, value});
  }
  ctx.reply.Ok();
  return Outcome::kReplied;
}

}  // namespace rung
