// The page that `./train simulate --help` prints.
#include "simulate/options.h"

using namespace rubato;

std::string rubato::simulateHelpText(const std::string &program) {
  return "Trains in virtual time: all workers of a described cluster in this "
         "process, with\nreal numbers and modelled durations. The same command "
         "gives the same run.\n\nUsage: " +
         program + " simulate CLUSTER.toml OPTIONS\n       " + program +
         " simulate --cost FILE --workers N OPTIONS\n" +
         R"(
Cluster
  CLUSTER.toml             how fast workers and links are (examples/clusters)
  --cost FILE              fixed durations by name instead, as rubato-interp's
  --workers N              workers (default: those of the cluster file)
  --timing-seed T          of the durations (default: --seed)

Data and training: as without 'simulate'
  --input --label --eval-input --eval-label --scale --mean --std
  --epochs E | --steps S   passes over the data (default 1), or rounds
  --time SECONDS           of virtual time
  --rounds R               ask members to stop in round R of their first strand
  --global-batch B  --lr V  --seed N  --no-shuffle
  --replacement            draw every sample anew, instead of each once an epoch
  --scatter S              members start apart: normal numbers of deviation S are
                           added to the parameters of each; --lr may be 0

Looking on
  --observe SECONDS        evaluate the model every so many virtual seconds;
                           the run takes no notice of it
  --target V               end at the first of three such points in a row with
                           an evaluation loss of at most V

Results
  --save FILE.onnx         the trained model, ready for inference
  --dump-parameters FILE   trained parameters as safetensors; %r in FILE stands
                           for the rank
  --metrics FILE.jsonl     one line per observation, and the summary
  --report FILE.html       curves, timeline and histograms in one page
  --log FILE.jsonl         every event, as rubato-interp writes it
  --log-cells              the log has all cells after every round and drain
  --quiet  --help

Exit codes: 0 done, 1 bad input, 2 bad option, 3 unsupported, 5 the loss is not
finite, 70 a bug; 128 + n stopped by signal n.
)";
}
