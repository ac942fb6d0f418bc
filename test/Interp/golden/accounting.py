"""Every sample of an epoch is applied exactly once, whoever dies when; and the
survivors' parameters are those of the serial loop over what was applied."""

import reference as ref
from harness import check, equal, flat, main, once_per_epoch
from training import Training

SAMPLES = 60
TRAINING = Training()

# Algorithm, options, channel of the reduction.
ALGORITHMS = {
    "allreduce": ("allreduce", {}, "grads"),
    "local-sgd": ("local-sgd", {"steps": 3}, "average"),
    "abs-sgd": ("abs-sgd", {"b_ref": 12}, "grads"),
    "delayed-sgd": ("delayed-sgd", {"m_min": 2}, "grads"),
    "lb-bsp": ("lb-bsp", {"batch": 12}, "grads"),
    "lb-bsp-delayed": ("lb-bsp", {"batch": 12, "delay": 1}, "grads"),
    "dynamic-sgd": ("dynamic-sgd", {}, "grads"),
}
# Visible steps of a round to die after.
STEPS = {"allreduce": 4, "local-sgd": 6, "abs-sgd": 9, "delayed-sgd": 6,
         "lb-bsp": 6, "lb-bsp-delayed": 6, "dynamic-sgd": 6}
DELAYED = {"abs-sgd", "delayed-sgd", "lb-bsp-delayed"}

COSTS = {
    "gradient": "[3us, 7us, 5us]",
    "all_reduce": "8us",
    "ask": "1us",
    "jitter": 0.4,
}


def serial(name, rounds, votes):
    """The parameters after every round."""
    model = ref.Model(TRAINING, 0.2)
    if name == "local-sgd":
        return [w for w, _ in ref.local_sgd(model, rounds)]
    if name in DELAYED:
        rule = ref.linear(12) if name == "abs-sgd" else None
        return ref.delayed(model, rounds, rule)
    history = []
    for t, members in enumerate(rounds):
        if votes is None or votes[t]:
            factor = votes and len(members) / 3
            sums = ref.reduce_round(TRAINING, model.w, members)
            model.update(*sums, factor)
        history.append(model.w)
    return history


def examine(run, name, victim):
    died = [e["rank"] for e in run.of("die")]
    equal(died, [] if victim is None else [victim], "deaths")
    survivors = [rank for rank in range(3) if rank not in died]
    rounds = run.contributions(ALGORITHMS[name][2])
    votes = None
    if name == "dynamic-sgd":
        votes = [e["ok"] for e in run.of("commit", survivors[0])]
        equal(len(votes), len(rounds), "votes")
    # What the reductions counted is what their contributors drew.
    drawn = [len(flat([members])) for members in rounds]
    for rank in survivors:
        sums = run.sums(rank, at=1 if name == "local-sgd" else 0)
        equal(sums, [0] * (name in DELAYED) + drawn, "samples of the sums")
    applied = [m for t, m in enumerate(rounds) if votes is None or votes[t]]
    check(len(flat(applied)) > SAMPLES, "the run ended within an epoch")
    once_per_epoch(flat(applied), SAMPLES)
    run.follows(serial(name, rounds, votes), ranks=survivors)


def account(name):
    algorithm, options, _ = ALGORITHMS[name]

    def test(bench):
        program = bench.program(TRAINING, algorithm, 0.2, **options)
        points = [(r, step) for r in (1, 4) for step in range(STEPS[name])]
        # By virtual time, and by random interleavings.
        for seed, schedule in enumerate(["time", "time", "random", "random"]):
            for point in [None] + points:
                victim = seed % 3 if point else None
                kill = {"kill": f"{victim}@{point[0]}.{point[1]}"} if point else {}
                run = bench.run(
                    TRAINING, program, 3, COSTS, seed=seed, rounds=24,
                    samples=SAMPLES, schedule=schedule, check_samples=True, **kill,
                )
                examine(run, name, victim)

    return test


if __name__ == "__main__":
    main({name: account(name) for name in ALGORITHMS})
