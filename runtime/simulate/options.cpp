// What only a simulation knows is read here, the rest by ./train's own parser.
#include "simulate/options.h"

#include "cli/option_values.h"

#include <algorithm>

using namespace rubato;

namespace {

using Setter = Status (*)(SimulateOptions &, const std::string &);
struct Option {
  const char *name;
  Setter set;
  bool shared = false; // ./train has an option of this name too
};

Status file(std::string &to, const std::string &value) {
  to = value;
  return Status::ok();
}

const Option table[] = {
    {"cost",
     [](SimulateOptions &o, const std::string &v) { return file(o.cost, v); }},
    {"workers",
     [](SimulateOptions &o, const std::string &v) {
       return number<int64_t>(v, 1, 1024, o.workers.emplace());
     },
     true},
    {"rounds",
     [](SimulateOptions &o, const std::string &v) {
       return number<int64_t>(v, 1, int64_t{1} << 40, o.rounds);
     }},
    {"timing-seed",
     [](SimulateOptions &o, const std::string &v) {
       return number<uint64_t>(v, 0, UINT64_MAX, o.timingSeed.emplace());
     }},
    {"observe",
     [](SimulateOptions &o, const std::string &v) {
       return positive(v, o.observe.emplace());
     }},
    {"target",
     [](SimulateOptions &o, const std::string &v) {
       return positive(v, o.target.emplace());
     }},
    {"scatter",
     [](SimulateOptions &o, const std::string &v) {
       return positive(v, o.scatter.emplace());
     }},
    {"lr",
     [](SimulateOptions &o, const std::string &v) {
       // To see how members agree when nothing is learned.
       RB_TRY(parseNumber(v, o.lr.emplace()));
       return *o.lr >= 0 ? Status::ok()
                         : usage("'" + v + "' must be 0 or more");
     }},
    {"log",
     [](SimulateOptions &o, const std::string &v) { return file(o.log, v); }},
    {"report", [](SimulateOptions &o,
                  const std::string &v) { return file(o.report, v); }},
};

/// Options of ./train that say how real workers run.
const char *const realOnly[] = {
    "record",     "slow",     "fabric",       "timeline", "dump-gradients",
    "eval-every", "deadline", "print-config", "device",   "link",
    "affinity",   "threads",  "device-seed"};

/// Takes the simulation's options out of `arguments`; the rest stays.
Status takeOwn(std::vector<std::string> &arguments, SimulateOptions &options) {
  std::vector<std::string> rest;
  for (size_t i = 0; i < arguments.size(); ++i) {
    const std::string &argument = arguments[i];
    bool isOption = argument.rfind("--", 0) == 0;
    size_t equals = argument.find('=');
    bool inlined = isOption && equals != argument.npos;
    std::string name =
        isOption ? argument.substr(2, inlined ? equals - 2 : equals) : "";
    if (std::ranges::find(realOnly, name) != std::end(realOnly))
      return usage("--" + name +
                   " is for real runs; simulate --help lists "
                   "what a simulation understands");
    if (argument == "--log-cells" || argument == "--replacement") {
      (name == "log-cells" ? options.logCells : options.replacement) = true;
      continue;
    }
    const Option *option = std::ranges::find_if(
        table, [&](const Option &each) { return name == each.name; });
    if (option == std::end(table)) {
      rest.push_back(argument);
      continue;
    }
    std::string value;
    if (inlined)
      value = argument.substr(equals + 1);
    else if (i + 1 < arguments.size() && arguments[i + 1].rfind("--", 0) != 0)
      value = arguments[++i];
    if (value.empty())
      return usage("--" + name + " needs a value");
    RB_TRY(option->set(options, value).annotate("--" + name));
    if (option->shared)
      rest.push_back("--" + name + "=" + value);
  }
  arguments = std::move(rest);
  return Status::ok();
}

Status check(const Unit &unit, const SimulateOptions &options) {
  if (options.cluster.empty() == options.cost.empty())
    return usage(options.cluster.empty()
                     ? "what is simulated? give a cluster file right behind "
                       "'simulate', or --cost FILE --workers N"
                     : "a cluster file and --cost both say how long things "
                       "take; give one");
  if (options.cluster.empty() && !options.workers)
    return usage("--cost needs --workers N: a cost table does not say how "
                 "many there are");
  bool evaluates = !options.train.eval.inputs.empty();
  if (options.observe && !evaluates)
    return usage("--observe evaluates the model: give --eval-input and "
                 "--eval-label");
  if (options.target && !options.observe)
    return usage("--target is looked for on the grid of --observe SECONDS");
  if (options.logCells && options.log.empty())
    return usage("--log-cells adds to the lines of --log FILE");
  if (options.replacement && !options.train.shuffle)
    return usage("--replacement draws samples, --no-shuffle takes them in "
                 "order; give one");
  if (options.rounds && options.train.steps)
    return usage("--rounds and --steps both say when to stop; give one");
  if (options.scatter && unit.program.roles.size() > 1)
    return usage("--scatter: members with a server compute with its parameters "
                 "and have no first values of their own; it is for programs "
                 "in which all members have one role");
  return Status::ok();
}

} // namespace

Status rubato::parseSimulateOptions(const Unit &unit, int argc, char **argv,
                                    SimulateOptions &options) {
  options = {};
  std::vector<std::string> arguments(argv + 1, argv + argc);
  if (!arguments.empty() && arguments[0].rfind('-', 0) != 0) {
    options.cluster = arguments[0];
    arguments.erase(arguments.begin());
  }
  RB_TRY(takeOwn(arguments, options));
  std::vector<char *> rest{argv[0]};
  for (std::string &argument : arguments)
    rest.push_back(argument.data());
  RB_TRY(parseOptions(unit, static_cast<int>(rest.size()), rest.data(),
                      options.train));
  if (options.lr)
    options.train.lr = options.lr;
  options.help = options.train.help;
  return options.help ? Status::ok() : check(unit, options);
}
