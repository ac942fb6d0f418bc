// Storage, comparison and printing of values.
#include "tools/rubato-interp/Value.h"

#include "mlir/IR/TypeUtilities.h"
#include "llvm/Support/Format.h"
#include "llvm/Support/raw_ostream.h"
#include "llvm/Support/xxhash.h"

#include <cstring>

using namespace mlir;

namespace rubato::interp {

namespace {

/// More elements than any test needs and few enough to allocate.
constexpr int64_t kMaxElements = int64_t(1) << 27;

size_t bytesOf(Element element) { return element == Element::Single ? 4 : 8; }

/// Elements of a static shape, or nothing where they are too many.
std::optional<int64_t> countElements(ArrayRef<int64_t> shape) {
  if (llvm::is_contained(shape, 0))
    return 0;
  int64_t count = 1;
  for (int64_t size : shape) {
    if (size > kMaxElements / count)
      return std::nullopt;
    count *= size;
  }
  return count;
}

} // namespace

std::optional<Element> elementOf(Type type) {
  if (auto tensor = dyn_cast_or_null<RankedTensorType>(type))
    type = tensor.getElementType();
  if (isa_and_nonnull<IndexType>(type))
    return Element::Integer;
  if (auto integer = dyn_cast_or_null<IntegerType>(type))
    return integer.getWidth() >= 1 && integer.getWidth() <= 64
               ? std::optional(Element::Integer)
               : std::nullopt;
  if (isa_and_nonnull<Float32Type>(type))
    return Element::Single;
  if (isa_and_nonnull<Float64Type>(type))
    return Element::Double;
  return std::nullopt;
}

unsigned integerWidth(Type type) {
  if (auto integer = dyn_cast<IntegerType>(getElementTypeOrSelf(type)))
    return integer.getWidth();
  return 64;
}

bool isSupported(Type type) {
  if (!elementOf(type))
    return false;
  auto tensor = dyn_cast<RankedTensorType>(type);
  return !tensor ||
         (tensor.hasStaticShape() && countElements(tensor.getShape()));
}

std::string whyUnsupported(Type type) {
  std::string text;
  llvm::raw_string_ostream os(text);
  if (!elementOf(type)) {
    os << type
       << " is none of an integer of up to 64 bits, index, f32, f64 and a "
          "ranked tensor of these";
  } else if (auto tensor = dyn_cast<RankedTensorType>(type)) {
    if (!tensor.hasStaticShape())
      os << type << " has a dynamic shape; make it static";
    else if (!countElements(tensor.getShape()))
      os << type << " has more than " << kMaxElements << " elements";
  }
  return text;
}

void *Value::allocate(Type type) {
  assert(isSupported(type) && "callers check the type");
  valueType = type;
  valueElement = *elementOf(type);
  auto tensor = dyn_cast<RankedTensorType>(type);
  if (!tensor) {
    valueKind = Kind::Scalar;
    valueSize = 1;
    return &scalar;
  }
  valueKind = Kind::Tensor;
  valueSize = *countElements(tensor.getShape());
  std::shared_ptr<char[]> bytes = std::make_shared_for_overwrite<char[]>(
      std::max<size_t>(valueSize * bytesOf(valueElement), 8));
  void *elements = bytes.get();
  shared = std::move(bytes);
  return elements;
}

void Value::wrapIntegers(void *elements) {
  unsigned width = integerWidth(valueType);
  if (width >= 64)
    return;
  for (int64_t &x :
       MutableArrayRef<int64_t>(static_cast<int64_t *>(elements), valueSize))
    x = wrapInteger(x, width);
}

template <typename T> static Value splat(Type type, T number) {
  return Value::build<T>(
      type, [&](MutableArrayRef<T> out) { llvm::fill(out, number); });
}

Value Value::integer(Type type, int64_t value) {
  assert(elementOf(type) == Element::Integer);
  return splat<int64_t>(type, value);
}

Value Value::real(Type type, double value) {
  assert(elementOf(type) != Element::Integer);
  if (elementOf(type) == Element::Single)
    return splat<float>(type, float(value));
  return splat<double>(type, value);
}

FailureOr<Value> Value::zero(Type type) {
  if (!isSupported(type))
    return failure();
  return withElement(*elementOf(type),
                     [&](auto zero) { return splat(type, zero); });
}

Value Value::opaque(Type type) {
  Value value;
  value.valueKind = Kind::Opaque;
  value.valueType = type;
  return value;
}

Value Value::handle(Type type, uint32_t kind, int64_t id) {
  Value value;
  value.valueKind = Kind::Handle;
  value.valueType = type;
  value.tag = kind;
  value.scalar.integer = id;
  return value;
}

const void *Value::data() const {
  assert(isKnown() && "opaque values and handles have no elements");
  return isTensor() ? shared.get() : &scalar;
}

int64_t Value::intAt(int64_t i) const {
  assert(i >= 0 && i < valueSize && "no such element");
  return withElement(valueElement, [&](auto zero) {
    return int64_t(elements<decltype(zero)>()[i]);
  });
}

double Value::floatAt(int64_t i) const {
  assert(i >= 0 && i < valueSize && "no such element");
  return withElement(valueElement, [&](auto zero) {
    return double(elements<decltype(zero)>()[i]);
  });
}

uint32_t Value::handleKind() const {
  assert(isHandle());
  return tag;
}

int64_t Value::handleId() const {
  assert(isHandle());
  return scalar.integer;
}

Value Value::view(RankedTensorType type, int64_t offset) const {
  assert(isTensor() &&
         getElementTypeOrSelf(valueType) == type.getElementType());
  Value value = *this;
  value.valueType = type;
  value.valueSize = *countElements(type.getShape());
  assert(offset >= 0 && offset + value.valueSize <= valueSize);
  value.shared = std::shared_ptr<const void>(
      shared,
      static_cast<const char *>(shared.get()) + offset * bytesOf(valueElement));
  return value;
}

Value add(const Value &a, const Value &b) {
  assert(a.type() == b.type() && "sums are of values of one type");
  if (!a.isKnown() || !b.isKnown())
    return Value::opaque(a.type());
  return withElement(a.element(), [&](auto zero) {
    using T = decltype(zero);
    // Integers wrap, which only unsigned ones may.
    using Sum = std::conditional_t<std::is_same_v<T, int64_t>, uint64_t, T>;
    return Value::build<T>(a.type(), [&](MutableArrayRef<T> out) {
      ArrayRef<T> x = a.elements<T>(), y = b.elements<T>();
      for (size_t i = 0; i != out.size(); ++i)
        out[i] = T(Sum(x[i]) + Sum(y[i]));
    });
  });
}

uint64_t Value::hash() const {
  // Types take part by their shape only: pointers differ from run to run.
  SmallVector<uint64_t> words = {uint64_t(valueKind), uint64_t(valueElement),
                                 tag};
  if (auto tensor = dyn_cast_or_null<RankedTensorType>(valueType))
    words.append(tensor.getShape().begin(), tensor.getShape().end());
  if (isKnown())
    words.push_back(llvm::xxh3_64bits(
        ArrayRef<uint8_t>(static_cast<const uint8_t *>(data()),
                          valueSize * bytesOf(valueElement))));
  else if (isHandle())
    words.push_back(uint64_t(scalar.integer));
  return llvm::xxh3_64bits(
      ArrayRef<uint8_t>(reinterpret_cast<const uint8_t *>(words.data()),
                        words.size() * sizeof(uint64_t)));
}

bool Value::operator==(const Value &other) const {
  if (valueKind != other.valueKind || valueType != other.valueType)
    return false;
  if (isHandle())
    return tag == other.tag && scalar.integer == other.scalar.integer;
  return !isKnown() || data() == other.data() ||
         std::memcmp(data(), other.data(), valueSize * bytesOf(valueElement)) ==
             0;
}

void Value::print(llvm::raw_ostream &os, int64_t limit) const {
  auto printElement = [&](int64_t i) {
    if (valueElement == Element::Single)
      os << llvm::format("%.9g", double(elements<float>()[i]));
    else if (valueElement == Element::Double)
      os << llvm::format("%.17g", elements<double>()[i]);
    else if (integerWidth(valueType) == 1)
      os << (elements<int64_t>()[i] ? "true" : "false");
    else
      os << elements<int64_t>()[i];
  };
  switch (valueKind) {
  case Kind::None:
    os << "none";
    return;
  case Kind::Scalar:
    printElement(0);
    return;
  case Kind::Opaque:
    os << "opaque " << valueType;
    return;
  case Kind::Handle:
    os << "handle " << tag << ":" << scalar.integer;
    return;
  case Kind::Tensor:
    break;
  }
  if (cast<RankedTensorType>(valueType).getRank() == 0)
    return printElement(0);
  os << "[";
  for (int64_t i = 0; i < std::min(valueSize, limit); ++i) {
    os << (i ? ", " : "");
    printElement(i);
  }
  os << (valueSize > limit ? limit > 0 ? ", …]" : "…]" : "]") << " : "
     << valueType;
}

std::string Value::str(int64_t limit) const {
  std::string text;
  llvm::raw_string_ostream os(text);
  print(os, limit);
  return text;
}

} // namespace rubato::interp
