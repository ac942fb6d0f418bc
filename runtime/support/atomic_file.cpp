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

Status writeFileAtomically(const std::string &path,
                           const std::vector<FilePart> &parts) {
  std::string temporary = path + ".tmp-XXXXXX";
  int fd = mkostemp(temporary.data(), O_CLOEXEC);
  if (fd < 0)
    return Status::user("cannot write '" + path + "': " + std::strerror(errno));
  bool good = fchmod(fd, usualMode()) == 0;
  for (const FilePart &part : parts)
    good =
        good && writeAll(fd, static_cast<const char *>(part.data), part.size);
  good = good && fsync(fd) == 0;
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
  std::string remedy;
  if (error == ENOSPC || error == EDQUOT || error == EFBIG)
    remedy = "; free some space or write elsewhere";
  return Status::user("cannot write '" + path + "': " + std::strerror(error) +
                      remedy);
}

} // namespace rubato
