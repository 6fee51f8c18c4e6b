#include "tests/fake_driver/fake_driver.h"

#include <dlfcn.h>
#include <gtest/gtest.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cstdio>
#include <cstdlib>

#include "tests/fake_driver/exports.h"

namespace gemm::fake {
namespace {

struct Exports {
#define GEMM_FAKE_POINTER(type, name, parameters) type(*name) parameters = nullptr;
  GEMM_FAKE_EXPORTS(GEMM_FAKE_POINTER)
#undef GEMM_FAKE_POINTER
};

Exports exports;

std::string ExecutableFolder() {
  char path[4096];
  const ssize_t length = readlink("/proc/self/exe", path, sizeof(path));
  if (length <= 0) return "";
  const std::string whole(path, static_cast<std::size_t>(length));
  return whole.substr(0, whole.rfind('/'));
}

bool HasLibrary(const std::string& folder) { return access((folder + "/libcuda.so.1").c_str(), R_OK) == 0; }

// Runs `body` in a child and tells whether it succeeded. exit() and not _exit(): leaks are counted on the way
// out.
bool Fork(const std::function<void()>& body) {
  std::fflush(nullptr);
  const pid_t child = fork();
  if (child < 0) {
    std::perror("fork");
    return false;
  }
  if (child == 0) {
    body();
    std::exit(testing::Test::HasFailure() ? 1 : 0);
  }
  int status = 0;
  if (waitpid(child, &status, 0) != child) return false;
  if (WIFSIGNALED(status)) std::fprintf(stderr, "the child process died of signal %d\n", WTERMSIG(status));
  return WIFEXITED(status) && WEXITSTATUS(status) == 0;
}

}  // namespace

std::string FakeDriver::Folder() {
  const char* root = std::getenv("TEST_SRCDIR");
  const char* workspace = std::getenv("TEST_WORKSPACE");
  const std::string runfiles =
      root != nullptr && workspace != nullptr ? std::string(root) + "/" + workspace + "/" : std::string();
  // Under `bazel test`; in the workspace's runfiles; beside a test that was copied elsewhere.
  const std::string executable = ExecutableFolder();
  for (const std::string& folder : {runfiles + "tests/fake_driver", std::string("tests/fake_driver"),
                                    executable + "/fake_driver", executable}) {
    if (HasLibrary(folder)) return folder;
  }
  return "";
}

FakeDriver* FakeDriver::Open(std::string* why) {
  static FakeDriver driver;
  const std::string folder = Folder();
  if (folder.empty()) {
    *why = "libcuda.so.1 of //tests/fake_driver is not among this test's data";
    return nullptr;
  }
  void* library = dlopen((folder + "/libcuda.so.1").c_str(), RTLD_NOW | RTLD_LOCAL);
  if (library == nullptr) {
    *why = dlerror();
    return nullptr;
  }
#define GEMM_FAKE_FIND(type, name, parameters)                                \
  exports.name = reinterpret_cast<type(*) parameters>(dlsym(library, #name)); \
  if (exports.name == nullptr) {                                              \
    *why = "another libcuda.so.1 was loaded before the fake";                 \
    return nullptr;                                                           \
  }
  GEMM_FAKE_EXPORTS(GEMM_FAKE_FIND)
#undef GEMM_FAKE_FIND
  return &driver;
}

void FakeDriver::Set(const std::string& name, const std::string& value) {
  if (exports.gemm_fake_set(name.c_str(), value.c_str()) == 0) return;
  std::fprintf(stderr, "the fake driver has no setting %s = \"%s\"\n", name.c_str(), value.c_str());
  std::abort();
}

std::size_t FakeDriver::launch_count() const { return exports.gemm_fake_launch_count(); }
const Launch& FakeDriver::launch(std::size_t index) const {
  const Launch* launch = exports.gemm_fake_launch(index);
  if (launch != nullptr) return *launch;
  std::fprintf(stderr, "launch %zu was asked for; there were %zu\n", index, launch_count());
  std::abort();
}
void FakeDriver::Observe(LaunchObserver observer, void* user) { exports.gemm_fake_observe(observer, user); }
std::size_t FakeDriver::graph_launch_count() const { return exports.gemm_fake_graph_launch_count(); }
std::size_t FakeDriver::calls(const char* function) const { return exports.gemm_fake_calls(function); }
std::size_t FakeDriver::calls() const { return exports.gemm_fake_calls(nullptr); }
std::size_t FakeDriver::alive(const char* kind) const { return exports.gemm_fake_alive(kind); }
std::size_t FakeDriver::context_depth() const { return exports.gemm_fake_context_depth(); }

bool InChild(const std::function<void(FakeDriver&)>& body) {
  return Fork([&body] {
    std::string why;
    FakeDriver* driver = FakeDriver::Open(&why);
    ASSERT_NE(driver, nullptr) << why;
    body(*driver);
  });
}

bool InChildWithoutDriver(const std::function<void()>& body) { return Fork(body); }

}  // namespace gemm::fake
