// Calls of the runtime's C ABI and the constants they point to.
#include "AbiBuilder.h"

#include "AbiCalls.h"
#include "dialects/nn/Nn.h"
#include "rubato/Support/Stage.h"
#include "runtime/abi/rubato_abi.h"

using namespace mlir;
using namespace rubato;

AbiBuilder::AbiBuilder(ModuleOp module)
    : symbols(module), ptr(LLVM::LLVMPointerType::get(module.getContext())),
      i32(IntegerType::get(module.getContext(), 32)),
      i64(IntegerType::get(module.getContext(), 64)),
      context(module.getContext()) {}

LLVM::LLVMFuncOp AbiBuilder::function(Location loc, const Twine &name,
                                      ArrayRef<Type> more) {
  OpBuilder builder(context);
  SmallVector<Type> params{ptr};
  llvm::append_range(params, more);
  auto function = LLVM::LLVMFuncOp::create(
      builder, loc, name.str(), LLVM::LLVMFunctionType::get(i32, params),
      LLVM::Linkage::Internal);
  symbols.insert(function);
  if (!firstFunction)
    firstFunction = function;
  function.addEntryBlock(builder);
  return function;
}

void AbiBuilder::insert(Operation *symbol) {
  symbols.insert(symbol, firstFunction ? Block::iterator(firstFunction)
                                       : Block::iterator());
}

// One way out for all calls of a function: a status per call would double the
// blocks of a segment.
Block *AbiBuilder::failBlock(LLVM::LLVMFuncOp function) {
  OpBuilder builder(context);
  Block *block =
      builder.createBlock(&function.getBody(), {}, {i32}, {function.getLoc()});
  LLVM::ReturnOp::create(builder, function.getLoc(), block->getArgument(0));
  return block;
}

Value AbiBuilder::constant(OpBuilder &builder, Location loc, Type type,
                           int64_t value) {
  return LLVM::ConstantOp::create(builder, loc, type, value);
}

Value AbiBuilder::null(OpBuilder &builder, Location loc) {
  return LLVM::ZeroOp::create(builder, loc, ptr);
}

Value AbiBuilder::stack(OpBuilder &builder, Location loc, Type type,
                        int64_t count) {
  return LLVM::AllocaOp::create(builder, loc, ptr, type,
                                constant(builder, loc, i64, count));
}

void AbiBuilder::declare(Location loc, StringRef name,
                         LLVM::LLVMFunctionType type) {
  if (symbols.lookup(name))
    return;
  OpBuilder detached(context);
  insert(LLVM::LLVMFuncOp::create(detached, loc, name, type));
}

Value AbiBuilder::call(OpBuilder &builder, Location loc, StringRef callee,
                       ValueRange args) {
  if (LLVM::LLVMFunctionType type = abiSignature(callee, context))
    declare(loc, callee, type);
  // The verifier of the call compares its arguments with the declaration.
  auto function = symbols.lookup<LLVM::LLVMFuncOp>(callee);
  return LLVM::CallOp::create(builder, loc, function, args).getResult();
}

void AbiBuilder::callChecked(OpBuilder &builder, Location loc, StringRef callee,
                             ValueRange args, Block *fail) {
  Value status = call(builder, loc, callee, args);
  Value zero = constant(builder, loc, i32, 0);
  Value failed =
      LLVM::ICmpOp::create(builder, loc, LLVM::ICmpPredicate::ne, status, zero);
  // Split, not appended: blocks stay in the order of the calls, for whoever
  // reads the dump.
  Block *block = builder.getInsertionBlock();
  Block *rest = block->splitBlock(builder.getInsertionPoint());
  builder.setInsertionPointToEnd(block);
  LLVM::CondBrOp::create(builder, loc, failed, fail, ValueRange{status}, rest,
                         ValueRange{});
  builder.setInsertionPointToStart(rest);
}

LLVM::GlobalOp AbiBuilder::global(Location loc, const Twine &name, Type type,
                                  Attribute value) {
  OpBuilder builder(context);
  auto global =
      LLVM::GlobalOp::create(builder, loc, type, /*isConstant=*/true,
                             LLVM::Linkage::Private, name.str(), value);
  // Nobody compares their addresses, so the linker may fold equal ones.
  global.setUnnamedAddr(LLVM::UnnamedAddr::Global);
  insert(global);
  return global;
}

LLVM::GlobalOp AbiBuilder::structure(
    Location loc, const Twine &name,
    llvm::function_ref<SmallVector<Value>(OpBuilder &)> fields) {
  // The fields may make globals of their own, which must stand in front of the
  // one that points to them: so its body is made before it is.
  OpBuilder init(context);
  Region body;
  init.createBlock(&body);
  SmallVector<Value> values = fields(init);
  auto type = LLVM::LLVMStructType::getLiteral(
      context, llvm::to_vector(ValueRange(values).getTypes()));
  Value whole = LLVM::UndefOp::create(init, loc, type);
  for (auto [i, value] : llvm::enumerate(values))
    whole = LLVM::InsertValueOp::create(init, loc, whole, value,
                                        ArrayRef<int64_t>{int64_t(i)});
  LLVM::ReturnOp::create(init, loc, whole);
  LLVM::GlobalOp made = global(loc, name, type, Attribute());
  made.getInitializerRegion().takeBody(body);
  return made;
}

Value AbiBuilder::addressOf(OpBuilder &builder, Location loc,
                            LLVM::GlobalOp global) {
  return LLVM::AddressOfOp::create(builder, loc, global);
}

Value AbiBuilder::string(OpBuilder &builder, Location loc, StringRef text) {
  LLVM::GlobalOp &found = strings[text];
  if (!found) {
    std::string bytes = text.str();
    bytes.push_back('\0');
    auto type =
        LLVM::LLVMArrayType::get(IntegerType::get(context, 8), bytes.size());
    found = global(loc, "name." + text, type, StringAttr::get(context, bytes));
  }
  return addressOf(builder, loc, found);
}

Value AbiBuilder::kernel(OpBuilder &builder, Location loc,
                         LLVM::LLVMFuncOp function, StringRef label,
                         int64_t args) {
  // One function may be launched under several labels.
  LLVM::GlobalOp &found = kernels[(function.getSymName() + "\n" + label).str()];
  auto facts = function->getAttrOfType<nn::KernelAttr>(kKernelAttr);
  auto cost = function->getAttrOfType<IntegerAttr>(kCostAttr);
  if (!found)
    found = structure(loc, "kernel." + label, [&](OpBuilder &init) {
      auto number = [&](int64_t value) {
        return constant(init, loc, i64, value);
      };
      SmallVector<Value> fields{string(init, loc, label)};
      // Compiled for one width of vectors, and for no other device.
      fields.push_back(LLVM::AddressOfOp::create(init, loc, function));
      for (int width = RB_WIDTH_BASE + 1; width != RB_WIDTH_COUNT; ++width)
        fields.push_back(null(init, loc));
      fields.push_back(number(args));
      fields.push_back(number(facts ? facts.getSplit() : 1));
      fields.push_back(number(facts ? facts.getWorkspace() : 0));
      fields.push_back(number(cost ? cost.getInt() : 1));
      fields.push_back(null(init, loc));
      return fields;
    });
  return addressOf(builder, loc, found);
}

Value AbiBuilder::segment(OpBuilder &builder, Location loc, StringRef name,
                          ArrayRef<int32_t> values, int64_t launches) {
  return addressOf(
      builder, loc, structure(loc, "info." + name, [&](OpBuilder &init) {
        Value list = null(init, loc);
        if (!values.empty())
          list = addressOf(init, loc,
                           global(loc, "touched." + name,
                                  LLVM::LLVMArrayType::get(i32, values.size()),
                                  init.getI32TensorAttr(values)));
        return SmallVector<Value>{
            string(init, loc, name), list,
            constant(init, loc, i64, static_cast<int64_t>(values.size())),
            constant(init, loc, i64, launches)};
      }));
}

Value AbiBuilder::records(OpBuilder &builder, Location loc, const Twine &name,
                          ArrayRef<std::array<int64_t, 4>> rows) {
  if (rows.empty())
    return null(builder, loc);
  SmallVector<Attribute> values;
  for (const auto &[a, b, c, d] : rows)
    values.push_back(builder.getArrayAttr(
        {builder.getI32IntegerAttr(a), builder.getI32IntegerAttr(b),
         builder.getI64IntegerAttr(c), builder.getI64IntegerAttr(d)}));
  auto record = LLVM::LLVMStructType::getLiteral(context, {i32, i32, i64, i64});
  auto array = LLVM::LLVMArrayType::get(record, rows.size());
  return addressOf(builder, loc,
                   global(loc, name, array, builder.getArrayAttr(values)));
}
