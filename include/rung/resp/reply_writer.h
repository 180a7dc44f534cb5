// ReplyWriter: replies by meaning. Handlers say *what* they answer; the writer knows the protocol.
//
// RespWriter prints RESP2 or RESP3 bytes; scripts have a writer of their own that builds Lua
// values. A handler never asks which protocol is spoken, but for the few replies whose nesting
// differs (resp3()).
#pragma once

#include <cstddef>
#include <cstdint>
#include <string_view>

#include "rung/base/result.h"
#include "rung/resp/reply_buffer.h"

namespace rung {

class ReplyWriter {
 public:
  virtual ~ReplyWriter() = default;

  virtual bool resp3() const = 0;

  virtual void Status(std::string_view text) = 0;  // Without line breaks: "OK", "QUEUED".
  // `text` starts with its code word. Line breaks in it are printed as spaces.
  virtual void WriteError(std::string_view text) = 0;
  virtual void Integer(std::int64_t value) = 0;
  virtual void Bulk(std::string_view bytes) = 0;
  virtual void Double(double value) = 0;  // RESP2: the number as a bulk string.
  virtual void Bool(bool value) = 0;      // RESP2: 1 or 0.
  virtual void BigNumber(std::string_view digits) = 0;
  virtual void Null() = 0;       // RESP2: a null bulk string.
  virtual void NullArray() = 0;  // RESP2: a null array. RESP3: the same null.
  // Headers: the elements follow as replies of their own.
  virtual void Array(std::size_t count) = 0;
  virtual void Map(std::size_t pairs) = 0;        // RESP2: a flat array of 2 * pairs.
  virtual void Set(std::size_t count) = 0;        // RESP2: an array.
  virtual void Push(std::size_t count) = 0;       // RESP2: an array.
  virtual void Attribute(std::size_t pairs) = 0;  // RESP3 only; RESP2 writers ignore nothing.
  // RESP3: a verbatim string; `format` has three letters. RESP2: a bulk string.
  virtual void Verbatim(std::string_view format, std::string_view text) = 0;

  void Ok() { Status("OK"); }
  void WriteError(const Error& error) { WriteError(std::string_view(error.text())); }
  void EmptyArray() { Array(0); }
  void Verbatim(std::string_view text) { Verbatim("txt", text); }
  void BulkInteger(std::int64_t value);  // The number as a bulk string, in both protocols.
  void BulkDouble(double value);         // The same for a double.
};

// Prints into a ReplyBuffer. Counts the errors it writes, for INFO errorstats.
class RespWriter final : public ReplyWriter {
 public:
  RespWriter(ReplyBuffer& out, bool resp3) : out_(&out), resp3_(resp3) {}

  bool resp3() const override { return resp3_; }
  void set_resp3(bool resp3) { resp3_ = resp3; }

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
  void NullArray() override;
  void Array(std::size_t count) override { Header('*', count); }
  void Map(std::size_t pairs) override { Header(resp3_ ? '%' : '*', resp3_ ? pairs : 2 * pairs); }
  void Set(std::size_t count) override { Header(resp3_ ? '~' : '*', count); }
  void Push(std::size_t count) override { Header(resp3_ ? '>' : '*', count); }
  void Attribute(std::size_t pairs) override { Header('|', pairs); }
  void Verbatim(std::string_view format, std::string_view text) override;

  // Bytes that are RESP already: replies assembled elsewhere.
  void Raw(std::string_view resp) { out_->Append(resp); }

  std::size_t error_count() const { return error_count_; }

 private:
  void Header(char type, std::size_t count);
  void Line(char type, std::string_view text);

  ReplyBuffer* out_;
  bool resp3_;
  std::size_t error_count_ = 0;
};

}  // namespace rung
