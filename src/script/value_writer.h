// ValueWriter: the reply of a command as a Lua value, built on the Lua stack while the handler
// speaks, with no text in between.
//
// The rules are Redis's. Under RESP2: integers are numbers, strings strings, null is false, a
// status is {ok=...}, an error {err=...}, an array a table. Under RESP3 (redis.setresp(3)) also:
// null is nil, {double=...}, {big_number=...}, {verbatim_string={string=...,format=...}},
// {map={...}}, {set={member=true}}. Attributes and pushes are left out.
//
// Raises nothing: requires that memory requests are granted (memory.h). When memory goes beyond the
// machine's limit, what follows is dropped, and the caller must raise an error.
#pragma once

#include <cstddef>
#include <cstdint>
#include <lua.hpp>
#include <vector>

#include "rung/resp/reply_writer.h"
#include "script/memory.h"

namespace rung {

class ValueWriter final : public ReplyWriter {
 public:
  explicit ValueWriter(ScriptMemory& memory) : memory_(memory) {}

  // The next reply goes to this stack. When it is complete, one value lies on top.
  void Begin(lua_State* lua, bool resp3) {
    lua_ = lua;
    resp3_ = resp3;
    is_error_ = false;
    complete_ = false;
    frames_.clear();
  }
  // Whether the reply as a whole is an error.
  bool is_error() const { return is_error_; }
  // False if the handler was stopped by the memory limit, or answered nothing.
  bool complete() const { return complete_; }

  bool resp3() const override { return resp3_; }

  using ReplyWriter::Verbatim;
  using ReplyWriter::WriteError;
  void Status(std::string_view text) override;
  void WriteError(std::string_view text) override;
  void Integer(std::int64_t value) override;
  void Bulk(std::string_view bytes) override;
  void Double(double value) override;
  void Bool(bool value) override;
  void BigNumber(std::string_view digits) override;
  void Null() override;
  void NullArray() override { Null(); }
  void Array(std::size_t count) override;
  void Map(std::size_t pairs) override;
  void Set(std::size_t count) override;
  void Push(std::size_t count) override;
  void Attribute(std::size_t pairs) override;
  void Verbatim(std::string_view format, std::string_view text) override;

 private:
  enum class Kind : std::uint8_t { kArray, kMap, kSet, kDropped };

  struct Frame {
    Kind kind;
    bool has_key = false;  // kMap: a key waits on the stack for its value.
    int next = 1;          // kArray: index of the next element.
    std::size_t left = 0;  // Replies to come.
  };

  bool Room();
  void Open(Kind kind, std::size_t replies, std::size_t array_size, std::size_t hash_size);
  // The aggregate on top of the stack is complete.
  void Wrap(Kind kind);
  // The value on top of the stack is a whole reply: puts it where it belongs.
  void Close();
  void Store(Frame& frame);

  ScriptMemory& memory_;
  lua_State* lua_ = nullptr;
  bool resp3_ = false;
  bool is_error_ = false;
  bool complete_ = false;
  std::vector<Frame> frames_;  // Aggregates begun, outermost first.
};

}  // namespace rung
