// See daemon.h.

#include "kit/daemon.h"

#include <fcntl.h>
#include <gtest/gtest.h>
#include <netinet/in.h>
#include <poll.h>
#include <sys/mman.h>
#include <sys/socket.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <csignal>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <sstream>
#include <utility>

#include "kit/build_paths.h"

namespace rung::testing {
namespace {

using Clock = std::chrono::steady_clock;

int MillisecondsUntil(Clock::time_point deadline) {
  const auto left = std::chrono::duration_cast<std::chrono::milliseconds>(deadline - Clock::now());
  return static_cast<int>(std::max<std::int64_t>(left.count(), 0));
}

std::vector<char*> Pointers(std::vector<std::string>& words) {
  std::vector<char*> pointers;
  for (std::string& word : words) pointers.push_back(word.data());
  pointers.push_back(nullptr);
  return pointers;
}

}  // namespace

TempDir::TempDir() {
  std::string name = std::filesystem::temp_directory_path() / "rung_test_XXXXXX";
  path_ = mkdtemp(name.data());
}

TempDir::~TempDir() {
  std::error_code ignored;
  std::filesystem::remove_all(path_, ignored);
}

std::string TempDir::Write(std::string_view name, std::string_view content) const {
  std::string path = path_ + "/" + std::string(name);
  std::ofstream(path) << content;
  return path;
}

std::string ReadWholeFile(const std::string& path) {
  std::ostringstream text;
  text << std::ifstream(path).rdbuf();
  return text.str();
}

int FreePort() {
  const int probe = socket(AF_INET, SOCK_STREAM, 0);
  sockaddr_in address{};
  address.sin_family = AF_INET;
  address.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
  socklen_t length = sizeof address;
  EXPECT_EQ(bind(probe, reinterpret_cast<sockaddr*>(&address), length), 0);
  getsockname(probe, reinterpret_cast<sockaddr*>(&address), &length);
  close(probe);
  return ntohs(address.sin_port);
}

Process::Process(const std::vector<std::string>& command,
                 const std::vector<std::string>& environment) {
  std::vector<std::string> words = command;
  const std::vector<char*> arguments = Pointers(words);
  std::vector<std::string> settings = environment;
  std::array<int, 2> pipe_ends{};
  EXPECT_EQ(pipe2(pipe_ends.data(), O_CLOEXEC), 0);
  error_file_ = memfd_create("stderr", MFD_CLOEXEC);
  pid_ = fork();
  // A signal to -1 would go to every process there is.
  if (pid_ < 0) std::abort();
  if (pid_ == 0) {
    dup2(pipe_ends[1], STDOUT_FILENO);
    dup2(error_file_, STDERR_FILENO);
    for (std::string& setting : settings) putenv(setting.data());
    execv(arguments[0], arguments.data());
    _exit(127);
  }
  close(pipe_ends[1]);
  output_pipe_ = pipe_ends[0];
}

Process::~Process() {
  if (!exit_code_) {
    kill(pid_, SIGKILL);
    waitpid(pid_, nullptr, 0);
  }
  close(output_pipe_);
  close(error_file_);
}

bool Process::ReadMore(Clock::time_point deadline) {
  pollfd readable{.fd = output_pipe_, .events = POLLIN, .revents = 0};
  if (poll(&readable, 1, MillisecondsUntil(deadline)) <= 0) return false;
  std::array<char, 4096> buffer;
  const ssize_t count = read(output_pipe_, buffer.data(), buffer.size());
  if (count <= 0) return false;
  output_.append(buffer.data(), static_cast<std::size_t>(count));
  return true;
}

bool Process::WaitFor(std::string_view text) {
  const auto deadline = Clock::now() + kPatience;
  while (output_.find(text) == std::string::npos) {
    if (!ReadMore(deadline)) return false;
  }
  return true;
}

void Process::Signal(int signal) const { kill(pid_, signal); }

int Process::Wait() {
  if (exit_code_) return *exit_code_;
  const auto deadline = Clock::now() + kPatience;
  // The pipe ends when the process does.
  while (ReadMore(deadline)) {
  }
  int status = 0;
  if (Clock::now() >= deadline || waitpid(pid_, &status, 0) != pid_) return -1;
  exit_code_ = WIFEXITED(status) ? WEXITSTATUS(status) : 128 + WTERMSIG(status);
  return *exit_code_;
}

std::string Process::errors() const {
  std::string text(static_cast<std::size_t>(lseek(error_file_, 0, SEEK_END)), '\0');
  const ssize_t count = pread(error_file_, text.data(), text.size(), 0);
  text.resize(static_cast<std::size_t>(std::max<ssize_t>(count, 0)));
  return text;
}

Daemon::Daemon(std::vector<std::string> options) {
  const auto at = std::find(options.begin(), options.end(), "--port");
  if (at != options.end()) {
    port_ = std::stoi(*(at + 1));
  } else {
    port_ = FreePort();
    options.insert(options.end(), {"--port", std::to_string(port_)});
  }
  options.insert(options.end(), {"--dir", dir_.path()});
  options.insert(options.begin(), DaemonPath());
  process_.emplace(options);
  if (!process_->WaitFor("Ready to accept connections")) {
    ADD_FAILURE() << "rungd is not ready: " << process_->output() << process_->errors();
  }
}

int Daemon::Stop() {
  process_->Signal(SIGTERM);
  return process_->Wait();
}

std::size_t Daemon::ResidentBytes() const {
  std::ifstream file("/proc/" + std::to_string(process_->pid()) + "/statm");
  std::size_t total = 0;
  std::size_t resident = 0;
  file >> total >> resident;
  return resident * static_cast<std::size_t>(sysconf(_SC_PAGESIZE));
}

}  // namespace rung::testing
