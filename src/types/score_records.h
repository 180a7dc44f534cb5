// ScoreRecords: where a large sorted set keeps its members, each behind its score, by 32-bit
// handles. How they lie in memory and move is ByteRecords' matter.
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <optional>
#include <string_view>

#include "types/byte_records.h"

namespace rung {

class ScoreRecords {
 public:
  using Handle = ByteRecords::Handle;

  bool HasRoom() const { return records_.HasRoom(); }
  // Copies `member`. The handle and the bytes stay until Remove or Move. O(1).
  Handle Add(std::string_view member, double score) {
    const Handle handle = records_.Add(sizeof(score) + member.size());
    char* const data = records_.Data(handle);
    std::memcpy(data, &score, sizeof(score));
    std::copy_n(member.data(), member.size(), data + sizeof(score));
    return handle;
  }
  void Remove(Handle handle) { records_.Remove(handle); }

  std::string_view Member(Handle handle) const {
    std::string_view bytes = records_.Bytes(handle);
    bytes.remove_prefix(sizeof(double));
    return bytes;
  }
  double Score(Handle handle) const {
    double score;
    std::memcpy(&score, records_.Bytes(handle).data(), sizeof(score));
    return score;
  }
  void SetScore(Handle handle, double score) {
    std::memcpy(records_.Data(handle), &score, sizeof(score));
  }
  void Prefetch(Handle handle) const { records_.Prefetch(handle); }

  // As in ByteRecords: a record that should move, and its move, which gives it another handle.
  std::optional<Handle> FindMovable() { return records_.FindMovable(); }
  Handle Move(Handle from) { return records_.Move(from); }

  std::size_t size() const { return records_.size(); }
  std::size_t MemoryBytes() const { return records_.MemoryBytes(); }
  void CheckInvariants() const { records_.CheckInvariants(); }

 private:
  // A move costs as much as a removal, since order and index must learn the new handle. At a
  // quarter a set that runs dry pays it for its last quarter only.
  static constexpr std::uint32_t kSparse = 4;
  ByteRecords records_{kSparse};
};

}  // namespace rung
