# Lua 5.1 (not LuaJIT: compiled loops cannot be interrupted).
#
# The static library is taken where it exists: the interpreter is then optimised and shipped as a
# part of the broker, and costs no calls through a table.
find_path(LUA51_INCLUDE lua.h PATH_SUFFIXES lua5.1 REQUIRED)
find_library(LUA51 NAMES liblua5.1.a lua5.1 REQUIRED)

add_library(rung_lua INTERFACE)
target_include_directories(rung_lua SYSTEM INTERFACE ${LUA51_INCLUDE})
target_link_libraries(rung_lua INTERFACE ${LUA51} m ${CMAKE_DL_LIBS})
