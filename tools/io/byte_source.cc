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

bool WriteAll(int descriptor, std::string_view bytes) {
  while (!bytes.empty()) {
    const ssize_t written = ::write(descriptor, bytes.data(), bytes.size());
    if (written < 0 && errno == EINTR) continue;
    if (written <= 0) return false;
    bytes.remove_prefix(static_cast<std::size_t>(written));
  }
  return true;
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

Status WriteFile(const std::string& path, std::string_view head, std::string_view body) {
  const int descriptor = ::open(path.c_str(), O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0666);
  if (descriptor < 0) return Refuse(path, "cannot be created");
  Status status;
  if (!WriteAll(descriptor, head) || !WriteAll(descriptor, body)) status = Refuse(path, "cannot be written");
  // Some file systems report a full disk only here.
  if (::close(descriptor) != 0 && status.ok()) status = Refuse(path, "cannot be written");
  struct stat info;
  // A device such as /dev/full stays.
  if (!status.ok() && ::lstat(path.c_str(), &info) == 0 && S_ISREG(info.st_mode)) ::unlink(path.c_str());
  return status;
}

}  // namespace gemm::io
