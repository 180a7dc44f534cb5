// HashShapes: the lists of field names that many hashes have in common.
//
// All jobs of a queue are hashes with the same fields in the same order. Their names are kept once,
// here, and a packed hash points to them: some 50 bytes less for a job of eight fields.
//
// A list of names is kept from the second time on that it is seen, so that hashes which are unlike
// all others do not fill the table. There is room for a few thousand lists; when it is full, those
// that no hash uses any more make way, and if there are none, a hash keeps its names itself.
//
// Invariants, checked by CheckInvariants():
//   1. Each shape is found by its names, and their form is whole.
//   2. MemoryBytes() is what shapes and table take.
//
// One thread finds and makes shapes. A hash may let go of its shape on another thread (values that
// are freed in the background): the count of uses is atomic, and only Share() frees a shape.
#pragma once

#include <array>
#include <atomic>
#include <cstddef>
#include <cstdint>
#include <string_view>

#include "rung/types/extendible_table.h"

namespace rung {

// One list of names. The names follow it in memory (types/field_names.h).
struct HashShape {
  std::atomic<std::uint32_t> uses{0};
  std::uint32_t names_bytes = 0;

  const char* names() const { return reinterpret_cast<const char*>(this + 1); }
  // Another hash has this shape. Requires that one has it already.
  void Use() { uses.fetch_add(1, std::memory_order_relaxed); }
  // A hash with this shape has gone or has another one now.
  void Unuse() { uses.fetch_sub(1, std::memory_order_release); }
};

class HashShapes {
 public:
  HashShapes() = default;
  // Requires that no hash uses a shape of this table any more.
  ~HashShapes();
  HashShapes(const HashShapes&) = delete;
  HashShapes& operator=(const HashShapes&) = delete;

  // The shape with these names, used once more by this call; null if the caller is to keep them.
  // O(1); the sweep of a full table takes some 50 us, once in thousands of calls.
  HashShape* Share(std::string_view names);

  std::size_t size() const { return table_.size(); }
  std::size_t MemoryBytes() const { return table_.MemoryBytes() + shape_bytes_; }

  void CheckInvariants() const;

 private:
  struct NamesOf {
    std::string_view operator()(HashShape* const& shape) const {
      return {shape->names(), shape->names_bytes};
    }
  };

  HashShape* Make(std::string_view names, std::uint64_t hash);
  void Destroy(HashShape* shape);
  void DropUnused();

  static constexpr std::size_t kSightings = 1024;

  ExtendibleTable<HashShape*, NamesOf> table_;
  std::size_t shape_bytes_ = 0;
  std::size_t refused_since_sweep_ = 0;
  // Parts of the hashes of lists seen lately, each at the place that its hash gives.
  std::array<std::uint32_t, kSightings> seen_{};
};

}  // namespace rung
