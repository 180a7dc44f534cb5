// The names of a packed hash's fields, in order: written once in the hash's own record, or once for
// all hashes of that shape (rung/types/hash_shapes.h).
//
// Form: u8 count, u16 bytes of all of it, then for each name its length (u8) and its bytes.
#pragma once

#include <cstddef>
#include <cstdint>
#include <cstring>
#include <string_view>

#include "types/same_bytes.h"

namespace rung {

class FieldNames {
 public:
  static constexpr std::size_t kHeaderBytes = 3;
  static constexpr std::size_t kNameBytesMax = 255;

  // A view of names written at `at`.
  explicit FieldNames(const char* at) : at_(at) {}

  static void WriteHeader(char* at, std::size_t count, std::size_t bytes) {
    at[0] = static_cast<char>(count);
    const std::uint16_t narrow = static_cast<std::uint16_t>(bytes);
    std::memcpy(at + 1, &narrow, sizeof(narrow));
  }

  std::size_t count() const { return static_cast<unsigned char>(*at_); }
  // Of the whole form, header included.
  std::size_t bytes() const {
    std::uint16_t bytes;
    std::memcpy(&bytes, at_ + 1, sizeof(bytes));
    return bytes;
  }
  std::string_view form() const { return {at_, bytes()}; }

  const char* first() const { return at_ + kHeaderBytes; }
  static std::string_view NameAt(const char* name) {
    return {name + 1, static_cast<unsigned char>(*name)};
  }
  static const char* Behind(const char* name) {
    return name + 1 + static_cast<unsigned char>(*name);
  }

  // The number of `wanted`; count() if it is absent.
  std::size_t IndexOf(std::string_view wanted) const {
    const std::size_t names = count();
    const char* name = first();
    for (std::size_t i = 0; i < names; ++i, name = Behind(name)) {
      if (SameBytes(NameAt(name), wanted)) return i;
    }
    return names;
  }
  std::string_view Name(std::size_t index) const {
    const char* name = first();
    for (; index > 0; --index) name = Behind(name);
    return NameAt(name);
  }

 private:
  const char* at_;
};

}  // namespace rung
