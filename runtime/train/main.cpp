// The entry of every compiled trainer; an archive of its own, so that tests
// can link the runtime without it.
#include "simulate/simulate.h"
#include "train/run.h"

extern "C" const rb_unit rubato_unit;

int main(int argc, char **argv) {
  return rubato::runTraining(rubato_unit, argc, argv,
                             {&rubato::simulateCommand, 1});
}
