"""adaptive-sgd and k-avg: every merge recomputed from the rows that members
claimed, the controller against its golden trace, and the limits."""

import adaptive_reference as adaptive
import reference as ref
from harness import check, equal, main, same
from server_harness import cell, close_to
from training import Training

TOLERANCE = 1e-13


class Mega:
    """One mega-batch of one member: its updates, each a list of micro-batches,
    and what the dispatcher told it."""

    def __init__(self):
        self.updates, self.sizes, self.clocks = [], [], []
        self.weight = self.end = None


class Replay:
    """A run by rank and mega-batch."""

    def __init__(self, run):
        self.run, self.megas = run, [[] for _ in range(run.ranks)]
        self.posted = {}  # by number of the merge: who contributed what
        current = [Mega() for _ in range(run.ranks)]
        for e in run.events:
            rank, mega = e["rank"], current[e["rank"]]
            if e["op"] == "ask" and e["entry"] == "claim":
                equal(e["inputs"], [len(mega.updates)], "updates so far")
                begin, end, clock, more = e["answers"]
                if more:
                    mega.updates.append([])
                    mega.sizes.append(end - begin)
                    mega.clocks.append(clock)
            elif e["op"] == "next_batch":
                mega.updates[-1].append(e["ids"])
            elif e["op"] == "ask" and e["entry"] == "weight":
                equal(e["inputs"][0], len(mega.updates), "updates of the mega-batch")
                mega.weight = e["answers"]
            elif e["op"] == "all_reduce":
                self.posted.setdefault(e["seq"], {})[rank] = mega
            elif e["op"] == "next":
                mega.end = e
                self.megas[rank].append(mega)
                current[rank] = Mega()

    def rounds(self):
        """By mega-batch: those of all members."""
        return list(zip(*self.megas))


def trained(training, w, mega, rate, reference):
    """A replica after the updates of a mega-batch: rate over batch is the same
    for all."""
    y = w
    for batches in mega.updates:
        g, n = ref.gradient_of(training, y, batches)
        own = training.number(rate) * (training.number(n) / training.number(reference))
        y = y - training.step(None, g, n, own)[0]
    return y


def follow(run, rate, reference, gamma=0.0, start=0.0, **weighting):
    """Recomputes every merge; gives the merged models and the rounds."""
    training = run.training
    w = training.zero() + training.number(start)
    before, models = w, []
    rounds = Replay(run).rounds()
    for t, members in enumerate(rounds):
        updates = [len(m.updates) for m in members]
        batches = [m.sizes[0] if m.sizes else 0 for m in members]
        alpha, total = adaptive.weights(updates, batches, **weighting)
        replicas = [trained(training, w, m, rate, reference) for m in members]
        for i, m in enumerate(members):
            close_to(m.weight, [alpha[i], total], 1e-15, f"weight {t} of rank {i}")
            for batch, size in zip(m.updates, m.sizes):
                equal(sum(map(len, batch)), size, "rows of a claim")
        merged = sum(a * y for a, y in zip(alpha, replicas))
        merged, before = merged + gamma * (w - before), w
        w = merged
        models.append(w)
        for i, m in enumerate(members):
            found = cell(m.end, "w", training.dtype)
            close_to(found, w, TOLERANCE, f"merge {t} at rank {i}")
            same(found, cell(members[0].end, "w", training.dtype), "w at all ranks")
    return models, rounds


COSTS = {"gradient": "[10us, 10us, 13us, 16us]", "step": "[50us, 50us, 65us, 80us]",
         "all_reduce": "7us"}


def merges(bench):
    """Weights, momentum and perturbation, with uneven devices."""
    cases = [
        ({"gamma": 0, "perturbation": 0}, {}, 0.0),
        ({"gamma": 0.5, "perturbation": 0}, {}, 0.5),
        ({"gamma": 0.5, "norm_threshold": 1e9}, {"delta": 0.1}, 0.5),
        ({"gamma": 0, "norm_threshold": 1e9, "renormalise": "false"},
         {"delta": 0.1, "renormalise": False}, 0.0),
        ({"gamma": 0.25, "norm_threshold": 1e-9}, {}, 0.25),
        ({"gamma": 0, "weighting": "uniform"}, {"uniform": True}, 0.0),
    ]
    every = [(Training("f64"), case) for case in cases]
    every.append((Training("f64", labels=3), cases[1]))
    for training, (options, weighting, gamma) in every:
        program = bench.program(
            training, "adaptive-sgd", 0.2, mega_batch=480, max_batch=16,
            min_batch=2, b_ref=24, **options
        )
        run = bench.run(
            training, program, 4, COSTS, {"budget": 480 * 6}, samples=96
        )
        models, rounds = follow(run, 0.2, 24, gamma, **weighting)
        check(len(rounds) >= 6, "few merges")
        counts = {tuple(len(m.updates) for m in members) for members in rounds}
        check(any(len(set(u)) > 1 for u in counts), "counts were never unequal")
        sizes = {m.sizes[0] for members in rounds for m in members}
        check(len(sizes) > 1, "batches never changed")


def controlled(bench, batch, quantum_note, rows):
    """The trace through the program, with a quantum of `batch` samples."""
    training = Training("f64", batch=batch, size=1)
    program = bench.program(
        training, "adaptive-sgd", 0.01, mega_batch=102400, max_batch=1024,
        min_batch=128, gain=16, guard="false", discarded=0, gamma=0,
        perturbation=0,
    )
    slow = (10, 10, 13, 16)
    # s (100 + b): an update costs 100 s, a micro-batch s for each sample.
    costs = {
        "gradient": "[" + ", ".join(f"{s * batch}us" for s in slow) + "]",
        "step": "[" + ", ".join(f"{s * 100}us" for s in slow) + "]",
        "all_reduce": 0,
    }
    run = bench.run(
        training, program, 4, costs, {"budget": 10**9}, samples=4096,
        rounds=len(rows),
    )
    rounds = Replay(run).rounds()
    equal(len(rounds), len(rows), "mega-batches")
    for t, (members, (updates, batches)) in enumerate(zip(rounds, rows)):
        equal(tuple(len(m.updates) for m in members), updates, f"{quantum_note}: u {t}")
        equal(tuple(m.sizes[0] for m in members), batches, f"{quantum_note}: b {t}")


def controller(bench):
    """The golden trace. All its batches are multiples of 4, so with micro-
    batches of 4 samples the program follows it exactly. With micro-batches of
    32 it deals whole ones; then the reference rounds alike."""
    slow = (10, 10, 13, 16)
    exact = adaptive.controller(slow, 100, 102400, 128, 1024, 16, 1, 5)
    equal(exact, adaptive.GOLDEN, "the reference")
    controlled(bench, 4, "quantum 4", adaptive.GOLDEN)
    rows = adaptive.controller(slow, 100, 102400, 128, 1024, 16, 32, 16)
    # Check 3: settled, the fastest at the largest batch.
    for updates, _ in rows[7:]:
        check(max(updates) - min(updates) <= 2, f"not settled: {updates}")
    controlled(bench, 32, "quantum 32", rows)


def untouched(bench):
    """Check 11: a parameter that nobody touches is the same to the last bit,
    for sums of weights of 1 and no momentum."""
    for training in (Training(untouched=True), Training("f64", untouched=True)):
        for start in (0.1, -0.7, 1e-30, 12345.678):
            for options in ({}, {"norm_threshold": 1e9}, {"weighting": "updates"}):
                program = bench.program(
                    training, "adaptive-sgd", 0.2, mega_batch=128, max_batch=8,
                    gamma=0, **options
                )
                run = bench.run(
                    training, program, 4, COSTS, {"budget": 512, "w": start},
                    samples=96,
                )
                expected = training.number(start)
                for e in run.of("next") + run.of("drained"):
                    w = cell(e, "w", training.dtype)
                    same(w[-1], expected, "an untouched parameter")
                    check(w[0] != expected, "nothing was trained")
                alphas = [e["answers"][0] for e in run.of("ask", entry="weight")]
                check(any(a not in (0.25, 0.5) for a in alphas), "weights are too easy")


def identical(bench):
    """Check 6: replicas that are the same merge into the same, and the first
    merge has no momentum to add."""
    training = Training("f64")
    for gamma in (0, 0.9):
        program = bench.program(
            training, "adaptive-sgd", 0.3, mega_batch=3 * 5 * 4, max_batch=4,
            gamma=gamma,
        )
        costs = {"gradient": "10us", "all_reduce": "7us"}
        # One sample, so all rows are the same.
        run = bench.run(training, program, 3, costs, {"budget": 180}, samples=1)
        rounds = Replay(run).rounds()
        equal(len(rounds), 3, "merges")
        w = before = training.zero()
        for t, members in enumerate(rounds):
            replicas = [trained(training, w, m, 0.3, 4) for m in members]
            same(replicas[0], replicas[1], "replicas")
            same(replicas[0], replicas[2], "replicas")
            equal([len(m.updates) for m in members], [5, 5, 5], "updates")
            expected = replicas[0] + gamma * (w - before)
            before, w = w, cell(members[0].end, "w", training.dtype)
            close_to(w, expected, 1e-15, f"merge {t}")


def deaths(bench):
    """Check 10: a death loses that member's part of one mega-batch; the weights
    of those who contributed count as if they were all."""
    training, orphaned = Training("f64"), 0
    program = bench.program(
        training, "adaptive-sgd", 0.2, mega_batch=96, max_batch=8, gamma=0,
        discarded=0,
    )
    for victim in range(4):
        for step in range(0, 14):
            run = bench.run(
                training, program, 4, COSTS, {"budget": 600}, samples=96,
                kill=f"{victim}@2.{step}",
            )
            equal([e["rank"] for e in run.of("die")], [victim], "deaths")
            replay, w = Replay(run), training.zero()
            for t in sorted(replay.posted):
                members = replay.posted[t]
                alphas = {rank: m.weight[0] for rank, m in members.items()}
                orphaned += abs(sum(alphas.values()) - 1) > 1e-6
                moves = {
                    rank: trained(training, w, m, 0.2, 8) for rank, m in members.items()
                }
                w = sum(alphas[r] * moves[r] for r in members) / sum(alphas.values())
                for rank in range(4):
                    if rank != victim:
                        found = cell(replay.megas[rank][t].end, "w", training.dtype)
                        close_to(found, w, TOLERANCE, f"merge {t} at rank {rank}")
    check(orphaned > 0, "nobody died with a weight")


def averaging(bench):
    """k-avg: so many local steps each, then the mean of replicas."""
    training = Training("f64")
    for ranks in (1, 2, 3, 4):
        for steps in (1, 5):
            program = bench.program(
                training, "k-avg", 0.2, local_steps=steps, max_batch=6
            )
            budget = 6 * steps * ranks * 4
            run = bench.run(training, program, ranks, COSTS, {"budget": budget},
                            samples=64)
            models, rounds = follow(run, 0.2, 6, uniform=True)
            equal(len(rounds), 4, "merges")
            # The plain mean, without weights.
            w = training.zero()
            for t, members in enumerate(rounds):
                equal([len(m.updates) for m in members], [steps] * ranks, "steps")
                replicas = [trained(training, w, m, 0.2, 6) for m in members]
                w = ref.total(replicas) / ranks
                close_to(cell(members[0].end, "w", training.dtype), w, TOLERANCE,
                         f"mean {t}")


def alone(bench):
    """One member is plain SGD. Numbers are chosen so that nothing is rounded:
    then w − (w − y) is y to the last bit."""
    training = Training("f64")
    for algorithm, options in (
        ("adaptive-sgd", {"gamma": 0, "mega_batch": 8}),
        ("k-avg", {"local_steps": 4}),
        ("k-avg", {"local_steps": 1}),
    ):
        program = bench.program(
            training, algorithm, 0.5, max_batch=2, min_batch=2, **options
        )
        run = bench.run(training, program, 1, COSTS, {"budget": 32}, samples=32)
        model = ref.Model(training, 0.5)
        for t, [mega] in enumerate(Replay(run).rounds()):
            for batches in mega.updates:
                model.update(*ref.gradient_of(training, model.w, batches))
            found = cell(mega.end, "w", training.dtype)
            same(found, model.w, f"{algorithm}, merge {t}")
        equal(model.seen, 32, "samples")


if __name__ == "__main__":
    tests = (merges, controller, untouched, identical, deaths, averaging, alone)
    main({f.__name__: f for f in tests})
