// Whether executable and data are those of a recorded run.
#include "replay/record_check.h"

#include "launch/record_header.h"

using namespace rubato;

static Status odd() {
  return Status::user("the header of the run log cannot be read; was it "
                      "written by --record?");
}

/// A number or text of an object; false: it is not there, or something else.
template <class T> static bool get(const Json &json, const char *key, T &to) {
  auto found = json.is_object() ? json.find(key) : json.end();
  if (!json.is_object() || found == json.end())
    return false;
  if constexpr (std::is_same_v<T, std::string>) {
    if (!found->is_string())
      return false;
  } else if constexpr (std::is_same_v<T, bool>) {
    if (!found->is_boolean())
      return false;
  } else if (!found->is_number()) {
    return false;
  }
  to = found->template get<T>();
  return true;
}

static bool getTransforms(const Json &header, DatasetFiles &files) {
  auto found = header.find("transforms");
  if (found == header.end() || !found->is_object())
    return false;
  for (const auto &[name, json] : found->items()) {
    Transform &transform = files.transforms[name];
    if (double scale = 0; get(json, "scale", scale))
      transform.scale = scale;
    for (auto [key, list] : {std::pair{"mean", &transform.mean},
                             std::pair{"std", &transform.std}}) {
      auto numbers = json.find(key);
      if (numbers == json.end() || !numbers->is_array())
        return false;
      for (const Json &number : *numbers) {
        if (!number.is_number())
          return false;
        list->push_back(number.get<double>());
      }
    }
  }
  return true;
}

static Status checkUnit(const Unit &unit, const Json &header) {
  std::string model, producer, print, executable, ours;
  if (!get(header, "model", model) || !get(header, "producer", producer) ||
      !get(header, "unit", print) || !get(header, "executable", executable))
    return odd();
  RB_TRY(executablePrint(ours));
  if (print != unitPrint(unit))
    return Status::user("the log was recorded by another executable: " +
                        producer + ", model '" + model +
                        "', or compiled with other options; replay it with "
                        "the one that recorded it");
  if (executable != ours)
    return Status::user(
        "the log was recorded by another executable of the same model, with "
        "other code or another runtime; replay it with the one that recorded "
        "it");
  return Status::ok();
}

Status rubato::readHeader(const Unit &unit, const std::string &text,
                          RecordedRun &run) {
  Json header = Json::parse(text, nullptr, /*allow_exceptions=*/false);
  auto options = header.find("run");
  int code = 0;
  if (!header.is_object() || options == header.end() ||
      !get(header, "code", code))
    return odd();
  RB_TRY(checkUnit(unit, header));
  if (code != 0)
    return Status::user("the recorded run did not end well (exit code " +
                        std::to_string(code) +
                        "); only a run that ends can be replayed");
  double lr = 0;
  if (get(*options, "lr", lr))
    run.lr = lr;
  constexpr int64_t most = 1024;
  if (!get(*options, "workers", run.workers) || run.workers < 1 ||
      run.workers > most || !get(*options, "budget", run.budget) ||
      !get(*options, "seed", run.seed) ||
      !get(*options, "shuffle", run.shuffle) ||
      !getTransforms(header, run.data))
    return odd();
  auto data = header.find("data");
  if (data == header.end() || !data->is_array())
    return odd();
  for (const Json &each : *data) {
    std::string option, name, file;
    if (!get(each, "option", option) || !get(each, "name", name) ||
        !get(each, "file", file))
      return odd();
    (option == "input" ? run.data.inputs : run.data.labels)[name] = file;
  }
  return Status::ok();
}

Status rubato::checkData(const Job &job, const std::string &text) {
  Json header = Json::parse(text, nullptr, /*allow_exceptions=*/false);
  const Json &data = header["data"];
  for (const DataPrint &print : printsOf(job.unit, job.train)) {
    std::string file, checksum;
    int64_t samples = 0;
    for (const Json &each : data) {
      std::string option, name;
      if (get(each, "option", option) && option == print.option &&
          get(each, "name", name) && name == print.name &&
          !(get(each, "file", file) && get(each, "samples", samples) &&
            get(each, "checksum", checksum)))
        return odd();
    }
    if (checksum != print.checksum)
      return Status::user(
          "--" + print.option + " " + print.name + "=" + print.file + " (" +
          std::to_string(print.samples) +
          " samples) is not what the run was trained on: " + file + " with " +
          std::to_string(samples) + " samples; give the same data");
  }
  if (header["transforms"] != transformsJson(job.options.train))
    return Status::user("--scale, --mean and --std are not those of the "
                        "recorded run, which has " +
                        header["transforms"].dump() +
                        "; leave them out to take them from the log");
  return Status::ok();
}
