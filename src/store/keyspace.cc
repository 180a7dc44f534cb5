// Keys: look-up, change, expiry, deletion. See keyspace.h.

#include "rung/store/keyspace.h"

#include <algorithm>

#include "rung/base/check.h"
#include "rung/base/prefetch.h"

namespace rung {
namespace {

// Above this many elements a value is freed off the engine's thread when the caller allows it.
constexpr std::size_t kFreeNowElementsMax = 64;

EventClass EventClassOf(ValueType type) {
  switch (type) {
    case ValueType::kString:
      return EventClass::kString;
    case ValueType::kList:
      return EventClass::kList;
    case ValueType::kSet:
      return EventClass::kSet;
    case ValueType::kSortedSet:
      return EventClass::kSortedSet;
    case ValueType::kHash:
      return EventClass::kHash;
    case ValueType::kStream:
      return EventClass::kStream;
    case ValueType::kQueue:
      return EventClass::kQueue;
  }
  RUNG_CHECK(false, "unknown value type");
}

std::size_t ElementsOf(const Entry& entry) {
  return entry.form() == Entry::Form::kObject ? OperationsOf(entry.type()).size(entry.object()) : 1;
}

class EntryGarbage final : public Garbage {
 public:
  explicit EntryGarbage(Entry* entry) : entry_(entry) {}
  ~EntryGarbage() override { Entry::Destroy(entry_); }

 private:
  Entry* entry_;
};

class TableGarbage final : public Garbage {
 public:
  explicit TableGarbage(EntryTable table) : table_(std::move(table)) {}
  ~TableGarbage() override {
    table_.ForEach([](Entry* entry) { Entry::Destroy(entry); });
  }
  std::size_t values() const override { return table_.size(); }

 private:
  EntryTable table_;
};

}  // namespace

Database::Database(Store& store, int index) : store_(store), index_(index) {}

Database::~Database() {
  table_.ForEach([](Entry* entry) { Entry::Destroy(entry); });
}

std::int64_t Database::average_ttl_ms() const {
  if (expiry_.empty()) return 0;
  // A sample of the heap is enough for a figure that only orients.
  constexpr std::size_t kSample = 64;
  const std::size_t step = std::max<std::size_t>(1, expiry_.size() / kSample);
  std::int64_t sum = 0;
  std::int64_t count = 0;
  for (std::size_t i = 0; i < expiry_.size(); i += step) {
    sum += std::max<std::int64_t>(
        0, expiry_.at(static_cast<ExpiryHeap::Place>(i)).deadline - store_.now_ms_);
    ++count;
  }
  return sum / count;
}

bool Database::IsExpired(const Entry& entry) const {
  return entry.has_expiry() && entry.expire_at() <= store_.now_ms_;
}

void Database::Touch(Entry* entry) {
  if (store_.touching_) {
    entry->set_access_seconds(static_cast<std::uint32_t>(store_.now_ms_ / 1000));
  }
}

void Database::Changed(std::string_view key) {
  ++store_.change_count_;
  if (store_.observer_ != nullptr) store_.observer_->OnChanged(*this, key);
}

void Database::Event(EventClass event_class, std::string_view event, std::string_view key) {
  if ((store_.event_mask_ & Mask(event_class)) == 0 || store_.observer_ == nullptr) return;
  store_.observer_->OnEvent(event_class, event, *this, key);
}

void Database::Expire(Lookup found) {
  // The name must outlive its record: the observer and the event come after the removal.
  const std::string key(found.entry()->key());
  Dispose(Unlink(found), FreeMode::kLater);
  ++store_.stats_.expired_keys;
  if (store_.observer_ != nullptr) store_.observer_->OnExpired(*this, key);
  Changed(key);
  Event(EventClass::kExpired, "expired", key);
}

Lookup Database::LookUp(std::string_view key) {
  Lookup found{.hash = HashBytes(key)};
  found.slot = table_.Find(key, found.hash);
  if (found.slot != nullptr && IsExpired(**found.slot)) {
    if (!store_.expiry_frozen_) Expire(found);
    found.slot = nullptr;
  }
  return found;
}

void Database::PrefetchEntry(std::uint64_t hash) const {
  table_.ForEachCandidate(hash, [](const Entry* entry) { entry->Prefetch(); });
}

std::size_t Database::ElementsOf(std::string_view key) const {
  const Entry* const entry = EntryUnder(key);
  return entry == nullptr ? 0 : rung::ElementsOf(*entry);
}

const Entry* Database::EntryUnder(std::string_view key, std::uint64_t hash) const {
  Entry* const* const slot = table_.Find(key, hash);
  return slot == nullptr ? nullptr : *slot;
}

Lookup Database::Peek(std::string_view key) { return LookUp(key); }

Lookup Database::Find(std::string_view key) {
  const Lookup found = LookUp(key);
  if (found) Touch(found.entry());
  return found;
}

Lookup Database::Read(std::string_view key) {
  const Lookup found = ReadUntouched(key);
  if (found) Touch(found.entry());
  return found;
}

Lookup Database::ReadUntouched(std::string_view key) {
  const Lookup found = LookUp(key);
  if (found) {
    ++store_.stats_.keyspace_hits;
  } else {
    ++store_.stats_.keyspace_misses;
    Event(EventClass::kMiss, "keymiss", key);
  }
  return found;
}

Result<std::optional<std::string_view>> Database::ReadString(std::string_view key,
                                                             NumberBuffer& buffer) {
  const Lookup found = Read(key);
  if (!found) return std::optional<std::string_view>();
  if (found.entry()->type() != ValueType::kString) return Error(errors::kWrongType);
  return std::optional<std::string_view>(found.entry()->StringView(buffer));
}

void Database::FinishEdit(std::string_view key, std::uint64_t hash, Entry& entry, bool created,
                          const ValueChange& change) {
  const bool changed = !change.event.empty();
  const bool emptied = OperationsOf(entry.type()).size(entry.object()) == 0;
  const EventClass event_class = EventClassOf(entry.type());
  if (emptied || (created && !changed)) {
    Dispose(Unlink({.hash = hash, .slot = table_.Find(key, hash)}), FreeMode::kNow);
  } else {
    timed_.Update(&entry);
  }
  if (!changed) {
    if (change.bookkeeping) ++store_.change_count_;
    return;
  }
  if (created && !emptied) Event(EventClass::kNew, "new", key);
  if (created || emptied) {
    Changed(key);
  } else {
    ++store_.change_count_;
    if (store_.observer_ != nullptr) store_.observer_->OnEdited(*this, key);
  }
  Event(event_class, change.event, key);
  if (!change.second_event.empty()) Event(event_class, change.second_event, key);
  if (emptied && !created) Event(EventClass::kGeneric, "del", key);
}

Entry* Database::Insert(std::string_view key, std::uint64_t hash, const Entry::Payload& payload,
                        bool with_expiry) {
  if (store_.expiry_frozen_) {
    // The name may still be held by a key past its time, which LookUp() hides.
    Lookup hidden{.hash = hash, .slot = table_.Find(key, hash)};
    if (hidden) Expire(hidden);
  }
  Entry* entry = Entry::Make(key, payload, with_expiry);
  Touch(entry);
  table_.Insert(entry->key(), hash, entry);
  timed_.Update(entry);
  return entry;
}

Entry* Database::Rebuild(Lookup found, const Entry::Payload& payload, bool with_expiry) {
  Entry* old = found.entry();
  Entry* entry = Entry::Make(old->key(), payload, with_expiry);
  entry->set_access_seconds(old->access_seconds());
  if (old->has_expiry()) {
    if (with_expiry) {
      entry->set_expire_at(old->expire_at());
      EntryPlaces::Set(entry, old->expiry_place());
      expiry_.Relocate(old->expiry_place(), entry);
    } else {
      expiry_.Remove(old->expiry_place());
    }
  }
  *found.slot = entry;
  // An object that goes on living in the new record is not the old record's to free.
  const bool carried = old->form() != Entry::Form::kInline &&
                       old->form() != Entry::Form::kInteger && payload.object == old->object();
  if (carried) {
    timed_.Relocate(entry);
    Entry::Release(old);
  } else {
    timed_.Remove(old);
    Dispose(old, FreeMode::kLater);
    timed_.Update(entry);
  }
  return entry;
}

Entry* Database::PutPayload(std::string_view key, Lookup found, const Entry::Payload& payload,
                            ExpiryChange expiry) {
  const bool keeps = expiry.kind == ExpiryChange::Kind::kKeep;
  const bool sets = expiry.kind == ExpiryChange::Kind::kSet;
  Entry* entry = found.entry();
  if (entry == nullptr) {
    entry = Insert(key, found.hash, payload, sets);
    if (sets) Arm(entry, expiry.at_ms);
    Event(EventClass::kNew, "new", key);
    return entry;
  }
  const bool with_expiry = sets || (keeps && entry->has_expiry());
  if (with_expiry == entry->has_expiry() && payload.form == entry->form() &&
      payload.form == Entry::Form::kInteger) {
    entry->set_integer(payload.integer);
  } else if (!(with_expiry == entry->has_expiry() && payload.form == Entry::Form::kInline &&
               entry->TryAssign(payload.bytes))) {
    entry = Rebuild(found, payload, with_expiry);
  }
  if (sets) Arm(entry, expiry.at_ms);
  return entry;
}

void Database::PutString(std::string_view key, Lookup found, std::string_view value,
                         ExpiryChange expiry, std::string_view event) {
  const std::optional<std::int64_t> integer = ParseInt64(value);
  if (integer) return PutInteger(key, found, *integer, expiry, event);
  PutPayload(key, found, {.form = Entry::Form::kInline, .bytes = value}, expiry);
  StringPut(key, expiry, event);
}

void Database::StringPut(std::string_view key, ExpiryChange expiry, std::string_view event) {
  Changed(key);
  Event(EventClass::kString, event, key);
  if (expiry.kind == ExpiryChange::Kind::kSet) Event(EventClass::kGeneric, "expire", key);
}

void Database::PutInteger(std::string_view key, Lookup found, std::int64_t value,
                          ExpiryChange expiry, std::string_view event) {
  PutPayload(key, found, {.form = Entry::Form::kInteger, .integer = value}, expiry);
  StringPut(key, expiry, event);
}

std::string& Database::GrowString(std::string_view key, Lookup found) {
  Entry* entry = found.entry();
  if (entry != nullptr && entry->form() == Entry::Form::kGrowing) return entry->growing();
  NumberBuffer buffer;
  auto value = std::make_unique<std::string>(entry == nullptr ? std::string_view()
                                                              : entry->StringView(buffer));
  std::string& growing = *value;
  PutPayload(key, found, {.form = Entry::Form::kGrowing, .object = value.release()},
             ExpiryChange::Keep());
  return growing;
}

void Database::StringGrown(std::string_view key, std::string_view event) {
  Changed(key);
  Event(EventClass::kString, event, key);
}

void Database::ReplaceObject(std::string_view key, ValueType type, void* object, std::size_t size,
                             std::string_view event) {
  if (size == 0) {
    OperationsOf(type).destroy(object);
    Delete(key);
    return;
  }
  const Lookup found = Peek(key);
  PutPayload(key, found, {.type = type, .form = Entry::Form::kObject, .object = object},
             ExpiryChange{});
  Changed(key);
  Event(EventClassOf(type), event, key);
}

bool Database::Delete(std::string_view key, FreeMode mode, std::string_view event) {
  const Lookup found = LookUp(key);
  if (!found) return false;
  Dispose(Unlink(found), mode);
  Changed(key);
  Event(EventClass::kGeneric, event, key);
  return true;
}

void Database::Arm(Entry* entry, std::int64_t at_ms) {
  entry->set_expire_at(at_ms);
  if (entry->expiry_place() == ExpiryHeap::kNowhere) {
    expiry_.Add(at_ms, entry);
  } else {
    expiry_.Change(entry->expiry_place(), at_ms);
  }
}

void Database::Disarm(Entry* entry) {
  if (entry->has_expiry() && entry->expiry_place() != ExpiryHeap::kNowhere) {
    expiry_.Remove(entry->expiry_place());
  }
}

namespace {

// The payload of an existing entry, for a record that takes its value over.
Entry::Payload PayloadOf(const Entry& entry) {
  Entry::Payload payload{.type = entry.type(), .form = entry.form()};
  NumberBuffer unused;
  switch (entry.form()) {
    case Entry::Form::kInline:
      payload.bytes = entry.StringView(unused);
      break;
    case Entry::Form::kInteger:
      payload.integer = entry.integer();
      break;
    case Entry::Form::kGrowing:
    case Entry::Form::kObject:
      payload.object = entry.object();
      break;
  }
  return payload;
}

}  // namespace

void Database::SetExpiry(std::string_view key, Lookup found, std::int64_t at_ms) {
  Entry* entry = found.entry();
  if (!entry->has_expiry()) entry = Rebuild(found, PayloadOf(*entry), true);
  Arm(entry, at_ms);
  Changed(key);
  Event(EventClass::kGeneric, "expire", key);
}

bool Database::ClearExpiry(std::string_view key, Lookup found) {
  if (!found.entry()->has_expiry()) return false;
  Rebuild(found, PayloadOf(*found.entry()), false);
  Changed(key);
  Event(EventClass::kGeneric, "persist", key);
  return true;
}

Entry* Database::Unlink(Lookup found) {
  Entry* entry = found.entry();
  Disarm(entry);
  timed_.Remove(entry);
  table_.EraseAt(found.slot, found.hash);
  return entry;
}

void Database::Dispose(Entry* entry, FreeMode mode) {
  if (mode == FreeMode::kLater && rung::ElementsOf(*entry) > kFreeNowElementsMax) {
    store_.AddGarbage(std::make_unique<EntryGarbage>(entry));
  } else {
    Entry::Destroy(entry);
  }
}

void Database::Rename(std::string_view from, std::string_view to) {
  Entry* moving = Unlink(LookUp(from));
  const Lookup target = LookUp(to);
  if (target) Dispose(Unlink(target), FreeMode::kLater);
  Entry* entry = Insert(to, HashBytes(to), PayloadOf(*moving), moving->has_expiry());
  if (moving->has_expiry()) Arm(entry, moving->expire_at());
  entry->set_access_seconds(moving->access_seconds());
  Entry::Release(moving);
  // To the outside the target is a new key, even when it replaces one.
  Event(EventClass::kNew, "new", to);
  Changed(from);
  Event(EventClass::kGeneric, "rename_from", from);
  Changed(to);
  Event(EventClass::kGeneric, "rename_to", to);
}

void Database::CopyTo(std::string_view key, Database& to, std::string_view to_key) {
  const Entry& source = *Peek(key).entry();
  Entry::Payload payload = PayloadOf(source);
  if (source.form() == Entry::Form::kGrowing) {
    payload.object = new std::string(source.growing());
  } else if (source.form() == Entry::Form::kObject) {
    payload.object = OperationsOf(source.type()).clone(source.object(), store_.rng_);
  }
  const std::optional<std::int64_t> at_ms =
      source.has_expiry() ? std::optional(source.expire_at()) : std::nullopt;
  const Lookup target = to.Peek(to_key);
  if (target) to.Dispose(to.Unlink(target), FreeMode::kLater);
  Entry* entry = to.Insert(to_key, HashBytes(to_key), payload, at_ms.has_value());
  if (at_ms) to.Arm(entry, *at_ms);
  to.Event(EventClass::kNew, "new", to_key);
  to.Changed(to_key);
  to.Event(EventClass::kGeneric, "copy_to", to_key);
}

void Database::MoveTo(std::string_view key, Database& to) {
  Entry* moving = Unlink(LookUp(key));
  Entry* entry = to.Insert(key, HashBytes(key), PayloadOf(*moving), moving->has_expiry());
  if (moving->has_expiry()) to.Arm(entry, moving->expire_at());
  Entry::Release(moving);
  to.Event(EventClass::kNew, "new", key);
  Changed(key);
  Event(EventClass::kGeneric, "move_from", key);
  to.Changed(key);
  to.Event(EventClass::kGeneric, "move_to", key);
}

void Database::Clear(FreeMode mode) {
  if (table_.empty()) return;
  store_.change_count_ += table_.size();
  if (store_.observer_ != nullptr) {
    table_.ForEach([&](Entry* entry) { store_.observer_->OnChanged(*this, entry->key()); });
  }
  expiry_.Clear();
  timed_.Clear();
  auto garbage = std::make_unique<TableGarbage>(std::exchange(table_, EntryTable()));
  if (mode == FreeMode::kLater) store_.AddGarbage(std::move(garbage));
}

Entry* Database::RandomEntry() {
  // Hidden keys are only passed over: among too many of them none is found.
  constexpr int kTriesWhileFrozen = 100;
  for (int tries = 0; table_.size() > 0; ++tries) {
    Entry* entry = *table_.RandomItem(store_.rng_);
    if (!IsExpired(*entry)) return entry;
    LookUp(entry->key());  // Removes it, so that the loop ends.
    if (store_.expiry_frozen_ && tries == kTriesWhileFrozen) break;
  }
  return nullptr;
}

std::optional<std::int64_t> Database::NextExpiry() const {
  return expiry_.empty() ? std::nullopt : std::optional(expiry_.top().deadline);
}

std::size_t Database::ExpireDue(std::size_t count_max) {
  std::size_t count = 0;
  while (count < count_max && !expiry_.empty() && expiry_.top().deadline <= store_.now_ms_) {
    const std::string_view key = expiry_.top().item->key();
    LookUp(key);
    ++count;
  }
  return count;
}

void Database::SwapWith(Database& other) {
  std::swap(table_, other.table_);
  std::swap(expiry_, other.expiry_);
  std::swap(timed_, other.timed_);
  ++store_.change_count_;
}

void Database::CheckInvariants() const {
  table_.CheckInvariants();
  expiry_.CheckInvariants();
  std::size_t expiring = 0;
  table_.ForEach([&](Entry* entry) {
    if (!entry->has_expiry()) return;
    ++expiring;
    RUNG_CHECK(expiry_.at(entry->expiry_place()).item == entry, "expiry heap lost a key");
  });
  RUNG_CHECK(expiring == expiry_.size(), "expiry heap holds a key that is gone");
}

Store::Store(int database_count, std::uint64_t seed) : rng_(seed) {
  for (int i = 0; i < database_count; ++i) {
    databases_.push_back(std::make_unique<Database>(*this, i));
  }
}

Store::~Store() = default;

std::size_t Store::key_count() const {
  std::size_t count = 0;
  for (const auto& db : databases_) count += db->size();
  return count;
}

std::optional<std::int64_t> Store::NextExpiry() const {
  std::optional<std::int64_t> next;
  if (!active_expiry_ || expiry_frozen_) return next;
  for (const auto& db : databases_) {
    const std::optional<std::int64_t> at = db->NextExpiry();
    if (at && (!next || *at < *next)) next = at;
  }
  return next;
}

std::optional<std::int64_t> Store::NextTimed() const {
  std::optional<std::int64_t> next;
  if (expiry_frozen_) return next;
  for (const auto& db : databases_) {
    const std::optional<std::int64_t> at = db->timed().NextDeadline();
    if (at && (!next || *at < *next)) next = at;
  }
  return next;
}

std::size_t Store::ExpireDue(std::size_t count_max) {
  std::size_t count = 0;
  if (!active_expiry_ || expiry_frozen_) return count;
  for (const auto& db : databases_) count += db->ExpireDue(count_max - count);
  return count;
}

}  // namespace rung
