#include <dlfcn.h>
#include <fmt/core.h>

#include <algorithm>
#include <cstdlib>
#include <filesystem>
#include <utility>

#include "tools/rival/cublaslt.h"

namespace gemm::rival {
namespace {

namespace fs = std::filesystem;

constexpr const char* kNames[] = {"libcublasLt.so.13", "libcublasLt.so.12"};

// Folders below `root` that may hold the library, itself first.
std::vector<fs::path> FoldersBelow(const fs::path& root) {
  std::vector<fs::path> folders = {root, root / "lib", root / "lib64", root / "targets/x86_64-linux/lib"};
  std::error_code error;
  for (const fs::path& parent : {root, root / "nvidia"}) {
    std::vector<fs::path> children;
    for (fs::directory_iterator it(parent, error), end; !error && it != end; it.increment(error)) {
      children.push_back(it->path() / "lib");
    }
    // The order of a directory is no order.
    std::sort(children.rbegin(), children.rend());
    folders.insert(folders.end(), children.begin(), children.end());
  }
  return folders;
}

std::vector<std::string> Candidates(const std::string& path) {
  std::error_code error;
  std::vector<std::string> candidates;
  std::vector<fs::path> folders;
  if (!path.empty()) {
    if (!fs::is_directory(path, error)) return {path};
    folders = FoldersBelow(path);
  } else {
    candidates.assign(std::begin(kNames), std::end(kNames));
    for (const char* variable : {"CUDA_HOME", "CUDA_PATH"}) {
      const char* home = std::getenv(variable);
      if (home != nullptr && *home != '\0') folders.push_back(fs::path(home) / "lib64");
    }
    for (const char* folder : {"/usr/local/cuda/lib64", "/usr/local/cuda/lib", "/usr/lib/x86_64-linux-gnu"}) {
      folders.emplace_back(folder);
    }
  }
  for (const char* name : kNames) {
    for (const fs::path& folder : folders) {
      if (fs::exists(folder / name, error)) candidates.push_back((folder / name).string());
    }
  }
  return candidates;
}

// The file that a loaded library came from.
std::string FileOf(void* symbol, const std::string& fallback) {
  Dl_info info;
  return ::dladdr(symbol, &info) != 0 && info.dli_fname != nullptr ? info.dli_fname : fallback;
}

}  // namespace

CublasLt::~CublasLt() {
  if (handle_ != nullptr) functions_.Destroy(handle_);
}

Status CublasLt::Resolve(void* library) {
  const auto find = [library](const char* name, auto* pointer) {
    *pointer = reinterpret_cast<std::remove_pointer_t<decltype(pointer)>>(::dlsym(library, name));
    return *pointer != nullptr;
  };
  const char* missing = nullptr;
  if (!find("cublasLtGetVersion", &functions_.GetVersion)) missing = "cublasLtGetVersion";
  if (!find("cublasLtGetStatusName", &functions_.GetStatusName)) missing = "cublasLtGetStatusName";
#define GEMM_CUBLASLT_FIND(name, parameters) \
  if (!find("cublasLt" #name, &functions_.name)) missing = "cublasLt" #name;
  GEMM_CUBLASLT_FUNCTIONS(GEMM_CUBLASLT_FIND)
#undef GEMM_CUBLASLT_FIND
  if (missing != nullptr) return Status(StatusCode::kUnsupported, fmt::format("cuBLASLt lacks {}", missing));
  return Status();
}

Status CublasLt::Load(const std::string& path, std::shared_ptr<CublasLt>* library) {
  std::string reasons;
  for (const std::string& candidate : Candidates(path)) {
    void* handle = ::dlopen(candidate.c_str(), RTLD_NOW | RTLD_LOCAL);
    if (handle == nullptr) {
      const char* reason = ::dlerror();
      if (reasons.size() < 400)
        reasons += fmt::format("{}{}", reasons.empty() ? "" : "; ", reason ? reason : candidate);
      continue;
    }
    std::shared_ptr<CublasLt> result(new CublasLt());
    Status status = result->Resolve(handle);
    if (!status.ok()) return status;
    const std::size_t version = result->functions_.GetVersion();
    // 130100 and, before 13, 120805.
    result->version_ = fmt::format("{}.{}.{}", version / 10000, version / 100 % 100, version % 100);
    result->path_ = FileOf(reinterpret_cast<void*>(result->functions_.GetVersion), candidate);
    *library = std::move(result);
    return Status();
  }
  return Status(StatusCode::kUnsupported,
                fmt::format("cuBLASLt is not here: {}",
                            reasons.empty() ? "no libcublasLt.so.13 or .12 in " + path : reasons));
}

Status CublasLt::CreateHandle() {
  return handle_ != nullptr ? Status() : Check(functions_.Create(&handle_), "cublasLtCreate");
}

Status CublasLt::Check(abi::StatusValue value, const char* call) const {
  if (value == 0) return Status();
  constexpr abi::StatusValue kNotSupported = 15;
  const char* name = functions_.GetStatusName(value);
  return Status(value == kNotSupported ? StatusCode::kUnsupported : StatusCode::kDriverError,
                fmt::format("{} failed: {}", call, name != nullptr ? name : std::to_string(value)));
}

}  // namespace gemm::rival
