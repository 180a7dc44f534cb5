// Store and Database: keys with everything that is true of any key — type, expiry, last use,
// change, emptiness, memory.
//
// Why the wall. Each write owes five things besides its own work: an emptied key disappears,
// watchers and waiters hear of it, events are published, the change is counted, a key past its time
// is gone. Edit<T> and the Put* functions owe them here, so that no handler can forget one.
//
// Time. The store does not read a clock: BeginEvent() sets the time before each event. A key whose
// time has come is removed by whoever touches it first, or by ExpireDue(), each with a record.
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <type_traits>
#include <utility>
#include <vector>

#include "rung/base/events.h"
#include "rung/base/hash.h"
#include "rung/base/result.h"
#include "rung/base/rng.h"
#include "rung/store/entry.h"
#include "rung/store/timed_entries.h"
#include "rung/store/value_traits.h"
#include "rung/types/extendible_table.h"
#include "rung/types/hash_shapes.h"

namespace rung {

class Database;
class Store;

// Who hears what happens to keys: the engine, for WATCH, blocked clients, events and the log.
class StoreObserver {
 public:
  virtual ~StoreObserver() = default;
  // `key` came, or went, or has another value; something in its value has changed.
  virtual void OnChanged(Database& db, std::string_view key) = 0;
  virtual void OnEdited(Database& db, std::string_view key) = 0;
  virtual void OnEvent(EventClass event_class, std::string_view event, Database& db,
                       std::string_view key) = 0;
  // A key was removed because its time had come; to be logged as a deletion of its own.
  virtual void OnExpired(Database& db, std::string_view key) = 0;
};

// Values too large to free at once: the owner frees them off the engine's thread.
class Garbage {
 public:
  virtual ~Garbage() = default;
  // How many keys' values these are, for INFO lazyfree_*.
  virtual std::size_t values() const { return 1; }
};

struct StoreStats {
  std::uint64_t keyspace_hits = 0;
  std::uint64_t keyspace_misses = 0;
  std::uint64_t expired_keys = 0;
};

// How a write treats the expiry that the key may have.
struct ExpiryChange {
  enum class Kind : std::uint8_t { kClear, kKeep, kSet };
  Kind kind = Kind::kClear;
  std::int64_t at_ms = 0;  // kSet: milliseconds since the epoch.

  static ExpiryChange Keep() { return {.kind = Kind::kKeep}; }
  static ExpiryChange At(std::int64_t at_ms) { return {.kind = Kind::kSet, .at_ms = at_ms}; }
};

enum class FreeMode : std::uint8_t { kNow, kLater };

// Where a key was found, hash included, so that it is hashed once per command. Any insertion or
// removal in the database makes it stale.
struct Lookup {
  std::uint64_t hash = 0;
  Entry** slot = nullptr;

  Entry* entry() const { return slot == nullptr ? nullptr : *slot; }
  explicit operator bool() const { return slot != nullptr; }
};

// What was done to a typed value while it was open.
struct ValueChange {
  std::string_view event;  // Empty: no change that anybody hears of.
  std::string_view second_event;
  bool bookkeeping = false;
};

// A typed value open for change. Closing it (the destructor) does the bookkeeping. Several may be
// open at once, on different keys: an insertion or removal elsewhere does not disturb one.
template <typename T>
class [[nodiscard]] Edit {
 public:
  Edit() = default;
  Edit(Database& db, std::string_view key, std::uint64_t hash, Entry* entry, bool created)
      : db_(&db),
        key_(key),
        hash_(hash),
        entry_(entry),
        created_(created),
        value_(static_cast<T*>(entry->object())) {}
  ~Edit();
  Edit(Edit&& other) noexcept { *this = std::move(other); }
  Edit& operator=(Edit&& other) noexcept {
    std::swap(db_, other.db_);
    std::swap(key_, other.key_);
    std::swap(hash_, other.hash_);
    std::swap(entry_, other.entry_);
    std::swap(created_, other.created_);
    std::swap(value_, other.value_);
    std::swap(change_, other.change_);
    return *this;
  }

  explicit operator bool() const { return value_ != nullptr; }
  T* operator->() const { return value_; }
  T& operator*() const { return *value_; }

  // The value is not as it was. `event` is the keyspace event's name and must be a literal.
  void MarkChanged(std::string_view event) { change_.event = event; }
  // One more event, published after the first.
  void AddEvent(std::string_view event) { change_.second_event = event; }
  // Something changed that is logged, but that nobody watches or waits for (a stream group's
  // state).
  void MarkBookkeeping() { change_.bookkeeping = true; }

 private:
  Database* db_ = nullptr;
  std::string_view key_;
  std::uint64_t hash_ = 0;
  Entry* entry_ = nullptr;
  bool created_ = false;
  T* value_ = nullptr;
  ValueChange change_;
};

struct EntryKey {
  std::string_view operator()(Entry* const& entry) const { return entry->key(); }
};
using EntryTable = ExtendibleTable<Entry*, EntryKey>;

class Database {
 public:
  Database(Store& store, int index);
  ~Database();
  Database(const Database&) = delete;
  Database& operator=(const Database&) = delete;

  Store& store() { return store_; }
  int index() const { return index_; }
  std::size_t size() const { return table_.size(); }
  std::size_t expiring_keys() const { return expiry_.size(); }
  // Sum over the keys of the time they have left, in milliseconds, divided by their number.
  std::int64_t average_ttl_ms() const;
  std::size_t TableBytes() const { return table_.MemoryBytes() + expiry_.MemoryBytes(); }

  // --- Reading. A key past its time is removed on the way and not found. ---

  // Without statistics and without touching the time of last use.
  Lookup Peek(std::string_view key);
  // As a write looks: touches, counts no hit.
  Lookup Find(std::string_view key);
  // As a read looks: touches, counts a hit or a miss, tells a miss as an event.
  Lookup Read(std::string_view key);
  // The same without touching, for questions about the key and not its value (EXISTS, TYPE, TTL).
  Lookup ReadUntouched(std::string_view key);

  // --- Hints: what will be looked up soon is loaded beforehand. They change nothing. ---

  // `hash` is HashBytes of the key.
  void PrefetchPlace(std::uint64_t hash) const { table_.Prefetch(hash); }
  void PrefetchEntry(std::uint64_t hash) const;
  // How many elements the value has: 1 for a string, 0 for a missing key.
  std::size_t ElementsOf(std::string_view key) const;
  // What lies under the key, its time come or not; null if nothing does.
  const Entry* EntryUnder(std::string_view key) const { return EntryUnder(key, HashBytes(key)); }
  const Entry* EntryUnder(std::string_view key, std::uint64_t hash) const;

  // The typed value, null if the key is missing. Errors: kWrongType.
  template <typename T>
  Result<const T*> Read(std::string_view key);
  // The string value (printed into `buffer` if it is an integer); nullopt if missing.
  Result<std::optional<std::string_view>> ReadString(std::string_view key, NumberBuffer& buffer);

  // --- Typed values. ---

  // Empty Edit if the key is missing. Errors: kWrongType.
  template <typename T>
  Result<Edit<T>> EditExisting(std::string_view key);
  // Makes an empty value if the key is missing; it goes again if it is still empty at the end.
  template <typename T>
  Result<Edit<T>> EditOrCreate(std::string_view key);
  // Replaces whatever the key holds, its expiry included, by `value`; an empty value deletes the
  // key (event "del"). Returns whether a key is there now. The event's name must be a literal.
  template <typename T>
  bool Replace(std::string_view key, std::unique_ptr<T> value, std::string_view event);

  // --- Strings. Every call counts as a change; `found` is the result of a look-up of `key`. ---

  void PutString(std::string_view key, Lookup found, std::string_view value, ExpiryChange expiry,
                 std::string_view event = "set");
  // Requires that an existing key holds a string.
  void PutInteger(std::string_view key, Lookup found, std::int64_t value, ExpiryChange expiry,
                  std::string_view event);
  // Opens a string for in-place growth (APPEND, SETRANGE, SETBIT): creates it if it is missing,
  // keeps the expiry. Call StringGrown() after the change.
  std::string& GrowString(std::string_view key, Lookup found);
  void StringGrown(std::string_view key, std::string_view event);

  // --- Any key. ---

  // Events are "del" for all callers but RENAME and MOVE, which name their own.
  bool Delete(std::string_view key, FreeMode mode = FreeMode::kNow, std::string_view event = "del");
  // Sets or clears the expiry of an existing key. Both count as changes with event "expire" or
  // "persist". Clearing returns false if there was none.
  void SetExpiry(std::string_view key, Lookup found, std::int64_t at_ms);
  bool ClearExpiry(std::string_view key, Lookup found);
  // Requires that `from` exists. `to` is replaced, its own value freed; the expiry moves along.
  void Rename(std::string_view from, std::string_view to);
  // A copy of `key` as `to_key` in `to`, replaced if it exists. Requires that `key` exists.
  void CopyTo(std::string_view key, Database& to, std::string_view to_key);
  // Requires that `key` exists here and not in `to`.
  void MoveTo(std::string_view key, Database& to);
  void Clear(FreeMode mode);

  // One portion of the keyspace; the next cursor, 0 at the end. See ExtendibleTable::Scan.
  template <typename F>
  std::uint64_t Scan(std::uint64_t cursor, F visit) {
    return table_.Scan(cursor, [&](Entry* entry) {
      if (!IsExpired(*entry)) visit(*entry);
    });
  }
  template <typename F>
  void ForEach(F visit) const {
    table_.ForEach([&](Entry* entry) {
      if (!IsExpired(*entry)) visit(*entry);
    });
  }
  // Any key, each with about the same chance; null if there is none.
  Entry* RandomEntry();

  // When the first key expires, in milliseconds since the epoch.
  std::optional<std::int64_t> NextExpiry() const;
  // Removes at most `count_max` keys whose time has come; returns how many.
  std::size_t ExpireDue(std::size_t count_max);

  // The keys whose values have work of their own to do, by time.
  const TimedEntries& timed() const { return timed_; }

  // Exchanges the contents, not the indexes. Watchers of keys in both hear of it.
  void SwapWith(Database& other);

  void CheckInvariants() const;

 private:
  template <typename T>
  friend class Edit;

  bool IsExpired(const Entry& entry) const;
  void Expire(Lookup found);
  Lookup LookUp(std::string_view key);
  void FinishEdit(std::string_view key, std::uint64_t hash, Entry& entry, bool created,
                  const ValueChange& change);
  Entry* Insert(std::string_view key, std::uint64_t hash, const Entry::Payload& payload,
                bool with_expiry);
  // Puts a rebuilt record in place of the one at `found`, carrying expiry and last use over.
  Entry* Rebuild(Lookup found, const Entry::Payload& payload, bool with_expiry);
  Entry* PutPayload(std::string_view key, Lookup found, const Entry::Payload& payload,
                    ExpiryChange expiry);
  void StringPut(std::string_view key, ExpiryChange expiry, std::string_view event);
  void ReplaceObject(std::string_view key, ValueType type, void* object, std::size_t size,
                     std::string_view event);
  void Arm(Entry* entry, std::int64_t at_ms);
  void Disarm(Entry* entry);
  Entry* Unlink(Lookup found);
  void Dispose(Entry* entry, FreeMode mode);
  void Touch(Entry* entry);
  void Changed(std::string_view key);
  void Event(EventClass event_class, std::string_view event, std::string_view key);

  Store& store_;
  int index_;
  EntryTable table_;
  ExpiryHeap expiry_;
  TimedEntries timed_;
};

class Store {
 public:
  Store(int database_count, std::uint64_t seed);
  ~Store();

  // The one that hears of changes; must outlive the store's use. Null: nobody.
  void set_observer(StoreObserver* observer) { observer_ = observer; }
  StoreObserver* observer() const { return observer_; }

  // To be called before each event: the time that it takes place at.
  void BeginEvent(std::int64_t wall_ms) { now_ms_ = wall_ms; }
  std::int64_t now_ms() const { return now_ms_; }

  int database_count() const { return static_cast<int>(databases_.size()); }
  Database& database(int index) { return *databases_[static_cast<std::size_t>(index)]; }
  const Database& database(int index) const { return *databases_[static_cast<std::size_t>(index)]; }

  Rng& rng() { return rng_; }
  // Where hashes keep the lists of field names that many of them have.
  HashShapes& hash_shapes() { return hash_shapes_; }
  // An empty value of its own, for Database::Replace or as a temporary.
  template <typename T>
  std::unique_ptr<T> MakeValue() {
    return rung::MakeValue<T>(rng_, value_limits_);
  }
  void set_value_limits(const ValueLimits& limits) { value_limits_ = limits; }
  StoreStats& stats() { return stats_; }
  const StoreStats& stats() const { return stats_; }

  // Which event classes are worth reporting (notify-keyspace-events). 0: none.
  void set_event_mask(EventMask mask) { event_mask_ = mask; }
  EventMask event_mask() const { return event_mask_; }

  // False for CLIENT NO-TOUCH: reads leave the time of last use alone.
  void set_touching(bool touching) { touching_ = touching; }
  // False while DEBUG SET-ACTIVE-EXPIRE 0 holds: only touched keys expire.
  void set_active_expiry(bool active) { active_expiry_ = active; }
  // True while CLIENT PAUSE holds: keys past their time are not found, but stay until it is over.
  void set_expiry_frozen(bool frozen) { expiry_frozen_ = frozen; }
  bool expiry_frozen() const { return expiry_frozen_; }

  // The last token that a queue's lease was given: they grow over all queues, deleted ones too.
  std::uint64_t lease_token() const { return lease_token_; }
  void set_lease_token(std::uint64_t token) { lease_token_ = token; }

  // Counts every change ever made: "changed or not" is whether it moved. Deliberately also the
  // source of INFO rdb_changes_since_last_save.
  std::uint64_t change_count() const { return change_count_; }
  void CountChange() { ++change_count_; }

  std::size_t key_count() const;
  std::optional<std::int64_t> NextExpiry() const;
  // When a value of any database next has work to do.
  std::optional<std::int64_t> NextTimed() const;
  // Active expiry over all databases; returns how many keys went.
  std::size_t ExpireDue(std::size_t count_max);

  // Values that are to be freed elsewhere. UNLINK and FLUSHALL ASYNC leave them here.
  std::vector<std::unique_ptr<Garbage>> TakeGarbage() { return std::exchange(garbage_, {}); }
  bool has_garbage() const { return !garbage_.empty(); }
  void AddGarbage(std::unique_ptr<Garbage> garbage) { garbage_.push_back(std::move(garbage)); }

 private:
  HashShapes hash_shapes_;  // Outlives the hashes below.
  std::vector<std::unique_ptr<Database>> databases_;
  StoreObserver* observer_ = nullptr;
  std::int64_t now_ms_ = 0;
  Rng rng_;
  ValueLimits value_limits_;
  StoreStats stats_;
  EventMask event_mask_ = 0;
  bool touching_ = true;
  bool active_expiry_ = true;
  bool expiry_frozen_ = false;
  std::uint64_t change_count_ = 0;
  std::uint64_t lease_token_ = 0;
  std::vector<std::unique_ptr<Garbage>> garbage_;

  friend class Database;
};

template <typename T>
Edit<T>::~Edit() {
  if (value_ != nullptr) db_->FinishEdit(key_, hash_, *entry_, created_, change_);
}

template <typename T>
Result<const T*> Database::Read(std::string_view key) {
  const Lookup found = Read(key);
  if (!found) return static_cast<const T*>(nullptr);
  if (found.entry()->type() != kValueTypeOf<T>) return Error(errors::kWrongType);
  return static_cast<const T*>(found.entry()->object());
}

template <typename T>
Result<Edit<T>> Database::EditExisting(std::string_view key) {
  const Lookup found = Find(key);
  if (!found) return Edit<T>();
  if (found.entry()->type() != kValueTypeOf<T>) return Error(errors::kWrongType);
  return Edit<T>(*this, key, found.hash, found.entry(), false);
}

template <typename T>
Result<Edit<T>> Database::EditOrCreate(std::string_view key) {
  const Lookup found = Find(key);
  if (found) {
    if (found.entry()->type() != kValueTypeOf<T>) return Error(errors::kWrongType);
    return Edit<T>(*this, key, found.hash, found.entry(), false);
  }
  Entry* entry = Insert(key, found.hash,
                        {.type = kValueTypeOf<T>,
                         .form = Entry::Form::kObject,
                         .object = store_.MakeValue<T>().release()},
                        false);
  return Edit<T>(*this, key, found.hash, entry, true);
}

template <typename T>
bool Database::Replace(std::string_view key, std::unique_ptr<T> value, std::string_view event) {
  const std::size_t size = value->size();
  ReplaceObject(key, kValueTypeOf<T>, value.release(), size, event);
  return size > 0;
}

}  // namespace rung
