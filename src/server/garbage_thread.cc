// See garbage_thread.h.

#include "server/garbage_thread.h"

#include <utility>

namespace rung {

GarbageThread::~GarbageThread() {
  if (!thread_.joinable()) return;
  {
    const std::lock_guard lock(mutex_);
    ending_ = true;
  }
  changed_.notify_one();
  thread_.join();
}

void GarbageThread::Take(Pieces pieces) {
  if (!thread_.joinable()) thread_ = std::thread([this] { Run(); });
  std::size_t values = 0;
  for (const std::unique_ptr<Garbage>& piece : pieces) values += piece->values();
  pending_.fetch_add(values, std::memory_order_relaxed);
  {
    const std::lock_guard lock(mutex_);
    for (std::unique_ptr<Garbage>& piece : pieces) waiting_.push_back(std::move(piece));
  }
  changed_.notify_one();
}

void GarbageThread::Run() {
  std::unique_lock lock(mutex_);
  while (true) {
    changed_.wait(lock, [this] { return ending_ || !waiting_.empty(); });
    if (waiting_.empty()) return;
    Pieces pieces = std::exchange(waiting_, {});
    lock.unlock();
    Free(std::move(pieces));
    lock.lock();
  }
}

void GarbageThread::Free(Pieces pieces) {
  for (std::unique_ptr<Garbage>& piece : pieces) {
    const std::size_t values = piece->values();
    piece.reset();
    freed_.fetch_add(values, std::memory_order_relaxed);
    pending_.fetch_sub(values, std::memory_order_relaxed);
  }
}

}  // namespace rung
