// ScriptCache: the scripts that are known by their SHA1.
//
// What SCRIPT LOAD brought stays until SCRIPT FLUSH: clients call it by its SHA1 for ever after.
// What came with EVAL alone is kept for the sake of speed, and bounded: of those the one that was
// run longest ago makes room.
//
// Invariants: 1. A script is in by_eval_ exactly if only EVAL has brought it. 2. by_eval_ is in
// order of their last run, and holds kEvalScriptsMax at most. 3. bytes() is the sum over all.
#pragma once

#include <cstddef>
#include <cstdint>
#include <list>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <unordered_map>

#include "rung/base/sha1.h"
#include "script/machine.h"

namespace rung {

struct CachedScript {
  Sha1Digest sha{};
  std::string sha_hex;
  std::string text;
  std::optional<std::uint8_t> flags;  // As ScriptHeader has them.
  FunctionRef function = LUA_NOREF;
  bool by_eval_only = false;
  std::list<CachedScript*>::iterator place;  // In by_eval_, if by_eval_only.
};

class ScriptCache {
 public:
  static constexpr std::size_t kEvalScriptsMax = 500;

  // Null if unknown.
  CachedScript* Find(const Sha1Digest& sha) const;
  // The same by text, without working out its SHA1. O(length).
  CachedScript* FindText(std::string_view text) const;
  CachedScript& Add(CachedScript script);
  // SCRIPT LOAD of a script that EVAL has brought: it stays.
  void Keep(CachedScript& script);
  // It is about to run.
  void Touch(CachedScript& script) {
    if (script.by_eval_only) by_eval_.splice(by_eval_.end(), by_eval_, script.place);
  }
  // The script that has to make room before one more comes with EVAL, if any.
  CachedScript* NextToGo() const {
    return by_eval_.size() < kEvalScriptsMax ? nullptr : by_eval_.front();
  }
  void Remove(CachedScript& script);
  void Clear();

  std::size_t size() const { return by_sha_.size(); }
  std::size_t bytes() const { return bytes_; }

 private:
  struct ShaHash {
    std::size_t operator()(const Sha1Digest& sha) const;
  };

  static std::size_t BytesOf(const CachedScript& script);

  std::unordered_map<Sha1Digest, std::unique_ptr<CachedScript>, ShaHash> by_sha_;
  std::unordered_map<std::string_view, CachedScript*> by_text_;  // Keys: the scripts' own texts.
  std::list<CachedScript*> by_eval_;
  std::size_t bytes_ = 0;
};

}  // namespace rung
