// Stream: the value behind the X* commands. A log of entries in order of their ids, and the groups
// of consumers that read it (stream_group.h).
//
// Why blocks. Entries come at the end, leave at the front and nearly always have the same field
// names. So they lie packed in blocks of some thousand bytes; a block stores the field names of
// its first entry once, and ids as differences. An entry of two short fields takes about 25 bytes.
// Deleting in the middle only marks; a block goes when its last entry has gone.
//
// Block bytes: field count and names of the first entry, then the entries. An entry is
//   flags (1 byte: deleted, own fields) | ms - base.ms | seq - base.seq, or seq if ms differs |
//   [field count, if own fields] | (name, if own fields; value)...
// with numbers as LEB128 and texts as length and bytes.
//
// Invariants, checked by CheckInvariants():
//   1. Ids ascend strictly over all blocks, and none exceeds last_id().
//   2. size() is the number of entries not deleted; no block is without one.
//   3. entries_added() >= size().
#pragma once

#include <compare>
#include <cstddef>
#include <cstdint>
#include <deque>
#include <limits>
#include <map>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "rung/types/stream_group.h"
#include "rung/types/stream_id.h"

namespace rung {

using StreamField = std::pair<std::string_view, std::string_view>;  // Name, value.

// An entry as it is read. Views live until the stream changes or the visit is over.
struct StreamEntry {
  StreamId id;
  std::span<const StreamField> fields;
};

// How large a block may grow. Trimming with `~` removes whole blocks, so clients see it.
struct StreamBlockLimit {
  std::size_t bytes_max = 4096;   // 0: no limit.
  std::size_t entries_max = 100;  // 0: no limit.
};

// What XTRIM and XADD may remove from the front.
struct StreamTrim {
  enum class By : std::uint8_t { kLength, kMinId };
  By by = By::kLength;
  std::uint64_t length_max = 0;
  StreamId min_id;           // Entries before it go.
  bool approximate = false;  // Whole blocks only.
  std::uint64_t limit = 0;   // At most so many entries (approximate only); 0: no limit.
};

class Stream {
 public:
  enum class Order : std::uint8_t { kForward, kBackward };

  Stream() = default;
  Stream(const Stream&) = delete;
  Stream& operator=(const Stream&) = delete;

  // The number of entries. A stream without entries still exists: see always_kept().
  std::size_t entry_count() const { return length_; }
  // For the store, which removes empty values: a stream is never one.
  std::size_t size() const { return length_ == 0 ? 1 : length_; }
  std::size_t MemoryBytes() const;  // O(groups).

  StreamId last_id() const { return last_id_; }
  StreamId max_deleted_id() const { return max_deleted_id_; }
  std::uint64_t entries_added() const { return entries_added_; }
  StreamId first_id() const;  // 0-0 without entries. O(entries of a block).
  std::size_t block_count() const { return blocks_.size(); }

  // The next id of the form `*` at `now_ms`: never smaller than what was there. Nullopt when the
  // ids are used up.
  std::optional<StreamId> NextId(std::int64_t now_ms) const;
  // The next id with this time (`ms-*`); nullopt if there is none after last_id().
  std::optional<StreamId> NextIdAt(std::uint64_t ms) const;

  // Requires id > last_id() and at least one field. Cost: O(bytes).
  void Append(StreamId id, std::span<const StreamField> fields, const StreamBlockLimit& limit);
  // Returns whether the entry was there. Cost: O(log blocks + entries of a block).
  bool Delete(StreamId id);
  // Returns how many entries went. Cost: O(blocks and entries removed).
  std::uint64_t Trim(const StreamTrim& trim);
  bool Contains(StreamId id) const;

  // Visits the entries with first <= id <= last until visit(const StreamEntry&) returns false.
  // Cost: O(log blocks + entries of a block + entries visited).
  template <typename F>
  void ForEach(StreamId first, StreamId last, Order order, F visit) const;

  // XSETID. Requires id >= the last entry's.
  void SetLastId(StreamId id, std::optional<std::uint64_t> entries_added,
                 std::optional<StreamId> max_deleted_id);

  // --- Groups. ---

  using Groups = std::map<std::string, std::unique_ptr<StreamGroup>, std::less<>>;
  const Groups& groups() const { return groups_; }
  StreamGroup* FindGroup(std::string_view name);
  const StreamGroup* FindGroup(std::string_view name) const;
  // Requires that there is none of that name.
  StreamGroup& CreateGroup(std::string_view name, StreamId last_delivered,
                           std::optional<std::uint64_t> entries_read);
  bool DestroyGroup(std::string_view name);

  // How many entries were ever added up to `id`; nullopt where deletions make it unknowable.
  std::optional<std::uint64_t> EntriesUpTo(StreamId id) const;
  // How many entries the group has not been given yet; nullopt if unknowable.
  std::optional<std::uint64_t> Lag(const StreamGroup& group) const;
  // Counts the delivery of `id`, later than all before, to the group.
  void NoteDelivered(StreamGroup& group, StreamId id) const;

  std::unique_ptr<Stream> Clone() const;
  void CheckInvariants() const;

 private:
  struct Block {
    StreamId base;                // Id of the first entry ever; ids are stored relative to it.
    StreamId last;                // Id of the last entry, deleted or not.
    std::uint32_t live = 0;       // Entries not deleted.
    std::uint32_t total = 0;      // Entries in `bytes`.
    std::uint32_t names_end = 0;  // Where the shared field names end.
    std::string bytes;
  };

  // Walks the entries of one block.
  class Walker {
   public:
    explicit Walker(const Block& block);
    bool Valid() const { return entry_ < block_->bytes.size(); }
    bool deleted() const;
    StreamId id() const { return id_; }
    std::size_t offset() const { return entry_; }
    void Next() {
      entry_ = next_;
      Read();
    }
    // The fields of this entry, in `fields`.
    void Fields(std::vector<StreamField>& fields) const;

   private:
    void Read();

    const Block* block_;
    std::vector<std::string_view> names_;
    std::size_t entry_ = 0;
    std::size_t values_ = 0;  // Where the entry's field count or values begin.
    std::size_t next_ = 0;
    StreamId id_;
  };

  // The first block whose last id is >= id.
  std::size_t BlockFor(StreamId id) const;
  void StartBlock(StreamId id, std::span<const StreamField> fields);
  bool VisitBlock(const Block& block, StreamId first, StreamId last, Order order,
                  std::vector<StreamField>& fields, bool (*visit)(void*, const StreamEntry&),
                  void* context) const;
  bool HasTombstoneFrom(StreamId id) const;
  void NoteDeleted(StreamId id);
  std::uint64_t TrimInBlock(Block& block, const StreamTrim& trim);
  void ForEachErased(StreamId first, StreamId last, Order order,
                     bool (*visit)(void*, const StreamEntry&), void* context) const;

  std::deque<Block> blocks_;
  std::size_t length_ = 0;
  std::size_t block_bytes_ = 0;  // Capacity of all blocks' bytes.
  StreamId last_id_;
  StreamId max_deleted_id_;
  std::uint64_t entries_added_ = 0;
  Groups groups_;
};

template <typename F>
void Stream::ForEach(StreamId first, StreamId last, Order order, F visit) const {
  ForEachErased(
      first, last, order,
      [](void* context, const StreamEntry& entry) { return (*static_cast<F*>(context))(entry); },
      &visit);
}

}  // namespace rung
