// What a value can do for a request that is to come: start loading from memory what the request
// will look up, so that it does not wait for it. Hints only; they change nothing that can be seen.
//
// A type takes part by a member Foresee(words, step, note), `words` being those behind the key in
// the request, one or two of them. The steps come in their order, some requests apart, so that each
// finds in the cache what the one before has asked for; `note` is for the type to keep a hash from
// one to the next. What it finds there may be another type's, if the key has changed its value.
#pragma once

#include <cstdint>

namespace rung {

enum class ForesightStep : std::uint8_t {
  kPlace,  // Where what the words name stands, or would.
  kItem,   // What is there.
};

}  // namespace rung
