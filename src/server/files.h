// Files of the daemon: reading configuration, replacing a file so that a crash leaves the old or
// the new one whole.
#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "rung/base/result.h"
#include "rung/config/config.h"

namespace rung {

// Errors are the system's reason alone: "No such file or directory".
Result<std::string> ReadFile(const std::string& path);
Result<std::string> ReadStandardInput();
// Written beside it, synced, and renamed over it; keeps the permissions of the old file.
std::optional<Error> ReplaceFile(const std::string& path, std::string_view text);
// What an `include` directive names; see IncludeReader.
Result<std::vector<IncludedFile>> ReadIncluded(std::string_view pattern);

// With the working directory in front, if `path` is relative.
std::string AbsolutePath(const std::string& path);
std::string WorkingDirectory();

}  // namespace rung
