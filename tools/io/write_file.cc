#include "tools/io/write_file.h"

#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cerrno>
#include <cstdio>
#include <cstring>
#include <filesystem>
#include <system_error>

namespace gemm::io {
namespace {

Status Refuse(const std::string& path, const char* what) {
  return Status(StatusCode::kInvalidArgument, path + ": " + what + ": " + std::strerror(errno));
}

int Create(const std::string& path) {
  return ::open(path.c_str(), O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0666);
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

// Closes `descriptor`; `path` is for the sentence.
Status WriteAndClose(int descriptor, const std::string& path, std::string_view head, std::string_view body) {
  Status status;
  if (!WriteAll(descriptor, head) || !WriteAll(descriptor, body)) status = Refuse(path, "cannot be written");
  // Some file systems report a full disk only here.
  if (::close(descriptor) != 0 && status.ok()) status = Refuse(path, "cannot be written");
  return status;
}

}  // namespace

Status WriteFile(const std::string& path, std::string_view head, std::string_view body) {
  struct stat before;
  const bool exists = ::lstat(path.c_str(), &before) == 0;
  if (exists && !S_ISREG(before.st_mode)) {
    const int descriptor = Create(path);
    return descriptor < 0 ? Refuse(path, "cannot be created") : WriteAndClose(descriptor, path, head, body);
  }
  const std::string part = path + ".part";
  const int descriptor = Create(part);
  if (descriptor < 0) return Refuse(path, "cannot be created, first as .part beside it");
  // Who may read it stays as it was; where the file system knows no such thing there is nothing to keep.
  if (exists) (void)::fchmod(descriptor, before.st_mode & 07777);
  Status status = WriteAndClose(descriptor, path, head, body);
  if (status.ok() && std::rename(part.c_str(), path.c_str()) != 0) status = Refuse(path, "cannot be replaced");
  if (!status.ok()) ::unlink(part.c_str());
  return status;
}

Status CheckFolder(const std::string& flag, const std::string& path) {
  const std::filesystem::path folder = std::filesystem::path(path).parent_path();
  std::error_code ignored;
  if (folder.empty() || std::filesystem::is_directory(folder, ignored)) return Status();
  return Status(StatusCode::kInvalidArgument,
                flag + " is '" + path + "'; there is no folder " + folder.string());
}

}  // namespace gemm::io
