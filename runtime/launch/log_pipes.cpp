#include "launch/log_pipes.h"

#include <cerrno>
#include <cstdio>
#include <cstring>
#include <fcntl.h>
#include <poll.h>
#include <unistd.h>

using namespace rubato;

Status LogPipes::open(int rank) {
  int ends[2];
  if (pipe2(ends, O_CLOEXEC) != 0)
    return Status::user(std::string("cannot make a pipe: ") +
                        std::strerror(errno) + "; try fewer --workers");
  fcntl(ends[0], F_SETFL, O_NONBLOCK);
  pipes.push_back({rank, ends[0], {}});
  writer = ends[1];
  return Status::ok();
}

void LogPipes::redirect() {
  dup2(writer, STDOUT_FILENO);
  dup2(writer, STDERR_FILENO);
  setvbuf(stdout, nullptr, _IOLBF, BUFSIZ);
}

void LogPipes::closeWriter() {
  if (writer >= 0)
    close(writer);
  writer = -1;
}

void LogPipes::closeAll() {
  closeWriter();
  for (Pipe &pipe : pipes)
    if (pipe.reader >= 0)
      close(pipe.reader);
  pipes.clear();
}

void LogPipes::print(Pipe &pipe, size_t end) {
  std::fprintf(stderr, "[rank %d] %.*s\n", pipe.rank, static_cast<int>(end),
               pipe.line.c_str());
}

/// Takes what is there now; false at the end of the pipe.
bool LogPipes::read(Pipe &pipe) {
  constexpr size_t longest = 4096; // a longer line is printed in parts
  char buffer[4096];
  while (true) {
    ssize_t size = ::read(pipe.reader, buffer, sizeof buffer);
    if (size < 0 && errno == EINTR)
      continue;
    if (size < 0)
      return true;
    if (size == 0)
      return false;
    pipe.line.append(buffer, static_cast<size_t>(size));
    for (size_t end; (end = pipe.line.find('\n')) != std::string::npos;) {
      print(pipe, end);
      pipe.line.erase(0, end + 1);
    }
    if (pipe.line.size() > longest) {
      print(pipe, pipe.line.size());
      pipe.line.clear();
    }
  }
}

void LogPipes::forward(std::chrono::milliseconds patience) {
  std::vector<pollfd> waits;
  for (const Pipe &pipe : pipes)
    waits.push_back({pipe.reader, POLLIN, 0}); // -1 is passed over
  if (poll(waits.data(), waits.size(), static_cast<int>(patience.count())) <= 0)
    return;
  for (size_t i = 0; i < pipes.size(); ++i)
    if (waits[i].revents && !read(pipes[i])) {
      if (!pipes[i].line.empty())
        print(pipes[i], pipes[i].line.size());
      pipes[i].line.clear();
      close(pipes[i].reader);
      pipes[i].reader = -1;
    }
}

void LogPipes::drain() {
  for (Pipe &pipe : pipes)
    if (pipe.reader >= 0) {
      read(pipe);
      if (!pipe.line.empty())
        print(pipe, pipe.line.size());
      pipe.line.clear();
    }
}
