// cjson for scripts, in three parts: the settings and the module (lib_cjson.cc), encoding,
// decoding.
//
// It is our own rather than the packaged one, which has memory of its own beside Lua's: uncounted,
// lost when Lua runs out in the middle of decoding, and the process ends when it runs out itself.
#pragma once

#include <lua.hpp>

namespace rung {

// What a script may set, with Redis's defaults. Lives in a userdata, the first upvalue of every
// function of a module.
struct CjsonSettings {
  enum InvalidNumbers { kRefuse = 0, kAsIs = 1, kAsNull = 2 };

  // An array is too sparse when its length is over `sparse_safe` and over `sparse_ratio` (0: any)
  // times its elements; it is then an object or refused.
  int sparse_as_object = 0;
  int sparse_ratio = 2;
  int sparse_safe = 10;
  int encode_depth_max = 1000;
  int decode_depth_max = 1000;
  int encode_invalid_numbers = kRefuse;
  int decode_invalid_numbers = kAsIs;
  int keep_buffer = 1;  // Accepted for old scripts' sake; there is no buffer to keep.
  int significant_digits = 14;

  static CjsonSettings& Of(lua_State* state) {
    return *static_cast<CjsonSettings*>(lua_touserdata(state, lua_upvalueindex(1)));
  }
};

// encode(value) and decode(text).
int CjsonEncode(lua_State* state);
int CjsonDecode(lua_State* state);

}  // namespace rung
