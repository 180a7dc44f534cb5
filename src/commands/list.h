// What the list commands share: names of ends, and pushing from one list to another.
#pragma once

#include <optional>
#include <string_view>

#include "rung/commands/arg_reader.h"
#include "rung/commands/context.h"
#include "rung/types/list.h"

namespace rung {

// Takes LEFT or RIGHT; anything else is a syntax error.
ListEnd TakeListEnd(ArgReader& args);

constexpr std::string_view EndWord(ListEnd end) { return end == ListEnd::kHead ? "LEFT" : "RIGHT"; }
constexpr std::string_view PopEvent(ListEnd end) { return end == ListEnd::kHead ? "lpop" : "rpop"; }
constexpr std::string_view PushEvent(ListEnd end) {
  return end == ListEnd::kHead ? "lpush" : "rpush";
}
// The command that takes elements off that end of one list.
constexpr std::string_view PopCommand(ListEnd end) {
  return end == ListEnd::kHead ? "LPOP" : "RPOP";
}

// A count of keys and the keys behind it (LMPOP, ZMPOP, ZUNION ...); fails `args` if the count is
// not positive or there are fewer.
std::span<const std::string_view> TakeCountedKeys(ArgReader& args);

}  // namespace rung
