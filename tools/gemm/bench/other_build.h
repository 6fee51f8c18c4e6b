// Another build of libgemm.so, timed beside the one that this program is linked with.
#pragma once

#include <cstddef>
#include <memory>
#include <string>

#include "gemm/gemm.h"

namespace gemm::tool::bench {

// The members of gemm::Plan that a case needs, of that build: its plans are this program's objects, made and used through here alone,
// and are gone before it. Any number of threads may use it.
class OtherBuild {
 public:
  // Loads the library at `path`, which is a file's even without a slash. Refuses what is no libgemm, and one of another version than this
  // program's. Nothing tells a library of that version whose include/gemm declares other things: with it behaviour is undefined.
  static Status Load(const std::string& path, std::unique_ptr<const OtherBuild>* build);
  ~OtherBuild();
  OtherBuild(const OtherBuild&) = delete;
  OtherBuild& operator=(const OtherBuild&) = delete;

  // `options.tuning` must be empty: its insides are this program's.
  Status Create(const Problem& problem, const PlanOptions& options, Plan* plan) const {
    return create_(problem, options, plan);
  }
  Status Run(const Plan& plan, const Arguments& args) const { return run_(&plan, args); }
  std::size_t workspace_size(const Plan& plan) const { return workspace_size_(&plan); }
  const char* kernel_name(const Plan& plan) const { return kernel_name_(&plan); }
  const char* kernel_name_with_c(const Plan& plan) const { return kernel_name_with_c_(&plan); }

 private:
  explicit OtherBuild(void* library) : library_(library) {}
  // The name of a function that the library lacks, or null.
  const char* Resolve();

  void* library_;
  // In the Itanium C++ ABI `this` is the first argument of a member; a pointer to a member cannot be made of an address.
  const char* (*version_)() = nullptr;
  Status (*create_)(const Problem& problem, const PlanOptions& options, Plan* plan) = nullptr;
  Status (*run_)(const Plan* plan, const Arguments& args) = nullptr;
  std::size_t (*workspace_size_)(const Plan* plan) = nullptr;
  const char* (*kernel_name_)(const Plan* plan) = nullptr;
  const char* (*kernel_name_with_c_)(const Plan* plan) = nullptr;
};

}  // namespace gemm::tool::bench
