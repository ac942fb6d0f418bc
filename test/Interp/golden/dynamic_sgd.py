"""dynamic-sgd: ramps of the learning rate, votes, and the static run."""

import reference as ref
from harness import check, equal, flat, main, once_per_epoch, same
from training import Training


def votes(run, rank):
    return [e["ok"] for e in run.of("commit", rank)]


def static(bench):
    """A group that stays as it is: allreduce, bit by bit."""
    for training in (Training(), Training("f64", batch=8, size=3, momentum=0.5)):
        programs = [
            bench.program(training, name, 0.2) for name in ("allreduce", "dynamic-sgd")
        ]
        for ranks in (1, 2, 3, 4):
            plain, dynamic = (
                bench.run(training, program, ranks, rounds=20, samples=64)
                for program in programs
            )
            equal(dynamic.contributions(), plain.contributions(), "samples")
            equal(votes(dynamic, 0), [True] * 20, "votes")
            dynamic.follows(plain.history())
            model = ref.Model(training, 0.2)
            dynamic.follows(ref.allreduce(model, dynamic.contributions()))


def follow(bench, training, ranks, rounds, changes, factors_of, **options):
    """Runs with changes of members and compares with the serial loop under the
    factors for the members of the applied updates. Gives these factors."""
    program = bench.program(training, "dynamic-sgd", 0.05, **options)
    run = bench.run(training, program, ranks, rounds=rounds, samples=8192, **changes)
    survivor = max(range(ranks), key=lambda rank: len(run.of("next", rank)))
    said = votes(run, survivor)
    everything = run.contributions()
    equal(len(said), len(everything), "votes")
    applied = [members for members, ok in zip(everything, said) if ok]
    counts = [len(members) for members in applied]
    factors = factors_of(counts)
    model, history = ref.Model(training, 0.05), []
    for t, ok in enumerate(said):
        if ok:
            n = sum(said[:t])
            if options.get("rule") == "reset" and n and counts[n] != counts[n - 1]:
                model.state = training.zero()
            if options.get("uncorrected") and n:
                # The last step is kept, not the last velocity.
                ratio = float(factors[n - 1]) / float(factors[n])
                model.state = model.state * training.number(ratio)
            sums = ref.reduce_round(training, model.w, everything[t])
            model.update(*sums, float(factors[n]))
        history.append(model.w)
    for rank in everything[-1]:
        versions = run.history(rank=rank)
        # A joiner has the versions since it joined.
        for t in range(1, len(versions) + 1):
            same(versions[-t], history[-t], f"w {t} rounds before the end at {rank}")
    once_per_epoch(flat(applied), 8192)
    return counts, [float(f) for f in factors], run


def joins(first, last, round):
    return [f"{rank}@{round}" for rank in range(first, last)]


def growth(bench):
    """Check 1: k = 4 from round 3 on, over 8 and over 8k updates."""
    training = Training(momentum=0.5)
    changes = {"join": joins(1, 4, 3)}
    counts, factors, _ = follow(
        bench, training, 4, 20, changes, lambda c: ref.ramp(c, length=8), length=8
    )
    equal(counts, [1] * 3 + [4] * 17, "members")
    golden = [1, 1.375, 1.75, 2.125, 2.5, 2.875, 3.25, 3.625, 4, 4]
    equal(factors[3:13], golden, "factors of a growth to four over 8 updates")
    counts, factors, _ = follow(bench, training, 4, 50, changes, ref.ramp)
    equal([factors[3 + j] for j in (0, 1, 16, 32, 33)], [1, 1.09375, 2.5, 4, 4],
          "factors of a growth to four")


def baselines(bench):
    """The whole factor at once: with the velocity, without it, and with the
    last step instead; and no factor."""
    training = Training(momentum=0.5)
    changes = {"join": joins(2, 4, 6), "kill": "1@11"}
    immediate = lambda counts: [count / 2 for count in counts]
    for factors_of, options in (
        (immediate, {"rule": "immediate"}),
        (immediate, {"rule": "reset"}),
        (immediate, {"rule": "immediate", "uncorrected": "true"}),
        (ref.ramp, {"uncorrected": "true"}),
        (lambda counts: [min(c / 2, 1.25) for c in counts],
         {"rule": "immediate", "max_factor": 1.25}),
        (lambda counts: [1] * len(counts), {"rule": "unscaled"}),
    ):
        counts, _, _ = follow(bench, training, 4, 20, changes, factors_of, **options)
        equal(sorted(set(counts)), [2, 3, 4], "member counts")


def nested(bench):
    """Check 2: a growth within a ramp starts at the present factor."""
    changes = {"join": joins(2, 16, 1) + joins(16, 32, 33)}
    counts, factors, _ = follow(bench, Training(), 32, 70, changes, ref.ramp)
    equal(counts, [2] + [16] * 32 + [32] * 37, "members")
    equal(factors[32], 4.390625, "the last factor of the first ramp")
    equal(factors[33], 4.390625, "the first factor of the second ramp")
    check(factors[33 + 28] < 16, "the second ramp is too short")
    equal(factors[33 + 29], 16, "the end of the second ramp")


def shrink(bench):
    """A death lowers the factor at once, or by the ramp that was asked for."""
    training = Training(momentum=0.5)
    for kill in (["3@5"], ["3@5", "1@5"], ["2@4", "0@9"]):
        changes = {"kill": kill}
        counts, factors, run = follow(bench, training, 4, 24, changes, ref.ramp)
        equal(counts[0], 4, "members of the first round")
        equal(counts[-1], 4 - len(kill), "members of the last round")
        equal(factors, [c / 4 for c in counts], "factors")
        for mode in ("ratio", "inverse"):
            counts, factors, _ = follow(
                bench, training, 4, 40, changes,
                lambda c: ref.ramp(c, shrink=mode), shrink=mode,
            )
            at = counts.index(3 if len(kill) < 2 or "0@9" in kill else 2)
            equal(factors[at], 1, "the first factor of a ramp")
            check(len(set(factors)) > 3, "no ramp")
        counts, factors, _ = follow(
            bench, training, 4, 24, changes,
            lambda c: [n / 2 for n in c], rule="reset", base_members=2,
        )
        follow(
            bench, training, 4, 24, changes, lambda c: [1] * len(c), rule="unscaled"
        )


def again(bench):
    """A vote that says no: nothing changes, and the samples come again."""
    training = Training()
    program = bench.program(training, "dynamic-sgd", 0.2)
    run = bench.run(training, program, 4, rounds=20, samples=8192, kill="2@5")
    said = votes(run, 0)
    equal(said.count(False), 1, "votes that said no")
    t = said.index(False)
    rounds = run.contributions()
    check(len(flat(rounds[t : t + 1])) < 8, "all samples were there")
    planned = list(range(8 * t, 8 * t + 8))
    equal(flat(rounds[t + 1 : t + 2]), planned[:6], "the round after")
    equal(flat(rounds[t + 2 : t + 3])[:2], planned[6:], "the next round")
    same(run.history()[t], run.history()[t - 1], "w after the lost round")


if __name__ == "__main__":
    main({f.__name__: f for f in (static, growth, baselines, nested, shrink, again)})
