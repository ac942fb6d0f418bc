#include "train/config.h"

#include "support/dtype.h"

#include <nlohmann/json.hpp>

using namespace rubato;
using Json = nlohmann::ordered_json;

static Json buffersJson(const std::vector<BatchBuffer> &buffers) {
  Json list = Json::array();
  for (const BatchBuffer &buffer : buffers) {
    Json item = {{"name", buffer.name},
                 {"dtype", dtypeName(buffer.dtype)},
                 {"shape", buffer.shape}};
    if (buffer.classes)
      item["classes"] = buffer.classes;
    list.push_back(item);
  }
  return list;
}

static Json unitJson(const Unit &unit) {
  Json cells = Json::array(), slots = Json::array(), buckets = Json::array();
  for (const Cell &cell : unit.cells) {
    Json item = {{"name", cell.name},
                 {"role", cell.role},
                 {"dtype", dtypeName(cell.dtype)},
                 {"bytes", cell.bytes}};
    if (cell.init == "setting")
      item["default"] = cell.defaultValue;
    cells.push_back(item);
  }
  for (const Slot &slot : unit.layout)
    slots.push_back(
        {{"name", slot.name}, {"shape", slot.shape}, {"role", slot.role}});
  for (const Bucket &bucket : unit.buckets)
    buckets.push_back({{"elements", bucket.count}, {"slots", bucket.slots}});
  Json roles = Json::array();
  for (const RoleSpec &role : unit.program.roles) {
    Json strands = Json::array();
    for (const StrandSpec &strand : role.strands)
      strands.push_back(strand.name);
    roles.push_back(
        {{"name", role.name},
         {"members", role.count < 0 ? Json("workers") : Json(role.count)},
         {"strands", strands}});
  }
  return {{"producer", unit.producer},
          {"model", unit.model},
          {"options", unit.options},
          {"float", dtypeName(unit.floatType)},
          {"quantum", unit.quantum},
          {"bytes",
           {{"private", unit.regionBytes[RB_PRIVATE]},
            {"scratch", unit.regionBytes[RB_SCRATCH]},
            {"host", unit.regionBytes[RB_HOST]}}},
          {"values", unit.valueBytes},
          {"inputs", buffersJson(unit.inputs)},
          {"labels", buffersJson(unit.labels)},
          {"cells", cells},
          {"slots", slots},
          {"buckets", buckets},
          {"roles", roles}};
}

static Json filesJson(const DatasetFiles &files) {
  return {{"inputs", files.inputs}, {"labels", files.labels}};
}

std::string rubato::configText(const Unit &unit, const TrainOptions &options,
                               const TrainPlan *plan) {
  Json transforms = Json::object();
  for (const auto &[name, transform] : options.train.transforms)
    transforms[name] = {{"scale", transform.scale.value_or(1)},
                        {"mean", transform.mean},
                        {"std", transform.std}};
  const Cell *lr = unit.cell("base-lr");
  Json run = {{"workers", options.workers},
              {"device", deviceName(options.device)},
              {"train", filesJson(options.train)},
              {"eval", filesJson(options.eval)},
              {"transforms", transforms},
              {"seed", options.seed},
              {"shuffle", options.shuffle},
              {"eval-every", options.evalEvery.value_or(1)},
              {"affinity", options.affinity ? "auto" : "none"},
              {"deadline", options.deadline}};
  if (lr)
    run["lr"] = options.lr.value_or(lr->defaultValue);
  if (options.seconds)
    run["time"] = *options.seconds;
  if (options.link)
    run["link"] = {
        {"bytes-per-second", options.link->bytesPerSecond},
        {"latency", static_cast<double>(options.link->latency.count()) * 1e-9}};
  for (auto [rank, factor] : options.slow)
    run["slow"][std::to_string(rank)] = factor;
  if (plan) {
    run["samples"] = plan->samples;
    run["global-batch"] = plan->globalBatch;
    run["micro-batches-per-round"] = plan->quanta;
    run["budget"] = plan->budget;
  }
  for (auto [name, path] :
       {std::pair<const char *, const std::string *>{"save", &options.save},
        {"metrics", &options.metrics},
        {"timeline", &options.timeline},
        {"record", &options.record},
        {"dump-parameters", &options.dumpParameters},
        {"dump-gradients", &options.dumpGradients}})
    if (!path->empty())
      run[name] = *path;
  Json all = {{"compiled", unitJson(unit)}, {"run", run}};
  // File names need not be UTF-8; replace what is not.
  return all.dump(2, ' ', false, Json::error_handler_t::replace) + "\n";
}
