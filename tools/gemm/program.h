// main() of gemm, gemm-ladder and gemm-sweep, without the headers of CLI11.
#pragma once

#include <functional>
#include <memory>
#include <string>

#include "tools/gemm/flags.h"

namespace gemm::tool {

class Program {
 public:
  // The name is as the user has written it: "gemm ladder". --help ends with the exit codes.
  Program(const std::string& name, const std::string& help);

  CLI::App* app() { return app_.get(); }
  FlagSet flags() { return FlagSet(app()); }

  // Parses the arguments, which name files from the user's folder, and calls `run`. Returns the exit code, also for --help, for
  // what cannot be parsed and for what is thrown.
  int Main(int argc, char** argv, const std::function<int()>& run);

 private:
  int ParseAndRun(int argc, char** argv, const std::function<int()>& run);

  std::unique_ptr<CLI::App, DeleteApp> app_;
};

}  // namespace gemm::tool
