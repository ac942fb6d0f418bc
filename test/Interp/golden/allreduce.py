"""allreduce against a serial loop, and every algorithm on one member against
plain SGD."""

import reference as ref
from harness import equal, flat, main, once_per_epoch
from training import Training

TRAININGS = (
    Training(),
    Training("f64", batch=8, size=3, momentum=0.5),
    Training(momentum=0.75, untouched=True, decay=True),
    Training(momentum=0.5, decay=True, labels=3),
)


def serial(bench):
    """The samples of a round are the next of the stream, in contiguous parts
    by rank; the sum goes by rank."""
    for training in TRAININGS:
        program = bench.program(training, "allreduce", 0.2)
        for ranks in (1, 2, 3, 4):
            for quanta in (1, 2):
                size = ranks * quanta * training.batch
                samples = 5 * size
                run = bench.run(
                    training, program, ranks, cells={"budget": 4096},
                    rounds=20, samples=samples, quanta=quanta,
                )
                rounds = ref.contiguous(20, quanta, training.batch, ranks, samples)
                equal(run.contributions(), rounds, "samples of the rounds")
                model = ref.Model(training, 0.2, budget=4096)
                run.follows(ref.allreduce(model, rounds))
                equal(run.sums(), [size] * 20, "samples of the sums")
                once_per_epoch(flat(run.contributions()), samples)


def partial(bench):
    """An epoch that the rounds do not divide: the samples there were."""
    training = Training(batch=4)
    program = bench.program(training, "allreduce", 0.2)
    for samples in (25, 30, 31):
        run = bench.run(training, program, 3, rounds=12, samples=samples)
        rounds = run.contributions()
        run.follows(ref.allreduce(ref.Model(training, 0.2), rounds))
        equal(run.sums(), [len(flat([m])) for m in rounds], "samples of the sums")
        once_per_epoch(flat(rounds), samples)


def alone(bench):
    """One member: plain SGD, with a delay of one where the algorithm has it."""
    plain = (
        ("allreduce", {}),
        ("local-sgd", {"steps": 1}),
        ("lb-bsp", {}),
        ("dynamic-sgd", {}),
    )
    late = (("abs-sgd", {}), ("delayed-sgd", {}), ("lb-bsp", {"delay": 1}))
    for training in TRAININGS:
        for delay, algorithms in enumerate((plain, late)):
            for algorithm, options in algorithms:
                program = bench.program(training, algorithm, 0.2, **options)
                run = bench.run(
                    training, program, 1, cells={"budget": 4096},
                    costs={"gradient": "10us", "all_reduce": "1us"},
                    rounds=20, samples=64,
                )
                model = ref.Model(training, 0.2, budget=4096)
                loop = ref.delayed if delay else ref.allreduce
                rounds = ref.contiguous(20 + delay, 1, training.batch, 1, 64)
                run.follows(loop(model, rounds))


if __name__ == "__main__":
    main({f.__name__: f for f in (serial, partial, alone)})
