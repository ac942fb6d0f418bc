// A regular file mapped for reading.
#include "MappedFile.h"

#include <cerrno>
#include <cstring>
#include <fcntl.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

using namespace rubato::onnx;

std::unique_ptr<MappedFile> MappedFile::open(const std::string &path,
                                             std::string &problem) {
  // Without O_NONBLOCK opening a pipe would wait for a writer.
  int descriptor = ::open(path.c_str(), O_RDONLY | O_CLOEXEC | O_NONBLOCK);
  if (descriptor < 0) {
    problem = std::strerror(errno);
    return nullptr;
  }
  std::unique_ptr<MappedFile> file(new MappedFile);
  file->name = path;
  struct stat status{};
  if (::fstat(descriptor, &status) != 0)
    problem = std::strerror(errno);
  else if (!S_ISREG(status.st_mode))
    problem = "not a regular file";
  file->size = static_cast<size_t>(status.st_size);
  if (problem.empty() && file->size > 0) {
    void *address =
        ::mmap(nullptr, file->size, PROT_READ, MAP_PRIVATE, descriptor, 0);
    if (address == MAP_FAILED)
      problem = std::strerror(errno);
    else
      file->data = static_cast<const char *>(address);
  }
  ::close(descriptor);
  return problem.empty() ? std::move(file) : nullptr;
}

MappedFile::~MappedFile() {
  if (data)
    ::munmap(const_cast<char *>(data), size);
}
