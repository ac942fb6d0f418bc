#include "data/mapping.h"

#include <cerrno>
#include <cstring>
#include <fcntl.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

using namespace rubato;

Status Mapping::file(const std::string &path, std::shared_ptr<Mapping> &to) {
  // O_NONBLOCK: opening a pipe must not hang before we can refuse it.
  int fd = open(path.c_str(), O_RDONLY | O_CLOEXEC | O_NONBLOCK);
  if (fd < 0)
    return Status::user(path + ": cannot open: " + std::strerror(errno));
  struct stat info;
  if (fstat(fd, &info) != 0 || !S_ISREG(info.st_mode)) {
    close(fd);
    return Status::user(path + ": is not a regular file");
  }
  if (info.st_size == 0) {
    close(fd);
    return Status::user(path + ": is empty");
  }
  auto size = static_cast<size_t>(info.st_size);
  void *data = mmap(nullptr, size, PROT_READ, MAP_PRIVATE, fd, 0);
  int error = errno;
  close(fd);
  if (data == MAP_FAILED)
    return Status::user(path + ": cannot map: " + std::strerror(error));
  to = std::make_shared<Mapping>(static_cast<char *>(data), size);
  return Status::ok();
}

Status Mapping::anonymous(size_t size, const std::string &purpose,
                          std::shared_ptr<Mapping> &to) {
  void *data = mmap(nullptr, size, PROT_READ | PROT_WRITE,
                    MAP_SHARED | MAP_ANONYMOUS, -1, 0);
  if (data == MAP_FAILED)
    return Status::user(purpose + ": cannot get " + std::to_string(size) +
                        " bytes of memory: " + std::strerror(errno));
  to = std::make_shared<Mapping>(static_cast<char *>(data), size);
  return Status::ok();
}

Mapping::~Mapping() { munmap(data_, size_); }
