// ScriptHost: Lua behind one face. Scripts by their SHA1, libraries of functions, and the running
// of both, with every call they make going through the dispatcher.
//
// Two Lua machines, each made when it is first needed: one for EVAL and its kin, one for functions,
// which keep state between calls and must not see what EVAL sees. Nothing of Lua shows in here.
#pragma once

#include <memory>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "rung/commands/context.h"
#include "rung/commands/scripting.h"
#include "rung/state/broker.h"

namespace rung {

class FunctionTable;

class ScriptHost final : public Scripting {
 public:
  // Both must outlive the host.
  ScriptHost(Broker& broker, Dispatcher& dispatcher);
  ~ScriptHost() override;

  Outcome Run(ExecContext& ctx, const ScriptCall& call) override;
  std::uint32_t FlagsOf(ScriptKind kind, std::string_view script,
                        std::uint32_t command_flags) const override;

  Result<std::string> Load(std::string_view text) override;
  bool Knows(std::string_view sha) const override;
  void FlushScripts() override;

  Result<std::string> LoadLibrary(std::string_view code, bool replace) override;
  bool DeleteLibrary(std::string_view name) override;
  void FlushLibraries() override;
  std::optional<Error> RestoreLibraries(std::span<const std::string> codes,
                                        RestorePolicy policy) override;
  std::vector<LibraryInfo> Libraries() const override;

  ScriptFigures Figures() const override;

 private:
  struct Parts;

  std::optional<Error> Join(FunctionTable& fresh, RestorePolicy policy);

  std::unique_ptr<Parts> parts_;
};

}  // namespace rung
