"""Every sample of an epoch is applied exactly once, whoever dies when; and the
survivors' parameters are those of the serial loop over what was applied."""

import reference as ref
from harness import check, equal, flat, main, once_per_epoch
from training import Training

SAMPLES = 60

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
DELAYED = {"abs-sgd", "delayed-sgd", "lb-bsp-delayed"}

COSTS = {
    "gradient": "[3us, 7us, 5us]",
    "all_reduce": "8us",
    "ask": "1us",
    "jitter": 0.4,
}


def serial(name, training, rounds, votes):
    """The parameters after every round."""
    model = ref.Model(training, 0.2)
    if name == "local-sgd":
        return [w for w, _ in ref.local_sgd(model, rounds)]
    if name in DELAYED:
        rule = ref.linear(12) if name == "abs-sgd" else None
        return ref.delayed(model, rounds, rule)
    history = []
    for t, members in enumerate(rounds):
        if votes is None or votes[t]:
            factor = votes and len(members) / 3
            sums = ref.reduce_round(training, model.w, members)
            model.update(*sums, factor)
        history.append(model.w)
    return history


def examine(run, name, victim):
    """Gives how often a round was lost."""
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
    run.follows(serial(name, training, rounds, votes), ranks=survivors)
