// Which categories a command is in. See categories.h.

#include "commands/categories.h"

#include <algorithm>
#include <array>

namespace rung {
namespace {

constexpr std::array<std::string_view, 22> kCategories = {
    "keyspace", "read",        "write",      "set",         "sortedset", "list",  "hash", "string",
    "bitmap",   "hyperloglog", "geo",        "stream",      "pubsub",    "admin", "fast", "slow",
    "blocking", "dangerous",   "connection", "transaction", "scripting", "queue"};

bool HasWord(std::string_view words, std::string_view word) {
  for (std::size_t at = 0; at < words.size();) {
    const std::size_t end = std::min(words.find(' ', at), words.size());
    if (words.substr(at, end - at) == word) return true;
    at = end + 1;
  }
  return false;
}

// The category that a documentation group stands for.
std::string_view CategoryOfGroup(std::string_view group) {
  if (group == "generic") return "keyspace";
  if (group == "sorted-set") return "sortedset";
  if (group == "transactions") return "transaction";
  return group;
}

bool IsIn(const CommandSpec& spec, std::string_view category) {
  const auto has = [&](std::uint32_t flags) { return (spec.flags & flags) != 0; };
  if (HasWord(spec.acl, category)) return true;
  if (category == "read") return has(kReadOnly) && spec.group != "scripting";
  if (category == "write") return has(kWrite);
  if (category == "admin") return has(kAdmin);
  if (category == "dangerous") return has(kAdmin);
  if (category == "fast") return has(kFast);
  if (category == "slow") return !has(kFast);
  if (category == "blocking") return has(kBlocking);
  if (category == "pubsub") return has(kPubSub);
  // Generic commands about connections (WAIT) touch no key; a container does nothing itself.
  if (category == "keyspace" && HasWord(spec.acl, "connection")) return false;
  return spec.handler && category == CategoryOfGroup(spec.group);
}

}  // namespace

std::vector<std::string_view> CategoriesOf(const CommandSpec& spec) {
  std::vector<std::string_view> categories;
  for (const std::string_view category : kCategories) {
    if (IsIn(spec, category)) categories.push_back(category);
  }
  return categories;
}

}  // namespace rung
