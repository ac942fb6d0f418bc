"""lb-bsp: shares by speed, and the serial loops that its updates equal."""

from fractions import Fraction

import reference as ref
from harness import SECOND, equal, flat, main, once_per_epoch
from training import Training


def costs(durations):
    listed = ", ".join(f"{int(d * SECOND)}ns" for d in durations)
    return {"gradient": f"[{listed}]", "all_reduce": "1s"}


def shares_of(rounds):
    return [
        [len(flat([{rank: members[rank]}])) for rank in sorted(members)]
        for members in rounds
    ]


def speeds(bench):
    """Speeds 1:1:2:4 give 16, 16, 32 and 64 of 128 samples; other speeds what
    the moving average and the largest remainders give. With a delay the first two
    rounds have equal shares, since nothing is known before."""
    training = Training(batch=8)
    for delay in (0, 1):
        program = bench.program(training, "lb-bsp", 0.2, batch=128, delay=delay)
        for durations in (
            (Fraction(1), Fraction(1), Fraction(1, 2), Fraction(1, 4)),
            (Fraction(51, 50), Fraction(51, 50), Fraction(13, 25), Fraction(27, 100)),
            (Fraction(3, 10), Fraction(7, 10), Fraction(11, 10)),
        ):
            ranks = len(durations)
            run = bench.run(
                training, program, ranks, costs(durations), rounds=30, samples=512
            )
            rounds = run.contributions()
            found = shares_of(rounds)
            expected = ref.lb_bsp_shares(128, 8, durations, 30 + delay, delay=delay)
            equal(found, expected, f"shares of {durations}")
            for rank in range(ranks):
                sums = run.sums(rank)
                equal(sums, [0] * delay + [128] * (30 + delay), "samples of sums")
            once_per_epoch(flat(rounds), 512)
            if ranks == 4 and durations[0] == 1:
                equal(found[-1], [16, 16, 32, 64], "the steady state")


def serial(bench):
    """The update is that of the whole batch, whoever computed what of it; with
    delay=1, of the batch before."""
    for training in (Training(batch=8), Training("f64", batch=4, momentum=0.5)):
        for delay, loop in enumerate((ref.allreduce, ref.delayed)):
            program = bench.program(training, "lb-bsp", 0.2, batch=50, delay=delay)
            durations = (Fraction(3, 10), Fraction(7, 10), Fraction(11, 10))
            run = bench.run(
                training, program, 3, costs(durations), rounds=20, samples=100
            )
            rounds = run.contributions()
            run.follows(loop(ref.Model(training, 0.2), rounds))


if __name__ == "__main__":
    main({f.__name__: f for f in (speeds, serial)})
