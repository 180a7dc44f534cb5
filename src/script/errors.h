// Errors as scripts see them: tables {err=..., source=..., line=...}.
#pragma once

#include <lua.hpp>
#include <string>
#include <string_view>

namespace rung {

// Pushes {err="ERR <message>"}; a message that starts with '-' brings its own code word:
// "-BUSY ...". May raise out of memory.
void PushError(lua_State* lua, std::string_view message);
// PushError, then raises it. Returns never; the type is for `return`.
int RaiseError(lua_State* lua, const char* message);

// The handler for lua_pcall: makes any error such a table, and notes where it was raised.
int NoteWhereRaised(lua_State* lua);

// What is known of an error.
struct ScriptError {
  std::string message;  // Code word first.
  std::string source;   // "@user_script"; empty if unknown.
  std::string line;
  bool counted = false;  // In the statistics of errors, when a command answered it.
};
// Reads the error table or text at the top of the stack. Requires that memory requests are granted.
ScriptError ReadError(lua_State* lua);

}  // namespace rung
