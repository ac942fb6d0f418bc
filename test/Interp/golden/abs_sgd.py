"""abs-sgd and delayed-sgd against the golden trace and the serial loop."""

from fractions import Fraction

import reference as ref
from harness import SECOND, check, equal, flat, main, near, once_per_epoch
from training import Training

# Golden trace: counts, samples, start, done, then w after β = 0 and β = .5.
GOLDEN = [
    ((1, 1, 1, 1), 32, 1.02, 2.02, 0, 0),
    ((1, 1, 3, 7), 96, 2.16, 3.16, 0.125, 0.125),
    ((2, 2, 3, 4), 88, 4.08, 5.08, 0.625, 0.8125),
    ((1, 1, 3, 7), 96, 5.20, 6.20, 0.995313, 1.497917),
    ((2, 2, 2, 4), 80, 7.14, 8.14, 1.401563, 2.249905),
    ((1, 1, 4, 8), 112, 8.37, 9.37, 1.627148, 2.725994),
    ((2, 2, 3, 4), 88, 10.20, 11.20, 1.969375, 3.253023),
    ((1, 1, 3, 7), 96, 11.44, 12.44, 2.133142, 3.472746),
    ((2, 2, 2, 5), 88, 13.26, 14.26, 2.337736, 3.604641),
    ((1, 1, 4, 6), 96, 14.56, 15.56, 2.444429, 3.587591),
]
FLUSHED = (2.581268, 3.525094)

DURATIONS = [1_020_000_000, 1_020_000_000, 520_000_000, 270_000_000]


def uneven(reduction):
    """The cluster 1:1:2:4 and what a reduction takes."""
    return {
        "gradient": "[" + ", ".join(f"{d}ns" for d in DURATIONS) + "]",
        "all_reduce": f"{reduction}ns",
    }


def nanoseconds(seconds):
    return round(seconds * SECOND)


def golden(bench):
    for column, beta in enumerate((None, 0.5)):
        training = Training("f64", batch=8, size=1, momentum=beta)
        program = bench.program(training, "abs-sgd", 0.2, b_ref=128)
        run = bench.run(
            training, program, 4, uneven(SECOND), data="rank", rounds=9, samples=4096
        )
        counts = run.counts()
        equal(len(counts), len(GOLDEN), "rounds")
        posts = [run.of("all_reduce", rank) for rank in range(4)]
        awaited = [run.of("await", rank) for rank in range(4)]
        exact = ref.exact_delayed(
            counts, [1, 2, 3, 4], Fraction(1, 5), 128, Fraction(1, 4), 4,
            Fraction(beta or 0),
        )[2]
        for t, (k, n, start, done, *w) in enumerate(GOLDEN):
            equal(counts[t], k, f"counts of round {t}")
            joined = [row[t] for row in posts]
            equal(max(e["t"] for e in joined), nanoseconds(start), f"start {t}")
            for rank in range(4):
                # The sum of round t is awaited in round t + 1, or drained.
                event = awaited[rank][t + 1]
                equal(event["done"], nanoseconds(done), f"done {t} at {rank}")
                equal(event["scalars"][0], n, f"samples of round {t} at {rank}")
                found = run.history(rank=rank)[t][0]
                near(found, w[column], 5.1e-7, f"w after round {t} at {rank}")
                near(found, float(exact[t]), 1e-13, f"exact w {t} at {rank}")
        for rank in range(4):
            found = run.history(rank=rank)[-1][0]
            near(found, FLUSHED[column], 5.1e-7, f"flushed w at {rank}")
            near(found, float(exact[-1]), 1e-13, f"exact flushed w at {rank}")


def serial(bench):
    """Fixed counts, equal speeds: check 1, and delayed-sgd."""
    for training in (
        Training(),
        Training("f64", batch=8, size=3, momentum=0.5),
        Training(momentum=0.75, untouched=True, decay=True),
        Training(momentum=0.5, decay=True, labels=3),
    ):
        for ranks in (1, 2, 3, 4):
            for algorithm, m in (("abs-sgd", 1), ("abs-sgd", 3), ("delayed-sgd", 2)):
                program = bench.program(training, algorithm, 0.2, m_min=m)
                cells = {"budget": 4096}
                run = bench.run(
                    training, program, ranks, cells=cells, rounds=20, samples=64,
                    costs={"gradient": "10us", "all_reduce": "1us"},
                )
                equal(run.counts(), [(m,) * ranks] * 21, "counts")
                model = ref.Model(training, 0.2, budget=4096)
                quantum = training.batch * ranks
                rule = ref.linear(quantum) if algorithm == "abs-sgd" else None
                run.follows(ref.delayed(model, run.contributions(), rule))


def rules(bench):
    """The learning rate of small and large batches, and no flush."""
    training = Training()
    costs = {"gradient": "[7us, 3us, 11us]", "all_reduce": "20us"}
    mean = lambda count: None
    for options, rule in (
        ({"b_ref": 1000}, ref.linear(1000)),  # below the least factor
        ({"b_ref": 1}, ref.linear(1)),  # above the largest
        ({"b_ref": 16}, ref.linear(16)),
        ({}, ref.linear(2 * 3)),
        ({"b_ref": 16, "clip_low": 1.125, "clip_high": 1.5},
         ref.linear(16, 1.125, 1.5)),
        ({"rule": "mean"}, mean),
        ({"rule": "mean", "flush": "false"}, mean),
    ):
        program = bench.program(training, "abs-sgd", 0.05, **options)
        run = bench.run(training, program, 3, costs, rounds=20, samples=512)
        flush = options.get("flush") != "false"
        model = ref.Model(training, 0.05)
        run.follows(ref.delayed(model, run.contributions(), rule, flush))


def heterogeneous(bench):
    """Any counts: check 2 with the counts and samples of the log, check 3."""
    training = Training(momentum=0.25)
    program = bench.program(training, "abs-sgd", 0.2)
    for seed in range(5):
        costs = {
            "gradient": f"[{7 + seed}us, 3us, 11us, 2us]",
            "all_reduce": f"{5 + 7 * seed}us",
            "jitter": 0.3,
        }
        run = bench.run(
            training, program, 4, costs, rounds=20, samples=512, seed=seed
        )
        rounds = run.contributions()
        counts = [tuple(len(m[rank]) for rank in range(4)) for m in rounds]
        equal(run.counts(), counts, "counts and batches")
        check(len(set(counts)) > 1, "the counts never changed")
        model = ref.Model(training, 0.2)
        run.follows(ref.delayed(model, rounds, ref.linear(2 * 4)))
        # Check 4: what is applied is what was drawn, and that is exact.
        drawn = [len(flat([members])) for members in rounds]
        for rank in range(4):
            equal(run.sums(rank), [0] + drawn, f"samples of sums at {rank}")
        once_per_epoch(flat(rounds), 512)
        delay_is_one(run)


def delay_is_one(run):
    """Reduction t is posted in round t and awaited in round t + 1, after the
    post of t + 1; nobody blocks; start t + 1 is not before done t."""
    for rank in range(run.ranks):
        posts, awaits = run.of("all_reduce", rank), run.of("await", rank)
        equal([e["seq"] for e in posts], list(range(len(posts))), "order")
        numbers = [e["seq"] for e in awaits[1:]]
        equal(numbers, list(range(len(posts))), "order of awaits")
        for t in range(1, len(posts)):
            check(awaits[t]["done"] <= posts[t]["t"], f"round {t} at {rank} blocked")
            equal(awaits[t]["round"] - awaits[t - 1]["round"], 1, "delay")


def barrier(bench):
    """Protocol P1: counts by its rule, parameters by the serial loop."""
    training = Training()
    program = bench.program(training, "abs-sgd", 0.05, protocol="p1")
    for reduction in (100, 1000, 4000):
        costs = uneven(reduction * 1_000_000)
        run = bench.run(training, program, 4, costs, rounds=30, samples=512)
        rounds = run.contributions()
        counts = [tuple(len(m[rank]) for rank in range(4)) for m in rounds]
        expected = ref.barrier_counts(DURATIONS, reduction * 1_000_000, 31)
        equal(counts, expected, f"counts at T_ar = {reduction} ms")
        run.follows(ref.delayed(ref.Model(training, 0.05), rounds, ref.linear(8)))


def waiting(bench):
    """delayed-sgd on unequal members: fixed counts, and whoever is early waits;
    the same with the compensation of the delay."""
    costs = {"gradient": "[7us, 3us, 11us]", "all_reduce": "50us", "jitter": 0.3}
    for strength, labels in ((0, 1), (1, 1), (81, 3)):
        training = Training("f64", momentum=0.5, labels=labels)
        program = bench.program(
            training, "delayed-sgd", 0.2, m_min=2, dc_lambda=strength
        )
        run = bench.run(training, program, 3, costs, rounds=20, samples=512)
        equal(run.counts(), [(2, 2, 2)] * 21, "counts")
        rounds, model = run.contributions(), ref.Model(training, 0.2)
        if strength == 0:
            run.follows(ref.delayed(model, rounds))
            continue
        expected = ref.compensated(model, rounds, strength)
        plain = ref.delayed(ref.Model(training, 0.2), rounds)
        apart = max(abs(a - b).max() for a, b in zip(expected, plain))
        check(apart > 1e-3, "there is no compensation to see")
        for rank in range(3):
            history = run.history(rank=rank)
            equal(len(history), len(expected), "versions")
            for t, (found, w) in enumerate(zip(history, expected)):
                near(abs(found - w).max(), 0, 1e-12, f"w after round {t} at {rank}")


# T_ar in seconds -> period, mean samples of a round.
LAWS = {0.25: (1.020, 61.9), 0.5: (1.020, 61.9), 1: (1.528, 92.9),
        2: (2.535, 153.9), 4: (4.589, 278.6)}


def laws(bench):
    training = Training("f64", batch=8, size=1)
    program = bench.program(training, "abs-sgd", 0.05, b_ref=128)
    for seconds, (period, samples) in LAWS.items():
        run = bench.run(
            training, program, 4, uneven(nanoseconds(seconds)), rounds=200,
            samples=4096,
        )
        rows = ref.abs_sgd_times(DURATIONS, nanoseconds(seconds), 201)
        equal(run.counts(), [k for k, _, _ in rows], "counts")
        done = [e["done"] for e in run.of("await", 0)[1:]]
        equal(done, [d for _, _, d in rows], "times")
        found = (done[-1] - done[0]) / (len(done) - 1) / SECOND
        near(found / period, 1, 0.02, f"period at T_ar = {seconds}")
        drawn = run.sums()[2:]
        near(sum(drawn) / len(drawn) / samples, 1, 0.02, f"N at T_ar = {seconds}")


if __name__ == "__main__":
    main({f.__name__: f for f in (golden, serial, rules, heterogeneous, barrier, waiting, laws)})
