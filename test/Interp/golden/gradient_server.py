"""dc-asgd and ssp against their specification."""

import numpy as np

import reference as ref
from harness import check, equal, main, same
from server_harness import Server, close_to
from training import Training

FAR = 6  # a start from which the gradients are large
COSTS = {
    "gradient": "[1us, 9us, 23us, 31us, 47us, 101us, 13us]",
    "message": "3us",
    "jitter": 0.9,
}


def long_run(bench, algorithm, seed, training, updates=150, ranks=7, lr=0.05,
             kill=(), schedule="time", batches=1, **options):
    if algorithm == "asgd":
        options["steps"] = batches
    else:
        options["batches"] = batches
    program = bench.program(training, algorithm, lr, **options)
    run = bench.run(
        training, program, ranks, COSTS,
        {"budget": updates * batches * training.batch, "w": FAR}, seed=seed,
        samples=50, kill=list(kill), schedule=schedule,
    )
    server = Server(run)
    check(len(server.rounds) >= 20, f"only {len(server.rounds)} rounds")
    return server


def follow(server, batches=1, rate=0.05, strength=2.0, adaptive=True, decay=0.95,
           epsilon=1e-7):
    """Recomputes every version, bit by bit. Returns the largest correction."""
    training = server.run.training
    number = training.number
    versions = [training.zero() + number(FAR)]
    model = ref.Model(training, rate, versions[0])
    mean_square, largest = training.zero(), 0.0
    for t, each in enumerate(server.rounds):
        [job] = each.jobs
        equal(len(job.batches), batches, f"micro-batches of {job}")
        base = versions[job.version]
        equal(each.arrivals, [(job.worker, t - job.version)], f"staleness of {job}")
        g, n = ref.gradient_of(training, base, job.batches)
        if strength:
            mean = g / number(n)
            if adaptive:
                mean_square = (
                    number(decay) * mean_square + number(1 - decay) * (mean * mean)
                )
                factor = number(strength) / np.sqrt(mean_square + number(epsilon))
            else:
                factor = number(strength)
            correction = factor * ((mean * mean) * (model.w - base))
            largest = max(largest, float(np.max(np.abs(correction))))
            g = g + number(n) * correction
        model.update(g, n)
        same(server.model(each), model.w, f"version {t + 1}")
        versions.append(model.w)
    return largest


def versions(bench):
    """Adaptive and constant strength, a server with momentum, jobs of several
    micro-batches."""
    for seed in range(3):
        server = long_run(bench, "dc-asgd", seed, Training())
        check(follow(server) > 0.1, "nothing was corrected")
        check(max(s for e in server.rounds for _, s in e.arrivals) > 6,
              "nothing was stale")
        moving = Training("f64", 3, 5, momentum=0.5)
        server = long_run(bench, "dc-asgd", seed, moving, batches=2)
        check(follow(server, batches=2) > 0.1, "nothing was corrected")
        server = long_run(bench, "dc-asgd", seed, Training(), adaptive="false",
                          **{"lambda": 0.04})
        check(follow(server, strength=0.04, adaptive=False) > 0.1,
              "nothing was corrected")
        server = long_run(bench, "dc-asgd", seed, Training("f64"), decay=0.5,
                          epsilon=0.25, **{"lambda": 0.5})
        follow(server, strength=0.5, decay=0.5, epsilon=0.25)


def plain(bench):
    """Without a correction it is asgd that steps at the server: bit by bit the
    serial loop, and asgd itself up to rounding."""
    for training, digits in ((Training(), 1e-5), (Training("f64", 3, 5), 1e-13)):
        for seed in range(3):
            mine = long_run(bench, "dc-asgd", seed, training, **{"lambda": 0})
            follow(mine, strength=0)
            other = long_run(bench, "asgd", seed, training)
            equal(len(mine.rounds), len(other.rounds), "rounds")
            for t, (a, b) in enumerate(zip(mine.rounds, other.rounds)):
                equal((a.time, a.arrivals, a.jobs), (b.time, b.arrivals, b.jobs),
                      f"round {t}")
                close_to(mine.model(a), other.model(b), digits, f"version {t + 1}")


def alone(bench):
    """One worker is never stale, so nothing is corrected: plain SGD with
    momentum, bit by bit."""
    for training in (Training(), Training("f64", 3, 5, momentum=0.5)):
        server = long_run(bench, "dc-asgd", 1, training, updates=40, ranks=2)
        model = ref.Model(training, 0.05, training.zero() + training.number(FAR))
        for t, each in enumerate(server.rounds):
            [job] = each.jobs
            model.update(*ref.gradient_of(training, model.w, job.batches))
            same(server.model(each), model.w, f"version {t + 1}")
        equal(len(server.rounds), 40, "rounds")


def schedules(bench):
    """Whatever the order of events, and whoever dies."""
    for seed in range(4):
        server = long_run(bench, "dc-asgd", seed, Training(), updates=60,
                          schedule="random")
        follow(server)
        kill = ["1@3.2", f"6@{4 + seed}", "2@6.5", "4@9.1"]
        server = long_run(bench, "dc-asgd", seed, Training(), updates=60, kill=kill)
        follow(server)
        check(len(server.dead) >= 3, f"only {server.dead} died")


# ssp: whom the server passes over.


def passed_over(server, slack):
    """Recomputes from the clocks whom every grant goes to. Returns how often
    somebody was passed over, and how often a death released somebody."""
    workers = range(1, server.workers + 1)
    clock, alive, waiting = dict.fromkeys(workers, 0), set(workers), set()
    open_round, started, passed, released = True, False, 0, 0
    for e in server.run.events:
        if e["op"] == "die":
            alive.discard(e["rank"])
            waiting.discard(e["rank"])
        elif e["op"] == "collect":
            [rank] = e["who"]
            clock[rank] += 1
            if rank in alive:
                waiting.add(rank)
            open_round = False
        elif e["op"] == "grant" and not started:
            equal(e["to"], sorted(alive), "the first models")
            started = True
        elif e["op"] == "grant":
            least = min(clock[each] for each in alive)
            due = {each for each in waiting if clock[each] - least <= slack}
            equal(e["to"], sorted(due), f"whom a grant at {e['t']} goes to")
            waiting -= due
            passed += len(waiting)
            released += open_round
            open_round = True
        if started and alive:
            ahead = [clock[each] for each in alive]
            check(max(ahead) - min(ahead) <= slack + 1, f"clocks {clock}")
    return passed, released


def slack(bench):
    """Versions bit by bit, and the rule, with several speeds."""
    for seed in range(3):
        for most in (0, 1, 3):
            server = long_run(bench, "ssp", seed, Training(), slack=most)
            follow(server, strength=0)
            passed, released = passed_over(server, most)
            check(passed > 50, f"passed over {passed} times")
            equal(released, 0, "releases without a death")
        # Together with the correction.
        server = long_run(bench, "dc-asgd", seed, Training(), slack=1)
        check(follow(server) > 0.001, "nothing was corrected")
        passed_over(server, 1)


def speeds(bench):
    """Workers of speed 3 and 1 in closed form: the n-th upload of the fast one
    leaves when the slow one has n - 1 - slack, and its own last one is in."""
    fast, slow = 1000, 3000
    costs = {"gradient": "[1us, 1us, 3us]", "message": 0}
    training = Training()
    for most in (0, 1, 3, 8):
        program = bench.program(training, "ssp", 0.05, slack=most)
        run = bench.run(
            training, program, 3, costs, {"budget": 120 * training.batch}, samples=50
        )
        times = {1: [], 2: []}
        for e in run.of("upload"):
            times[e["worker"]].append(e["t"])
        expected, last = [], 0
        for n in range(1, len(times[1]) + 1):
            last = max(last, slow * (n - 1 - most)) + fast
            expected.append(last)
        equal(times[1], expected, f"uploads of the fast one, slack {most}")
        equal(times[2], [slow * (n + 1) for n in range(len(times[2]))],
              "uploads of the slow one")
        lead = len(times[1]) - len(times[2])
        check(most <= lead <= most + 1, f"slack {most}, but ahead by {lead}")
        passed_over(Server(run), most)


def unlimited(bench):
    """A slack that nobody uses up is none: event by event."""
    for seed in range(2):
        one = long_run(bench, "ssp", seed, Training(), slack=1000)
        other = long_run(bench, "dc-asgd", seed, Training(), **{"lambda": 0})
        equal(one.run.events, other.run.events, "events")


def deaths(bench):
    """Whoever dies, the slowest too and at any point of its job, the others go
    on to the end of the budget."""
    training, releases = Training(), 0
    program = bench.program(training, "ssp", 0.05, slack=0)
    costs = {"gradient": "[1us, 2us, 3us, 100us]", "message": "1us"}
    for victim in (1, 2, 3):
        for place in ("0.1", "0.3", "0.5", "0.7", "1", "1.4", "2.2"):
            for schedule in ("time", "random"):
                run = bench.run(
                    training, program, 4, costs, {"budget": 30 * training.batch, "w": FAR},
                    samples=50, kill=[f"{victim}@{place}"], schedule=schedule,
                )
                server = Server(run)
                follow(server, strength=0)
                releases += passed_over(server, 0)[1]
                equal(len(server.rounds), 30, "updates")
                equal(run.output.count(" ended:"), 3, run.output)
    check(releases > 5, f"{releases} releases")


if __name__ == "__main__":
    tests = (versions, plain, alone, schedules, slack, speeds, unlimited, deaths)
    main({f.__name__: f for f in tests})
