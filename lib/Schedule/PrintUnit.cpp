// The entries of a unit as JSON: the body of its manifest.
#include "PrintUnit.h"

#include "dialects/sched/Sched.h"
#include "rubato/Schedule/Unit.h"

#include "mlir/IR/TypeUtilities.h"

using namespace mlir;
using namespace rubato;
namespace json = llvm::json;

json::Value rubato::toJson(Attribute attribute) {
  if (auto dictionary = dyn_cast<DictionaryAttr>(attribute)) {
    json::Object object;
    for (NamedAttribute entry : dictionary)
      object[entry.getName().getValue()] = toJson(entry.getValue());
    return object;
  }
  if (auto array = dyn_cast<ArrayAttr>(attribute)) {
    json::Array list;
    for (Attribute element : array)
      list.push_back(toJson(element));
    return list;
  }
  if (auto string = dyn_cast<StringAttr>(attribute))
    return string.getValue();
  if (auto boolean = dyn_cast<BoolAttr>(attribute))
    return boolean.getValue();
  if (auto integer = dyn_cast<IntegerAttr>(attribute))
    return integer.getInt();
  if (auto number = dyn_cast<FloatAttr>(attribute))
    return number.getValueAsDouble();
  return nullptr;
}

namespace {

/// Prints the entries of a unit; all their names lead somewhere.
class Printer {
public:
  explicit Printer(ModuleOp module) : module(module), symbols(module) {}

  json::Object unit();

private:
  json::Object cell(sched::CellOp cell);
  json::Object batchBuffer(sched::BatchBufferOp buffer);
  json::Object batch();
  json::Object result(sched::ResultOp result);
  json::Object results(FlatSymbolRefAttr program);
  json::Array buckets();
  json::Object program(sched::UnitOp unit);
  json::Object role(sched::RoleOp role);
  json::Object strand(sched::StrandOp strand);
  json::Object frame(sched::FrameOp frame);
  json::Object channel(sched::ChannelOp channel);
  json::Object policy(sched::PolicyOp policy);
  json::Object rendezvous(sched::RendezvousOp place);
  json::Array values();

  /// All entries of a kind, in the order of the text.
  template <typename Op> json::Array list(json::Object (Printer::*print)(Op)) {
    json::Array entries;
    for (Op op : module.getOps<Op>())
      entries.push_back((this->*print)(op));
    return entries;
  }

  sched::BufferOp buffer(FlatSymbolRefAttr name) {
    return symbols.lookup<sched::BufferOp>(name.getAttr());
  }
  json::Object place(FlatSymbolRefAttr name, int64_t offset = 0) {
    sched::BufferOp at = buffer(name);
    return json::Object{
        {"region", sched::stringifyArenaRegion(at.getRegion())},
        {"offset", static_cast<int64_t>(at.getOffset()) + offset}};
  }
  static StringRef dtype(Type type) {
    Type element = getElementTypeOrSelf(type);
    return element.isF32() ? "f32" : element.isF64() ? "f64" : "i64";
  }
  /// The position of a part in the table of functions; -1 for none.
  int64_t function(FlatSymbolRefAttr program);

  ModuleOp module;
  SymbolTable symbols;
};

} // namespace

//===----------------------------------------------------------------------===//
// What lies where
//===----------------------------------------------------------------------===//

json::Object Printer::cell(sched::CellOp cell) {
  json::Object entry = place(cell.getBufferAttr());
  entry["name"] = cell.getName();
  entry["role"] = sched::stringifyCellRole(cell.getRole());
  entry["bytes"] =
      static_cast<int64_t>(buffer(cell.getBufferAttr()).getBytes());
  entry["dtype"] = dtype(cell.getType());
  entry["init"] = sched::stringifyCellInit(cell.getInit());
  if (cell.getDefaultValueAttr())
    entry["default"] = toJson(cell.getDefaultValueAttr());
  return entry;
}

json::Object Printer::batchBuffer(sched::BatchBufferOp buffer) {
  json::Object entry = place(buffer.getBufferAttr());
  entry["name"] = buffer.getName();
  entry["dtype"] = dtype(buffer.getType());
  entry["shape"] = json::Array(buffer.getTensorType().getShape());
  if (auto classes = buffer.getClasses())
    entry["classes"] = static_cast<int64_t>(*classes);
  return entry;
}

json::Object Printer::batch() {
  json::Array inputs, labels;
  json::Object batch;
  for (auto buffer : module.getOps<sched::BatchBufferOp>()) {
    json::Object entry = batchBuffer(buffer);
    switch (buffer.getPart()) {
    case sched::BatchPart::Input:
      inputs.push_back(std::move(entry));
      break;
    case sched::BatchPart::Label:
      labels.push_back(std::move(entry));
      break;
    case sched::BatchPart::Weights:
    case sched::BatchPart::Ids:
      batch[sched::stringifyBatchPart(buffer.getPart())] = std::move(entry);
      break;
    }
  }
  batch["inputs"] = std::move(inputs);
  batch["labels"] = std::move(labels);
  return batch;
}

json::Object Printer::result(sched::ResultOp result) {
  return place(result.getPlace().getBuffer(), result.getPlace().getOffset());
}

/// What a program leaves. A gradient is the place itself, others are beside it.
json::Object Printer::results(FlatSymbolRefAttr program) {
  json::Object entry;
  for (auto each : module.getOps<sched::ResultOp>()) {
    if (each.getProgramAttr() != program)
      continue;
    if (each.getKind() == sched::ResultKind::Gradient)
      for (auto &[key, value] : result(each))
        entry[key] = value;
    else
      entry[sched::stringifyResultKind(each.getKind())] = result(each);
  }
  return entry;
}

json::Array Printer::buckets() {
  json::Array buckets;
  for (auto bucket : module.getOps<sched::BucketOp>())
    buckets.push_back(
        json::Object{{"offset", static_cast<int64_t>(bucket.getOffset())},
                     {"count", static_cast<int64_t>(bucket.getCount())},
                     {"slots", toJson(bucket.getSlots())}});
  return buckets;
}

/// Bytes of values by their numbers.
json::Array Printer::values() {
  SmallVector<std::pair<int64_t, int64_t>> numbered;
  for (auto buffer : module.getOps<sched::BufferOp>())
    if (buffer.isValue())
      numbered.push_back({buffer.getOffset(), buffer.getBytes()});
  llvm::sort(numbered);
  json::Array bytes;
  for (auto [number, size] : numbered)
    bytes.push_back(size);
  return bytes;
}

//===----------------------------------------------------------------------===//
// Who runs what
//===----------------------------------------------------------------------===//

int64_t Printer::function(FlatSymbolRefAttr program) {
  if (!program)
    return -1;
  auto functions = unitPrograms(module).functions;
  return llvm::find(functions, program.getValue()) - functions.begin();
}

json::Object Printer::frame(sched::FrameOp frame) {
  json::Array values;
  for (Type type : frame.getTypes().getAsValueRange<TypeAttr>()) {
    auto tensor = dyn_cast<RankedTensorType>(type);
    int64_t count = tensor ? tensor.getNumElements() : 1;
    values.push_back(json::Object{{"dtype", dtype(type)}, {"count", count}});
  }
  json::Object entry = place(frame.getBufferAttr());
  entry["name"] = frame.getName();
  entry["kind"] = sched::stringifyFrameKind(frame.getKind());
  entry["values"] = std::move(values);
  return entry;
}

json::Object Printer::strand(sched::StrandOp strand) {
  json::Array polls, frames;
  for (sched::FrameOp each : strand.frames())
    frames.push_back(frame(each));
  if (auto channels = strand.getPollsAttr())
    for (auto channel : channels.getAsRange<FlatSymbolRefAttr>())
      polls.push_back(channel.getValue());
  return json::Object{{"name", strand.getName()},
                      {"function", function(strand.getProgramAttr())},
                      {"cursor", strand.getCursor()},
                      {"lockstep", strand.getLockstep()},
                      {"polls", std::move(polls)},
                      {"frame", std::move(frames)}};
}

json::Object Printer::role(sched::RoleOp role) {
  json::Array strands;
  for (sched::StrandOp each : role.strands())
    strands.push_back(strand(each));
  return json::Object{{"name", role.getSymName()},
                      {"count", role.getCountAttr().getInt()},
                      {"host", role.getOnHost()},
                      {"init", function(role.getInitAttr())},
                      {"drain", function(role.getDrainAttr())},
                      {"model", function(role.getModelAttr())},
                      {"strands", std::move(strands)}};
}

json::Object Printer::channel(sched::ChannelOp channel) {
  return json::Object{
      {"name", channel.getSymName()},
      {"kind", sched::stringifyChannelKind(channel.getKind())},
      {"server", channel.getServer().value_or("")},
      {"bytes", static_cast<int64_t>(channel.getBytes().value_or(0))},
      {"exempt", static_cast<int64_t>(channel.getExempt().value_or(0))},
      {"ahead", channel.getAhead() ? static_cast<int64_t>(*channel.getAhead())
                                   : int64_t(-1)}};
}

json::Object Printer::policy(sched::PolicyOp policy) {
  auto types = [](ArrayRef<Type> list) {
    json::Array names;
    for (Type type : list)
      names.push_back(type.isInteger(1) ? "i1" : dtype(type));
    return names;
  };
  json::Array entries, askers;
  for (auto entry : policy.getEntries().getOps<sched::EntryOp>()) {
    auto signature = cast<FunctionType>(entry.getSignature());
    entries.push_back(json::Object{{"name", entry.getSymName()},
                                   {"inputs", types(signature.getInputs())},
                                   {"outputs", types(signature.getResults())}});
  }
  if (auto roles = policy.getAskersAttr())
    for (auto role : roles.getAsRange<FlatSymbolRefAttr>())
      askers.push_back(role.getValue());
  DictionaryAttr settings = policy.getSettingsAttr();
  return json::Object{
      {"name", policy.getSymName()},
      {"kind", policy.getKind()},
      {"placement", sched::stringifyPolicyPlacement(policy.getPlacement())},
      {"settings", settings ? toJson(settings) : json::Object()},
      {"entries", std::move(entries)},
      {"askers", std::move(askers)}};
}

json::Object Printer::rendezvous(sched::RendezvousOp place) {
  json::Array strands;
  if (auto programs = place.getStrandsAttr())
    for (auto role : module.getOps<sched::RoleOp>())
      for (sched::StrandOp each : role.strands())
        if (llvm::is_contained(programs, each.getProgramAttr()))
          strands.push_back((role.getSymName() + "." + each.getName()).str());
  return json::Object{{"name", place.getSymName()},
                      {"strands", std::move(strands)}};
}

json::Object Printer::program(sched::UnitOp unit) {
  return json::Object{
      {"functions", json::Array(unitPrograms(module).functions)},
      {"roles", list(&Printer::role)},
      {"channels", list(&Printer::channel)},
      {"policies", list(&Printer::policy)},
      {"rendezvous", list(&Printer::rendezvous)},
      {"locks", static_cast<int64_t>(unit.getLocks())},
      {"commits", unit.getCommits()}};
}

json::Object Printer::unit() {
  sched::UnitOp unit = sched::UnitOp::of(module);
  json::Object manifest{{"quantum", static_cast<int64_t>(unit.getQuantum())},
                        {"float", dtype(unit.getFloatType())},
                        {"cells", list(&Printer::cell)},
                        {"batch", batch()},
                        {"gradient", results(unit.getGradientAttr())},
                        {"evaluate", results(unit.getEvaluateAttr())}};
  if (json::Array parts = buckets(); !parts.empty())
    manifest["buckets"] = std::move(parts);
  manifest["program"] = program(unit);
  manifest["values"] = values();
  for (auto each : module.getOps<sched::ResultOp>())
    if (each.getKind() == sched::ResultKind::Parameters)
      manifest["parameters"] = result(each);
  return manifest;
}

json::Object rubato::printUnit(ModuleOp module) {
  return Printer(module).unit();
}
