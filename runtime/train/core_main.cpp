// The entry of trainers that were compiled with --no-simulator.
#include "train/run.h"

extern "C" const rb_unit rubato_unit;

int main(int argc, char **argv) {
  return rubato::runTraining(rubato_unit, argc, argv, {});
}
