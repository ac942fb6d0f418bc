// Runs ./train of a unit, the synchronous one if not told, in a process of its
// own and keeps what it says.
#pragma once

#include "common/hand_unit.h"
#include "common/points.h"
#include "simulate/simulate.h"
#include "train/run.h"

#include <csignal>
#include <fcntl.h>
#include <nlohmann/json.hpp>
#include <regex>
#include <sys/wait.h>
#include <unistd.h>

namespace rubato::test {

inline bool has(const std::string &text, const std::string &part) {
  return text.find(part) != text.npos;
}

inline bool matches(const std::string &text, const std::string &pattern) {
  return std::regex_search(text, std::regex(pattern));
}

/// The lines of a metrics file.
inline std::vector<nlohmann::json> linesOf(const std::string &text) {
  std::vector<nlohmann::json> lines;
  for (size_t at = 0, end; (end = text.find('\n', at)) != text.npos;
       at = end + 1)
    lines.push_back(nlohmann::json::parse(text.substr(at, end - at)));
  return lines;
}

struct Outcome {
  int code = -1; // 1000 + n: killed by signal n
  std::string out, err;
};

/// Trains on points in the plane.
class Program {
public:
  explicit Program(int64_t samples = 50, const rb_unit &unit = syncUnit())
      : points(samples), unit(unit) {}

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
      int code = runTraining(unit, int(argv.size()), argv.data(), commands);
      std::fflush(nullptr);
      _exit(code);
    }
    int status = 0;
    waitpid(pid, &status, 0);
    return {WIFSIGNALED(status) ? 1000 + WTERMSIG(status) : WEXITSTATUS(status),
            folder.read("out"), folder.read("err")};
  }

  Points points;
  Commands commands{&simulateCommand, 1};
  const Folder &folder = points.folder;
  const std::string &inputs = points.inputs, &labels = points.labels;

private:
  void redirect(const char *name, int to) const {
    int fd =
        open(folder.file(name).c_str(), O_WRONLY | O_CREAT | O_TRUNC, 0600);
    dup2(fd, to);
    close(fd);
  }

  const rb_unit &unit;
};

} // namespace rubato::test
