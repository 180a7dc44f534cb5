// See daemon.h.

#include "server/daemon.h"

#include <unistd.h>

#include <cerrno>
#include <csignal>
#include <cstdio>
#include <memory>
#include <optional>
#include <random>
#include <string>
#include <system_error>
#include <tuple>
#include <utility>

#include "rung/base/hash.h"
#include "rung/base/log.h"
#include "rung/base/memory.h"
#include "rung/base/quoting.h"
#include "rung/engine/engine.h"
#include "rung/net/server.h"
#include "server/background.h"
#include "server/files.h"
#include "server/garbage_thread.h"
#include "server/huge_pages.h"
#include "server/process_host.h"
#include "server/process_limits.h"
#include "server/real_clock.h"
#include "server/startup.h"

namespace rung {
namespace {

constexpr int kFailure = 1;

// Above so many keys memory is left to the system at the end: giving back each value takes seconds.
constexpr std::size_t kFreeAtEndMax = 100'000;

int Fail(std::string_view reason) {
  std::fprintf(stderr, "rungd: %.*s\n", static_cast<int>(reason.size()), reason.data());
  return kFailure;
}

std::uint64_t RandomSeed(std::random_device& source) {
  return (std::uint64_t{source()} << 32) | source();
}

class Daemon final : public TurnHook {
 public:
  explicit Daemon(Startup startup) : startup_(std::move(startup)) {}

  int Run();

  void BeforeReplies() override {
    Store& store = engine_->broker().store;
    if (store.has_garbage()) garbage_.Take(store.TakeGarbage());
    if (host_->TakeMoved()) startup_.config.ResolveDirectory(WorkingDirectory());
  }

 private:
  const Options& options() const { return startup_.config.options(); }
  std::optional<Error> Prepare();
  std::optional<Error> EnterDirectory();
  void FitClientsToLimits();
  int Serve();
  void SayReady();

  Startup startup_;
  Log log_;
  RealClock clock_;
  GarbageThread garbage_;
  std::optional<ProcessHost> host_;
  std::unique_ptr<Engine> engine_;
};

int Daemon::Run() {
  if (const std::optional<Error> error = Prepare()) return Fail(error->text());
  log_.Notice("Rung " RUNG_VERSION " (redis 7.2.4) starts, port {}, PID: {}", options().port,
              getpid());
  if (startup_.config_file.empty()) {
    log_.Notice("No configuration file: defaults and command line alone");
  }
  const int code = Serve();
  if (code == 0) log_.Warning("Rung is now ready to exit, bye bye...");
  return code;
}

std::optional<Error> Daemon::Prepare() {
  std::signal(SIGPIPE, SIG_IGN);
  // A file that reaches its size limit is an error of that write, not the end of the broker.
  std::signal(SIGXFSZ, SIG_IGN);
  if (options().daemonize) {
    if (auto error = GoToBackground()) return Error("daemonize: " + error->text());
  }
  if (auto error = EnterDirectory()) return error;
  log_.set_level(options().loglevel);
  if (!options().logfile.empty()) {
    if (auto error = log_.Open(options().logfile)) return Error("logfile: " + error->text());
  }
  return std::nullopt;
}

std::optional<Error> Daemon::EnterDirectory() {
  const std::string& directory = options().dir;
  const auto failed = [&](int number) {
    return Error("dir " + directory + ": " + std::generic_category().message(number));
  };
  if (chdir(directory.c_str()) != 0) return failed(errno);
  // Where nobody has asked for a place to write, none is needed yet.
  if (directory != Options().dir && access(".", W_OK) != 0) return failed(errno);
  startup_.config.ResolveDirectory(WorkingDirectory());
  return std::nullopt;
}

void Daemon::FitClientsToLimits() {
  const std::uint64_t room = MakeRoomForClients(options().maxclients);
  if (room >= options().maxclients) return;
  log_.Warning("maxclients {} needs more open files than this process may have: set to {}",
               options().maxclients, room);
  const std::string value = std::to_string(room);
  const Config::Pair pair("maxclients", value);
  const auto refused = startup_.config.Set({&pair, 1}, Config::Origin::kLocal, *host_);
  if (refused) log_.Warning("{}", refused->text());
}

int Daemon::Serve() {
  std::random_device source;
  SeedHash(RandomSeed(source));
  host_.emplace(log_, garbage_, startup_.config_file);
  host_->set_tcp_port(options().port);
  if (options().disable_thp) {
    ForgoHugePages();
  } else if (SystemHasHugePages()) {
    UseHugePages();
  }
  FitClientsToLimits();
  engine_ = std::make_unique<Engine>(startup_.config, clock_, *host_, RandomSeed(source));
  for (const RenamedCommand& renamed : options().renamed_commands) {
    if (const auto error = engine_->mutable_catalog().Rename(renamed.from, renamed.to)) {
      constexpr std::string_view kCode = "ERR ";
      return Fail(renamed.place + ": 'rename-command " + renamed.from + " " +
                  QuoteIfNeeded(renamed.to) + "': " + error->text().substr(kCode.size()));
    }
  }
  {
    Server server(*engine_, clock_, log_, *this, startup_.driver);
    host_->set_server(&server);
    if (const std::optional<Error> error = server.Listen(options())) {
      log_.Warning("{}", error->text());
      return Fail(error->text());
    }
    const PidFile pid_file(AbsolutePath(options().pidfile));
    if (pid_file.error()) log_.Warning("pidfile: {}", pid_file.error()->text());
    SayReady();
    server.Run();
    NotifyManager("STOPPING=1");
  }
  if (engine_->broker().store.key_count() > kFreeAtEndMax) std::ignore = engine_.release();
  return 0;
}

void Daemon::SayReady() {
  if (options().port != 0) log_.Notice("Ready to accept connections tcp");
  if (!options().unixsocket.empty()) log_.Notice("Ready to accept connections unix");
  NotifyManager("READY=1");
}

}  // namespace

int RunDaemon(std::span<const std::string_view> arguments) {
  if (const std::optional<int> code = RunVerb(arguments)) return *code;
  Result<Startup> startup = ReadConfiguration(arguments);
  if (!startup.ok()) return Fail(startup.error().text());
  return Daemon(std::move(*startup)).Run();
}

}  // namespace rung
