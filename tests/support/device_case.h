// Runs a case on the GPU by a given plan and looks at everything it could have touched.
#pragma once

#include <string>
#include <vector>

#include "tests/support/device_memory.h"
#include "tests/support/host_case.h"

namespace gemm::tests {

// Device memory for one case at a time; made once for a suite. Every function returns "" or one line of
// complaint.
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
  std::string DownloadD(std::vector<unsigned char>* bytes) const;

  // "" when D is as it was loaded.
  std::string DUntouched() const;

  // Runs the plan twice from the same start. Complains unless both runs end well and agree bit for bit, D is
  // right, its padding, the inputs and all zones around the operands and the workspace are untouched.
  std::string RunTwiceAndCheck(const Plan& plan);

  // Runs the plan, which must refuse with `code` and a message that contains `reason` and must leave D alone.
  std::string RunMustRefuse(const Plan& plan, StatusCode code, const std::string& reason);

 private:
  std::string InputsUntouched() const;
  std::string ZonesUntouched() const;

  HostCase* host_ = nullptr;
  DeviceMemory a_, b_, c_, d_, workspace_, scalars_;
};

}  // namespace gemm::tests
