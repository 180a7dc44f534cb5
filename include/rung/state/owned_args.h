// OwnedArgs: the words of a request, copied out of the input buffer in one block, for requests that
// wait (queued by MULTI, blocked) while the buffer moves on.
#pragma once

#include <cstddef>
#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace rung {

class OwnedArgs {
 public:
  OwnedArgs() = default;
  explicit OwnedArgs(std::span<const std::string_view> args) {
    std::size_t total = 0;
    for (const std::string_view arg : args) total += arg.size();
    bytes_.reserve(total);
    sizes_.reserve(args.size());
    for (const std::string_view arg : args) {
      bytes_.append(arg);
      sizes_.push_back(arg.size());
    }
  }

  bool empty() const { return sizes_.empty(); }
  std::size_t size() const { return sizes_.size(); }
  std::size_t MemoryBytes() const {
    return bytes_.capacity() + sizes_.capacity() * sizeof(std::size_t);
  }

  // Views into this object: valid while it lives and does not move.
  std::vector<std::string_view> Views() const {
    std::vector<std::string_view> views;
    views.reserve(sizes_.size());
    std::size_t at = 0;
    for (const std::size_t size : sizes_) {
      views.push_back(std::string_view(bytes_).substr(at, size));
      at += size;
    }
    return views;
  }

 private:
  std::string bytes_;
  std::vector<std::size_t> sizes_;
};

}  // namespace rung
