// GarbageThread: frees large values on a thread of its own, so that UNLINK and FLUSHALL ASYNC cost
// the engine nothing. The one thing it shares with the engine is the allocator.
//
// The thread starts with the first piece: while a process has one thread, the system's library
// makes each call into the kernel some 2 % cheaper.
#pragma once

#include <atomic>
#include <condition_variable>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <mutex>
#include <thread>
#include <vector>

#include "rung/store/keyspace.h"

namespace rung {

class GarbageThread {
 public:
  using Pieces = std::vector<std::unique_ptr<Garbage>>;

  GarbageThread() = default;
  // Frees what is left first.
  ~GarbageThread();
  GarbageThread(const GarbageThread&) = delete;
  GarbageThread& operator=(const GarbageThread&) = delete;

  void Take(Pieces pieces);

  // Values not yet freed, and freed since the start. Thread-safe.
  std::size_t pending() const { return pending_.load(std::memory_order_relaxed); }
  std::uint64_t freed() const { return freed_.load(std::memory_order_relaxed); }

 private:
  void Run();
  void Free(Pieces pieces);

  std::atomic<std::size_t> pending_ = 0;
  std::atomic<std::uint64_t> freed_ = 0;
  std::mutex mutex_;
  std::condition_variable changed_;
  Pieces waiting_;       // Guarded by mutex_.
  bool ending_ = false;  // Guarded by mutex_.
  std::thread thread_;
};

}  // namespace rung
