// What programs with one server and many workers have in common: the group
// @all, the mailbox @ps, and workers that compute job after job on models they
// pull.
#ifndef RUBATO_SYNC_SERVERPROGRAM_H
#define RUBATO_SYNC_SERVERPROGRAM_H

#include "rubato/Sync/ProgramBuilder.h"

namespace rubato {

class ServerProgram {
public:
  explicit ServerProgram(ProgramBuilder &b);

  /// @all and @ps. `exempt` and `ahead` are matters of the ledger, which
  /// belongs to the channel.
  void declare(std::optional<int64_t> exempt, std::optional<int64_t> ahead);

  /// What a worker has of a grant.
  struct Model {
    mlir::Value parameters, seen, ticket, go;
  };
  /// The role of the workers. The job gets the model it is for, and gives the
  /// pull of the next one (`pullAfter`).
  void workers(llvm::function_ref<mlir::Value(const Model &)> job);

  /// The model after this one: done as soon as the server grants it, and at
  /// once where there is none to come.
  mlir::Value pullAfter(const Model &model);

private:
  ProgramBuilder &b;
  gsync::FutureType modelType;
};

} // namespace rubato

#endif // RUBATO_SYNC_SERVERPROGRAM_H
