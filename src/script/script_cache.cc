// See script_cache.h.

#include "script/script_cache.h"

#include <cstring>
#include <utility>

namespace rung {

// A part of a SHA1 is as good a hash as any. Who knows how to choose texts for it gains a slow
// look-up of their own scripts.
std::size_t ScriptCache::ShaHash::operator()(const Sha1Digest& sha) const {
  std::size_t hash = 0;
  std::memcpy(&hash, sha.data(), sizeof hash);
  return hash;
}

std::size_t ScriptCache::BytesOf(const CachedScript& script) {
  return sizeof(CachedScript) + script.text.capacity() + script.sha_hex.capacity();
}

CachedScript* ScriptCache::Find(const Sha1Digest& sha) const {
  const auto found = by_sha_.find(sha);
  return found == by_sha_.end() ? nullptr : found->second.get();
}

CachedScript* ScriptCache::FindText(std::string_view text) const {
  const auto found = by_text_.find(text);
  return found == by_text_.end() ? nullptr : found->second;
}

CachedScript& ScriptCache::Add(CachedScript script) {
  auto owned = std::make_unique<CachedScript>(std::move(script));
  CachedScript& added = *owned;
  by_sha_.emplace(added.sha, std::move(owned));
  by_text_.emplace(added.text, &added);
  if (added.by_eval_only) added.place = by_eval_.insert(by_eval_.end(), &added);
  bytes_ += BytesOf(added);
  return added;
}

void ScriptCache::Keep(CachedScript& script) {
  if (!script.by_eval_only) return;
  by_eval_.erase(script.place);
  script.by_eval_only = false;
}

void ScriptCache::Remove(CachedScript& script) {
  bytes_ -= BytesOf(script);
  if (script.by_eval_only) by_eval_.erase(script.place);
  by_text_.erase(script.text);
  const Sha1Digest sha = script.sha;
  by_sha_.erase(sha);
}

void ScriptCache::Clear() {
  by_eval_.clear();
  by_text_.clear();
  by_sha_.clear();
  bytes_ = 0;
}

}  // namespace rung
