// The payload of FUNCTION DUMP: libraries as in Redis's RDB files, with version and checksum.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "rung/base/result.h"
#include "rung/commands/scripting.h"

namespace rung {

std::string DumpLibraries(const std::vector<LibraryInfo>& libraries);

// The texts of the libraries in a payload, which may be Redis's own. Errors as FUNCTION RESTORE
// answers them.
Result<std::vector<std::string>> ReadLibraryDump(std::string_view payload);

}  // namespace rung
