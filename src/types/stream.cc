// Packed blocks of stream entries. See stream.h for the format.

#include "rung/types/stream.h"

#include <algorithm>
#include <cstring>

#include "rung/base/check.h"
#include "rung/base/memory.h"
#include "types/listpack_size.h"

namespace rung {
namespace {

constexpr char kDeleted = 1;
constexpr char kOwnFields = 2;
constexpr std::uint64_t kMax = std::numeric_limits<std::uint64_t>::max();

void PutNumber(std::string& out, std::uint64_t value) {
  while (value >= 0x80) {
    out.push_back(static_cast<char>(value | 0x80));
    value >>= 7;
  }
  out.push_back(static_cast<char>(value));
}

void PutText(std::string& out, std::string_view text) {
  PutNumber(out, text.size());
  out.append(text);
}

std::uint64_t TakeNumber(const std::string& bytes, std::size_t& at) {
  std::uint64_t value = 0;
  for (unsigned shift = 0;; shift += 7) {
    const auto byte = static_cast<unsigned char>(bytes[at++]);
    value |= static_cast<std::uint64_t>(byte & 0x7f) << shift;
    if (byte < 0x80) return value;
  }
}

std::string_view TakeText(const std::string& bytes, std::size_t& at) {
  const auto size = static_cast<std::size_t>(TakeNumber(bytes, at));
  const std::string_view text = std::string_view(bytes).substr(at, size);
  at += size;
  return text;
}

// Four bytes before the first entry say how large Redis's block would be: see listpack_size.h.
std::size_t RedisBytes(const std::string& bytes, std::size_t names_end) {
  std::uint32_t size;
  std::memcpy(&size, bytes.data() + names_end - sizeof(size), sizeof(size));
  return size;
}

void AddRedisBytes(std::string& bytes, std::size_t names_end, std::size_t more) {
  const auto size = static_cast<std::uint32_t>(RedisBytes(bytes, names_end) + more);
  std::memcpy(bytes.data() + names_end - sizeof(size), &size, sizeof(size));
}

}  // namespace

// --- Walking a block. ---

Stream::Walker::Walker(const Block& block) : block_(&block) {
  std::size_t at = 0;
  names_.resize(static_cast<std::size_t>(TakeNumber(block.bytes, at)));
  for (std::string_view& name : names_) name = TakeText(block.bytes, at);
  entry_ = block.names_end;
  Read();
}

bool Stream::Walker::deleted() const { return (block_->bytes[entry_] & kDeleted) != 0; }

void Stream::Walker::Read() {
  if (!Valid()) return;
  const std::string& bytes = block_->bytes;
  std::size_t at = entry_;
  const char flags = bytes[at++];
  const std::uint64_t ms = TakeNumber(bytes, at);
  const std::uint64_t seq = TakeNumber(bytes, at);
  id_ = {.ms = block_->base.ms + ms, .seq = ms == 0 ? block_->base.seq + seq : seq};
  values_ = at;
  std::size_t texts = names_.size();
  if ((flags & kOwnFields) != 0) texts = 2 * static_cast<std::size_t>(TakeNumber(bytes, at));
  for (; texts > 0; --texts) TakeText(bytes, at);
  next_ = at;
}

void Stream::Walker::Fields(std::vector<StreamField>& fields) const {
  const std::string& bytes = block_->bytes;
  std::size_t at = values_;
  fields.clear();
  if ((bytes[entry_] & kOwnFields) == 0) {
    for (const std::string_view name : names_) fields.emplace_back(name, TakeText(bytes, at));
    return;
  }
  for (std::uint64_t count = TakeNumber(bytes, at); count > 0; --count) {
    const std::string_view name = TakeText(bytes, at);
    fields.emplace_back(name, TakeText(bytes, at));
  }
}

std::size_t Stream::BlockFor(StreamId id) const {
  const auto found =
      std::lower_bound(blocks_.begin(), blocks_.end(), id,
                       [](const Block& block, StreamId wanted) { return block.last < wanted; });
  return static_cast<std::size_t>(found - blocks_.begin());
}

bool Stream::VisitBlock(const Block& block, StreamId first, StreamId last, Order order,
                        std::vector<StreamField>& fields, bool (*visit)(void*, const StreamEntry&),
                        void* context) const {
  std::vector<Walker> backward;
  for (Walker walker(block); walker.Valid() && walker.id() <= last; walker.Next()) {
    if (walker.deleted() || walker.id() < first) continue;
    if (order == Order::kBackward) {
      backward.push_back(walker);
      continue;
    }
    walker.Fields(fields);
    if (!visit(context, {.id = walker.id(), .fields = fields})) return false;
  }
  for (auto walker = backward.rbegin(); walker != backward.rend(); ++walker) {
    walker->Fields(fields);
    if (!visit(context, {.id = walker->id(), .fields = fields})) return false;
  }
  return true;
}

void Stream::ForEachErased(StreamId first, StreamId last, Order order,
                           bool (*visit)(void*, const StreamEntry&), void* context) const {
  if (first > last || blocks_.empty()) return;
  std::vector<StreamField> fields;
  if (order == Order::kForward) {
    for (std::size_t i = BlockFor(first); i < blocks_.size() && blocks_[i].base <= last; ++i) {
      if (!VisitBlock(blocks_[i], first, last, order, fields, visit, context)) return;
    }
    return;
  }
  for (std::size_t i = std::min(BlockFor(last) + 1, blocks_.size()); i > 0; --i) {
    const Block& block = blocks_[i - 1];
    if (block.last < first) return;
    if (!VisitBlock(block, first, last, order, fields, visit, context)) return;
  }
}

bool Stream::Contains(StreamId id) const {
  bool found = false;
  ForEach(id, id, Order::kForward, [&](const StreamEntry&) {
    found = true;
    return false;
  });
  return found;
}

StreamId Stream::first_id() const {
  StreamId first;
  ForEach(StreamId::Min(), StreamId::Max(), Order::kForward, [&](const StreamEntry& entry) {
    first = entry.id;
    return false;
  });
  return first;
}

// --- Ids. ---

std::optional<StreamId> Stream::NextId(std::int64_t now_ms) const {
  const auto now = static_cast<std::uint64_t>(now_ms);
  if (now > last_id_.ms) return StreamId{.ms = now, .seq = 0};
  return last_id_.Next();
}

std::optional<StreamId> Stream::NextIdAt(std::uint64_t ms) const {
  if (ms < last_id_.ms || (ms == last_id_.ms && last_id_.seq == kMax)) return std::nullopt;
  if (ms > last_id_.ms) return StreamId{.ms = ms, .seq = 0};
  return StreamId{.ms = ms, .seq = last_id_.seq + 1};
}

void Stream::SetLastId(StreamId id, std::optional<std::uint64_t> entries_added,
                       std::optional<StreamId> max_deleted_id) {
  last_id_ = id;
  if (entries_added) entries_added_ = *entries_added;
  if (max_deleted_id && !max_deleted_id->IsZero()) max_deleted_id_ = *max_deleted_id;
}

// --- Change. ---

void Stream::StartBlock(StreamId id, std::span<const StreamField> fields) {
  if (!blocks_.empty()) {
    // The block before is full: it gives back what it reserved for growing.
    Block& full = blocks_.back();
    block_bytes_ -= full.bytes.capacity();
    full.bytes.shrink_to_fit();
    block_bytes_ += full.bytes.capacity();
  }
  Block& block = blocks_.emplace_back();
  block.base = id;
  PutNumber(block.bytes, fields.size());
  for (const StreamField& field : fields) PutText(block.bytes, field.first);
  block.bytes.append(sizeof(std::uint32_t), '\0');
  block.names_end = static_cast<std::uint32_t>(block.bytes.size());
  AddRedisBytes(block.bytes, block.names_end, listpack_size::OfBlock(fields));
  block_bytes_ += block.bytes.capacity();
}

void Stream::Append(StreamId id, std::span<const StreamField> fields,
                    const StreamBlockLimit& limit) {
  const bool full =
      !blocks_.empty() &&
      ((limit.entries_max != 0 && blocks_.back().total >= limit.entries_max) ||
       (limit.bytes_max != 0 && RedisBytes(blocks_.back().bytes, blocks_.back().names_end) +
                                        listpack_size::ToCome(fields) >=
                                    limit.bytes_max));
  if (blocks_.empty() || full) StartBlock(id, fields);
  Block& block = blocks_.back();
  block_bytes_ -= block.bytes.capacity();

  std::size_t at = 0;
  bool shared = TakeNumber(block.bytes, at) == fields.size();
  for (std::size_t i = 0; shared && i < fields.size(); ++i) {
    shared = TakeText(block.bytes, at) == fields[i].first;
  }
  block.bytes.push_back(shared ? 0 : kOwnFields);
  const std::uint64_t ms = id.ms - block.base.ms;
  PutNumber(block.bytes, ms);
  PutNumber(block.bytes, ms == 0 ? id.seq - block.base.seq : id.seq);
  if (!shared) PutNumber(block.bytes, fields.size());
  for (const StreamField& field : fields) {
    if (!shared) PutText(block.bytes, field.first);
    PutText(block.bytes, field.second);
  }
  AddRedisBytes(
      block.bytes, block.names_end,
      listpack_size::OfEntry(static_cast<std::int64_t>(ms),
                             static_cast<std::int64_t>(id.seq - block.base.seq), fields, shared));
  block_bytes_ += block.bytes.capacity();
  block.last = id;
  ++block.live;
  ++block.total;
  ++length_;
  ++entries_added_;
  last_id_ = id;
}

void Stream::NoteDeleted(StreamId id) { max_deleted_id_ = std::max(max_deleted_id_, id); }

bool Stream::Delete(StreamId id) {
  const std::size_t index = BlockFor(id);
  if (index == blocks_.size() || blocks_[index].base > id) return false;
  Block& block = blocks_[index];
  Walker walker(block);
  while (walker.Valid() && walker.id() < id) walker.Next();
  if (!walker.Valid() || walker.id() != id || walker.deleted()) return false;
  block.bytes[walker.offset()] |= kDeleted;
  --block.live;
  --length_;
  NoteDeleted(id);
  if (block.live == 0) {
    block_bytes_ -= block.bytes.capacity();
    blocks_.erase(blocks_.begin() + static_cast<std::ptrdiff_t>(index));
  }
  return true;
}

std::uint64_t Stream::TrimInBlock(Block& block, const StreamTrim& trim) {
  std::uint64_t removed = 0;
  for (Walker walker(block); walker.Valid(); walker.Next()) {
    const bool stays = trim.by == StreamTrim::By::kLength ? length_ <= trim.length_max
                                                          : walker.id() >= trim.min_id;
    if (stays) break;
    if (walker.deleted()) continue;
    block.bytes[walker.offset()] |= kDeleted;
    --block.live;
    --length_;
    ++removed;
  }
  return removed;
}

std::uint64_t Stream::Trim(const StreamTrim& trim) {
  std::uint64_t removed = 0;
  while (!blocks_.empty()) {
    Block& block = blocks_.front();
    const bool done =
        trim.by == StreamTrim::By::kLength ? length_ <= trim.length_max : block.base >= trim.min_id;
    if (done) break;
    if (trim.limit != 0 && removed + block.live > trim.limit) break;
    const bool whole = trim.by == StreamTrim::By::kLength ? length_ - block.live >= trim.length_max
                                                          : block.last < trim.min_id;
    if (!whole) {
      if (trim.approximate) break;
      removed += TrimInBlock(block, trim);
      // What stayed of it may all have been deleted before.
      if (block.live > 0) break;
    }
    length_ -= block.live;
    removed += block.live;
    block_bytes_ -= block.bytes.capacity();
    blocks_.pop_front();
  }
  return removed;
}

std::size_t Stream::MemoryBytes() const {
  std::size_t bytes =
      AllocationSize(sizeof(Stream)) + block_bytes_ + blocks_.size() * sizeof(Block);
  for (const auto& [name, group] : groups_) bytes += name.capacity() + group->MemoryBytes();
  return bytes;
}

// --- Groups. ---

StreamGroup* Stream::FindGroup(std::string_view name) {
  const auto found = groups_.find(name);
  return found == groups_.end() ? nullptr : found->second.get();
}

const StreamGroup* Stream::FindGroup(std::string_view name) const {
  const auto found = groups_.find(name);
  return found == groups_.end() ? nullptr : found->second.get();
}

StreamGroup& Stream::CreateGroup(std::string_view name, StreamId last_delivered,
                                 std::optional<std::uint64_t> entries_read) {
  return *groups_
              .emplace(std::string(name),
                       std::make_unique<StreamGroup>(last_delivered, entries_read))
              .first->second;
}

bool Stream::DestroyGroup(std::string_view name) {
  const auto found = groups_.find(name);
  if (found == groups_.end()) return false;
  groups_.erase(found);
  return true;
}

// Was anything at or after `id` deleted from the middle?
bool Stream::HasTombstoneFrom(StreamId id) const {
  return length_ != 0 && !max_deleted_id_.IsZero() && id <= max_deleted_id_ &&
         first_id() <= max_deleted_id_;
}

std::optional<std::uint64_t> Stream::EntriesUpTo(StreamId id) const {
  if (entries_added_ == 0) return 0;
  if (length_ == 0 && id <= last_id_) return entries_added_;
  if (id == last_id_) return entries_added_;
  if (id > last_id_) return std::nullopt;
  const StreamId first = first_id();
  if (max_deleted_id_.IsZero() || max_deleted_id_ < first) {
    if (id < first) return entries_added_ - length_;
    if (id == first) return entries_added_ - length_ + 1;
  }
  return std::nullopt;
}

std::optional<std::uint64_t> Stream::Lag(const StreamGroup& group) const {
  if (entries_added_ == 0) return 0;
  std::optional<std::uint64_t> read = group.entries_read;
  if (!read || HasTombstoneFrom(group.last_delivered_id)) {
    read = EntriesUpTo(group.last_delivered_id);
  }
  if (!read) return std::nullopt;
  return entries_added_ - *read;
}

void Stream::NoteDelivered(StreamGroup& group, StreamId id) const {
  if (group.entries_read && !HasTombstoneFrom(id)) {
    ++*group.entries_read;
  } else if (entries_added_ != 0) {
    group.entries_read = EntriesUpTo(id);
  }
  group.last_delivered_id = id;
}

std::unique_ptr<Stream> Stream::Clone() const {
  auto clone = std::make_unique<Stream>();
  clone->blocks_ = blocks_;
  clone->length_ = length_;
  for (const Block& block : clone->blocks_) clone->block_bytes_ += block.bytes.capacity();
  clone->last_id_ = last_id_;
  clone->max_deleted_id_ = max_deleted_id_;
  clone->entries_added_ = entries_added_;
  for (const auto& [name, group] : groups_) clone->groups_.emplace(name, group->Clone());
  return clone;
}

void Stream::CheckInvariants() const {
  std::size_t live = 0;
  std::optional<StreamId> before;
  for (const Block& block : blocks_) {
    std::size_t live_here = 0;
    for (Walker walker(block); walker.Valid(); walker.Next()) {
      RUNG_CHECK(!before || *before < walker.id(), "stream ids out of order");
      before = walker.id();
      live_here += walker.deleted() ? 0 : 1;
    }
    RUNG_CHECK(live_here == block.live && live_here > 0, "a stream block counts wrong");
    RUNG_CHECK(before == block.last, "a stream block's last id");
    live += live_here;
  }
  RUNG_CHECK(live == length_, "a stream counts wrong");
  RUNG_CHECK(!before || *before <= last_id_, "an entry after the last id");
  RUNG_CHECK(entries_added_ >= length_, "more entries than were added");
  for (const auto& [name, group] : groups_) group->CheckInvariants();
}

}  // namespace rung
