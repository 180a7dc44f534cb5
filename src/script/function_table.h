// FunctionTable: the libraries that are loaded, and their functions by name.
//
// Names of functions are unique over all libraries, and found in any case, as in Redis; names of
// libraries count by their bytes.
//
// Invariant: the functions found by name are exactly those of the libraries.
#pragma once

#include <cstddef>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <unordered_map>
#include <vector>

#include "rung/base/result.h"
#include "rung/commands/scripting.h"
#include "script/library_loader.h"
#include "script/machine.h"

namespace rung {

struct Library {
  std::string name;
  std::string code;
  std::vector<RegisteredFunction> functions;  // By name.
};

class FunctionTable {
 public:
  // Null if unknown.
  const RegisteredFunction* Find(std::string_view name) const;
  const Library* FindLibrary(std::string_view name) const;
  // By name.
  const std::map<std::string, std::unique_ptr<Library>, std::less<>>& libraries() const {
    return libraries_;
  }

  // The name of a function of `library` that another library than `replaced` has already.
  std::optional<std::string> Collision(const Library& library, std::string_view replaced) const;
  // Requires that there is no library of that name, and no collision.
  void Add(std::unique_ptr<Library> library);
  // Takes a library out; null if there is none.
  std::unique_ptr<Library> Remove(std::string_view name);

  std::size_t function_count() const { return functions_.size(); }
  std::size_t bytes() const { return bytes_; }

 private:
  static std::size_t BytesOf(const Library& library);

  std::map<std::string, std::unique_ptr<Library>, std::less<>> libraries_;
  std::unordered_map<std::string, const RegisteredFunction*> functions_;  // By lower case name.
  std::size_t bytes_ = 0;
};

}  // namespace rung
