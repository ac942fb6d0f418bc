// Runs ./train of the fake unit in a process of its own and keeps what it
// says.
#pragma once

#include "data/files.h"
#include "train/fake_unit.h"
#include "train/run.h"

#include <csignal>
#include <fcntl.h>
#include <sys/wait.h>
#include <unistd.h>

namespace rubato::test {

struct Outcome {
  int code = -1; // 1000 + n: killed by signal n
  std::string out, err;
};

/// Files of `samples` points in the plane: class 1 where x0 > x1.
class Program {
public:
  explicit Program(int64_t samples = 50) {
    std::vector<float> x;
    std::vector<uint8_t> y;
    uint32_t state = 1;
    auto random = [&] {
      state = state * 1664525 + 1013904223;
      return float(state >> 8) / float(1 << 24);
    };
    for (int64_t i = 0; i < samples; ++i) {
      x.push_back(random());
      x.push_back(random());
      y.push_back(x[size_t(2 * i)] > x[size_t(2 * i + 1)]);
    }
    std::string count = std::to_string(samples);
    inputs =
        folder.write("x.npy", npy("<f4", "(" + count + ", 2)", bytesOf(x)));
    labels = folder.write("y.npy", npy("|u1", "(" + count + ",)", bytesOf(y)));
  }

  /// With the data.
  Outcome train(std::vector<std::string> arguments) const {
    arguments.insert(arguments.begin(), {"--input", inputs, "--label", labels});
    return run(arguments);
  }

  Outcome run(std::vector<std::string> arguments) const {
    pid_t pid = fork();
    if (pid == 0) {
      alarm(60); // a hang fails the test instead of the whole run
      redirect("out", STDOUT_FILENO);
      redirect("err", STDERR_FILENO);
      std::vector<char *> argv = {const_cast<char *>("train")};
      for (std::string &argument : arguments)
        argv.push_back(argument.data());
      int code = runTraining(fakeUnit(), int(argv.size()), argv.data());
      std::fflush(nullptr);
      _exit(code);
    }
    int status = 0;
    waitpid(pid, &status, 0);
    return {WIFSIGNALED(status) ? 1000 + WTERMSIG(status) : WEXITSTATUS(status),
            folder.read("out"), folder.read("err")};
  }

  Folder folder;
  std::string inputs, labels;

private:
  void redirect(const char *name, int to) const {
    int fd =
        open(folder.file(name).c_str(), O_WRONLY | O_CREAT | O_TRUNC, 0600);
    dup2(fd, to);
    close(fd);
  }
};

} // namespace rubato::test
