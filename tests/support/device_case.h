// Runs a case on the GPU by a given plan and looks at everything it could have touched.
#pragma once

#include <span>
#include <string>
#include <vector>

#include "tests/support/device_memory.h"
#include "tests/support/host_case.h"
#include "tests/support/host_memory.h"

namespace gemm::tests {

// Device memory for one case at a time; made once for a suite. Every function returns "" or one line of
// complaint, and when it returns the device has done what it asked for.
class DeviceCase {
 public:
  explicit DeviceCase(GuardMode mode);

  // Places the case's operands at the addresses it asks for and fills them. `host` must outlive the next Load.
  std::string Load(HostCase* host);

  // Sets D back to its start: poison, or C when that is in place.
  std::string ResetD();

  // Arguments for the loaded case. The workspace is placed, poisoned, for workspace_bytes.
  std::string MakeArguments(std::size_t workspace_bytes, Arguments* arguments);

  // Looks at D, the inputs and all zones once a product has been computed.
  std::string CheckResult();

  // D's bytes, the padding included.
  std::string DownloadD(std::vector<unsigned char>* bytes);

  // "" when D is as it was loaded.
  std::string DUntouched();

  // Runs the plan twice from the same start. Complains unless both runs end well and agree bit for bit, D is
  // right, its padding, the inputs and all zones around the operands and the workspace are untouched. A small product
  // takes less time than the host's waiting for it: all is enqueued and waited for once.
  std::string RunTwiceAndCheck(const Plan& plan);
  // The same of one run.
  std::string RunOnceAndCheck(const Plan& plan);

  // Runs the plan, which must refuse with `code` and a message that contains `reason` and must leave D alone.
  std::string RunMustRefuse(const Plan& plan, StatusCode code, const std::string& reason);

 private:
  struct Operand {
    Operand(const char* its_name, GuardMode mode) : name(its_name), memory(mode) {}
    const char* name;
    DeviceMemory memory;
    std::size_t at = 0;  // of the bytes with their zones, in wanted_ and found_
  };

  std::string PlaceWorkspace(std::size_t workspace_bytes, Arguments* arguments);
  Status EnqueueReset();
  // All operands with their zones, and the workspace's zones.
  Status EnqueueFetch();
  std::string EnqueueRun(const Plan& plan, const Arguments& arguments);
  // Two runs, the first one's D to `first_d`; one where that is null.
  std::string EnqueueRuns(const Plan& plan, unsigned char* first_d);
  std::string RunAndCheck(const Plan& plan, unsigned char* first_d);

  // About what was fetched.
  std::span<const unsigned char> FoundBytes(const Operand& operand) const;
  std::string BytesComplaint(const Operand& operand) const;
  std::string FoundComplaint();

  HostCase* host_ = nullptr;
  Operand a_, b_, c_, d_, scalars_;
  DeviceMemory workspace_;
  HostMemory wanted_;  // what the operands held at first
  HostMemory
      found_;  // what was fetched of them; from found_end_ on the workspace's two zones and D of a first run
  std::size_t found_end_ = 0;
};

}  // namespace gemm::tests
