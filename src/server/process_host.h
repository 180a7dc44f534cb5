// ProcessHost: the process as the engine sees it, and CONFIG SET's effects outside the engine.
#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "rung/base/log.h"
#include "rung/net/server.h"
#include "rung/state/host.h"
#include "server/garbage_thread.h"

namespace rung {

class ProcessHost final : public Host {
 public:
  // `config_file` is absolute, or empty. `log` and `garbage` must outlive the host.
  ProcessHost(Log& log, const GarbageThread& garbage, std::string config_file);

  // The server that CONFIG SET bind and port speak to; it is made after the host, and must be told
  // before the first client comes.
  void set_server(Server* server) { server_ = server; }
  void set_tcp_port(int port) { identity_.tcp_port = port; }
  // Whether CONFIG SET dir has moved the process since the last call.
  bool TakeMoved() { return std::exchange(moved_, false); }

  std::optional<Refusal> Apply(const Options& before, const Options& after,
                               const std::vector<std::string_view>& changed) override;
  ProcessUsage Usage() override;
  const ProcessIdentity& Identity() override { return identity_; }
  Result<std::string> ReadConfigFile() override;
  std::optional<Error> WriteConfigFile(std::string_view text) override;
  std::size_t PendingGarbage() override { return garbage_.pending(); }
  std::uint64_t FreedGarbage() override { return garbage_.freed(); }
  void WriteLog(LogLevel level, std::string_view line) override;
  void ServeWhileBusy() override { server_->ServeWhileBusy(); }

 private:
  std::optional<Refusal> MoveSockets(const Options& before, const Options& after,
                                     std::string_view blamed);

  Log& log_;
  const GarbageThread& garbage_;
  Server* server_ = nullptr;
  bool moved_ = false;
  ProcessIdentity identity_;
};

}  // namespace rung
