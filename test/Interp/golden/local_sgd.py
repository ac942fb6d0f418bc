"""local-sgd against a serial simulation of its members."""

import reference as ref
from harness import equal, flat, main, once_per_epoch, same
from training import Training


def serial(bench):
    for training, modes in (
        (Training(), ["keep"]),
        (Training(momentum=0.5, untouched=True), ["keep", "reset", "average"]),
        (Training("f64", batch=8, size=2, momentum=0.75, decay=True), ["keep"]),
        (Training(momentum=0.5, decay=True, labels=3), ["keep"]),
    ):
        for mode in modes:
            program = bench.program(training, "local-sgd", 0.2, steps=3, momentum=mode)
            for ranks in (1, 2, 4):
                run = bench.run(
                    training, program, ranks, cells={"budget": 8192},
                    costs={"gradient": "[5us, 7us, 3us, 4us]"},
                    rounds=20, samples=96,
                )
                rounds = run.contributions("average")
                for members in rounds:
                    steps = [len(members[rank]) for rank in range(ranks)]
                    equal(steps, [3] * ranks, "local steps")
                once_per_epoch(flat(rounds), 96)
                model = ref.Model(training, 0.2, budget=8192)
                history = ref.local_sgd(model, rounds, mode)
                run.follows([w for w, _ in history])
                if training.momentum is None:
                    continue
                for rank in range(ranks):
                    run.follows([s[rank] for _, s in history], "state0", [rank])


if __name__ == "__main__":
    main({f.__name__: f for f in (serial,)})
