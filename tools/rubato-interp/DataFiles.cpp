// The batches of a program as the runtime's data set knows them.
#include "tools/rubato-interp/DataFiles.h"

#include "cli/option_values.h"
#include "dialects/gsync/Gsync.h"
#include "dialects/nn/TrainingSignature.h"

#include "llvm/Support/raw_ostream.h"

using namespace mlir;

namespace rubato::interp {

static FailureOr<BatchBuffer> bufferOf(const nn::TrainingSignature &gradient,
                                       unsigned index) {
  auto type = cast<RankedTensorType>(gradient.argument(index).getType());
  BatchBuffer buffer;
  buffer.name = gradient.name(index).str();
  buffer.shape = type.getShape();
  buffer.classes = gradient.role(index).getClasses();
  Type element = type.getElementType();
  if (element.isF32())
    buffer.dtype = RB_F32;
  else if (element.isF64())
    buffer.dtype = RB_F64;
  else if (element.isInteger(64))
    buffer.dtype = RB_I64;
  else
    return gradient.error() << "takes '" << buffer.name << "' as " << type
                            << ", which no file can fill";
  return buffer;
}

/// The part of a unit that files are checked against.
static FailureOr<Unit> unitOf(ModuleOp module) {
  auto gradient =
      nn::TrainingSignature::findDefined(module, nn::TrainingKind::Gradient);
  if (failed(gradient))
    return failure();
  Unit unit;
  unit.quantum = gradient->batchSize();
  for (auto [role, buffers] :
       {std::pair{nn::ArgumentRole::Input, &unit.inputs},
        std::pair{nn::ArgumentRole::Label, &unit.labels}})
    for (unsigned index : gradient->indices(role)) {
      auto buffer = bufferOf(*gradient, index);
      if (failed(buffer))
        return failure();
      buffers->push_back(std::move(*buffer));
    }
  llvm::SmallVector<Type> types = gradient->batchTypes();
  auto walk = module.walk([&](gsync::NextBatchOp op) -> WalkResult {
    if (llvm::equal(op.getResultTypes(), types))
      return WalkResult::advance();
    return op.emitError("gives other values than @gradient takes, so files "
                        "cannot fill it");
  });
  if (walk.wasInterrupted())
    return failure();
  return unit;
}

static Status readWords(const Unit &unit, const DataWords &words,
                        DatasetFiles &files) {
  for (const std::string &each : words.inputs)
    RB_TRY(addFile(unit.inputs, files.inputs, each).annotate("--input"));
  for (const std::string &each : words.labels)
    RB_TRY(addFile(unit.labels, files.labels, each).annotate("--label"));
  for (const std::string &each : words.scales)
    RB_TRY(addScale(unit, files.transforms, each).annotate("--scale"));
  for (const std::string &each : words.means)
    RB_TRY(addMean(unit, files.transforms, each).annotate("--mean"));
  for (const std::string &each : words.deviations)
    RB_TRY(addStd(unit, files.transforms, each).annotate("--std"));
  return Status::ok();
}

std::shared_ptr<const DataFiles>
DataFiles::load(ModuleOp module, const DataWords &words, Status &status) {
  FailureOr<Unit> unit = unitOf(module);
  if (failed(unit))
    return nullptr;
  DatasetFiles files;
  status = readWords(*unit, words, files);
  if (!status)
    return nullptr;
  auto result = std::make_shared<DataFiles>();
  std::vector<std::string> warnings;
  status = loadDataset(*unit, files, "", result->dataset, warnings);
  if (!status)
    return nullptr;
  for (const std::string &warning : warnings)
    llvm::errs() << "warning: " << warning << "\n";
  return result;
}

void DataFiles::copySample(unsigned index, int64_t sample, char *to,
                           int64_t row) const {
  size_t inputs = dataset.inputs.size();
  const Field &field =
      index < inputs ? dataset.inputs[index] : dataset.labels[index - inputs];
  field.copySample(sample, to, row);
}

} // namespace rubato::interp
