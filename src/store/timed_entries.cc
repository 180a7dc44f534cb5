// Which value has work to do next. See timed_entries.h.

#include "rung/store/timed_entries.h"

#include "rung/types/timed_value.h"

namespace rung {
namespace {

TimedValue* TimedValueOf(const Entry& entry) {
  if (entry.form() != Entry::Form::kObject) return nullptr;
  return OperationsOf(entry.type()).timed(entry.object());
}

}  // namespace

void TimedPlaces::Set(Entry* entry, std::uint32_t place) {
  TimedValueOf(*entry)->timer_place = place;
}

void TimedEntries::Update(Entry* entry) {
  TimedValue* value = TimedValueOf(*entry);
  if (value == nullptr) return;
  const std::optional<std::int64_t> deadline = value->NextDeadline();
  if (!deadline) {
    Remove(entry);
  } else if (value->timer_place == TimedValue::kNowhere) {
    heap_.Add(*deadline, entry);
  } else if (heap_.at(value->timer_place).deadline != *deadline) {
    heap_.Change(value->timer_place, *deadline);
  }
}

void TimedEntries::Remove(Entry* entry) {
  const TimedValue* value = TimedValueOf(*entry);
  if (value != nullptr && value->timer_place != TimedValue::kNowhere) {
    heap_.Remove(value->timer_place);
  }
}

void TimedEntries::Relocate(Entry* entry) {
  const TimedValue* value = TimedValueOf(*entry);
  if (value != nullptr && value->timer_place != TimedValue::kNowhere) {
    heap_.Relocate(value->timer_place, entry);
  }
}

}  // namespace rung
