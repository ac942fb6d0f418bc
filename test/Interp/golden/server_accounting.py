"""Every sample of an epoch exactly once, whoever dies when, for the algorithms
without a common round.

bounded-staleness with leased data: a job that counts consumes its samples, a
void one gives them back, and what came back is handed out before anything new.
With keyed data (its default) draws are with replacement by definition, so there
is no epoch to account for.

a2cid2 and gossip: a batch counts when it is taken; what a dead member had
computed dies with its replica.

adaptive-sgd and k-avg: rows count when they are acknowledged; a dead member's
unacknowledged rows are dealt again.
"""

import collections

from harness import check, equal, main, once_per_epoch
from server_harness import Server
from training import Training

SAMPLES = 60
EPOCHS = 8  # of rows that are dealt
DEATHS = ["0", "1.2", "2.1", "3.4", "4.7", "6.3"]


class Stream:
    """The samples in their order, epoch after epoch, with what came back."""

    def __init__(self, samples):
        self.samples, self.fresh = samples, 0
        self.returned = collections.Counter()

    def take(self, number):
        if self.returned[number]:
            self.returned[number] -= 1
            return
        left = +self.returned
        old = self.fresh // self.samples
        check(not left, f"sample {number} is new while {dict(left)} were given back")
        equal(number, self.fresh % self.samples, f"the next sample in epoch {old}")
        self.fresh += 1

    def give_back(self, batches):
        for batch in batches:
            self.returned.update(batch)


class Leases:
    """Follows the leases of a server's workers."""

    def __init__(self, run, samples):
        self.stream, self.held, self.consumed = Stream(samples), {}, []
        self.accepted = set()
        newest, current = {}, {}
        for e in run.events:
            rank = e["rank"]
            if e["op"] == "grant":
                for to, ticket in zip(e["to"], e["tickets"]):
                    self.void(to, ticket)
                    newest[to] = ticket
            elif e["op"] == "await" and e.get("go"):
                current[rank] = e["ticket"]
            elif e["op"] == "next_batch":
                for number in e["ids"]:
                    self.stream.take(number)
                self.held.setdefault((rank, current[rank]), []).append(e["ids"])
            elif e["op"] == "upload" and e["verdict"] == "accepted":
                self.accepted.add((e["worker"], e["ticket"]))
            elif e["op"] == "collect":
                for key in sorted(self.accepted):
                    self.consumed += [n for b in self.held.pop(key) for n in b]
                self.accepted.clear()
            elif e["op"] == "die" and rank > 0:
                self.void(rank, None)
            elif e["op"] == "next" and rank > 0 and not e["go"]:
                # Leased before it noticed that the server had closed.
                self.void(rank, None)
            elif e["op"] == "close":
                self.accepted.clear()
                for each in range(1, run.ranks):
                    self.void(each, None)

    def void(self, worker, before):
        for key in [k for k in self.held if k[0] == worker and k not in self.accepted]:
            if before is None or key[1] < before:
                self.stream.give_back(self.held.pop(key))


COSTS = {"gradient": "[1us, 7us, 11us, 5us, 23us]", "message": "2us",
         "exchange": "3us", "ask": "11ns", "all_reduce": "5us", "jitter": 0.5}


def kills(ranks):
    """No death, then deaths of several members at several points."""
    yield {}, None
    for i, place in enumerate(DEATHS):
        rank = i % len(ranks)
        yield {"kill": f"{ranks[rank]}@{place}"}, ranks[rank]


def examine_deaths(run, victim):
    died = [] if victim is None else [victim]
    equal([e["rank"] for e in run.of("die")], died, "deaths")
    equal(run.output.count(" ended:"), run.ranks - (victim is not None), run.output)


def leased(bench):
    training, lost = Training(), 0
    for algorithm, options in (
        ("bounded-staleness", {"k0": 1, "alpha": 1}),
        ("k-sync", {"k0": 2}),
        ("asgd", {}),
        ("sa-adasync", {"k0": 1}),
    ):
        program = bench.program(
            training, algorithm, 0.2, data="leased", steps=2, **options
        )
        for seed, schedule in enumerate(("time", "random", "time")):
            for kill, victim in kills([1, 2, 4, 3]):
                run = bench.run(
                    training, program, 5, COSTS, {"budget": 4 * SAMPLES},
                    samples=SAMPLES, seed=seed, schedule=schedule,
                    check_samples=True, **kill
                )
                examine_deaths(run, victim)
                leases = Leases(run, SAMPLES)
                equal(leases.held, {}, "leases after the end")
                seen = run.of("next", 0)[-1]["cells"]["seen"]
                equal(len(leases.consumed), seen, "samples")
                # Consumed or given back: together the start of the stream.
                rest = list((+leases.stream.returned).elements())
                once_per_epoch(leases.consumed + rest, SAMPLES)
                lost += sum(len(job.batches) == 1 for job in Server(run).jobs.values())
    check(lost > 0, "no job was ever given up")


def queued(bench):
    training = Training("f64")
    for algorithm in ("a2cid2", "gossip"):
        program = bench.program(training, algorithm, 0.2, topology="ring")
        for seed, schedule in enumerate(("time", "random", "time")):
            for kill, victim in kills([0, 1, 2, 3]):
                run = bench.run(
                    training, program, 4, COSTS, {"budget": 3 * SAMPLES},
                    samples=SAMPLES, seed=seed, schedule=schedule,
                    check_samples=True, **kill
                )
                examine_deaths(run, victim)
                drawn = run.of("next_batch", source="queue")
                stream = Stream(SAMPLES)
                for e in drawn:
                    for number in e["ids"]:
                        stream.take(number)
                check(stream.fresh >= 2 * SAMPLES, f"only {stream.fresh} samples")
                once_per_epoch([n for e in drawn for n in e["ids"]], SAMPLES)


def dispatched(bench):
    training = Training("f64")
    for algorithm, options in (
        ("adaptive-sgd", {"mega_batch": 48, "gamma": 0, "discarded": 0}),
        ("k-avg", {"local_steps": 2}),
    ):
        program = bench.program(
            training, algorithm, 0.2, max_batch=8, min_batch=2,
            total_samples=EPOCHS * SAMPLES, **options
        )
        for seed, schedule in enumerate(("time", "random", "time")):
            for kill, victim in kills([0, 1, 2, 3]):
                run = bench.run(
                    training, program, 4, COSTS, {"budget": 10**6},
                    samples=SAMPLES, seed=seed, schedule=schedule,
                    check_samples=True, **kill
                )
                examine_deaths(run, victim)
                numbers, unclear = acknowledged(run)
                if len(numbers) < EPOCHS * SAMPLES:
                    numbers += unclear
                once_per_epoch(numbers, SAMPLES)
                equal(len(numbers), EPOCHS * SAMPLES, "samples")


def acknowledged(run):
    """Rows whose member asked on: the question says they are done. Where one
    died with its rows computed, the log does not tell whether the question was
    still asked: those are given apart, and count if nobody else got them."""
    rows, numbers, unclear = {}, [], []
    claimed = {}
    for e in run.events:
        rank = e["rank"]
        if e["op"] == "ask":
            numbers += rows.pop(rank, [])
            if e["entry"] == "claim":
                claimed[rank] = e["answers"][1] - e["answers"][0]
        elif e["op"] == "next_batch":
            rows.setdefault(rank, []).extend(e["ids"])
        elif e["op"] == "die":
            left = rows.pop(rank, [])
            unclear += left if len(left) == claimed.get(rank) else []
    return numbers, unclear


if __name__ == "__main__":
    main({f.__name__: f for f in (leased, queued, dispatched)})
