// Temporary file, fsync, rename.
#include "support/atomic_file.h"

#include <cerrno>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

namespace rubato {

static bool writeAll(int fd, const char *data, size_t size) {
  while (size > 0) {
    ssize_t written = write(fd, data, size);
    if (written < 0 && errno == EINTR)
      continue;
    if (written == 0)
      errno = ENOSPC;
    if (written <= 0)
      return false;
    data += written;
    size -= static_cast<size_t>(written);
  }
  return true;
}

/// mkostemp makes files for the owner alone; give what open() would give.
static mode_t usualMode() {
  mode_t mask = umask(0);
  umask(mask);
  return 0666 & ~mask;
}

static bool writeParts(int fd, const std::vector<FilePart> &parts) {
  for (const FilePart &part : parts)
    if (!writeAll(fd, static_cast<const char *>(part.data), part.size))
      return false;
  return true;
}

static Status failure(const std::string &path, int error) {
  std::string remedy;
  if (error == ENOSPC || error == EDQUOT || error == EFBIG)
    remedy = "; free some space or write elsewhere";
  return Status::user("cannot write '" + path + "': " + std::strerror(error) +
                      remedy);
}

/// A device or a pipe cannot be replaced, and must not be.
static Status writeInPlace(const std::string &path,
                           const std::vector<FilePart> &parts) {
  int fd = open(path.c_str(), O_WRONLY | O_CLOEXEC | O_NOCTTY);
  if (fd < 0)
    return failure(path, errno);
  bool good = writeParts(fd, parts);
  int error = errno;
  if (close(fd) != 0 && good) {
    good = false;
    error = errno;
  }
  return good ? Status::ok() : failure(path, error);
}

Status writeFileAtomically(const std::string &path,
                           const std::vector<FilePart> &parts) {
  struct stat info;
  if (stat(path.c_str(), &info) == 0 && !S_ISREG(info.st_mode) &&
      !S_ISDIR(info.st_mode))
    return writeInPlace(path, parts);
  std::string temporary = path + ".tmp-XXXXXX";
  int fd = mkostemp(temporary.data(), O_CLOEXEC);
  if (fd < 0)
    return failure(path, errno);
  bool good =
      fchmod(fd, usualMode()) == 0 && writeParts(fd, parts) && fsync(fd) == 0;
  int error = errno;
  if (close(fd) != 0 && good) {
    good = false;
    error = errno;
  }
  if (good && std::rename(temporary.c_str(), path.c_str()) != 0) {
    good = false;
    error = errno;
  }
  if (good)
    return Status::ok();
  unlink(temporary.c_str());
  return failure(path, error);
}

} // namespace rubato
