// Which buffers hold the cells, the batch and the results of a unit.
#include "UnitDescription.h"

#include "Describe.h"

#include "mlir/IR/Builders.h"

using namespace mlir;
using namespace rubato;

using A = nn::ArgumentRole;

void rubato::describeCommon(Describe &d, ModuleOp module) {
  // The schedule has read them before.
  auto evaluate =
      *nn::TrainingSignature::findDefined(module, nn::TrainingKind::Evaluate);
  auto gradient =
      *nn::TrainingSignature::findDefined(module, nn::TrainingKind::Gradient);
  for (auto cell : module.getOps<gsync::CellOp>()) {
    std::string name = cell.getSymName().str();
    llvm::replace(name, '_', '-');
    auto role =
        sched::symbolizeCellRole(gsync::stringifyCellRole(cell.getRole()));
    sched::CellOp::create(d.b, d.loc, name, *role, cell.getSymName(),
                          d.stored(cell.getType()), cell.getLayoutAttr(),
                          cell.getDefaultValueAttr());
  }

  for (unsigned i : evaluate.indices(A::Input))
    d.batch(sched::BatchPart::Input, evaluate.name(i), evaluate.argument(i));
  for (unsigned i : evaluate.indices(A::Label))
    d.batch(sched::BatchPart::Label, evaluate.name(i), evaluate.argument(i),
            evaluate.role(i).getClasses());
  d.batch(sched::BatchPart::Weights, nn::stringifyArgumentRole(A::Weights),
          evaluate.argument(A::Weights));
  d.batch(sched::BatchPart::Ids, nn::stringifyArgumentRole(A::Ids),
          evaluate.argument(A::Ids));

  using R = nn::ResultRole;
  using Kind = sched::ResultKind;
  for (auto [role, kind] :
       {std::pair(R::Loss, Kind::Loss), std::pair(R::Correct, Kind::Correct),
        std::pair(R::Valid, Kind::Valid)})
    d.result(nn::symbolOf(nn::TrainingKind::Evaluate), kind,
             evaluate.returned(role));
  for (auto [role, kind] :
       {std::pair(R::Gradient, Kind::Gradient),
        std::pair(R::Samples, Kind::Samples), std::pair(R::Loss, Kind::Loss)})
    d.result(nn::symbolOf(nn::TrainingKind::Gradient), kind,
             gradient.returned(role));
}

void rubato::placeEntries(ModuleOp module, Block &entries) {
  Block *body = module.getBody();
  body->getOperations().splice(body->begin(), entries.getOperations());
}
