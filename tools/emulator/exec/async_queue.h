// Asynchronous operations between their issue and their completion: a queue per cluster.
#pragma once

#include <cstddef>
#include <memory>
#include <string>
#include <vector>

#include "tools/emulator/base/random.h"

namespace emu {

struct Cluster;

// One operation that completes by itself. Everything it needs was captured when it was issued.
class AsyncOperation {
 public:
  virtual ~AsyncOperation() = default;
  // Whether operations that must come first have completed.
  virtual bool Ready() const { return true; }
  // Moves the data and signals who counts it, Cluster::progress included. Throws Stop.
  virtual void Perform() = 0;
  // "cp.async of warp 3, PTX line 120": for the table that a deadlock prints.
  virtual std::string Describe() const { return "an asynchronous operation"; }
};

class AsyncQueue {
 public:
  explicit AsyncQueue(Cluster* cluster) : cluster_(cluster) {}

  // Performs the operation at once or keeps it, as Machine::completion() says. Earlier operations that are not ready keep it
  // waiting.
  void Issue(std::unique_ptr<AsyncOperation> operation);
  // Performs one of the ready operations, chosen by `random`. False when there is none.
  bool PerformOne(Random& random);
  // Performs `operation` and, before it, whatever it must come after. It must be in the queue.
  void PerformNow(const AsyncOperation* operation);
  std::size_t size() const { return operations_.size(); }
  // A line for each operation, and whether it waits for others.
  std::string Describe() const;

 private:
  bool PerformFirst();
  void PerformAt(std::size_t index);

  Cluster* cluster_;
  std::vector<std::unique_ptr<AsyncOperation>> operations_;
};

}  // namespace emu
