// DEBUG PROTOCOL: one sample of each kind of reply, for tests of clients and of scripts.

#include <array>
#include <string_view>

#include "commands/debug.h"
#include "rung/base/numbers.h"
#include "rung/commands/arg_reader.h"

namespace rung {
namespace {

void ReplyNumbers(ReplyWriter& reply) {
  for (int i = 0; i < 3; ++i) reply.Integer(i);
}

void ReplyAttribute(ReplyWriter& reply) {
  if (reply.resp3()) {
    reply.Attribute(1);
    reply.Bulk("key-popularity");
    reply.Array(2);
    reply.Bulk("key:123");
    reply.Integer(90);
  }
  reply.Bulk("Some real reply following the attribute");
}

void ReplyMap(ReplyWriter& reply) {
  reply.Map(3);
  for (int i = 0; i < 3; ++i) {
    reply.Integer(i);
    reply.Bool(i == 1);
  }
}

void ReplyPush(ReplyWriter& reply) {
  reply.Push(2);
  reply.Bulk("server-cpu-usage");
  reply.Integer(42);
  reply.Bulk("Some real reply following the push reply");
}

struct Sample {
  std::string_view type;
  void (*write)(ReplyWriter& reply);
};

constexpr std::array kSamples = {
    Sample{"string", [](ReplyWriter& reply) { reply.Bulk("Hello World"); }},
    Sample{"integer", [](ReplyWriter& reply) { reply.Integer(12345); }},
    Sample{"double", [](ReplyWriter& reply) { reply.Double(3.141); }},
    Sample{"bignum",
           [](ReplyWriter& reply) { reply.BigNumber("1234567999999999999999999999999999999"); }},
    Sample{"null", [](ReplyWriter& reply) { reply.Null(); }},
    Sample{"array",
           [](ReplyWriter& reply) {
             reply.Array(3);
             ReplyNumbers(reply);
           }},
    Sample{"set",
           [](ReplyWriter& reply) {
             reply.Set(3);
             ReplyNumbers(reply);
           }},
    Sample{"map", &ReplyMap},
    Sample{"attrib", &ReplyAttribute},
    Sample{"push", &ReplyPush},
    Sample{"verbatim", [](ReplyWriter& reply) { reply.Verbatim("This is a verbatim\nstring"); }},
    Sample{"true", [](ReplyWriter& reply) { reply.Bool(true); }},
    Sample{"false", [](ReplyWriter& reply) { reply.Bool(false); }},
};

}  // namespace

Outcome DebugProtocol(ExecContext& ctx, ArgReader& args) {
  const std::string_view type = args.Bytes();
  for (const Sample& sample : kSamples) {
    if (!EqualsIgnoreCase(type, sample.type)) continue;
    if (sample.write == &ReplyPush && !ctx.reply.resp3()) {
      return ctx.Fail("ERR RESP2 is not supported by this command");
    }
    sample.write(ctx.reply);
    return Outcome::kReplied;
  }
  return ctx.Fail(
      "ERR Wrong protocol type name. Please use one of the following: "
      "string|integer|double|bignum|null|array|set|map|attrib|push|verbatim|true|false");
}

}  // namespace rung
