// Acceleration of gossip on rings: what is run, what is asked for, the verdict.
#include "Gossip.h"
#include "Page.h"

#include "llvm/Support/FormatVariadic.h"

using namespace llvm;

namespace {

/// What acceleration must be worth; the paper's abstract says 2.
constexpr double kWorth = 1.5;

GossipResults study(bool quick) {
  GossipResults results;
  results.title =
      "A2CiD2 (arXiv 2306.08289): pairwise averaging with momentum, "
      "on rings";
  results.notes = {
      "The abstract claims that on a ring acceleration is worth as much as "
      "averaging twice as often. Its experiments are ResNets; these are "
      "replicas that agree, and a quadratic with noise.",
      "Gradients take a second, give or take 5 %, and an averaging a tenth of "
      "it.",
      "Under Poisson clocks the exact worth is a rate of 1.74, 2.46 and 3.02 "
      "for 16, 32 and 64 members.",
      "R: two members may average again at once, as in the published code. N: "
      "not where both have another neighbour, the default here; then plain "
      "gossip agrees about twice as fast and acceleration adds less to that."};
  results.rates = {1, 1.5, 2, 3, 4};
  struct {
    int64_t members;
    double bar;
    int64_t plainSteps, fastSteps;
  } rings[] = {{16, 2.3, 150, 80}, {32, 4.5, 400, 170}, {64, 8, 1200, 350}};
  for (bool repeats : {true, false})
    for (auto [members, bar, plainSteps, fastSteps] : rings) {
      if (quick && (members > 32 || !repeats))
        continue;
      GossipSetting setting;
      setting.name = (repeats ? "R" : "N") + std::to_string(members);
      setting.what = "ring of " + std::to_string(members) +
                     (repeats ? ", pairs may repeat at once"
                              : ", pairs do not repeat at once");
      setting.members = members;
      setting.repeats = repeats;
      setting.bar = repeats ? bar : 0;
      setting.plainSteps = plainSteps;
      setting.fastSteps = fastSteps;
      results.settings.push_back(std::move(setting));
    }
  return results;
}

/// Where the number of a run goes.
struct Purpose {
  size_t setting, rate;
};

Verdict judge(const GossipResults &results) {
  Verdict verdict;
  verdict.reproduced = true;
  std::string sizes, ratios, bars;
  double least = Cell::never;
  for (const GossipSetting &setting : results.settings) {
    least = std::min(least, setting.equivalent(results.rates));
    // Nothing was seen of a run that is no number.
    for (double distance : setting.plain)
      verdict.reproduced &= distance > 0;
    verdict.reproduced &= setting.fast > 0;
    if (setting.bar <= 0)
      continue;
    verdict.reproduced &= setting.ratio() >= setting.bar;
    auto add = [](std::string &list, std::string item) {
      list += (list.empty() ? "" : ", ") + item;
    };
    add(sizes, std::to_string(setting.members));
    add(ratios, formatv("{0:F2}", setting.ratio()).str());
    add(bars, formatv("{0:F1}", setting.bar).str());
  }
  verdict.reproduced &= least >= kWorth;
  verdict.text = formatv(
      "with a2cid2 rings of {0} agree {1} times as fast as with gossip ({2} "
      "are "
      "asked for), and with noise it is worth {3} averagings per gradient or "
      "more ({4:F1} are asked for; the paper's abstract: 2)",
      sizes, ratios, bars,
      std::isfinite(least) ? formatv("{0:F2}", least).str()
                           : formatv("{0:F0}", results.rates.back()).str(),
      kWorth);
  return verdict;
}

} // namespace

double GossipSetting::equivalent(const std::vector<double> &rates) const {
  if (fast >= plain[0])
    return rates[0] * plain[0] / fast; // below the first; about so
  for (size_t i = 1; i != rates.size(); ++i)
    if (fast >= plain[i]) {
      double part =
          std::log(plain[i - 1] / fast) / std::log(plain[i - 1] / plain[i]);
      return rates[i - 1] * std::pow(rates[i] / rates[i - 1], part);
    }
  return Cell::never;
}

Expected<Verdict> reproduceA2cid2(const GossipOptions &options,
                                  Workshop &workshop) {
  constexpr int64_t fewSteps = 900, fewBurnIn = 300, steps = 1500, burnIn = 400;
  constexpr int64_t allSeeds = 5;
  GossipResults results = study(options.quick);
  results.seeds = options.seeds ? options.seeds : options.quick ? 1 : allSeeds;
  int64_t length = options.quick ? fewSteps : steps;

  std::vector<GossipRun> runs;
  std::vector<Purpose> purposes;
  for (size_t i = 0; i != results.settings.size(); ++i) {
    GossipSetting &setting = results.settings[i];
    setting.plain.resize(results.rates.size());
    for (int64_t seed = 0; seed != results.seeds; ++seed) {
      auto add = [&](Purpose purpose, bool accelerated, double rate,
                     int64_t count, bool apart) {
        runs.push_back({{accelerated, rate, setting.repeats},
                        setting.members,
                        count,
                        seed,
                        apart});
        purposes.push_back(purpose);
      };
      add({i, 0}, false, 1, setting.plainSteps, true);
      add({i, 0}, true, 1, setting.fastSteps, true);
      for (size_t r = 0; r != results.rates.size(); ++r)
        add({i, r}, false, results.rates[r], length, false);
      add({i, 0}, true, 1, length, false);
    }
  }
  if (Error error = GossipRuns(workshop, options.jobs).run(runs))
    return std::move(error);
  for (size_t k = 0; k != runs.size(); ++k) {
    const GossipRun &run = runs[k];
    GossipSetting &setting = results.settings[purposes[k].setting];
    bool accelerated = run.trainer.accelerated;
    double share = 1 / static_cast<double>(results.seeds);
    if (run.apart) {
      (accelerated ? setting.fastDecay : setting.plainDecay) +=
          share * run.decay();
      if (run.seed == 0)
        setting.curves[accelerated] = run.points;
    } else {
      (accelerated ? setting.fast : setting.plain[purposes[k].rate]) +=
          share * run.steady(options.quick ? fewBurnIn : burnIn);
    }
  }
  Verdict verdict = judge(results);
  printTable(outs(), results);
  if (Error error = writeReport(options.report, [&](raw_ostream &os) {
        writePage(os, results, verdict);
      }))
    return std::move(error);
  return verdict;
}
