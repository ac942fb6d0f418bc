// How places and ranges are written inside operations: `@w[1024]` and
// `@w[1024, 4096] : f32` instead of the full attribute.
#include "dialects/sched/Sched.h"

#include "mlir/IR/Builders.h"
#include "mlir/IR/OpImplementation.h"

using namespace mlir;
using namespace rubato::sched;

//===----------------------------------------------------------------------===//
// One element
//===----------------------------------------------------------------------===//

static ParseResult parseElement(OpAsmParser &parser, PlaceAttr &place) {
  SMLoc loc = parser.getCurrentLocation();
  FlatSymbolRefAttr buffer;
  int64_t offset = 0;
  if (parser.parseAttribute(buffer))
    return failure();
  if (succeeded(parser.parseOptionalLSquare()))
    if (parser.parseInteger(offset) || parser.parseRSquare())
      return failure();
  place =
      parser.getChecked<PlaceAttr>(loc, parser.getContext(), buffer, offset);
  return success(static_cast<bool>(place));
}

static ParseResult parseBytes(OpAsmParser &parser, FlatSymbolRefAttr &buffer,
                              int64_t &offset, int64_t &size) {
  return failure(parser.parseAttribute(buffer) || parser.parseLSquare() ||
                 parser.parseInteger(offset) || parser.parseComma() ||
                 parser.parseInteger(size) || parser.parseRSquare());
}

static ParseResult parseElement(OpAsmParser &parser, RangeAttr &range) {
  SMLoc loc = parser.getCurrentLocation();
  FlatSymbolRefAttr buffer;
  int64_t offset, size;
  if (parseBytes(parser, buffer, offset, size))
    return failure();
  range = parser.getChecked<RangeAttr>(loc, parser.getContext(), buffer, offset,
                                       size);
  return success(static_cast<bool>(range));
}

static ParseResult parseElement(OpAsmParser &parser, TypedRangeAttr &range) {
  SMLoc loc = parser.getCurrentLocation();
  FlatSymbolRefAttr buffer;
  int64_t offset, size;
  Type type;
  if (parseBytes(parser, buffer, offset, size) || parser.parseColonType(type))
    return failure();
  range = parser.getChecked<TypedRangeAttr>(loc, parser.getContext(), buffer,
                                            offset, size, type);
  return success(static_cast<bool>(range));
}

static void printElement(OpAsmPrinter &printer, PlaceAttr place) {
  printer << place.getBuffer();
  if (place.getOffset())
    printer << '[' << place.getOffset() << ']';
}

static void printElement(OpAsmPrinter &printer, RangeAttr range) {
  printer << range.getBuffer() << '[' << range.getOffset() << ", "
          << range.getSize() << ']';
}

static void printElement(OpAsmPrinter &printer, TypedRangeAttr range) {
  printElement(printer, range.getRange());
  printer << " : " << range.getType();
}

//===----------------------------------------------------------------------===//
// Lists: `keyword(element, …)`, left out where they are empty,
// together with the space before them
//===----------------------------------------------------------------------===//

template <typename Element>
static ParseResult parseList(OpAsmParser &parser, StringRef keyword,
                             ArrayAttr &list) {
  SmallVector<Attribute> elements;
  auto parseOne = [&]() -> ParseResult {
    Element element;
    if (parseElement(parser, element))
      return failure();
    elements.push_back(element);
    return success();
  };
  if (succeeded(parser.parseOptionalKeyword(keyword)))
    if (parser.parseCommaSeparatedList(AsmParser::Delimiter::Paren, parseOne))
      return failure();
  list = parser.getBuilder().getArrayAttr(elements);
  return success();
}

template <typename Element>
static void printList(OpAsmPrinter &printer, StringRef keyword,
                      ArrayAttr list) {
  if (list.empty())
    return;
  printer << ' ' << keyword << '(';
  llvm::interleaveComma(list.getAsRange<Element>(), printer,
                        [&](Element e) { printElement(printer, e); });
  printer << ')';
}

// The directives that SchedOps.td names.
#define LIST(NAME, KEYWORD, ELEMENT)                                           \
  static ParseResult parse##NAME(OpAsmParser &parser, ArrayAttr &list) {       \
    return parseList<ELEMENT>(parser, KEYWORD, list);                          \
  }                                                                            \
  static void print##NAME(OpAsmPrinter &printer, Operation *,                  \
                          ArrayAttr list) {                                    \
    printList<ELEMENT>(printer, KEYWORD, list);                                \
  }
LIST(Args, "args", PlaceAttr)
LIST(Reads, "reads", RangeAttr)
LIST(Writes, "writes", RangeAttr)
LIST(Ins, "ins", TypedRangeAttr)
LIST(Outs, "outs", TypedRangeAttr)
#undef LIST

static ParseResult parseRange(OpAsmParser &parser, RangeAttr &range) {
  return parseElement(parser, range);
}

static void printRange(OpAsmPrinter &printer, Operation *, RangeAttr range) {
  printElement(printer, range);
}

static ParseResult parsePlace(OpAsmParser &parser, PlaceAttr &place) {
  return parseElement(parser, place);
}

static void printPlace(OpAsmPrinter &printer, Operation *, PlaceAttr place) {
  printElement(printer, place);
}

//===----------------------------------------------------------------------===//
// Units
//===----------------------------------------------------------------------===//

/// `rest` is written for -1.
static ParseResult parseCount(OpAsmParser &parser, IntegerAttr &count) {
  int64_t number = -1;
  if (failed(parser.parseOptionalKeyword("rest")) &&
      parser.parseInteger(number))
    return failure();
  count = parser.getBuilder().getI64IntegerAttr(number);
  return success();
}

static void printCount(OpAsmPrinter &printer, Operation *, IntegerAttr count) {
  if (count.getInt() < 0)
    printer << "rest";
  else
    printer << count.getInt();
}

/// `keyword(@a, @b)`, or nothing where there is no list.
static ParseResult parseSymbols(OpAsmParser &parser, StringRef keyword,
                                ArrayAttr &list) {
  if (failed(parser.parseOptionalKeyword(keyword)))
    return success();
  SmallVector<Attribute> symbols;
  auto parseOne = [&]() -> ParseResult {
    FlatSymbolRefAttr symbol;
    if (parser.parseAttribute(symbol))
      return failure();
    symbols.push_back(symbol);
    return success();
  };
  if (parser.parseCommaSeparatedList(AsmParser::Delimiter::Paren, parseOne))
    return failure();
  list = parser.getBuilder().getArrayAttr(symbols);
  return success();
}

static void printSymbols(OpAsmPrinter &printer, StringRef keyword,
                         ArrayAttr list) {
  if (!list)
    return;
  printer << ' ' << keyword << '(';
  llvm::interleaveComma(list, printer);
  printer << ')';
}

#define SYMBOLS(NAME, KEYWORD)                                                 \
  static ParseResult parse##NAME(OpAsmParser &parser, ArrayAttr &list) {       \
    return parseSymbols(parser, KEYWORD, list);                                \
  }                                                                            \
  static void print##NAME(OpAsmPrinter &printer, Operation *,                  \
                          ArrayAttr list) {                                    \
    printSymbols(printer, KEYWORD, list);                                      \
  }
SYMBOLS(Polls, "polls")
SYMBOLS(Askers, "askers")
SYMBOLS(Strands, "strands")
#undef SYMBOLS

#define GET_OP_CLASSES
#include "dialects/sched/SchedOps.cpp.inc"
