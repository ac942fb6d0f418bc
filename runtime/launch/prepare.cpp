#include "launch/prepare.h"

#include "state/export_onnx.h"

#include <cstdio>
#include <sys/stat.h>
#include <unistd.h>

using namespace rubato;

Status rubato::checkOutput(const char *flag, const std::string &path) {
  if (path.empty())
    return Status::ok();
  size_t slash = path.rfind('/');
  std::string folder = slash == path.npos ? "."
                       : slash == 0       ? "/"
                                          : path.substr(0, slash);
  struct stat info;
  std::string place = std::string(flag) + " " + path;
  if (stat(path.c_str(), &info) == 0 && S_ISDIR(info.st_mode))
    return Status::user(place + ": is a folder; give a file name");
  if (access(folder.c_str(), W_OK) != 0)
    return Status::user(place + ": cannot write into '" + folder +
                        "'; does it exist?");
  return Status::ok();
}

Status rubato::checkOutputs(const Unit &unit, const TrainOptions &options) {
  RB_TRY(checkOutput("--save", options.save));
  RB_TRY(checkOutput("--metrics", options.metrics));
  RB_TRY(checkOutput("--timeline", options.timeline));
  RB_TRY(checkOutput("--dump-parameters", options.dumpParameters));
  RB_TRY(checkOutput("--dump-gradients", options.dumpGradients));
  if (!options.save.empty())
    RB_TRY(checkTemplate(unit));
  if (options.lr && !unit.cell("base-lr"))
    return {ErrorCode::Usage, "--lr: this executable was compiled without a "
                              "learning rate to set"};
  return Status::ok();
}

Status rubato::loadData(const Unit &unit, const TrainOptions &options,
                        Dataset &train, Dataset &eval) {
  std::vector<std::string> warnings;
  RB_TRY(loadDataset(unit, options.train, "", train, warnings));
  if (!options.eval.inputs.empty())
    RB_TRY(loadDataset(unit, options.eval, "eval-", eval, warnings));
  for (const std::string &warning : warnings)
    std::fprintf(stderr, "warning: %s\n", warning.c_str());
  return Status::ok();
}
