// An algorithm by its name; names come from what the build registers.
// RUN: rubato-opt %s --choose-algorithm | FileCheck %s --check-prefix=DEFAULT
// RUN: rubato-opt %s --choose-algorithm="algorithm=allreduce lr=0.5" | FileCheck %s --check-prefix=NAMED
// RUN: not rubato-opt %s --choose-algorithm="algorithm=no-such" 2>&1 | FileCheck %s --check-prefix=UNKNOWN
// RUN: not rubato-opt %s --choose-algorithm="algorithm=delayed-sdg" 2>&1 | FileCheck %s --check-prefix=NEAREST
// RUN: not rubato-opt %s --choose-algorithm="algorithm=arith" 2>&1 | FileCheck %s --check-prefix=DIALECT
// RUN: rubato-opt %s --choose-algorithm="algorithm=" | FileCheck %s --check-prefix=DEFAULT

// The request stands at the end, behind what it trains.
// DEFAULT: func.func private @gradient
// DEFAULT-NEXT: gsync.train algorithm(#gsync.algorithm<"allreduce">) learning_rate(1.000000e-02)
// NAMED: gsync.train algorithm(#gsync.algorithm<"allreduce">) learning_rate(5.000000e-01)
// UNKNOWN: error: unknown algorithm 'no-such'; this build has: {{.*}}allreduce
// What is spelled most like it comes first.
// NEAREST: error: unknown algorithm 'delayed-sdg'; this build has: delayed-sgd, {{.*}}allreduce
// A dialect that exists is no algorithm for that.
// DIALECT: error: unknown algorithm 'arith'; this build has: {{.*}}allreduce

func.func private @gradient()

// Options must be the algorithm's own.
// RUN: not rubato-opt %s --choose-algorithm="algorithm=allreduce options=speed=1" 2>&1 | FileCheck %s --check-prefix=OPTION
// RUN: not rubato-opt %s --choose-algorithm="algorithm=allreduce options=speed" 2>&1 | FileCheck %s --check-prefix=FORM
// OPTION: error: allreduce has no option 'speed'; it has none
// FORM: error: expected name=value as an option of allreduce, not 'speed'
