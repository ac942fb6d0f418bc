// An environment in front of another: what it does not override, that one does.
#pragma once

#include "environment/environment.h"

namespace rubato {

class ForwardingEnvironment : public Environment {
public:
  explicit ForwardingEnvironment(Environment &inner) : inner(inner) {}

  bool keepsBlocks() const override { return inner.keepsBlocks(); }
  bool takesTurns() const override { return inner.takesTurns(); }
#define METHOD(result, name, params, args)                                     \
  result name params override { return inner.name args; }
#include "environment/environment_methods.def"

protected:
  Environment &inner;
};

} // namespace rubato
