// Digest: a 160-bit fingerprint of contents that does not depend on the process or on the order of
// a hash table. Equal contents give equal digests, on any machine. Not for secrets.
#pragma once

#include <array>
#include <cstdint>
#include <string>
#include <string_view>

namespace rung {

class Digest {
 public:
  // Order counts: Append(a), Append(b) differs from Append(b), Append(a) and from Append(ab).
  void Append(std::string_view bytes);
  void Append(const Digest& other);
  // Order does not count: the same items added in any order give the same digest.
  void AddUnordered(const Digest& item);

  // 40 hexadecimal digits; all zero if nothing has been added.
  std::string Hex() const;
  bool operator==(const Digest&) const = default;

 private:
  std::array<std::uint64_t, 3> words_{};
};

}  // namespace rung
