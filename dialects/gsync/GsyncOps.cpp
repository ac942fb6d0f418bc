// Assembly of the gsync dialect, and what kind an operation is of.
#include "dialects/gsync/Gsync.h"

#include "mlir/IR/Builders.h"
#include "mlir/IR/OpImplementation.h"

using namespace mlir;
using namespace rubato::gsync;

//===----------------------------------------------------------------------===//
// Assembly
//===----------------------------------------------------------------------===//

/// `(@a, @b)`.
static ParseResult parseCellList(OpAsmParser &parser, ArrayAttr &cells) {
  SmallVector<Attribute> names;
  auto parseName = [&]() -> ParseResult {
    StringAttr name;
    if (parser.parseSymbolName(name))
      return failure();
    names.push_back(FlatSymbolRefAttr::get(name));
    return success();
  };
  if (parser.parseCommaSeparatedList(OpAsmParser::Delimiter::Paren, parseName))
    return failure();
  cells = parser.getBuilder().getArrayAttr(names);
  return success();
}

static void printCellList(OpAsmPrinter &printer, Operation *, ArrayAttr cells) {
  printer << "(";
  llvm::interleaveComma(cells, printer);
  printer << ")";
}

/// `!gsync.future<…>`, written whole: a reader need not guess what arrives.
static ParseResult parseFutureType(OpAsmParser &parser, Type &type) {
  FutureType future;
  if (parser.parseCustomTypeWithFallback(future))
    return failure();
  type = future;
  return success();
}

static void printFutureType(OpAsmPrinter &printer, Operation *, Type type) {
  printer << type;
}

/// `(@server = 1, @worker = rest)`; rest is -1.
static ParseResult parseRoleCounts(OpAsmParser &parser, ArrayAttr &roles,
                                   DenseI64ArrayAttr &counts) {
  SmallVector<Attribute> names;
  SmallVector<int64_t> numbers;
  auto parseOne = [&]() -> ParseResult {
    StringAttr name;
    int64_t number = -1;
    if (parser.parseSymbolName(name) || parser.parseEqual())
      return failure();
    if (failed(parser.parseOptionalKeyword("rest")) &&
        parser.parseInteger(number))
      return failure();
    names.push_back(FlatSymbolRefAttr::get(name));
    numbers.push_back(number);
    return success();
  };
  if (parser.parseCommaSeparatedList(OpAsmParser::Delimiter::Paren, parseOne))
    return failure();
  roles = parser.getBuilder().getArrayAttr(names);
  counts = parser.getBuilder().getDenseI64ArrayAttr(numbers);
  return success();
}

static void printRoleCounts(OpAsmPrinter &printer, Operation *, ArrayAttr roles,
                            DenseI64ArrayAttr counts) {
  printer << "(";
  llvm::interleaveComma(llvm::zip(roles, counts.asArrayRef()), printer,
                        [&](auto pair) {
                          auto [role, count] = pair;
                          printer << role << " = ";
                          if (count < 0)
                            printer << "rest";
                          else
                            printer << count;
                        });
  printer << ")";
}

/// `(%prev: !F) { … }`, the arguments only where there are some.
static ParseResult parseRoundBody(OpAsmParser &parser, Region &body) {
  SmallVector<OpAsmParser::Argument> arguments;
  if (parser.parseArgumentList(arguments, OpAsmParser::Delimiter::OptionalParen,
                               /*allowType=*/true) ||
      parser.parseRegion(body, arguments))
    return failure();
  if (body.empty())
    body.emplaceBlock();
  return success();
}

static void printRoundBody(OpAsmPrinter &printer, Operation *, Region &body) {
  if (body.getNumArguments()) {
    printer << "(";
    llvm::interleaveComma(body.getArguments(), printer, [&](auto argument) {
      printer.printRegionArgument(argument);
    });
    printer << ") ";
  }
  printer.printRegion(body, /*printEntryBlockArgs=*/false);
}

/// `iter(%zero : tensor<8xf32>)`; the results are of the same types, and a
/// count.
static ParseResult parseCarried(
    OpAsmParser &parser, SmallVectorImpl<OpAsmParser::UnresolvedOperand> &inits,
    SmallVectorImpl<Type> &types, SmallVectorImpl<Type> &results, Type &count) {
  count = parser.getBuilder().getI64Type();
  if (failed(parser.parseOptionalKeyword("iter")))
    return success();
  if (parser.parseLParen() || parser.parseOperandList(inits) ||
      parser.parseColonTypeList(types) || parser.parseRParen())
    return failure();
  llvm::append_range(results, types);
  return success();
}

static void printCarried(OpAsmPrinter &printer, Operation *, OperandRange inits,
                         TypeRange types, TypeRange, Type) {
  if (inits.empty())
    return;
  printer << " iter(" << inits << " : " << types << ")";
}

/// `(cursor)`, `(queue acked_by(@c))`, `(queue lease(%t))`, `(keyed(%a, %b))`.
static ParseResult
parseSource(OpAsmParser &parser, BatchSourceAttr &source,
            FlatSymbolRefAttr &ackedBy,
            SmallVectorImpl<OpAsmParser::UnresolvedOperand> &keys) {
  StringRef word;
  SMLoc loc = parser.getCurrentLocation();
  if (parser.parseLParen() || parser.parseKeyword(&word))
    return failure();
  std::optional<BatchSource> kind = symbolizeBatchSource(word);
  if (!kind)
    return parser.emitError(loc, "expected cursor, queue, keyed, range, peek "
                                 "or whole as the source of a batch");
  source = BatchSourceAttr::get(parser.getContext(), *kind);
  if (*kind == BatchSource::Queue) {
    if (succeeded(parser.parseOptionalKeyword("acked_by"))) {
      if (parser.parseLParen() || parser.parseAttribute(ackedBy) ||
          parser.parseRParen())
        return failure();
    } else if (succeeded(parser.parseOptionalKeyword("lease")) &&
               parser.parseOperandList(keys, OpAsmParser::Delimiter::Paren)) {
      return failure();
    }
  } else if (parser.parseOperandList(keys,
                                     OpAsmParser::Delimiter::OptionalParen)) {
    return failure();
  }
  return parser.parseRParen();
}

static void printSource(OpAsmPrinter &printer, Operation *,
                        BatchSourceAttr source, FlatSymbolRefAttr ackedBy,
                        OperandRange keys) {
  printer << "(" << stringifyBatchSource(source.getValue());
  if (ackedBy)
    printer << " acked_by(" << ackedBy << ")";
  if (!keys.empty())
    printer << (source.getValue() == BatchSource::Queue ? " lease(" : "(")
            << keys << ")";
  printer << ")";
}

#define GET_OP_CLASSES
#include "dialects/gsync/GsyncOps.cpp.inc"

//===----------------------------------------------------------------------===//
// Kinds of operations
//===----------------------------------------------------------------------===//

PolicyOp rubato::gsync::policyOf(AskOp ask) {
  auto module = ask->getParentOfType<ModuleOp>();
  return module
             ? module.lookupSymbol<PolicyOp>(ask.getEntry().getRootReference())
             : PolicyOp();
}

static bool isCentral(AskOp ask) {
  PolicyOp policy = policyOf(ask);
  return !policy || policy.getPlacement() == Placement::Central;
}

bool rubato::gsync::mayFail(Operation *op) {
  if (auto ask = dyn_cast<AskOp>(op))
    return isCentral(ask);
  return isa<AwaitOp, CollectOp, CommitOp>(op);
}

bool rubato::gsync::mayBlock(Operation *op) {
  return mayFail(op) || isa<MeetOp, CloseOp, NextOp>(op);
}

bool rubato::gsync::isCollective(Operation *op) {
  return isa<AllReduceOp, AllGatherOp, ReduceScatterOp, BroadcastOp>(op);
}

FlatSymbolRefAttr rubato::gsync::channelOf(Operation *op) {
  if (!isCollective(op) &&
      !isa<ExchangeOp, PullOp, PushOp, CollectOp, GrantOp, WorkersOp, CloseOp>(
          op))
    return {};
  return op->getAttrOfType<FlatSymbolRefAttr>("channel");
}
