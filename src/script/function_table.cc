// See function_table.h.

#include "script/function_table.h"

#include <algorithm>
#include <utility>

#include "rung/base/numbers.h"

namespace rung {

std::size_t FunctionTable::BytesOf(const Library& library) {
  std::size_t bytes = sizeof(Library) + library.name.capacity() + library.code.capacity();
  for (const RegisteredFunction& function : library.functions) {
    bytes += sizeof(RegisteredFunction) + function.info.name.capacity();
    if (function.info.description) bytes += function.info.description->capacity();
  }
  return bytes;
}

const RegisteredFunction* FunctionTable::Find(std::string_view name) const {
  const auto found = functions_.find(ToLower(name));
  return found == functions_.end() ? nullptr : found->second;
}

const Library* FunctionTable::FindLibrary(std::string_view name) const {
  const auto found = libraries_.find(name);
  return found == libraries_.end() ? nullptr : found->second.get();
}

std::optional<std::string> FunctionTable::Collision(const Library& library,
                                                    std::string_view replaced) const {
  const Library* const going = FindLibrary(replaced);
  for (const RegisteredFunction& function : library.functions) {
    const RegisteredFunction* const there = Find(function.info.name);
    if (there == nullptr) continue;
    const bool goes =
        going != nullptr &&
        std::any_of(going->functions.begin(), going->functions.end(),
                    [there](const RegisteredFunction& other) { return &other == there; });
    if (!goes) return function.info.name;
  }
  return std::nullopt;
}

void FunctionTable::Add(std::unique_ptr<Library> library) {
  bytes_ += BytesOf(*library);
  for (const RegisteredFunction& function : library->functions) {
    functions_.emplace(ToLower(function.info.name), &function);
  }
  std::string name = library->name;
  libraries_.emplace(std::move(name), std::move(library));
}

std::unique_ptr<Library> FunctionTable::Remove(std::string_view name) {
  const auto found = libraries_.find(name);
  if (found == libraries_.end()) return nullptr;
  std::unique_ptr<Library> library = std::move(found->second);
  libraries_.erase(found);
  for (const RegisteredFunction& function : library->functions) {
    functions_.erase(ToLower(function.info.name));
  }
  bytes_ -= BytesOf(*library);
  return library;
}

}  // namespace rung
