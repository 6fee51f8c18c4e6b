#include "tools/emulator/exec/async_queue.h"

#include <algorithm>

#include "tools/emulator/exec/machine.h"

namespace emu {

void AsyncQueue::Issue(std::unique_ptr<AsyncOperation> operation) {
  operations_.push_back(std::move(operation));
  Machine& machine = *cluster_->grid->machine;
  switch (machine.completion()) {
    case Completion::kLate:
      return;
    case Completion::kRandom:
      if (machine.random().Below(2) != 0) PerformAt(operations_.size() - 1);
      return;
    case Completion::kEarly:
      // What was not ready when it was issued may be now, and may make others ready.
      while (PerformFirst()) {
      }
      return;
  }
}

bool AsyncQueue::PerformOne(Random& random) {
  std::size_t ready = 0;
  for (const auto& operation : operations_) ready += operation->Ready();
  if (ready == 0) return false;
  std::size_t chosen = random.Below(static_cast<std::uint32_t>(ready));
  for (std::size_t i = 0;; ++i) {
    if (!operations_[i]->Ready() || chosen-- != 0) continue;
    PerformAt(i);
    return true;
  }
}

void AsyncQueue::PerformNow(const AsyncOperation* operation) {
  const auto is_it = [&](const auto& held) { return held.get() == operation; };
  while (true) {
    const auto found = std::find_if(operations_.begin(), operations_.end(), is_it);
    if (found == operations_.end()) return;
    if (operation->Ready()) {
      PerformAt(static_cast<std::size_t>(found - operations_.begin()));
      return;
    }
    // It waits for operations that were issued before it.
    const auto earlier =
        std::find_if(operations_.begin(), found, [](const auto& held) { return held->Ready(); });
    if (earlier == found) return;
    PerformAt(static_cast<std::size_t>(earlier - operations_.begin()));
  }
}

std::string AsyncQueue::Describe() const {
  std::string text;
  for (const auto& operation : operations_) {
    text += operation->Describe() + (operation->Ready() ? "\n" : ", which waits for others\n");
  }
  return text;
}

bool AsyncQueue::PerformFirst() {
  for (std::size_t i = 0; i < operations_.size(); ++i) {
    if (!operations_[i]->Ready()) continue;
    PerformAt(i);
    return true;
  }
  return false;
}

void AsyncQueue::PerformAt(std::size_t index) {
  if (!operations_[index]->Ready()) return;
  const std::unique_ptr<AsyncOperation> operation = std::move(operations_[index]);
  operations_.erase(operations_.begin() + static_cast<std::ptrdiff_t>(index));
  operation->Perform();
  ++cluster_->progress;
}

}  // namespace emu
