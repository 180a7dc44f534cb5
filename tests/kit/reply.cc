// Reading, building and printing replies. See reply.h.

#include "kit/reply.h"

#include <cstdio>
#include <cstdlib>
#include <ostream>

#include "rung/base/quoting.h"

namespace rung::testing {
namespace {

[[noreturn]] void Malformed(std::string_view what) {
  std::fprintf(stderr, "malformed reply: %.*s\n", static_cast<int>(what.size()), what.data());
  std::abort();
}

std::optional<std::string> TakeLine(const std::string& bytes, std::size_t& at) {
  const std::size_t end = bytes.find("\r\n", at);
  if (end == std::string::npos) return std::nullopt;
  std::string line = bytes.substr(at, end - at);
  at = end + 2;
  return line;
}

std::optional<Reply> Read(const std::string& bytes, std::size_t& at) {
  const std::optional<std::string> line = TakeLine(bytes, at);
  if (!line) return std::nullopt;
  if (line->empty()) Malformed("empty line");
  Reply reply{.type = (*line)[0], .text = {}, .integer = 0, .elements = {}};
  const std::string rest = line->substr(1);
  switch (reply.type) {
    case '+':
    case '-':
    case ',':
    case '#':
    case '(':
      reply.text = rest;
      return reply;
    case '_':
      return reply;
    case ':':
      reply.integer = std::strtoll(rest.c_str(), nullptr, 10);
      return reply;
    case '$':
    case '=': {
      const long long size = std::strtoll(rest.c_str(), nullptr, 10);
      if (size < 0) return Nil();
      const auto length = static_cast<std::size_t>(size);
      if (bytes.size() < at + length + 2) return std::nullopt;
      reply.text = bytes.substr(at, length);
      at += length + 2;
      return reply;
    }
    case '*':
    case '%':
    case '~':
    case '>':
    case '|': {
      long long count = std::strtoll(rest.c_str(), nullptr, 10);
      if (count < 0) return NullArray();
      if (reply.type == '%' || reply.type == '|') count *= 2;
      for (long long i = 0; i < count; ++i) {
        std::optional<Reply> element = Read(bytes, at);
        if (!element) return std::nullopt;
        reply.elements.push_back(std::move(*element));
      }
      return reply;
    }
    default:
      Malformed(*line);
  }
}

}  // namespace

std::ostream& operator<<(std::ostream& out, const Reply& reply) {
  switch (reply.type) {
    case ':':
      return out << reply.integer;
    case 'N':
      return out << "nil";
    case 'A':
      return out << "null-array";
    case '_':
      return out << "null";
    case '$':
      return out << '"' << reply.text << '"';
    case '*':
    case '%':
    case '~':
    case '>': {
      out << reply.type << '[';
      for (std::size_t i = 0; i < reply.elements.size(); ++i) {
        out << (i == 0 ? "" : ", ") << reply.elements[i];
      }
      return out << ']';
    }
    default:
      return out << reply.type << reply.text;
  }
}

Reply Status(std::string_view text) {
  return {.type = '+', .text = std::string(text), .integer = 0, .elements = {}};
}
Reply Ok() { return Status("OK"); }
Reply Err(std::string_view text) {
  return {.type = '-', .text = std::string(text), .integer = 0, .elements = {}};
}
Reply Int(std::int64_t value) {
  return {.type = ':', .text = {}, .integer = value, .elements = {}};
}
Reply Bulk(std::string_view text) {
  return {.type = '$', .text = std::string(text), .integer = 0, .elements = {}};
}
Reply Nil() { return {.type = 'N', .text = {}, .integer = 0, .elements = {}}; }
Reply NullArray() { return {.type = 'A', .text = {}, .integer = 0, .elements = {}}; }
Reply Null3() { return {.type = '_', .text = {}, .integer = 0, .elements = {}}; }
Reply Array(std::vector<Reply> elements) {
  return {.type = '*', .text = {}, .integer = 0, .elements = std::move(elements)};
}
Reply Bulks(std::vector<std::string_view> texts) {
  std::vector<Reply> elements;
  for (const std::string_view text : texts) elements.push_back(Bulk(text));
  return Array(std::move(elements));
}
Reply Map(std::vector<Reply> keys_and_values) {
  return {.type = '%', .text = {}, .integer = 0, .elements = std::move(keys_and_values)};
}
Reply SetOf(std::vector<Reply> elements) {
  return {.type = '~', .text = {}, .integer = 0, .elements = std::move(elements)};
}
Reply Push(std::vector<Reply> elements) {
  return {.type = '>', .text = {}, .integer = 0, .elements = std::move(elements)};
}
Reply Double(std::string_view text) {
  return {.type = ',', .text = std::string(text), .integer = 0, .elements = {}};
}
Reply Bool(bool value) {
  return {.type = '#', .text = value ? "t" : "f", .integer = 0, .elements = {}};
}
Reply Verbatim(std::string_view text) {
  return {.type = '=', .text = std::string(text), .integer = 0, .elements = {}};
}

std::optional<Reply> TakeReply(std::string& bytes) {
  std::size_t at = 0;
  std::optional<Reply> reply = Read(bytes, at);
  if (reply) bytes.erase(0, at);
  return reply;
}

std::string EncodeRequest(const std::vector<std::string>& args) {
  std::string request = "*" + std::to_string(args.size()) + "\r\n";
  for (const std::string& arg : args) {
    request += "$" + std::to_string(arg.size()) + "\r\n" + arg + "\r\n";
  }
  return request;
}

std::vector<std::string> SplitWords(std::string_view line) {
  return SplitQuoted(line).value_or(std::vector<std::string>{std::string(line)});
}

}  // namespace rung::testing
