"""a2cid2 and gossip: every event of a run recomputed by the formulas of the
specification, its invariants, and its limits."""

import numpy as np

import gossip_reference as pairs
import reference as ref
from harness import check, equal, main, same
from server_harness import cell, close_to
from training import Training

SEEN, ALPHA = "seen", "alpha"
SECOND = 1_000_000_000

# No two events of different members at one time: the log has one order.
COSTS = {"gradient": "[10007ns, 11003ns, 9001ns, 13009ns, 10009ns, 12007ns]",
         "exchange": "2003ns", "ask": "11ns", "all_reduce": "5us"}


class Replay:
    """Follows a run and compares at the end of every round."""

    def __init__(self, run, constants, rate, learning_rate, tolerance=1e-12,
                 scale=True):
        self.run, self.rate, self.lr = run, rate, learning_rate
        self.training, self.scale = run.training, scale
        self.constants, self.tolerance = constants, tolerance
        self.members, self.states = {}, {}
        self.sent = {}
        self.compared = self.renewed = 0
        self.batch, self.base, self.begin = {}, {}, {}
        self.tag, self.partner = {}, {}
        self.pairs, self.drawn = [], []
        for e in run.events:
            handle = getattr(self, "on_" + e["op"], None)
            if handle:
                handle(e["rank"], e["t"] / SECOND, e)

    def on_next_batch(self, rank, now, e):
        # Of a round after the first, the round before says when it began: new
        # constants are asked for before a batch is taken.
        if e["round"] < 1:
            self.begin[rank] = now
        if e["source"] == "queue":
            self.batch[rank] = e["ids"]
            self.drawn.append(e["ids"])
            self.base[rank] = self.members[rank].x

    def on_exchange(self, rank, now, e):
        self.tag[rank], self.partner[rank] = e["tag"], e["peer"]
        self.sent[e["tag"], rank] = self.members[rank].x
        if rank < e["peer"]:
            self.pairs.append((rank, e["peer"]))

    def on_atomic(self, rank, now, e):
        cells = set(e["cells"])
        member = self.members.get(rank)
        if "members" in cells and "w" in cells:  # the start
            eta, alpha = self.constants
            self.members[rank] = pairs.Member(
                self.training.zero(), eta, alpha, now, now - self.begin[rank]
            )
            self.states[rank] = self.training.zero()
        elif "members" in cells:  # another graph
            member.graph_eta, member.alpha = pairs.ring_constants(len(self.members))
            member.eta = member.graph_eta
            self.renewed += 1
        elif SEEN in cells:
            d, state = pairs.step_of(
                self.training, self.lr, self.base[rank], self.batch[rank],
                self.states[rank],
            )
            self.states[rank] = self.states[rank] if state is None else state
            member.gradient(now, d)
        elif "averagings" in cells and ALPHA in cells:
            tag, peer = self.tag[rank], self.partner[rank]
            member.average(now, self.sent[tag, rank], self.sent[tag, peer])
        elif "averagings" in cells:
            member.period(now - self.begin[rank], self.rate, scale=self.scale)
        elif "last" in cells:
            member.mix(now)

    def on_die(self, rank, now, e):
        del self.members[rank]

    def on_next(self, rank, now, e):
        member = self.members[rank]
        if e["strand"] == 0:
            self.begin[rank] = now
        what = f"at {e['t']} ns, rank {rank}"
        for name, value in (("w", member.x), ("xt", member.xt)):
            found = cell(e, name, self.training.dtype)
            close_to(found, value, self.tolerance, f"{name} {what}")
        close_to(e["cells"]["dt"], member.dt, 1e-12, f"dt {what}")
        self.compared += 1

    def on_drained(self, rank, now, e):
        """The drain leaves the mean over members everywhere."""
        live = self.members.values()
        mean = sum(m.x for m in live) / len(live)
        for name in ("w", "xt"):
            close_to(cell(e, name, self.training.dtype), mean, self.tolerance, name)
        self.compared += 1


def rings(bench):
    """Every event on a ring."""
    for training, sizes in (
        (Training("f64"), (3, 4, 6)),
        (Training("f64", momentum=0.5), (4,)),
        (Training("f64", momentum=0.5, labels=3), (4,)),
    ):
        for n in sizes:
            for rate in (1.0, 2.0, 0.5):
                program = bench.program(
                    training, "a2cid2", 0.2, topology="ring", rate=rate
                )
                for seed in range(2):
                    run = bench.run(
                        training, program, n, COSTS, seed=seed, rounds=12,
                        samples=40,
                    )
                    replay = Replay(run, pairs.ring_constants(n, rate), rate, 0.2)
                    check(replay.compared > 12 * n, "few rounds")
                    check(len(set(replay.pairs)) >= n - 1, "few edges")
                    conserved(replay)


def conserved(replay):
    """I5: whatever the clocks, the sum of both variables over all members is
    what it was, less twice what gradients subtracted."""
    members = replay.members.values()
    both = sum(m.x + m.xt for m in members)
    close_to(both, -2 * sum(m.moved for m in members), 1e-12, "conserved sum")


def complete(bench):
    """I6: on the complete graph a2cid2 is gossip, bit by bit, and xt is w."""
    for training in (Training(), Training("f64", momentum=0.5)):
        programs = [bench.program(training, a, 0.2) for a in ("a2cid2", "gossip")]
        for n in (2, 3, 5):
            for seed, schedule in enumerate(("time", "random", "random")):
                runs = [
                    bench.run(training, program, n, COSTS, seed=seed, rounds=10,
                              samples=40, schedule=schedule)
                    for program in programs
                ]
                ends = [
                    [e for e in run.events if e["op"] in ("next", "drained")]
                    for run in runs
                ]
                equal(len(ends[0]), len(ends[1]), "ends of rounds")
                for a, b in zip(*ends):
                    equal((a["t"], a["rank"]), (b["t"], b["rank"]), "events")
                    for name in ("w", "xt"):
                        same(cell(a, name, training.dtype),
                             cell(b, name, training.dtype), name)
                    same(cell(a, "w", training.dtype),
                         cell(a, "xt", training.dtype), "xt")


def plain(bench):
    """I7: gossip on any graph keeps xt = w, and averages by halves."""
    training = Training("f64")
    for topology in ("ring", "star", "path", "complete"):
        program = bench.program(training, "gossip", 0.2, topology=topology)
        run = bench.run(training, program, 5, COSTS, rounds=10, samples=40)
        replay = Replay(run, (0.0, 0.5), 1.0, 0.2)
        check(replay.compared > 50, "few rounds")
        for e in run.of("next") + run.of("drained"):
            same(cell(e, "xt", training.dtype), cell(e, "w", training.dtype), "xt")
        if topology == "star":
            check(all(0 in pair for pair in replay.pairs), "a star has one hub")


def alone(bench):
    """I8: one member is plain SGD, bit by bit."""
    for training in (Training(), Training("f64", momentum=0.75),
                     Training(decay=True, labels=3)):
        for algorithm in ("a2cid2", "gossip"):
            for topology in ("complete", "ring"):
                for rate in (1, 0.5, 2):
                    program = bench.program(
                        training, algorithm, 0.2, topology=topology, rate=rate
                    )
                    run = bench.run(training, program, 1, COSTS,
                                    cells={"budget": 4096}, rounds=9, samples=7)
                    model = ref.Model(training, 0.2, budget=4096)
                    batches = [e["ids"] for e in run.of("next_batch", source="queue")]
                    ends = [e for e in run.of("next") if e["strand"] == 0]
                    equal(len(batches), 9, "gradients")
                    for batch, e in zip(batches, ends):
                        model.update(*ref.gradient_of(training, model.w, [batch]))
                        same(cell(e, "w", training.dtype), model.w, "w")
                    [last] = run.of("drained")
                    same(cell(last, "w", training.dtype), model.w, "w at the end")


def common_clock(bench):
    """I4: where all members have one clock, mixed to one instant the two means
    are the same. Equal devices, fixed turns, periods that never change."""
    training = Training("f64")
    program = bench.program(
        training, "a2cid2", 0.2, topology="ring", deterministic="true",
        scale_eta="false",
    )
    costs = {"gradient": "10us", "exchange": "2us", "all_reduce": "5us"}
    run = bench.run(training, program, 4, costs, rounds=12, samples=64)
    last = {e["rank"]: e["cells"] for e in run.of("next")}
    equal({(c["dt"], c["eta"]) for c in last.values()},
          {(last[0]["dt"], last[0]["eta"])}, "clocks")
    members, now = [], max(c["last"] for c in last.values())
    for cells in last.values():
        member = pairs.Member(np.array(cells["w"]), cells["eta"], cells["alpha"],
                              cells["last"], cells["dt"])
        member.xt = np.array(cells["xt"])
        member.mix(now)
        members.append(member)
    means = [sum(getattr(m, name) for m in members) / 4 for name in ("x", "xt")]
    close_to(means[0], means[1], 1e-14, "means")
    spread = max(float(np.max(np.abs(m.x - m.xt))) for m in members)
    check(spread > 1e-4, "the two variables never differed")


def deaths(bench):
    """A death closes the ring: other constants, and the mean of those left. A
    partner whose exchange fails has mixed, and asks again."""
    training, again = Training("f64"), 0
    program = bench.program(training, "a2cid2", 0.2, topology="ring")
    # Answers reach rank 2 late: its partner often waits for it already.
    costs = {**COSTS, "ask": "[11ns, 13ns, 6001ns, 11ns, 17ns]"}
    for victim, place in [(0, "3.1"), (1, "2"), (3, "4.6")] + [
        (2, f"{round}.{step}") for round in (2, 3, 5) for step in (1, 3, 4, 7)
    ]:
        run = bench.run(
            training, program, 5, costs, rounds=12, samples=40,
            kill=f"{victim}@{place}",
        )
        equal([e["rank"] for e in run.of("die")], [victim], "deaths")
        replay = Replay(run, pairs.ring_constants(5), 1.0, 0.2)
        equal(replay.renewed, 4, "members that took new constants")
        equal(len(run.of("drained")), 4, "members that ended")
        again += len(run.of("failed"))
    check(again > 0, "no exchange ever failed")


def ends(bench):
    """All members end, with the mean of all as their model."""
    training = Training("f64")
    for n in (1, 2, 4):
        for algorithm in ("a2cid2", "gossip"):
            for stop in ({"rounds": 5}, {"cells": {"budget": 40}}):
                program = bench.program(training, algorithm, 0.2)
                run = bench.run(training, program, n, COSTS, samples=40,
                                model=True, **stop)
                equal(len(run.of("drained")), n, "members that ended")
                equal(run.output.count("ended:"), n, run.output)
                last = {}
                for e in run.of("next"):
                    last[e["rank"]] = cell(e, "w", training.dtype)
                mean = ref.total([last[rank] for rank in range(n)]) / n
                for e in run.of("drained"):
                    close_to(cell(e, "w", training.dtype), mean, 1e-15, "w")
                models = {
                    line.strip() for line in run.output.splitlines()
                    if line.strip().startswith("model")
                }
                equal(len(models), 1, f"models: {models}")
                numbers = models.pop().split("[")[1].split("]")[0].split(",")
                close_to([float(v) for v in numbers], mean, 1e-15, "model")
                if "cells" in stop:
                    seen = sum(int(e["cells"]["seen"]) for e in run.of("drained"))
                    # Whoever computes when the budget is used up finishes.
                    check(40 <= seen <= 40 + 2 * (n - 1) * 2, f"samples: {seen}")


if __name__ == "__main__":
    tests = (rings, complete, plain, alone, common_clock, deaths, ends)
    main({f.__name__: f for f in tests})
