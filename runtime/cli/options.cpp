#include "cli/options.h"

#include "cli/link.h"
#include "cli/option_values.h"
#include "data/transform.h"

using namespace rubato;

namespace {

/// One parse under way: what setters need to know.
struct Parse {
  const Unit &unit;
  TrainOptions &options;
  std::map<std::string, Transform> transforms; // of training and evaluation
};

using Setter = Status (*)(Parse &, const std::string &);
struct Option {
  const char *name;
  bool takesValue;
  Setter set;
};

constexpr int64_t manyRounds = int64_t{1} << 40;

const Option table[] = {
    {"input", true,
     [](Parse &p, const std::string &v) {
       return addFile(p.unit.inputs, p.options.train.inputs, v);
     }},
    {"label", true,
     [](Parse &p, const std::string &v) {
       return addFile(p.unit.labels, p.options.train.labels, v);
     }},
    {"eval-input", true,
     [](Parse &p, const std::string &v) {
       return addFile(p.unit.inputs, p.options.eval.inputs, v);
     }},
    {"eval-label", true,
     [](Parse &p, const std::string &v) {
       return addFile(p.unit.labels, p.options.eval.labels, v);
     }},
    {"scale", true,
     [](Parse &p, const std::string &v) {
       return addScale(p.unit, p.transforms, v);
     }},
    {"mean", true,
     [](Parse &p, const std::string &v) {
       return addMean(p.unit, p.transforms, v);
     }},
    {"std", true,
     [](Parse &p, const std::string &v) {
       return addStd(p.unit, p.transforms, v);
     }},
    {"workers", true,
     [](Parse &p, const std::string &v) {
       return number<int64_t>(v, 1, 1024, p.options.workers);
     }},
    {"global-batch", true,
     [](Parse &p, const std::string &v) {
       return number<int64_t>(v, 1, int64_t{1} << 40, p.options.globalBatch);
     }},
    {"epochs", true,
     [](Parse &p, const std::string &v) {
       return number<int64_t>(v, 1, manyRounds, p.options.epochs.emplace());
     }},
    {"steps", true,
     [](Parse &p, const std::string &v) {
       return number<int64_t>(v, 1, manyRounds, p.options.steps.emplace());
     }},
    {"time", true,
     [](Parse &p, const std::string &v) {
       return positive(v, p.options.seconds.emplace());
     }},
    {"slow", true,
     [](Parse &p, const std::string &v) { return addSlow(v, p.options.slow); }},
    {"fabric", true,
     [](Parse &p, const std::string &v) {
       if (v != "threads" && v != "processes")
         return usage("there is no fabric '" + v +
                      "'; there are threads, processes");
       p.options.fabric =
           v == "threads" ? FabricKind::Threads : FabricKind::Processes;
       return Status::ok();
     }},
    {"link", true,
     [](Parse &p, const std::string &v) {
       return parseLink(v, p.options.link.emplace());
     }},
    {"affinity", true,
     [](Parse &p, const std::string &v) {
       if (v != "auto" && v != "none")
         return usage("there is no affinity '" + v + "'; there are auto, none");
       p.options.affinity = v == "auto";
       return Status::ok();
     }},
    {"threads", true,
     [](Parse &, const std::string &v) -> Status {
       int64_t threads = 1;
       RB_TRY(number<int64_t>(v, 1, 1024, threads));
       if (threads == 1)
         return Status::ok();
       return {ErrorCode::Unsupported,
               "kernels are not split yet: one thread computes per strand of a "
               "member; use more --workers for more cores"};
     }},
    {"lr", true,
     [](Parse &p, const std::string &v) {
       return positive(v, p.options.lr.emplace());
     }},
    {"seed", true,
     [](Parse &p, const std::string &v) {
       return number<uint64_t>(v, 0, UINT64_MAX, p.options.seed);
     }},
    {"no-shuffle", false,
     [](Parse &p, const std::string &) {
       p.options.shuffle = false;
       return Status::ok();
     }},
    {"eval-every", true,
     [](Parse &p, const std::string &v) {
       return number<int64_t>(v, 0, manyRounds, p.options.evalEvery.emplace());
     }},
    {"save", true,
     [](Parse &p, const std::string &v) {
       p.options.save = v;
       return Status::ok();
     }},
    {"metrics", true,
     [](Parse &p, const std::string &v) {
       p.options.metrics = v;
       return Status::ok();
     }},
    {"timeline", true,
     [](Parse &p, const std::string &v) {
       p.options.timeline = v;
       return Status::ok();
     }},
    {"dump-parameters", true,
     [](Parse &p, const std::string &v) {
       p.options.dumpParameters = v;
       return Status::ok();
     }},
    {"dump-gradients", true,
     [](Parse &p, const std::string &v) {
       p.options.dumpGradients = v;
       return Status::ok();
     }},
    {"record", true,
     [](Parse &p, const std::string &v) {
       p.options.record = v;
       return Status::ok();
     }},
    {"device", true,
     [](Parse &p, const std::string &v) {
       for (DeviceKind kind :
            {DeviceKind::Cpu, DeviceKind::Trace, DeviceKind::Apart})
         if (v == deviceName(kind)) {
           p.options.device = kind;
           return Status::ok();
         }
       return usage("there is no device '" + v +
                    "'; there are cpu, trace, apart");
     }},
    {"device-seed", true,
     [](Parse &p, const std::string &v) {
       return number<int64_t>(v, 0, INT32_MAX, p.options.deviceSeed.emplace());
     }},
    {"deadline", true,
     [](Parse &p, const std::string &v) {
       RB_TRY(positive(v, p.options.deadline));
       constexpr double day = 86400;
       if (p.options.deadline > day)
         return usage("'" + v + "' is more than a day");
       return Status::ok();
     }},
    {"print-config", false,
     [](Parse &p, const std::string &) {
       p.options.printConfig = true;
       return Status::ok();
     }},
    {"quiet", false,
     [](Parse &p, const std::string &) {
       p.options.quiet = true;
       return Status::ok();
     }},
    {"help", false,
     [](Parse &p, const std::string &) {
       p.options.help = true;
       return Status::ok();
     }},
    {"version", false,
     [](Parse &p, const std::string &) {
       p.options.version = true;
       return Status::ok();
     }},
};

Status unknownOption(const std::string &name) {
  std::string nearest = nearestName(name, optionNames());
  return usage("unknown option --" + name +
               (nearest.empty() ? "; --help lists them"
                                : "; did you mean --" + nearest + "?"));
}

} // namespace

std::vector<std::string> rubato::optionNames() {
  std::vector<std::string> names;
  for (const Option &option : table)
    names.push_back(option.name);
  return names;
}

Status rubato::parseOptions(const Unit &unit, int argc, char **argv,
                            TrainOptions &options) {
  options = {};
  Parse parse{unit, options, {}};
  for (int i = 1; i < argc; ++i) {
    std::string argument = argv[i];
    if (argument == "-h")
      argument = "--help";
    if (argument.rfind("--", 0) != 0)
      return usage("unexpected argument '" + argument +
                   "'; every option starts with --");
    size_t equals = argument.find('=');
    bool inlined = equals != argument.npos;
    std::string name = argument.substr(2, inlined ? equals - 2 : equals);
    const Option *option = nullptr;
    for (const Option &candidate : table)
      if (name == candidate.name)
        option = &candidate;
    if (!option)
      return unknownOption(name);
    std::string value;
    if (inlined && !option->takesValue)
      return usage("--" + name + " takes no value");
    if (inlined) {
      value = argument.substr(equals + 1);
    } else if (option->takesValue) {
      if (i + 1 == argc || std::string(argv[i + 1]).rfind("--", 0) == 0)
        return usage("--" + name + " needs a value");
      value = argv[++i];
    }
    if (option->takesValue && value.empty())
      return usage("--" + name + " needs a value");
    RB_TRY(option->set(parse, value).annotate("--" + name));
  }
  if (options.epochs && options.steps)
    return usage("--epochs and --steps both say when to stop; give one");
  if (options.eval.inputs.empty() != options.eval.labels.empty())
    return usage("--eval-input and --eval-label belong together");
  if (options.deviceSeed && options.device != DeviceKind::Apart)
    return usage("--device-seed: only the device apart draws an order; say "
                 "--device apart too");
  options.train.transforms = options.eval.transforms = parse.transforms;
  return Status::ok();
}
