// Signatures from the C declarations themselves, so that the two cannot differ.
#include "AbiCalls.h"

#include "runtime/abi/rubato_abi.h"

#include "mlir/IR/BuiltinTypes.h"
#include "llvm/ADT/StringMap.h"

#include <type_traits>

using namespace mlir;

namespace {

template <typename T> Type typeOf(MLIRContext *context) {
  if constexpr (std::is_pointer_v<T>)
    return LLVM::LLVMPointerType::get(context);
  else if constexpr (std::is_same_v<T, double>)
    return Float64Type::get(context);
  else {
    static_assert(std::is_same_v<T, int32_t> || std::is_same_v<T, int64_t>,
                  "the C ABI passes pointers, i32, i64 and f64");
    return IntegerType::get(context, sizeof(T) * 8);
  }
}

using Signature = LLVM::LLVMFunctionType (*)(MLIRContext *);

template <typename Function> struct SignatureOf;
template <typename Result, typename... Params>
struct SignatureOf<Result(Params...)> {
  static LLVM::LLVMFunctionType get(MLIRContext *context) {
    return LLVM::LLVMFunctionType::get(typeOf<Result>(context),
                                       {typeOf<Params>(context)...});
  }
};

struct Row {
  llvm::StringRef name;
  Signature signature;
};

constexpr Row rows[] = {
#define RB_FACT(type, name, tag, method)                                       \
  {"rb_" #name, &SignatureOf<decltype(rb_##name)>::get},
#define RB_CALL(result, name, params)                                          \
  {"rb_" #name, &SignatureOf<decltype(rb_##name)>::get},
#include "runtime/abi/calls.def"
};

} // namespace

LLVM::LLVMFunctionType rubato::abiSignature(llvm::StringRef name,
                                            MLIRContext *context) {
  static const auto byName = [] {
    llvm::StringMap<Signature> map;
    for (const Row &row : rows)
      map[row.name] = row.signature;
    return map;
  }();
  Signature found = byName.lookup(name);
  return found ? found(context) : LLVM::LLVMFunctionType();
}

llvm::ArrayRef<llvm::StringRef> rubato::abiNames() {
  static const auto names = [] {
    llvm::SmallVector<llvm::StringRef> all;
    for (const Row &row : rows)
      all.push_back(row.name);
    return all;
  }();
  return names;
}
