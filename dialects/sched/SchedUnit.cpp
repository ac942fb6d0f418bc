// Verifiers of the unit and its entries: names exist, bytes and types agree.
// What follows from the code of programs is sched-verify-unit.
#include "dialects/sched/SchedVerify.h"

#include "mlir/IR/Builders.h"
#include "mlir/IR/TypeUtilities.h"
#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/StringSet.h"

using namespace mlir;
using namespace rubato::sched;

static bool isFloat(Type type) { return type.isF32() || type.isF64(); }

/// The entry before `op` with the same key, if any: keys stand once.
template <typename Op, typename Same>
static LogicalResult checkOnce(Op op, const Twine &what, Same same) {
  for (Operation *before = op->getPrevNode(); before;
       before = before->getPrevNode())
    if (auto other = dyn_cast<Op>(before); other && same(other)) {
      InFlightDiagnostic diag = op->emitOpError(what) << " stands twice";
      diag.attachNote(other.getLoc()) << "the first one is here";
      return diag;
    }
  return success();
}

//===----------------------------------------------------------------------===//
// The unit
//===----------------------------------------------------------------------===//

UnitOp UnitOp::of(Operation *module) {
  auto units = cast<ModuleOp>(module).getOps<UnitOp>();
  return units.empty() ? UnitOp() : *units.begin();
}

/// The batch has its parts, and all of them one quantum.
static LogicalResult checkBatch(UnitOp unit, ModuleOp module) {
  llvm::DenseMap<BatchPart, unsigned> parts;
  for (auto buffer : module.getOps<BatchBufferOp>()) {
    ++parts[buffer.getPart()];
    int64_t rows = buffer.getTensorType().getDimSize(0);
    if (rows == int64_t(unit.getQuantum()))
      continue;
    InFlightDiagnostic diag = buffer.emitOpError("has ")
                              << rows << " rows, but the unit's quantum is "
                              << unit.getQuantum();
    diag.attachNote(unit.getLoc()) << "the unit is here";
    return diag;
  }
  for (BatchPart part : {BatchPart::Input, BatchPart::Label})
    if (!parts.lookup(part))
      return unit.emitOpError("needs a sched.batch_buffer ")
             << stringifyBatchPart(part);
  for (BatchPart part : {BatchPart::Weights, BatchPart::Ids})
    if (parts.lookup(part) != 1)
      return unit.emitOpError("needs one sched.batch_buffer ")
             << stringifyBatchPart(part) << ", there are "
             << parts.lookup(part);
  return success();
}

static LogicalResult checkResults(UnitOp unit, ModuleOp module) {
  auto has = [&](ResultKind kind, FlatSymbolRefAttr program) {
    return llvm::any_of(module.getOps<ResultOp>(), [&](ResultOp result) {
      return result.getKind() == kind &&
             (!program || result.getProgramAttr() == program);
    });
  };
  auto check = [&](FlatSymbolRefAttr program,
                   ArrayRef<ResultKind> kinds) -> LogicalResult {
    for (ResultKind kind : kinds)
      if (!has(kind, program))
        return unit.emitOpError("needs a sched.result ")
               << stringifyResultKind(kind) << " of " << program;
    return success();
  };
  if (failed(
          check(unit.getEvaluateAttr(),
                {ResultKind::Loss, ResultKind::Correct, ResultKind::Valid})) ||
      failed(
          check(unit.getGradientAttr(),
                {ResultKind::Gradient, ResultKind::Samples, ResultKind::Loss})))
    return failure();
  if (!has(ResultKind::Parameters, {}))
    return unit.emitOpError("needs a sched.result parameters: where the "
                            "model of a role lies");
  return success();
}

static LogicalResult checkRoles(UnitOp unit, ModuleOp module) {
  auto roles = module.getOps<RoleOp>();
  if (roles.empty())
    return unit.emitOpError("needs a sched.role: it says what members run");
  RoleOp rest;
  llvm::SmallPtrSet<Attribute, 16> programs;
  for (RoleOp role : roles) {
    if (role.takesRest()) {
      if (rest) {
        InFlightDiagnostic diag =
            role.emitOpError("takes all members that are left, as another");
        diag.attachNote(rest.getLoc()) << "the other role is here";
        return diag;
      }
      rest = role;
    }
    for (FlatSymbolRefAttr program : role.parts())
      if (!programs.insert(program).second)
        return role.emitOpError("runs ")
               << program << ", which is another part already";
  }
  return success();
}

LogicalResult UnitOp::verifySymbolUses(SymbolTableCollection &symbols) {
  auto module = cast<ModuleOp>((*this)->getParentOp());
  UnitOp first = of(module);
  if (first != *this) {
    InFlightDiagnostic diag =
        emitOpError("stands twice in the module; remove one of them");
    diag.attachNote(first.getLoc()) << "the first one is here";
    return diag;
  }
  if (failed(checkProgram(*this, symbols, "evaluate", getEvaluateAttr(),
                          /*hasGo=*/false)) ||
      failed(checkProgram(*this, symbols, "gradient", getGradientAttr(),
                          /*hasGo=*/false)))
    return failure();
  for (auto cell : module.getOps<CellOp>())
    if (cell.getRole() == CellRole::Parameter &&
        getElementTypeOrSelf(cell.getType()) != getFloatType())
      return cell.emitOpError("holds parameters of ")
             << getElementTypeOrSelf(cell.getType())
             << ", but those of the unit are " << getFloatType();
  return failure(failed(checkRoles(*this, module)) ||
                 failed(checkBatch(*this, module)) ||
                 failed(checkResults(*this, module)));
}

//===----------------------------------------------------------------------===//
// State and data
//===----------------------------------------------------------------------===//

CellInit CellOp::getInit() {
  if (getLayout())
    return CellInit::Layout;
  return getRole() == CellRole::Setting ? CellInit::Setting : CellInit::Zero;
}

LogicalResult CellOp::verify() {
  if (failed(checkElement(*this, getType())))
    return failure();
  if (getDefaultValue() && getRole() != CellRole::Setting)
    return emitOpError("has a default, which only settings have");
  if (!getLayout())
    return success();
  if (getRole() != CellRole::Parameter && getRole() != CellRole::Frozen)
    return emitOpError("has a layout, which only parameters and frozen "
                       "tensors have");
  auto flat = dyn_cast<RankedTensorType>(getType());
  if (!flat || flat.getRank() != 1 || !isFloat(flat.getElementType()))
    return emitOpError("has a layout, so it must be a flat vector of f32 or "
                       "f64, not ")
           << getType();
  return success();
}

LogicalResult CellOp::verifySymbolUses(SymbolTableCollection &symbols) {
  if (getLayout() && !symbols.lookupNearestSymbolFrom(*this, getLayoutAttr()))
    return emitOpError("names no layout: ") << getLayoutAttr();
  if (failed(checkOnce(*this, "cell \"" + getName() + "\"", [&](CellOp other) {
        return other.getName() == getName();
      })))
    return failure();
  return checkFilled(*this, symbols, getBufferAttr(), sizeOf(getType()),
                     getElementTypeOrSelf(getType()),
                     {ArenaRegion::Private, ArenaRegion::Host});
}

LogicalResult BatchBufferOp::verify() {
  RankedTensorType type = getTensorType();
  Type element = type.getElementType();
  if (failed(checkElement(*this, type)))
    return failure();
  if (type.getRank() == 0)
    return emitOpError("needs the quantum as its outermost dimension");
  if (getClasses() &&
      (getPart() != BatchPart::Label || !element.isSignlessInteger(64)))
    return emitOpError("has classes, which only labels of i64 have");
  if (getPart() == BatchPart::Weights &&
      (type.getRank() != 1 || !isFloat(element)))
    return emitOpError("holds weights, one f32 or f64 for each sample, not ")
           << type;
  if (getPart() == BatchPart::Ids &&
      (type.getRank() != 1 || !element.isSignlessInteger(64)))
    return emitOpError("holds ids, one i64 for each sample, not ") << type;
  return success();
}

LogicalResult BatchBufferOp::verifySymbolUses(SymbolTableCollection &symbols) {
  // Users name inputs and labels; one may be called "weights" or "ids", too.
  auto isData = [](BatchBufferOp op) {
    return op.getPart() == BatchPart::Input || op.getPart() == BatchPart::Label;
  };
  if (failed(checkOnce(*this, "batch buffer \"" + getName() + "\"",
                       [&](BatchBufferOp other) {
                         return other.getName() == getName() &&
                                isData(other) == isData(*this);
                       })))
    return failure();
  return checkFilled(*this, symbols, getBufferAttr(), sizeOf(getType()),
                     getTensorType().getElementType(),
                     {ArenaRegion::Private, ArenaRegion::Scratch});
}

LogicalResult ResultOp::verify() {
  auto type = cast<RankedTensorType>(getType());
  switch (getKind()) {
  case ResultKind::Loss:
    if (type.getRank() == 0 && type.getElementType().isF64())
      return success();
    return emitOpError("loss must be a tensor<f64>, not ") << type;
  case ResultKind::Correct:
  case ResultKind::Valid:
  case ResultKind::Samples:
    if (type.getRank() == 0 && type.getElementType().isSignlessInteger(64))
      return success();
    return emitOpError() << stringifyResultKind(getKind())
                         << " must be a tensor<i64>, not " << type;
  case ResultKind::Gradient:
  case ResultKind::Parameters:
    if (type.getRank() == 1 && isFloat(type.getElementType()))
      return success();
    return emitOpError() << stringifyResultKind(getKind())
                         << " must be a flat vector of f32 or f64, not "
                         << type;
  }
  llvm_unreachable("unknown kind of result");
}

LogicalResult ResultOp::verifySymbolUses(SymbolTableCollection &symbols) {
  if (!symbols.lookupNearestSymbolFrom<ProgramOp>(*this, getProgramAttr()))
    return emitOpError("names no sched.program: ") << getProgramAttr();
  // A unit has one model.
  bool any = getKind() == ResultKind::Parameters;
  if (failed(
          checkOnce(*this, stringifyResultKind(getKind()), [&](ResultOp other) {
            return other.getKind() == getKind() &&
                   (any || other.getProgramAttr() == getProgramAttr());
          })))
    return failure();
  BufferOp buffer = findBuffer(*this, symbols, getPlace().getBuffer());
  if (!buffer)
    return failure();
  // A gradient is read before anything else runs.
  if (buffer.isValue() || (buffer.getRegion() == ArenaRegion::Scratch &&
                           getKind() != ResultKind::Gradient))
    return emitOpError("must outlive its program, but ")
           << getPlace().getBuffer() << " is in the "
           << stringifyArenaRegion(buffer.getRegion()) << " region";
  int64_t offset = getPlace().getOffset(), bytes = buffer.getBytes();
  if (offset > bytes || sizeOf(getType()) > bytes - offset) {
    InFlightDiagnostic diag = emitOpError("needs ")
                              << sizeOf(getType()) << " bytes at "
                              << getPlace().getBuffer() << '[' << offset
                              << "] but the buffer has " << bytes;
    diag.attachNote(buffer.getLoc()) << "the buffer is here";
    return diag;
  }
  return checkAligned(*this, buffer, offset, getElementTypeOrSelf(getType()));
}

LogicalResult BucketOp::verifySymbolUses(SymbolTableCollection &) {
  int64_t end = 0;
  for (Operation *before = (*this)->getPrevNode(); before;
       before = before->getPrevNode())
    if (auto other = dyn_cast<BucketOp>(before)) {
      end = other.getOffset() + other.getCount();
      break;
    }
  if (int64_t(getOffset()) != end)
    return emitOpError("begins at element ")
           << getOffset() << ", but the one before ends at " << end;
  return success();
}
