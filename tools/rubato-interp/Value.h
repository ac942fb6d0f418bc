// Values of a program that is interpreted: numbers, tensors of them, and
// stand-ins for what is not a number.
#ifndef RUBATO_TOOLS_INTERP_VALUE_H
#define RUBATO_TOOLS_INTERP_VALUE_H

#include "mlir/IR/BuiltinAttributeInterfaces.h"
#include "mlir/IR/BuiltinTypes.h"
#include "llvm/ADT/STLFunctionalExtras.h"

#include <memory>
#include <optional>
#include <string>

namespace rubato::interp {

/// How the elements of a type are stored. Integers of every width take an
/// int64_t: sign-extended from their width, except that i1 is 0 or 1.
enum class Element : uint8_t { Integer, Single, Double };

/// How the elements of `type`, a scalar or a tensor, are stored; nothing where
/// they cannot be.
std::optional<Element> elementOf(mlir::Type type);

/// The stored form of the low `width` bits of `value`.
inline int64_t wrapInteger(int64_t value, unsigned width) {
  if (width >= 64)
    return value;
  if (width == 1)
    return value & 1;
  return int64_t(uint64_t(value) << (64 - width)) >> (64 - width);
}

/// Bits of an integer type or of the elements of a tensor; 64 for index and
/// for everything else.
unsigned integerWidth(mlir::Type type);

/// Whether there are known values of `type`: integers of up to 64 bits, index,
/// f32, f64 and tensors of these whose shape is static and whose size is sane.
bool isSupported(mlir::Type type);

/// Why there are no known values of `type`; empty where there are.
std::string whyUnsupported(mlir::Type type);

/// An immutable value that is cheap to copy: tensors share their elements.
class Value {
public:
  enum class Kind : uint8_t { None, Scalar, Tensor, Opaque, Handle };

  /// No value at all; equal to itself only.
  Value() = default;

  /// A scalar, or a tensor with this number everywhere, of a supported type.
  static Value integer(mlir::Type type, int64_t value);
  static Value real(mlir::Type type, double value);

  /// A scalar or tensor whose elements `fill` writes. `T` must be the storage
  /// of the type's elements (int64_t, float or double).
  template <typename T>
  static Value build(mlir::Type type,
                     llvm::function_ref<void(llvm::MutableArrayRef<T>)> fill);

  /// The same from elements at hand.
  template <typename T>
  static Value of(mlir::Type type, llvm::ArrayRef<T> elements) {
    return build<T>(type, [&](llvm::MutableArrayRef<T> out) {
      std::copy_n(elements.begin(), out.size(), out.begin());
    });
  }

  /// Zero of a scalar or tensor type; fails where there are no known values.
  static llvm::FailureOr<Value> zero(mlir::Type type);

  /// The value of a constant; fails where there are no known values.
  static llvm::FailureOr<Value> fromAttr(mlir::TypedAttr attribute);

  /// Some value of `type`, nobody knows which. All of them are equal, since
  /// they stand for data that an exploration does not look at.
  static Value opaque(mlir::Type type);

  /// A reference to something that the interpreter keeps, such as a future.
  /// What `kind` and `id` mean is up to the keeper.
  static Value handle(mlir::Type type, uint32_t kind, int64_t id);

  Kind kind() const { return valueKind; }
  mlir::Type type() const { return valueType; }
  bool isOpaque() const { return valueKind == Kind::Opaque; }
  bool isHandle() const { return valueKind == Kind::Handle; }
  bool isTensor() const { return valueKind == Kind::Tensor; }
  /// Whether there are numbers to look at.
  bool isKnown() const {
    return valueKind == Kind::Scalar || valueKind == Kind::Tensor;
  }
  explicit operator bool() const { return valueKind != Kind::None; }

  /// How many numbers there are; 1 for a scalar.
  int64_t size() const { return valueSize; }

  /// The numbers, in row-major order. Those of a scalar live in this object.
  template <typename T> llvm::ArrayRef<T> elements() const {
    return llvm::ArrayRef<T>(static_cast<const T *>(data()), valueSize);
  }
  const void *data() const;
  Element element() const { return valueElement; }

  /// Element `i` in row-major order, converted where it is of another kind.
  int64_t intAt(int64_t i) const;
  double floatAt(int64_t i) const;
  /// The number of a scalar or of a tensor of one element.
  int64_t asInt() const { return intAt(0); }
  double asFloat() const { return floatAt(0); }

  uint32_t handleKind() const;
  int64_t handleId() const;

  /// Elements [offset, offset + size of `type`) as a tensor of `type`, which
  /// shares them. Needs the same element type and a range that lies inside.
  Value view(mlir::RankedTensorType type, int64_t offset = 0) const;

  /// The same number in every run and on every machine of one byte order.
  uint64_t hash() const;
  /// Bit by bit: NaN equals itself, 0.0 differs from -0.0.
  bool operator==(const Value &other) const;

  /// Writes the value; of a tensor at most `limit` elements.
  void print(llvm::raw_ostream &os, int64_t limit = 8) const;
  std::string str(int64_t limit = 8) const;

private:
  union Scalar {
    int64_t integer;
    float single;
    double real;
  };

  void *allocate(mlir::Type type);
  void wrapIntegers(void *elements);

  mlir::Type valueType;
  Scalar scalar{0}; // of a handle: its id
  int64_t valueSize = 0;
  std::shared_ptr<const void> shared;
  uint32_t tag = 0; // of a handle: its kind
  Kind valueKind = Kind::None;
  Element valueElement = Element::Integer;
};

inline llvm::raw_ostream &operator<<(llvm::raw_ostream &os,
                                     const Value &value) {
  value.print(os);
  return os;
}

template <typename T>
Value Value::build(mlir::Type type,
                   llvm::function_ref<void(llvm::MutableArrayRef<T>)> fill) {
  Value value;
  T *elements = static_cast<T *>(value.allocate(type));
  fill(llvm::MutableArrayRef<T>(elements, value.valueSize));
  if constexpr (std::is_same_v<T, int64_t>)
    value.wrapIntegers(elements);
  return value;
}

/// The sum, element by element, of two values of one type; opaque where either
/// is.
Value add(const Value &a, const Value &b);

/// Calls `fn` with a zero of the C++ type that stores `element`.
template <typename Fn> auto withElement(Element element, Fn fn) {
  switch (element) {
  case Element::Integer:
    return fn(int64_t(0));
  case Element::Single:
    return fn(float(0));
  case Element::Double:
    break;
  }
  return fn(double(0));
}

} // namespace rubato::interp

#endif // RUBATO_TOOLS_INTERP_VALUE_H
