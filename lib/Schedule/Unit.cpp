// The exported constant `rubato_unit`, field by field as in rubato_abi.h.
#include "rubato/Schedule/Unit.h"

#include "Lowering.h"

#include "rubato/Schedule/Passes.h"

#include "mlir/Dialect/LLVMIR/LLVMDialect.h"
#include "runtime/abi/rubato_abi.h"

using namespace mlir;
using namespace rubato;

namespace rubato {
#define GEN_PASS_DEF_SCHEDEMITUNITPASS
#include "rubato/Schedule/Passes.h.inc"
} // namespace rubato

static constexpr StringLiteral eventsAttr = "rubato.events";

int64_t rubato::countEvents(ModuleOp module) {
  int64_t count = 0;
  if (auto events = module->getAttrOfType<IntegerAttr>(eventsAttr))
    count = events.getInt();
  module.walk([&](sched::RecordOp) { ++count; });
  return count;
}

void rubato::setEvents(ModuleOp module, int64_t count) {
  module->setAttr(eventsAttr,
                  Builder(module.getContext()).getI64IntegerAttr(count));
}

UnitPrograms rubato::unitPrograms(ModuleOp module) {
  UnitPrograms programs;
  for (auto role : module.getOps<sched::RoleOp>())
    for (FlatSymbolRefAttr part : role.parts())
      programs.functions.push_back(part.getValue().str());
  if (auto unit = sched::UnitOp::of(module)) {
    programs.evaluate = unit.getEvaluate().str();
    programs.gradient = unit.getGradient().str();
  }
  return programs;
}

/// The constant table of `rb_function`, or null.
static LLVM::GlobalOp emitFunctions(ModuleOp module, OpBuilder &builder,
                                    ArrayRef<std::string> functions) {
  if (functions.empty())
    return {};
  Location loc = module.getLoc();
  Type ptr = LLVM::LLVMPointerType::get(module.getContext());
  auto row = LLVM::LLVMStructType::getLiteral(module.getContext(), {ptr, ptr});
  auto type = LLVM::LLVMArrayType::get(row, functions.size());
  SmallVector<LLVM::GlobalOp> names;
  for (const std::string &name : functions) {
    std::string text = name + '\0';
    names.push_back(LLVM::GlobalOp::create(
        builder, loc,
        LLVM::LLVMArrayType::get(builder.getI8Type(), text.size()),
        /*isConstant=*/true, LLVM::Linkage::Private, "rubato_function." + name,
        builder.getStringAttr(text)));
  }
  auto table = LLVM::GlobalOp::create(builder, loc, type, /*isConstant=*/true,
                                      LLVM::Linkage::Private,
                                      "rubato_functions", Attribute());
  OpBuilder::InsertionGuard guard(builder);
  builder.createBlock(&table.getInitializerRegion());
  Value value = LLVM::UndefOp::create(builder, loc, type);
  for (auto [i, name] : llvm::enumerate(functions)) {
    auto function = module.lookupSymbol<LLVM::LLVMFuncOp>(programSymbol(name));
    auto at = static_cast<int64_t>(i);
    value = LLVM::InsertValueOp::create(
        builder, loc, value, LLVM::AddressOfOp::create(builder, loc, names[i]),
        ArrayRef<int64_t>{at, 0});
    value = LLVM::InsertValueOp::create(
        builder, loc, value, LLVM::AddressOfOp::create(builder, loc, function),
        ArrayRef<int64_t>{at, 1});
  }
  LLVM::ReturnOp::create(builder, loc, value);
  return table;
}

LogicalResult rubato::emitUnit(ModuleOp module, StringRef manifest,
                               const UnitPrograms &programs,
                               uint64_t weightsSize) {
  Location loc = module.getLoc();
  for (StringRef name : {"rubato_unit", "rubato_manifest", "rubato_weights"})
    if (Operation *taken = SymbolTable::lookupSymbolIn(module, name))
      return taken->emitError("the name '")
             << name << "' is reserved for the compiled unit";

  OpBuilder builder = OpBuilder::atBlockEnd(module.getBody());
  Type ptr = LLVM::LLVMPointerType::get(module.getContext());
  Type i8 = builder.getI8Type(), i32 = builder.getI32Type(),
       i64 = builder.getI64Type();

  std::string text = manifest.str();
  text.push_back('\0');
  auto manifestGlobal = LLVM::GlobalOp::create(
      builder, loc, LLVM::LLVMArrayType::get(i8, text.size()),
      /*isConstant=*/true, LLVM::Linkage::Private, "rubato_manifest",
      builder.getStringAttr(text));
  auto weights = LLVM::GlobalOp::create(
      builder, loc, LLVM::LLVMArrayType::get(i8, weightsSize),
      /*isConstant=*/true, LLVM::Linkage::External, "rubato_weights",
      Attribute());

  LLVM::GlobalOp table = emitFunctions(module, builder, programs.functions);
  auto type = LLVM::LLVMStructType::getLiteral(
      module.getContext(), {i32, i32, ptr, i64, ptr, i64, ptr, ptr, ptr, i64});
  auto unit = LLVM::GlobalOp::create(builder, loc, type, /*isConstant=*/true,
                                     LLVM::Linkage::External, "rubato_unit",
                                     Attribute());
  builder.createBlock(&unit.getInitializerRegion());
  auto number = [&](Type type, uint64_t value) -> Value {
    return LLVM::ConstantOp::create(builder, loc, type,
                                    static_cast<int64_t>(value));
  };
  auto entry = [&](StringRef program) -> Value {
    auto function =
        module.lookupSymbol<LLVM::LLVMFuncOp>(programSymbol(program));
    if (!function)
      return LLVM::ZeroOp::create(builder, loc, ptr);
    return LLVM::AddressOfOp::create(builder, loc, function);
  };
  Value fields[] = {
      number(i32, RUBATO_ABI_VERSION),
      number(i32, 0),
      LLVM::AddressOfOp::create(builder, loc, manifestGlobal),
      number(i64, manifest.size()),
      LLVM::AddressOfOp::create(builder, loc, weights),
      number(i64, weightsSize),
      entry(programs.gradient),
      entry(programs.evaluate),
      table ? Value(LLVM::AddressOfOp::create(builder, loc, table))
            : Value(LLVM::ZeroOp::create(builder, loc, ptr)),
      number(i64, programs.functions.size()),
  };
  Value value = LLVM::UndefOp::create(builder, loc, type);
  for (auto [position, field] : llvm::enumerate(fields))
    value = LLVM::InsertValueOp::create(builder, loc, value, field, position);
  LLVM::ReturnOp::create(builder, loc, value);
  return success();
}

namespace {

struct SchedEmitUnit : rubato::impl::SchedEmitUnitPassBase<SchedEmitUnit> {
  using SchedEmitUnitPassBase::SchedEmitUnitPassBase;

  void runOnOperation() override {
    if (failed(emitUnit(getOperation(), manifest, {}, weightsSize)))
      signalPassFailure();
  }
};

} // namespace
