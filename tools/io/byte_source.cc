#include "tools/io/byte_source.h"

#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cerrno>
#include <cstring>

namespace gemm::io {
namespace {

Status Refuse(const std::string& path, const char* what) {
  return Status(StatusCode::kInvalidArgument, path + ": " + what + ": " + std::strerror(errno));
}

}  // namespace

File::~File() {
  if (descriptor_ >= 0) ::close(descriptor_);
}

Status File::Open(const std::string& path) {
  path_ = path;
  // Without O_NONBLOCK, opening a pipe would wait for its writer before it could be refused.
  descriptor_ = ::open(path.c_str(), O_RDONLY | O_CLOEXEC | O_NONBLOCK);
  if (descriptor_ < 0) return Refuse(path, "cannot be opened");
  struct stat info;
  if (::fstat(descriptor_, &info) != 0) return Refuse(path, "cannot be examined");
  if (!S_ISREG(info.st_mode)) return Status(StatusCode::kInvalidArgument, path + ": is not a regular file");
  size_ = static_cast<std::uint64_t>(info.st_size);
  return Status();
}

Status File::Read(std::uint64_t offset, std::size_t count, void* to) const {
  char* out = static_cast<char*>(to);
  while (count > 0) {
    const ssize_t got = ::pread(descriptor_, out, count, static_cast<off_t>(offset));
    if (got < 0 && errno == EINTR) continue;
    if (got < 0) return Refuse(path_, "cannot be read");
    if (got == 0) return Status(StatusCode::kInvalidArgument, path_ + ": became shorter while it was read");
    out += got;
    offset += static_cast<std::uint64_t>(got);
    count -= static_cast<std::size_t>(got);
  }
  return Status();
}

Status Memory::Read(std::uint64_t offset, std::size_t count, void* to) const {
  if (offset > bytes_.size() || count > bytes_.size() - offset) {
    return Status(StatusCode::kInternal, "a reader asked for bytes outside its source");
  }
  if (count > 0) std::memcpy(to, bytes_.data() + offset, count);
  return Status();
}

}  // namespace gemm::io
