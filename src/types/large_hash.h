// LargeHash: the large form of a hash: a table of records, one a field.
//
// Record: the field's length (one byte, or 255 and four more), its bytes, the value's bytes.
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <string_view>

#include "rung/base/hash.h"
#include "rung/types/hash.h"
#include "types/record_table.h"

namespace rung {

class LargeHash {
 public:
  static Hash::Field FieldOf(std::string_view record) {
    std::size_t length = static_cast<unsigned char>(record[0]);
    std::size_t at = 1;
    if (length == kLongName) {
      std::uint32_t wide;
      std::memcpy(&wide, record.data() + 1, sizeof(wide));
      length = wide;
      at += sizeof(wide);
    }
    return {record.substr(at, length), record.substr(at + length)};
  }

  struct NameOf {
    std::string_view operator()(std::string_view record) const { return FieldOf(record).name; }
  };
  using Table = RecordTable<NameOf>;

  Table& table() { return table_; }
  const Table& table() const { return table_; }
  bool marked_large() const { return marked_large_; }
  void MarkLarge() { marked_large_ = true; }

  // Returns whether the field is new.
  bool Set(std::string_view name, std::string_view value) {
    const std::uint64_t hash = HashBytes(name);
    const std::size_t header = name.size() < kLongName ? 1 : 1 + sizeof(std::uint32_t);
    const std::size_t bytes = header + name.size() + value.size();
    const auto fill = [&](char* at) {
      if (header == 1) {
        *at = static_cast<char>(name.size());
      } else {
        *at = static_cast<char>(kLongName);
        const std::uint32_t wide = static_cast<std::uint32_t>(name.size());
        std::memcpy(at + 1, &wide, sizeof(wide));
      }
      char* behind = std::copy(name.begin(), name.end(), at + header);
      std::copy(value.begin(), value.end(), behind);
    };
    ByteRecords::Handle* place = table_.Find(name, hash);
    if (place != nullptr) {
      table_.Replace(place, bytes, fill);
      return false;
    }
    table_.Add(name, hash, bytes, fill);
    return true;
  }

  bool Remove(std::string_view name) {
    const std::uint64_t hash = HashBytes(name);
    ByteRecords::Handle* place = table_.Find(name, hash);
    if (place == nullptr) return false;
    table_.Erase(place, hash);
    return true;
  }

 private:
  static constexpr std::size_t kLongName = 255;

  Table table_;
  bool marked_large_ = false;
};

}  // namespace rung
