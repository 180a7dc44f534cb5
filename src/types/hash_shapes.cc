// The table of shared field names.

#include "rung/types/hash_shapes.h"

#include <cstring>
#include <new>
#include <vector>

#include "rung/base/check.h"
#include "rung/base/memory.h"
#include "types/field_names.h"

namespace rung {
namespace {

constexpr std::size_t kShapesMax = 4096;
// Sharing costs a hash a pointer; and a long list is hardly that of many hashes.
constexpr std::size_t kNamesBytesMin = 16;
constexpr std::size_t kNamesBytesMax = 1024;
// A full table is searched for shapes without use only so often.
constexpr std::size_t kRefusalsBetweenSweeps = 4096;

std::size_t BytesOf(std::size_t names_bytes) { return sizeof(HashShape) + names_bytes; }

}  // namespace

HashShapes::~HashShapes() {
  table_.ForEach([this](HashShape* shape) { Destroy(shape); });
}

HashShape* HashShapes::Share(std::string_view names) {
  if (names.size() < kNamesBytesMin || names.size() > kNamesBytesMax) return nullptr;
  const std::uint64_t hash = HashBytes(names);
  HashShape** found = table_.Find(names, hash);
  if (found != nullptr) {
    (*found)->Use();
    return *found;
  }
  std::uint32_t& seen = seen_[hash % kSightings];
  const std::uint32_t mark = static_cast<std::uint32_t>(hash >> 32) | 1;
  if (seen != mark) {
    seen = mark;
    return nullptr;
  }
  if (table_.size() == kShapesMax) {
    if (++refused_since_sweep_ == kRefusalsBetweenSweeps) DropUnused();
    if (table_.size() == kShapesMax) return nullptr;
  }
  return Make(names, hash);
}

HashShape* HashShapes::Make(std::string_view names, std::uint64_t hash) {
  void* memory = Allocate(BytesOf(names.size()));
  shape_bytes_ += AllocationSize(BytesOf(names.size()));
  auto* shape = new (memory) HashShape;
  shape->names_bytes = static_cast<std::uint32_t>(names.size());
  std::memcpy(static_cast<char*>(memory) + sizeof(HashShape), names.data(), names.size());
  shape->Use();
  table_.Insert(names, hash, shape);
  return shape;
}

void HashShapes::Destroy(HashShape* shape) {
  shape_bytes_ -= AllocationSize(BytesOf(shape->names_bytes));
  Free(shape, BytesOf(shape->names_bytes));
}

void HashShapes::DropUnused() {
  refused_since_sweep_ = 0;
  std::vector<HashShape*> unused;
  table_.ForEach([&](HashShape* shape) {
    // Pairs with Unuse(): the hash on the other thread has read the names for the last time.
    if (shape->uses.load(std::memory_order_acquire) == 0) unused.push_back(shape);
  });
  for (HashShape* shape : unused) {
    const std::string_view names(shape->names(), shape->names_bytes);
    table_.Erase(names, HashBytes(names));
    Destroy(shape);
  }
}

void HashShapes::CheckInvariants() const {
  table_.CheckInvariants();
  std::size_t bytes = 0;
  table_.ForEach([&](const HashShape* shape) {
    const FieldNames names(shape->names());
    RUNG_CHECK(names.bytes() == shape->names_bytes, "hash shapes: names are whole");
    const char* name = names.first();
    for (std::size_t i = 0; i < names.count(); ++i) name = FieldNames::Behind(name);
    RUNG_CHECK(name == shape->names() + shape->names_bytes, "hash shapes: names fill their form");
    bytes += AllocationSize(BytesOf(shape->names_bytes));
  });
  RUNG_CHECK(bytes == shape_bytes_, "hash shapes: bytes add up");
}

}  // namespace rung
