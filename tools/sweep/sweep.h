// `gemm sweep`: every shape of the grid on every product, against libgemm's own choice and cuBLASLt.
#pragma once

#include <string>
#include <vector>

#include "tools/gemm/bench/case.h"

namespace gemm::sweep {

struct Options {
  std::vector<std::string> shape_files;
  std::vector<std::string> sizes;  // N or MxNxK
  std::vector<std::string> layouts = {"nk"};
  std::vector<int> parts = {1};  // of K
  std::string only;              // part of the shapes' names
  int top = 10;                  // lines of a product on the console
  tool::bench::Options bench;
};

// All products: of the shape files, then of the sizes in each layout. kInvalidArgument for what is no product, and for
// numbers and names that make no sense.
Status ListProblems(const Options& options, std::vector<Problem>* problems);

tool::bench::CaseResult RunCase(tool::bench::Bench* bench, const Options& options, const Problem& problem);

// The fastest shapes beside libgemm and cuBLASLt, and how many did not run.
std::string Table(const tool::bench::CaseResult& result, int top);

}  // namespace gemm::sweep
