// What every operation of a segment can be asked.
#ifndef RUBATO_SCHED_INTERFACES_TD
#define RUBATO_SCHED_INTERFACES_TD

include "mlir/IR/OpBase.td"

def LaneOpInterface : OpInterface<"LaneOpInterface"> {
  let cppNamespace = "::rubato::sched";
  let description = [{
    An operation that is given to a lane. What it touches is declared, so the
    race proof and the lowering need not know the operations one by one.
  }];
  let methods = [
    InterfaceMethod<"The lane the operation is given to.",
                    "::rubato::sched::Lane", "getLane">,
    InterfaceMethod<
        "Appends every byte range the operation reads or writes.",
        "void", "getAccesses",
        (ins "::llvm::SmallVectorImpl<::rubato::sched::Access> &":$accesses),
        [{}], [{ (void)accesses; }]>,
    InterfaceMethod<"The operation as people call it, for messages.",
                    "std::string", "getLabel", (ins), [{}],
                    [{ return $_op->getName().getStringRef().str(); }]>
  ];
}

#endif // RUBATO_SCHED_INTERFACES_TD
