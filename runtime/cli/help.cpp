// The page that --help prints: the model first, then the options.
#include "cli/options.h"
#include "data/array.h"

#include <algorithm>

using namespace rubato;

static std::string fileOption(const char *option, const BatchBuffer &buffer) {
  std::vector<int64_t> sample(buffer.shape.begin() + 1, buffer.shape.end());
  std::string text = std::string("  ") + option + " " + buffer.name + "=FILE";
  text.resize(std::max<size_t>(text.size() + 2, 27), ' ');
  if (buffer.classes > 0)
    return text + "classes 0 to " + std::to_string(buffer.classes - 1) + "\n";
  return text +
         (buffer.dtype == RB_I64   ? "int64"
          : buffer.dtype == RB_F64 ? "float64"
                                   : "float32") +
         " " + shapeText(sample) + " per sample\n";
}

std::string rubato::helpText(const Unit &unit, const std::string &program,
                             Commands commands) {
  std::string text = "Trains the model '" + unit.model +
                     "' in micro-batches of " + std::to_string(unit.quantum) +
                     " samples.\n\nUsage: " + program + " OPTIONS\n";
  for (const Command &command : commands)
    text +=
        "       " + program + " " + command.name + " " + command.usage + "\n";
  text += "       " + program +
          " replay FILE.log [OPTIONS]"
          "\n\nData: IDX or .npy files, gzipped or not\n";
  for (const BatchBuffer &buffer : unit.inputs)
    text += fileOption("--input", buffer);
  for (const BatchBuffer &buffer : unit.labels)
    text += fileOption("--label", buffer);
  text +=
      R"(  --scale NAME=V           inputs become (v * scale - mean) / std; V is a
  --mean NAME=V[,V...]     decimal or a fraction such as 1/255, one for all or
  --std NAME=V[,V...]      one per channel
  --eval-input NAME=FILE   data to evaluate on, and their labels
  --eval-label NAME=FILE
NAME= may be left out where there is one only. Samples are taken by the number
of their elements: 28x28 goes into 784.

Training
  --epochs E | --steps S   passes over the data (default 1), or rounds
  --time SECONDS           stop after so long, or at the end of the above
  --workers N              processes on this machine (default 1)
  --global-batch B         samples per round over all workers (default )" +
      std::to_string(unit.quantum) + R"( * N)
  --lr V                   learning rate before the schedule
  --seed N                 of the order of samples (default 0)
  --no-shuffle             take the samples in the order of the file
  --eval-every E           epochs between evaluations (default 1; 0: at the end)
  --deadline SECONDS       longest wait for another worker (default 60)
  --slow R:F               makes each gradient of rank R take F times as long;
                           may be given for several ranks
  --fabric KIND            processes (default), or threads of one process
  --link RATE[,LATENCY]    slows messages down as a network would, where they
                           queue: 1Gbit,2ms; 100MB; unlimited,500us
  --affinity auto|none     auto (default): with a core for each, every worker
                           keeps to cores of its own
  --threads N              of each worker; only 1 can be had yet

Results
  --save FILE.onnx         the trained model, ready for inference
  --metrics FILE.jsonl     one line per round and per evaluation
  --timeline FILE.json     what ran when, for Perfetto or chrome://tracing
  --dump-parameters FILE   trained parameters as safetensors; %r in FILE stands
                           for the rank and makes every worker write its own
  --record FILE.log        everything that came by chance, for `replay`
  --dump-gradients FILE    gradient of the first micro-batch, unshuffled; no
                           training

Other
  --device cpu|trace|apart trace prints one round instead of running it; apart
                           computes in memory out of the host's reach, on lanes
                           that run late: slow, for tests
  --device-seed N          draws the order of apart's lanes (default 0)
  --print-config           what is compiled in and what the options say, as JSON
  --quiet  --version  --help

replay FILE.log runs a recorded run again in one process, to the same bits. It
takes options of data, --save, --dump-parameters and --quiet; the log has the
rest, and the names of the data too.

Exit codes: 0 done, 1 bad input, 2 bad option, 3 unsupported, 4 a worker was
lost, 5 the loss is not finite, 70 a bug; 128 + n stopped by signal n.
)";
  return text;
}
