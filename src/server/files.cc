// See files.h.

#include "server/files.h"

#include <fcntl.h>
#include <glob.h>
#include <sys/stat.h>
#include <unistd.h>

#include <array>
#include <cerrno>
#include <cstdlib>
#include <memory>
#include <system_error>

namespace rung {
namespace {

Error SystemError(int number) { return Error(std::generic_category().message(number)); }

// Closes what it holds.
class Descriptor {
 public:
  explicit Descriptor(int number) : number_(number) {}
  ~Descriptor() {
    if (number_ >= 0) close(number_);
  }
  Descriptor(const Descriptor&) = delete;
  Descriptor& operator=(const Descriptor&) = delete;

  int number() const { return number_; }

 private:
  int number_;
};

Result<std::string> ReadAll(int descriptor) {
  std::string text;
  std::array<char, 16384> buffer;
  while (true) {
    const ssize_t count = read(descriptor, buffer.data(), buffer.size());
    if (count == 0) return text;
    if (count > 0) {
      text.append(buffer.data(), static_cast<std::size_t>(count));
    } else if (errno != EINTR) {
      return SystemError(errno);
    }
  }
}

bool WriteAll(int descriptor, std::string_view text) {
  while (!text.empty()) {
    const ssize_t count = write(descriptor, text.data(), text.size());
    if (count < 0 && errno != EINTR) return false;
    if (count > 0) text.remove_prefix(static_cast<std::size_t>(count));
  }
  return true;
}

}  // namespace

Result<std::string> ReadFile(const std::string& path) {
  const Descriptor file(open(path.c_str(), O_RDONLY | O_CLOEXEC));
  if (file.number() < 0) return SystemError(errno);
  return ReadAll(file.number());
}

Result<std::string> ReadStandardInput() { return ReadAll(STDIN_FILENO); }

std::optional<Error> ReplaceFile(const std::string& path, std::string_view text) {
  constexpr mode_t kDefaultMode = 0644;
  constexpr mode_t kPermissions = 07777;
  const std::string folder = path.substr(0, path.rfind('/') + 1);
  std::string fresh = path + ".XXXXXX";
  const Descriptor file(mkostemp(fresh.data(), O_CLOEXEC));
  if (file.number() < 0) return SystemError(errno);
  struct stat old {};
  const mode_t mode = stat(path.c_str(), &old) == 0 ? old.st_mode & kPermissions : kDefaultMode;
  const bool written = WriteAll(file.number(), text) && fchmod(file.number(), mode) == 0 &&
                       fsync(file.number()) == 0 && rename(fresh.c_str(), path.c_str()) == 0;
  if (!written) {
    const Error reason = SystemError(errno);
    unlink(fresh.c_str());
    return reason;
  }
  const Descriptor directory(
      open(folder.empty() ? "." : folder.c_str(), O_RDONLY | O_DIRECTORY | O_CLOEXEC));
  if (directory.number() < 0 || fsync(directory.number()) != 0) return SystemError(errno);
  return std::nullopt;
}

Result<std::vector<IncludedFile>> ReadIncluded(std::string_view pattern) {
  const std::string text(pattern);
  std::vector<IncludedFile> files;
  const auto add = [&files](const std::string& path) -> std::optional<Error> {
    const Result<std::string> content = ReadFile(path);
    if (!content.ok()) return content.error();
    files.push_back({path, *content});
    return std::nullopt;
  };
  if (pattern.find_first_of("*?[") == std::string_view::npos) {
    if (const std::optional<Error> error = add(text)) return *error;
    return files;
  }
  glob_t found{};
  const int result = glob(text.c_str(), 0, nullptr, &found);
  const std::unique_ptr<glob_t, void (*)(glob_t*)> guard(&found, &globfree);
  if (result == GLOB_NOMATCH) return files;
  if (result != 0) return Error("cannot be searched");
  for (std::size_t i = 0; i < found.gl_pathc; ++i) {
    if (const std::optional<Error> error = add(found.gl_pathv[i])) return *error;
  }
  return files;
}

std::string WorkingDirectory() {
  const std::unique_ptr<char, void (*)(void*)> path(getcwd(nullptr, 0), &std::free);
  return path != nullptr ? path.get() : ".";
}

std::string AbsolutePath(const std::string& path) {
  if (path.empty() || path.front() == '/') return path;
  return WorkingDirectory() + "/" + path;
}

}  // namespace rung
