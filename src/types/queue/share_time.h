// ShareTime: an instant of virtual time, kept as an exact fraction.
//
// Fair sharing adds cost / weight to a clock at every take, for years. A double would drift, and a
// fixed point number would lose a little at each division; here the remainder of the division is
// carried: value = units + (fraction + remainder / divisor) / 2^32. As long as the divisor stays,
// nothing is ever rounded, so that W takes of weight w move a clock by exactly w. Changing the
// divisor rounds by less than 2^-32 / divisor, a loss of one take in four thousand million changes.
//
// Invariants: 1. divisor > 0; 2. remainder < divisor.
#pragma once

#include <compare>
#include <cstdint>

#include "rung/base/check.h"

namespace rung {

class ShareTime {
 public:
  enum class Rounding { kDown, kUp };

  // The beginning of virtual time.
  explicit ShareTime(std::uint32_t divisor = 1) : divisor_(divisor) {}

  // To be written down and read back: units + (fraction + remainder / divisor) / 2^32.
  struct Parts {
    std::uint64_t units = 0;
    std::uint32_t fraction = 0;
    std::uint32_t remainder = 0;
    std::uint32_t divisor = 1;

    bool operator==(const Parts&) const = default;
  };
  Parts parts() const { return {units_, fraction_, remainder_, divisor_}; }
  // Requires parts that parts() gave.
  static ShareTime FromParts(const Parts& parts) {
    ShareTime time(parts.divisor);
    time.units_ = parts.units;
    time.fraction_ = parts.fraction;
    time.remainder_ = parts.remainder;
    time.CheckInvariants();
    return time;
  }

  std::uint32_t divisor() const { return divisor_; }

  // Later by cost / divisor, exactly.
  void Advance(std::uint64_t cost) {
    const std::uint64_t scaled = (cost % divisor_) << 32;
    std::uint64_t fraction = fraction_ + scaled / divisor_;
    std::uint64_t remainder = remainder_ + scaled % divisor_;
    if (remainder >= divisor_) {
      remainder -= divisor_;
      ++fraction;
    }
    units_ += cost / divisor_ + (fraction >> 32);
    fraction_ = static_cast<std::uint32_t>(fraction);
    remainder_ = static_cast<std::uint32_t>(remainder);
  }

  ShareTime After(std::uint64_t cost) const {
    ShareTime later = *this;
    later.Advance(cost);
    return later;
  }

  // The same instant, to be advanced in steps of 1 / divisor from now on.
  ShareTime WithDivisor(std::uint32_t divisor, Rounding rounding) const {
    ShareTime same = *this;
    same.divisor_ = divisor;
    if (divisor == divisor_) return same;
    const std::uint64_t scaled = std::uint64_t{remainder_} * divisor;
    std::uint64_t remainder = scaled / divisor_;
    if (rounding == Rounding::kUp && scaled % divisor_ != 0) ++remainder;
    same.remainder_ = 0;
    if (remainder < divisor) {
      same.remainder_ = static_cast<std::uint32_t>(remainder);
    } else if (++same.fraction_ == 0) {
      ++same.units_;
    }
    return same;
  }

  // This instant, with its distance from `origin` stretched by divisor() / `divisor`: the same
  // amount of work at another weight. Rounds by less than 2^-32 / divisor. What would come to lie
  // before the beginning is the beginning. Requires |distance| * divisor() < 2^63.
  ShareTime Stretched(const ShareTime& origin, std::uint32_t divisor, Rounding rounding) const {
    // In units of 2^-32 / (origin's divisor * the new one), both before the division below.
    Wide steps = (whole() - origin.whole()) * divisor_ * origin.divisor_;
    steps += Wide{remainder_} * origin.divisor_ - Wide{origin.remainder_} * divisor_;
    steps += Wide{origin.remainder_} * divisor;
    const Wide step = Wide{origin.divisor_} * divisor;
    Wide moved = steps / step;
    Wide rest = steps % step;
    if (rest < 0) {
      rest += step;
      --moved;
    }
    Wide remainder = rest / origin.divisor_;
    if (rounding == Rounding::kUp && rest % origin.divisor_ != 0) ++remainder;
    if (remainder == divisor) {
      remainder = 0;
      ++moved;
    }
    moved += origin.whole();
    ShareTime result(divisor);
    if (moved < 0) return result;
    result.units_ = static_cast<std::uint64_t>(moved >> 32);
    result.fraction_ = static_cast<std::uint32_t>(moved & 0xffffffff);
    result.remainder_ = static_cast<std::uint32_t>(remainder);
    return result;
  }

  friend std::strong_ordering operator<=>(const ShareTime& a, const ShareTime& b) {
    if (a.units_ != b.units_) return a.units_ <=> b.units_;
    if (a.fraction_ != b.fraction_) return a.fraction_ <=> b.fraction_;
    return std::uint64_t{a.remainder_} * b.divisor_ <=> std::uint64_t{b.remainder_} * a.divisor_;
  }
  friend bool operator==(const ShareTime& a, const ShareTime& b) { return (a <=> b) == 0; }

  // For people and tests; the arithmetic never goes through it.
  double ToDouble() const {
    const double part = fraction_ + static_cast<double>(remainder_) / divisor_;
    return static_cast<double>(units_) + part * 0x1.0p-32;
  }

  void CheckInvariants() const {
    RUNG_CHECK(divisor_ > 0, "invariant 1");
    RUNG_CHECK(remainder_ < divisor_, "invariant 2");
  }

 private:
  __extension__ using Wide = __int128;

  // In units of 2^-32, without the remainder.
  Wide whole() const { return static_cast<Wide>(units_) * (Wide{1} << 32) + fraction_; }

  std::uint64_t units_ = 0;
  std::uint32_t fraction_ = 0;   // Of 2^32.
  std::uint32_t remainder_ = 0;  // Of divisor_, in units of 2^-32.
  std::uint32_t divisor_;
};

}  // namespace rung
