// What cells hold when a run begins.
#include "tools/rubato-interp/Machine.h"

using namespace mlir;
using namespace rubato::gsync;

namespace rubato::interp {

/// The same scalar everywhere.
static Value splat(Type type, double number) {
  return withElement(*elementOf(type), [&](auto zero) {
    using T = decltype(zero);
    return Value::build<T>(type, [&](MutableArrayRef<T> out) {
      for (T &each : out)
        each = T(number);
    });
  });
}

/// Small numbers that differ from element to element.
static Value pattern(Type type) {
  return withElement(*elementOf(type), [&](auto zero) {
    using T = decltype(zero);
    return Value::build<T>(type, [&](MutableArrayRef<T> out) {
      for (size_t i = 0; i != out.size(); ++i)
        out[i] = T((double(i * 2654435761u % 1024) - 512) / 8192);
    });
  });
}

LogicalResult Machine::startCells(Member &member) {
  Values &cells = member.cells.edit();
  for (CellOp cell : program.cells) {
    Type type = cell.getType();
    if (std::string why = whyUnsupported(type); !why.empty())
      return cell.emitError("rubato-interp cannot hold this cell: ") << why;
    CellRole role = cell.getRole();
    bool isModel = role == CellRole::Parameter || role == CellRole::Frozen;
    std::string name = cell.getSymName().str();
    if (isHidden(cells.size()))
      cells.push_back(Value::opaque(type));
    else if (auto it = config.cells.find(name); it != config.cells.end())
      cells.push_back(splat(type, it->second));
    else if (auto it = config.stored.find(name);
             it != config.stored.end() && it->second.type() == type)
      cells.push_back(it->second);
    else if (isModel)
      cells.push_back(pattern(type));
    else if (role == CellRole::Setting && cell.getDefaultValue())
      cells.push_back(splat(type, cell.getDefaultValue()->convertToDouble()));
    else if (role == CellRole::Setting && name == "budget")
      cells.push_back(
          splat(type, config.rounds ? 0x1p60 : double(config.samples)));
    else
      cells.push_back(*Value::zero(type));
  }
  return success();
}

} // namespace rubato::interp
