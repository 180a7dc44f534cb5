// Where this build's daemon and sources lie, for tests that start the one or read the other.
#pragma once

#include <string>

namespace rung::testing {

// The daemon under test: $RUNGD if set, else the one of this build.
std::string DaemonPath();

// The root of the source tree, without a slash at its end.
std::string SourceDir();

}  // namespace rung::testing
