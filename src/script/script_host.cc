// Finding scripts and functions, the conditions under which they run, and their libraries. See
// script_host.h; the running itself is in machine.cc.

#include "rung/script/script_host.h"

#include <algorithm>
#include <utility>

#include "rung/base/memory.h"
#include "script/function_table.h"
#include "script/library_loader.h"
#include "script/machine.h"
#include "script/script_cache.h"
#include "script/shebang.h"

namespace rung {
namespace {

constexpr std::string_view kUnknownScript = "NOSCRIPT No matching script. Please use EVAL.";
constexpr std::string_view kUnknownFunction = "ERR Function not found";

bool IsOutOfMemory(const Broker& broker) {
  const std::uint64_t limit = broker.options().maxmemory;
  return limit != 0 && AllocatedBytes() > limit;
}

// The script that runs, for everybody to see; and the client's database, which it may have left.
class Running {
 public:
  Running(const ExecContext& ctx, std::string_view name, bool is_function)
      : ctx_(ctx), database_(ctx.session.database) {
    ScriptRun& run = ctx_.broker.script;
    run.running = true;
    run.is_function = is_function;
    run.started = ctx_.now.mono;
    run.name = name;
    run.request = ctx_.args;
  }
  ~Running() {
    ctx_.broker.script.End();
    ctx_.session.database = database_;
  }
  Running(const Running&) = delete;
  Running& operator=(const Running&) = delete;

 private:
  const ExecContext& ctx_;
  int database_;
};

}  // namespace

struct ScriptHost::Parts {
  Parts(Broker& broker_ref, Dispatcher& dispatcher_ref)
      : broker(broker_ref), dispatcher(dispatcher_ref) {}

  Machine& EvalMachine() {
    if (eval_machine == nullptr) {
      eval_machine = std::make_unique<Machine>(broker, dispatcher, MachineKind::kEval);
    }
    return *eval_machine;
  }
  Machine& FunctionMachine() {
    if (function_machine == nullptr) {
      function_machine = std::make_unique<Machine>(broker, dispatcher, MachineKind::kFunctions);
    }
    return *function_machine;
  }

  CachedScript* Find(const ScriptCall& call) const;
  Result<CachedScript*> Compile(std::string_view text, bool by_eval_only);
  Outcome RunScript(ExecContext& ctx, const ScriptCall& call);
  Outcome RunFunction(ExecContext& ctx, const ScriptCall& call);
  std::optional<Error> Prepare(const ScriptCall& call, std::optional<std::uint8_t> flags,
                               RunState& run) const;

  Result<std::unique_ptr<Library>> MakeLibrary(std::string_view code);
  void Drop(std::unique_ptr<Library> library);

  Broker& broker;
  Dispatcher& dispatcher;
  std::unique_ptr<Machine> eval_machine;
  std::unique_ptr<Machine> function_machine;
  ScriptCache cache;
  FunctionTable functions;
};

ScriptHost::ScriptHost(Broker& broker, Dispatcher& dispatcher)
    : parts_(std::make_unique<Parts>(broker, dispatcher)) {}

ScriptHost::~ScriptHost() = default;

// --- Scripts.

CachedScript* ScriptHost::Parts::Find(const ScriptCall& call) const {
  if (call.kind == ScriptKind::kText) return cache.FindText(call.script);
  const std::optional<Sha1Digest> sha = ParseSha1(call.script);
  return sha ? cache.Find(*sha) : nullptr;
}

Result<CachedScript*> ScriptHost::Parts::Compile(std::string_view text, bool by_eval_only) {
  const Result<ScriptHeader> header = ReadScriptHeader(text);
  if (!header.ok()) return header.error();
  const Result<FunctionRef> function = EvalMachine().Compile(header->body, "@user_script");
  if (!function.ok()) {
    return Error("ERR Error compiling script (new function): " + function.error().text());
  }
  if (by_eval_only) {
    if (CachedScript* const oldest = cache.NextToGo()) {
      EvalMachine().Forget(oldest->function);
      cache.Remove(*oldest);
      ++broker.statistics.evicted_scripts;
    }
  }
  const Sha1Digest sha = Sha1(text);
  return &cache.Add({.sha = sha,
                     .sha_hex = Sha1Hex(sha),
                     .text = std::string(text),
                     .flags = header->flags,
                     .function = *function,
                     .by_eval_only = by_eval_only,
                     .place = {}});
}

// Whether the script may run now, and what it may do.
std::optional<Error> ScriptHost::Parts::Prepare(const ScriptCall& call,
                                                std::optional<std::uint8_t> flags,
                                                RunState& run) const {
  run.memory_is_full = IsOutOfMemory(broker);
  run.read_only = call.read_only;
  if (!flags) return std::nullopt;
  const bool writes = (*flags & kScriptNoWrites) == 0;
  if (writes && call.read_only) {
    return Error("ERR Can not execute a script with write flag using *_ro command.");
  }
  if (run.memory_is_full && writes && (*flags & kScriptAllowOom) == 0) {
    return Error(
        "OOM allow-oom flag is not set on the script, can not run it when used memory > "
        "'maxmemory'");
  }
  run.read_only = run.read_only || !writes;
  run.allow_oom = (*flags & kScriptAllowOom) != 0;
  return std::nullopt;
}

Outcome ScriptHost::Parts::RunScript(ExecContext& ctx, const ScriptCall& call) {
  CachedScript* script = Find(call);
  if (script == nullptr) {
    if (call.kind == ScriptKind::kSha) return ctx.Fail(kUnknownScript);
    const Result<CachedScript*> compiled = Compile(call.script, true);
    if (!compiled.ok()) return ctx.Fail(compiled.error());
    script = *compiled;
  }
  cache.Touch(*script);
  RunState run{.ctx = ctx};
  if (const auto refusal = Prepare(call, script->flags, run)) return ctx.Fail(*refusal);
  const Running running(ctx, script->sha_hex, false);
  return EvalMachine().Call(run, script->function, script->sha_hex, call);
}

Outcome ScriptHost::Parts::RunFunction(ExecContext& ctx, const ScriptCall& call) {
  const RegisteredFunction* const function = functions.Find(call.script);
  if (function == nullptr) return ctx.Fail(kUnknownFunction);
  RunState run{.ctx = ctx};
  if (const auto refusal = Prepare(call, function->info.flags, run)) return ctx.Fail(*refusal);
  const Running running(ctx, function->info.name, true);
  return FunctionMachine().Call(run, function->callback, function->info.name, call);
}

Outcome ScriptHost::Run(ExecContext& ctx, const ScriptCall& call) {
  return call.kind == ScriptKind::kFunction ? parts_->RunFunction(ctx, call)
                                            : parts_->RunScript(ctx, call);
}

std::uint32_t ScriptHost::FlagsOf(ScriptKind kind, std::string_view script,
                                  std::uint32_t command_flags) const {
  std::optional<std::uint8_t> flags;
  if (kind == ScriptKind::kFunction) {
    const RegisteredFunction* const function = parts_->functions.Find(script);
    if (function != nullptr) flags = function->info.flags;
  } else if (const CachedScript* cached = parts_->Find({.kind = kind, .script = script})) {
    flags = cached->flags;
  } else if (kind == ScriptKind::kText) {
    const Result<ScriptHeader> header = ReadScriptHeader(script);
    if (header.ok()) flags = header->flags;
  }
  return flags ? CommandFlagsOf(*flags, command_flags) : command_flags;
}

Result<std::string> ScriptHost::Load(std::string_view text) {
  if (CachedScript* const known = parts_->cache.FindText(text)) {
    parts_->cache.Keep(*known);
    return known->sha_hex;
  }
  const Result<CachedScript*> compiled = parts_->Compile(text, false);
  if (!compiled.ok()) return compiled.error();
  return (*compiled)->sha_hex;
}

bool ScriptHost::Knows(std::string_view sha) const {
  return parts_->Find({.kind = ScriptKind::kSha, .script = sha}) != nullptr;
}

void ScriptHost::FlushScripts() {
  parts_->cache.Clear();
  parts_->eval_machine.reset();
}

// --- Libraries.

Result<std::unique_ptr<Library>> ScriptHost::Parts::MakeLibrary(std::string_view code) {
  const Result<LibraryHeader> header = ReadLibraryHeader(code);
  if (!header.ok()) return header.error();
  Result<std::vector<RegisteredFunction>> loaded = LoadFunctions(FunctionMachine(), header->body);
  if (!loaded.ok()) return loaded.error();
  auto library = std::make_unique<Library>();
  library->name = header->name;
  library->code = code;
  library->functions = std::move(*loaded);
  return library;
}

void ScriptHost::Parts::Drop(std::unique_ptr<Library> library) {
  if (library == nullptr) return;
  for (const RegisteredFunction& function : library->functions) {
    FunctionMachine().Forget(function.callback);
  }
}

Result<std::string> ScriptHost::LoadLibrary(std::string_view code, bool replace) {
  const Result<LibraryHeader> header = ReadLibraryHeader(code);
  if (!header.ok()) return header.error();
  if (!replace && parts_->functions.FindLibrary(header->name) != nullptr) {
    return Error("ERR Library '" + header->name + "' already exists");
  }
  Result<std::unique_ptr<Library>> made = parts_->MakeLibrary(code);
  if (!made.ok()) return made.error();
  if (const auto taken = parts_->functions.Collision(**made, header->name)) {
    parts_->Drop(std::move(*made));
    return Error("ERR Function " + *taken + " already exists");
  }
  parts_->Drop(parts_->functions.Remove(header->name));
  parts_->functions.Add(std::move(*made));
  return header->name;
}

bool ScriptHost::DeleteLibrary(std::string_view name) {
  std::unique_ptr<Library> library = parts_->functions.Remove(name);
  const bool found = library != nullptr;
  parts_->Drop(std::move(library));
  return found;
}

void ScriptHost::FlushLibraries() {
  parts_->functions = FunctionTable();
  parts_->function_machine.reset();
}

std::optional<Error> ScriptHost::RestoreLibraries(std::span<const std::string> codes,
                                                  RestorePolicy policy) {
  // Tried out in a table that is thrown away if anything fails.
  FunctionTable fresh;
  std::optional<Error> error;
  for (const std::string& code : codes) {
    Result<std::unique_ptr<Library>> made = parts_->MakeLibrary(code);
    if (!made.ok()) {
      error = made.error();
      break;
    }
    const auto taken = fresh.Collision(**made, {});
    if (taken || fresh.FindLibrary((*made)->name) != nullptr) {
      error = taken ? Error("ERR Function " + *taken + " already exists")
                    : Error("ERR Library '" + (*made)->name + "' already exists");
      parts_->Drop(std::move(*made));
      break;
    }
    fresh.Add(std::move(*made));
  }
  if (!error) error = Join(fresh, policy);
  std::vector<std::string> left;
  for (const auto& [name, library] : fresh.libraries()) left.push_back(name);
  for (const std::string& name : left) parts_->Drop(fresh.Remove(name));
  return error;
}

// Moves all libraries of `fresh` to those in use, or none.
std::optional<Error> ScriptHost::Join(FunctionTable& fresh, RestorePolicy policy) {
  FunctionTable& current = parts_->functions;
  std::vector<std::unique_ptr<Library>> replaced;
  std::vector<std::string> names;
  for (const auto& [name, library] : fresh.libraries()) names.push_back(name);
  std::optional<Error> error;
  if (policy == RestorePolicy::kFlush) {
    std::vector<std::string> all;
    for (const auto& [name, library] : current.libraries()) all.push_back(name);
    for (const std::string& name : all) replaced.push_back(current.Remove(name));
  }
  for (const std::string& name : names) {
    if (current.FindLibrary(name) == nullptr) continue;
    if (policy != RestorePolicy::kReplace) {
      error = Error("ERR Library " + name + " already exists");
      break;
    }
    replaced.push_back(current.Remove(name));
  }
  for (std::size_t i = 0; i < names.size() && !error; ++i) {
    if (const auto taken = current.Collision(*fresh.FindLibrary(names[i]), {})) {
      error = Error("ERR Function " + *taken + " already exists");
    }
  }
  if (error) {
    for (std::unique_ptr<Library>& library : replaced) current.Add(std::move(library));
    return error;
  }
  for (const std::string& name : names) current.Add(fresh.Remove(name));
  for (std::unique_ptr<Library>& library : replaced) parts_->Drop(std::move(library));
  return std::nullopt;
}

std::vector<LibraryInfo> ScriptHost::Libraries() const {
  std::vector<LibraryInfo> libraries;
  for (const auto& [name, library] : parts_->functions.libraries()) {
    LibraryInfo info{.name = name, .code = library->code, .functions = {}};
    for (const RegisteredFunction& function : library->functions) {
      info.functions.push_back(function.info);
    }
    libraries.push_back(std::move(info));
  }
  return libraries;
}

ScriptFigures ScriptHost::Figures() const {
  const Parts& parts = *parts_;
  ScriptFigures figures;
  if (parts.eval_machine != nullptr) figures.eval_machine_bytes = parts.eval_machine->MemoryBytes();
  if (parts.function_machine != nullptr) {
    figures.function_machine_bytes = parts.function_machine->MemoryBytes();
  }
  figures.script_bytes = parts.cache.bytes();
  figures.function_bytes = parts.functions.bytes();
  figures.scripts = parts.cache.size();
  figures.libraries = parts.functions.libraries().size();
  figures.functions = parts.functions.function_count();
  return figures;
}

}  // namespace rung
