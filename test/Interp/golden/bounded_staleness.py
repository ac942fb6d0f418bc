"""bounded-staleness and its configurations against the specification."""

import numpy as np

import reference as ref
import staleness_reference as golden
from harness import check, equal, main, near, same
from server_harness import Server
from training import Training

FAR = 6  # a start from which the loss falls by much


def local_change(model, base, batches, clock):
    """x − base after one local step per batch; the optimizer starts afresh."""
    training, x, state = model.training, base, model.training.zero()
    for batch in batches:
        g, n = ref.gradient_of(training, x, [batch])
        d, new = training.step(state, g, n, model.rate(clock))
        x, state = x - d, state if new is None else new
    return x - base


def first_loss(training, base, batch):
    """Mean loss of a job's first batch at the model it downloaded."""
    total = 0.0
    for number in batch:
        difference = base - ref.sample(training, number)
        total += 0.5 * float(np.sum(np.float64(difference) ** 2))
    return total / (len(batch) * training.labels)


def follow(server, steps, rate=0.2, momentum=0.0, weigh=False, exact=0, **settings):
    """Recomputes every version from the jobs that took part, bit by bit, and
    what the rule was asked and answered. `exact`: so many samples are the data
    set whose loss is the server's."""
    training = server.run.training
    if exact:
        start = training.zero() + training.number(FAR)
        settings["initial"] = first_loss(training, start, range(exact))
    rule = golden.Rule(server.workers, **settings)
    versions, clocks = [training.zero() + training.number(FAR)], [0]
    model, velocity = ref.Model(training, rate, versions[0]), training.zero()
    for t, each in enumerate(server.rounds):
        equal(each.count, rule.K, f"K of round {t}")
        alive = server.workers - len(each.dead)
        who = [job.worker for job in each.jobs]
        if len(who) != rule.K:
            # Nobody is left to wait for.
            check(1 <= len(who) < rule.K, f"participants of round {t}: {who}")
            rest = set(range(server.workers)) - each.dead - set(who)
            equal(rest, set(), f"workers that round {t} did not wait for")
        parts, losses = [], []
        for job in each.jobs:
            base = versions[job.version]
            equal(len(job.batches), steps, f"local steps of {job}")
            change = local_change(model, base, job.batches, clocks[job.version])
            staleness = len(versions) - 1 - job.version
            check((job.worker, staleness) in each.arrivals, f"staleness of {job}")
            if weigh:
                change = change * training.number(1 / (1 + staleness))
            parts.append(change)
            losses.append(first_loss(training, base, job.batches[0]))
        move = ref.total(parts) / training.number(len(parts))
        if momentum:
            velocity = training.number(momentum) * velocity + move
            move = velocity
        model.w = model.w + move
        model.seen += sum(len(b) for job in each.jobs for b in job.batches)
        same(server.model(each), model.w, f"version {t + 1}")
        versions.append(model.w)
        clocks.append(model.seen)
        F, participants, asked, seen, stop = each.question
        digits = {np.float32: 1e-6, np.float64: 1e-13}[training.dtype]
        loss = sum(losses) / len(losses)
        if exact:
            loss = first_loss(training, model.w, range(exact))
        near(F, loss, digits * max(1, F), f"loss of round {t}")
        equal((participants, asked), (len(parts), alive), "question")
        equal(seen, model.seen, "samples")
        # The rule follows the reported number, so that a rounding of F cannot
        # flip it.
        rule.close(F, participants, alive)
        next_K, bound, go = each.answer
        equal(next_K, rule.K, f"K after round {t}")
        tau = rule.tau(alive)
        check(bound == tau or (tau == golden.INFINITE and bound > 10**6),
              f"bound after round {t}: expected {tau}, got {bound}")
        equal(go, t + 1 < len(server.rounds), "go")
        if go:
            late = [
                m for m in range(server.workers)
                if m not in who and m not in each.dead
                and len(versions) - 1 - newest(server, m, t).version > tau
            ]
            equal(each.restarted, late, f"restarts after round {t}")
    # Whoever took part and lives downloads again; after the last round nobody.
    again = sum(
        job.worker not in each.dead for each in server.rounds[:-1] for job in each.jobs
    )
    equal(server.downloads, server.workers + again + server.restarts(), "downloads")


def newest(server, worker, t):
    """The job that a worker had when round t closed: version t + 1 is not yet
    granted then."""
    jobs = [j for (m, _), j in server.jobs.items() if m == worker and j.version <= t]
    return max(jobs, key=lambda job: job.ticket)


# Synchronous, and alone.

UNEVEN = {"gradient": "[1us, 7us, 3us, 11us, 5us]", "message": "2us"}


def synchronous(bench):
    """K = M is a serial loop of local SGD: check 6."""
    for training in (Training(), Training("f64", 3, 5, momentum=0.5),
                     Training(momentum=0.5, labels=3)):
        for workers in (1, 2, 4):
            for steps in (1, 3):
                program = bench.program(
                    training, "bounded-staleness", 0.2, k0=workers, steps=steps
                )
                budget = 8 * workers * steps * training.batch
                run = bench.run(
                    training, program, workers + 1, UNEVEN, {"budget": budget},
                    samples=32,
                )
                server = Server(run)
                equal(len(server.rounds), 8, "rounds")
                rounds = [
                    {job.worker: job.batches for job in each.jobs}
                    for each in server.rounds
                ]
                model = ref.Model(training, 0.2)
                serial = ref.local_sgd(model, rounds, mode="reset")
                for t, (each, (w, _)) in enumerate(zip(server.rounds, serial)):
                    same(server.model(each), w, f"version {t + 1}")
                    equal([s for _, s in each.arrivals], [0] * workers, "staleness")
                equal(server.restarts(), 0, "restarts")
                equal(server.uploads["dropped"], 0, "dropped uploads")


def alone(bench):
    """One worker is plain SGD. Numbers are chosen so that nothing is rounded:
    then w + (x − w) is x to the last bit."""
    training = Training("f64")
    for algorithm, options in CONFIGURATIONS.items():
        program = bench.program(training, algorithm, 0.5, steps=5, **options)
        run = bench.run(training, program, 2, UNEVEN, {"budget": 40}, samples=32)
        server = Server(run)
        model = ref.Model(training, 0.5)
        for t, each in enumerate(server.rounds):
            [job] = each.jobs
            for batch in job.batches:
                model.update(*ref.gradient_of(training, model.w, [batch]))
            same(server.model(each), model.w, f"{algorithm}: version {t + 1}")
        equal(len(server.rounds), 4, "rounds")


def keys(bench):
    """A batch is a function of worker, ticket and step, not of time. Draws are
    with replacement, so there is no epoch to account for."""
    training, drawn = Training(), {}
    program = bench.program(training, "k-async", 0.2, k0=2, steps=3)
    times = set()
    for jitter in (0, 0.3, 0.6):
        costs = {**UNEVEN, "jitter": jitter}
        run = bench.run(training, program, 5, costs, {"budget": 240}, samples=97)
        server = Server(run)
        times.add(tuple(each.time for each in server.rounds))
        for key, job in server.jobs.items():
            for i, batch in enumerate(job.batches):
                equal(batch, drawn.setdefault((*key, i), batch), f"batch of {key}")
    equal(len(times), 3, "different runs")
    batches = [tuple(b) for b in drawn.values()]
    check(len(set(batches)) > 0.9 * len(batches), "keys give the same batches")


# Configurations, and the bound.

CONFIGURATIONS = {
    "bounded-staleness": {},
    "k-sync": {"k0": 1},
    "k-async": {"k0": 1},
    "asgd": {},
    "adasync": {},
    "sa-adasync": {},
}


def long_run(bench, algorithm, seed, training=Training(), rounds=150, kill=(),
             schedule="time", **options):
    program = bench.program(training, algorithm, 0.2, steps=2, **options)
    costs = {
        "gradient": "[1us, 9us, 23us, 31us, 47us, 101us, 13us]",
        "message": "3us",
        "jitter": 0.9,
    }
    k0 = options.get("k0", 1)
    run = bench.run(
        training, program, 7, costs,
        {"budget": rounds * k0 * 2 * training.batch, "w": FAR}, seed=seed, samples=50,
        kill=list(kill), schedule=schedule,
    )
    server = Server(run)
    check(len(server.rounds) >= 20, f"only {len(server.rounds)} rounds")
    return server


def staleness_of(server):
    return [s for each in server.rounds for _, s in each.arrivals]


def configurations(bench):
    unbounded = {"bound": golden.INFINITE, "guard": False}
    for seed in range(3):
        server = long_run(bench, "k-sync", seed, k0=2)
        follow(server, 2, k0=2, adapt=False, guard=False, bound=0)
        equal(set(staleness_of(server)), {0}, "staleness of k-sync")
        check(server.restarts() > 0, "nobody was restarted")

        server = long_run(bench, "k-async", seed, k0=2)
        follow(server, 2, k0=2, adapt=False, **unbounded)
        equal(server.restarts(), 0, "restarts of k-async")

        server = long_run(bench, "asgd", seed)
        follow(server, 2, k0=1, adapt=False, **unbounded)
        equal(server.restarts(), 0, "restarts of asgd")
        equal({each.count for each in server.rounds}, {1}, "K of asgd")
        check(max(staleness_of(server)) > 6, "asgd is never stale")

        server = long_run(bench, "adasync", seed, k0=1)
        follow(server, 2, k0=1, **unbounded)
        equal(server.restarts(), 0, "restarts of adasync")
        check(server.rounds[-1].count > 1, "K of adasync did not rise")

        server = long_run(bench, "sa-adasync", seed, k0=1)
        follow(server, 2, k0=1, weigh=True, **unbounded)
        check(max(staleness_of(server)) > 1, "nothing was stale")

        # Fixed K with the bound, and the other way round.
        server = long_run(bench, "bounded-staleness", seed, k0=2, adapt="false",
                          guard="false")
        follow(server, 2, k0=2, adapt=False, guard=False)
        server = long_run(bench, "bounded-staleness", seed, k0=1, bounded="false")
        follow(server, 2, k0=1, bound=golden.INFINITE)


def bound(bench):
    """The default rule: the bound holds, restarts are those of the rule, and
    downloads add up. A server's momentum is part of the update."""
    used = set()
    for seed in range(6):
        for k0, alpha in ((1, 0.5), (1, 1.0), (2, 1.0)):
            server = long_run(bench, "bounded-staleness", seed, k0=k0, alpha=alpha)
            follow(server, 2, k0=k0, alpha=alpha)
            used |= set(staleness_of(server))
            check(server.restarts() > 0, "nobody was restarted")
            check(server.uploads["dropped"] > 0, "nothing was dropped")
    check(max(used) >= 2, "nothing was stale")
    server = long_run(bench, "bounded-staleness", 7, k0=2, server_momentum=0.5)
    follow(server, 2, k0=2, momentum=0.5)


def exact(bench):
    """The server's own loss: of all samples, at the new model, from the first
    round on. Fifty samples are no multiple of the batch of the second."""
    for training in (Training(), Training("f64", 3, 4), Training(labels=2)):
        for algorithm, rule in (
            ("bounded-staleness", {}),
            ("adasync", {"bound": golden.INFINITE, "guard": False}),
        ):
            server = long_run(bench, algorithm, 2, training, k0=1, loss="exact")
            follow(server, 2, k0=1, exact=50, **rule)
            check(server.rounds[-1].count > 1, "K did not rise")
            wholes = [
                e for e in server.run.of("next_batch", 0) if e["source"] == "whole"
            ]
            # Before the first round and after every one.
            one = -(-50 // training.batch)
            equal(len(wholes), one * (len(server.rounds) + 1), "batches")
            ids = [i for e in wholes[:one] for i in e["ids"]]
            equal(ids, list(range(50)), "samples of an evaluation")


def schedules(bench):
    """Whatever the order of events: versions, rule and restarts are right."""
    unbounded = {"bound": golden.INFINITE, "guard": False}
    for seed in range(4):
        for algorithm, options, rule in (
            ("bounded-staleness", {"k0": 1, "alpha": 1}, {"alpha": 1}),
            ("k-sync", {"k0": 2}, {"adapt": False, "guard": False, "bound": 0}),
            ("sa-adasync", {"k0": 2}, {"weigh": True, **unbounded}),
        ):
            server = long_run(bench, algorithm, seed, schedule="random", rounds=60,
                              **options)
            follow(server, 2, k0=options["k0"], **rule)


def deaths(bench):
    """Workers die one after another: participants are those alive, K does not
    fall, the bound holds, and every version is still that of its jobs."""
    for seed in range(3):
        for k0 in (2, 4, 6):
            kill = ["1@3.2", f"6@{4 + seed}", "2@6.5", "4@9.1", "3@2.4"]
            server = long_run(bench, "bounded-staleness", seed, k0=k0, alpha=1,
                              initial_loss=100, rounds=60, kill=kill)
            follow(server, 2, k0=k0, alpha=1, initial=100.0)
            check(len(server.dead) >= 4, f"only {server.dead} died")
            fewest = min(len(each.jobs) for each in server.rounds)
            check(fewest < k0 or k0 == 2, "no round was short of workers")


if __name__ == "__main__":
    tests = (
        synchronous, alone, keys, configurations, bound, exact, schedules, deaths
    )
    main({f.__name__: f for f in tests})
