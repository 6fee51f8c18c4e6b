// Another build of libgemm.so, timed beside the one that this program is linked with.
#pragma once

#include <memory>
#include <string>

#include "gemm/gemm.h"

namespace gemm::tool::bench {

// Any thread may use it; its library stays loaded until it and its plans are gone.
class OtherBuild : public std::enable_shared_from_this<OtherBuild> {
 public:
  // A plan of that build; members as gemm::Plan's.
  class Plan {
   public:
    virtual ~Plan() = default;
    virtual Status Run(const Arguments& args) const = 0;
    virtual std::string kernel_name() const = 0;
    virtual std::size_t workspace_size() const = 0;
  };

  // Loads the library at `path`; without a slash the dynamic loader searches for it. Refuses what is no libgemm, and one of another version
  // than this program's. Nothing tells a library of that version whose include/gemm declares other things: with it behaviour is undefined.
  static Status Load(const std::string& path, std::shared_ptr<const OtherBuild>* build);
  ~OtherBuild();

  // As gemm::Plan::Create. `options.tuning` must be empty: its insides are this program's.
  Status CreatePlan(const Problem& problem, const PlanOptions& options,
                    std::shared_ptr<const Plan>* plan) const;

  const std::string& path() const { return path_; }

 private:
  struct Functions;
  OtherBuild(std::string path, void* handle, std::unique_ptr<const Functions> functions);

  std::string path_;
  void* handle_;
  std::unique_ptr<const Functions> functions_;
};

}  // namespace gemm::tool::bench
