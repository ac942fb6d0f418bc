// Options of algorithms: from text to checked attributes.
#include "rubato/Sync/Algorithm.h"

#include "mlir/IR/Builders.h"
#include "mlir/IR/Operation.h"
#include "llvm/ADT/StringExtras.h"
#include "llvm/Support/Format.h"
#include "llvm/Support/MemoryBuffer.h"

using namespace mlir;
using namespace rubato;
using Kind = AlgorithmOption::Kind;

static const AlgorithmOption *find(const AlgorithmInfo &info, StringRef name) {
  for (const AlgorithmOption &option : info.options)
    if (option.name == name)
      return &option;
  return nullptr;
}

static std::string names(const AlgorithmInfo &info) {
  SmallVector<StringRef> all;
  for (const AlgorithmOption &option : info.options)
    all.push_back(option.name);
  return all.empty() ? "it has none" : "it has " + llvm::join(all, ", ");
}

/// What a value must be, for messages.
static std::string expected(const AlgorithmOption &option) {
  auto bounded = [&](StringRef what) {
    std::string text = what.str();
    llvm::raw_string_ostream out(text);
    if (option.min > -std::numeric_limits<double>::infinity())
      out << ", at least " << llvm::format("%g", option.min);
    if (option.max < std::numeric_limits<double>::infinity())
      out << ", at most " << llvm::format("%g", option.max);
    return text;
  };
  switch (option.kind) {
  case Kind::Integer:
    return bounded("a whole number");
  case Kind::Real:
    return bounded("a number");
  case Kind::Flag:
    return "true or false";
  case Kind::Choice:
    return "one of " + llvm::join(option.choices, ", ");
  case Kind::File:
    return "a text";
  }
  llvm_unreachable("all kinds are handled");
}

/// The attribute for a text; null where it does not fit.
static Attribute parse(const AlgorithmOption &option, StringRef text,
                       MLIRContext *context) {
  Builder b(context);
  switch (option.kind) {
  case Kind::Integer: {
    int64_t value;
    return text.getAsInteger(10, value) ? Attribute()
                                        : b.getI64IntegerAttr(value);
  }
  case Kind::Real: {
    double value;
    return text.getAsDouble(value) ? Attribute() : b.getF64FloatAttr(value);
  }
  case Kind::Flag:
    return text == "true"    ? b.getBoolAttr(true)
           : text == "false" ? b.getBoolAttr(false)
                             : Attribute();
  case Kind::Choice:
  case Kind::File:
    return b.getStringAttr(text);
  }
  llvm_unreachable("all kinds are handled");
}

static bool inBounds(const AlgorithmOption &option, double value) {
  return value >= option.min && value <= option.max; // false for NaN
}

static bool fits(const AlgorithmOption &option, Attribute value) {
  switch (option.kind) {
  case Kind::Integer: {
    auto number = dyn_cast_or_null<IntegerAttr>(value);
    return number && number.getType().isSignlessInteger(64) &&
           inBounds(option, static_cast<double>(number.getInt()));
  }
  case Kind::Real: {
    auto number = dyn_cast_or_null<FloatAttr>(value);
    return number && number.getType().isF64() &&
           inBounds(option, number.getValueAsDouble());
  }
  case Kind::Flag:
    return isa_and_nonnull<BoolAttr>(value);
  case Kind::Choice: {
    auto text = dyn_cast_or_null<StringAttr>(value);
    return text && llvm::is_contained(option.choices, text.getValue());
  }
  case Kind::File:
    return isa_and_nonnull<StringAttr>(value);
  }
  llvm_unreachable("all kinds are handled");
}

/// What a file says.
static FailureOr<std::string> readFile(const AlgorithmOption &option,
                                       StringRef path,
                                       AlgorithmOption::EmitError emitError) {
  if (path.empty())
    return emitError() << "option '" << option.name
                       << "' needs the path of a file; give one, or leave the "
                          "option out";
  auto file = llvm::MemoryBuffer::getFile(path, /*IsText=*/true);
  if (!file)
    return emitError() << "option '" << option.name << "': cannot read '"
                       << path << "': " << file.getError().message()
                       << "; commas part options, so a path has none";
  return option.read(path, (*file)->getBuffer(), emitError);
}

static LogicalResult check(const AlgorithmInfo &info, DictionaryAttr values,
                           AlgorithmOption::EmitError emitError) {
  return info.check ? info.check(AlgorithmOptions(values), emitError)
                    : success();
}

FailureOr<DictionaryAttr> AlgorithmOptions::resolve(
    const AlgorithmInfo &info, const AlgorithmConfiguration &configuration,
    ArrayRef<std::string> given, MLIRContext *context, EmitError emitError) {
  NamedAttrList values;
  auto set = [&](StringRef name, StringRef text) -> LogicalResult {
    const AlgorithmOption *option = find(info, name);
    if (!option)
      return emitError() << configuration.name << " has no option '" << name
                         << "'; " << names(info);
    std::string content;
    if (option->kind == Kind::File) {
      FailureOr<std::string> said = readFile(*option, text, emitError);
      if (failed(said))
        return failure();
      content = std::move(*said);
      text = content;
    }
    Attribute value = parse(*option, text, context);
    if (!fits(*option, value))
      return emitError() << "option '" << name << "' of " << configuration.name
                         << " must be " << expected(*option) << ", not '"
                         << text << "'";
    values.set(name, value);
    return success();
  };
  for (const AlgorithmOption &option : info.options)
    if (option.kind == Kind::File)
      values.set(option.name, parse(option, option.value, context));
    else if (failed(set(option.name, option.value)))
      return failure();
  for (const auto &[name, text] : configuration.settings)
    if (failed(set(name, text)))
      return failure();
  for (StringRef assignment : given) {
    auto [name, text] = assignment.split('=');
    if (name.size() == assignment.size())
      return emitError() << "expected name=value as an option of "
                         << configuration.name << ", not '" << assignment
                         << "'";
    if (failed(set(name.trim(), text.trim())))
      return failure();
  }
  DictionaryAttr all = values.getDictionary(context);
  if (failed(check(info, all, emitError)))
    return failure();
  return all;
}

FailureOr<AlgorithmOptions>
AlgorithmOptions::read(const AlgorithmInfo &info,
                       const AlgorithmConfiguration &self,
                       DictionaryAttr options, Operation *user) {
  auto emitError = [&] { return user->emitOpError(); };
  auto defaults = resolve(info, self, {}, user->getContext(), emitError);
  if (failed(defaults))
    return failure();
  NamedAttrList values(*defaults);
  for (NamedAttribute given :
       options ? options.getValue() : ArrayRef<NamedAttribute>()) {
    const AlgorithmOption *option = find(info, given.getName());
    if (!option)
      return emitError() << self.name << " has no option '"
                         << given.getName().getValue() << "'; " << names(info);
    if (!fits(*option, given.getValue()))
      return emitError() << "option '" << option->name << "' of " << self.name
                         << " must be " << expected(*option) << ", not "
                         << given.getValue();
    values.set(given.getName(), given.getValue());
  }
  DictionaryAttr all = values.getDictionary(user->getContext());
  if (failed(check(info, all, emitError)))
    return failure();
  return AlgorithmOptions(all);
}

template <typename Attr>
static Attr get(DictionaryAttr values, StringRef name) {
  auto value = values.getAs<Attr>(name);
  if (!value)
    llvm::report_fatal_error(
        "an algorithm asks for an option it does not have: " +
        llvm::Twine(name));
  return value;
}

int64_t AlgorithmOptions::integer(StringRef name) const {
  return get<IntegerAttr>(values, name).getInt();
}
double AlgorithmOptions::real(StringRef name) const {
  return get<FloatAttr>(values, name).getValueAsDouble();
}
bool AlgorithmOptions::flag(StringRef name) const {
  return get<BoolAttr>(values, name).getValue();
}
StringRef AlgorithmOptions::choice(StringRef name) const {
  return get<StringAttr>(values, name).getValue();
}
StringRef AlgorithmOptions::text(StringRef name) const {
  return get<StringAttr>(values, name).getValue();
}
