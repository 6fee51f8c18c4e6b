// `gemm ladder`: rungs against libgemm's own choice and cuBLASLt, over types and sizes.
#pragma once

#include <string>
#include <vector>

#include "ladder/rung.h"
#include "tools/gemm/bench/case.h"
#include "tools/io/shapes.h"

namespace gemm::ladder {

struct Options {
  std::string type = "fp32";
  std::vector<std::string> sizes = {"4096"};  // N or MxNxK
  std::vector<std::string> rungs;             // names; empty: all of the type
  bool sweeps = false;                        // also the sweeps' steps
  tool::bench::Options bench;
};

// Rungs that compute the same problem, and so have the same rival.
struct Group {
  Problem problem;
  std::vector<const Rung*> rungs;
};

// "4096" or "4096x4096x1024". kInvalidArgument names another text.
Status ParseSize(const std::string& text, io::Shape* size);

// The rungs that the options ask for, by size. kInvalidArgument for a type, a size or a name that there is not, and for a
// name that does not take the type.
Status ListGroups(const Options& options, std::vector<Group>* groups);

// Times a group. Rungs that refuse it are in the result with their reason.
tool::bench::CaseResult RunGroup(tool::bench::Bench* bench, const Group& group);

}  // namespace gemm::ladder
