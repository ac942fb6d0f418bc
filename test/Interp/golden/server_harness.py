"""Reads what members without a common round did: jobs of a server's workers,
events of pairs, claims of a dispatcher."""

import collections
import dataclasses
import math

import numpy as np

from harness import check, equal


def close_to(found, expected, tolerance, what):
    """Element by element, relative to the size of the numbers."""
    found, expected = np.asarray(found), np.asarray(expected)
    scale = max(1.0, float(np.max(np.abs(expected))))
    worst = float(np.max(np.abs(found - expected)))
    check(
        worst <= tolerance * scale,
        f"{what}: expected {expected!r} within {tolerance}, got {found!r}",
    )


def cell(event, name, dtype):
    return np.array(event["cells"][name], dtype)


@dataclasses.dataclass
class Job:
    """What a worker did with one model."""

    worker: int
    ticket: int
    version: int  # of the model
    batches: list = dataclasses.field(default_factory=list)


@dataclasses.dataclass
class Close:
    """One round of the server."""

    time: int
    count: int  # K of the round
    arrivals: list  # (worker, staleness) in order of arrival
    jobs: list  # of the participants, by ascending worker
    question: list = None  # to the rule: F, participants, alive, samples, stop
    answer: list = None  # next K, bound, go
    restarted: list = dataclasses.field(default_factory=list)
    event: dict = None  # the end of the round
    dead: set = dataclasses.field(default_factory=set)  # workers, at its close


class Server:
    """A run with a parameter server at rank 0. Workers count from 0."""

    def __init__(self, run):
        self.run = run
        self.jobs, self.rounds, self.uploads = {}, [], collections.Counter()
        self.downloads, self.dead = 0, set()
        current, arrivals = {}, []
        count, bounds = None, math.inf  # until a rule says otherwise
        for e in run.events:
            worker = e["rank"] - 1
            if e["op"] == "grant":
                self.downloads += len(e["to"])
                for rank, ticket in zip(e["to"], e["tickets"]):
                    job = Job(rank - 1, ticket, e["version"])
                    check((rank - 1, ticket) not in self.jobs, "a ticket came twice")
                    self.jobs[rank - 1, ticket] = job
                if self.rounds:
                    who = [j.worker for j in self.rounds[-1].jobs]
                    self.rounds[-1].restarted = [
                        rank - 1 for rank in e["to"] if rank - 1 not in who
                    ]
            elif e["op"] == "await" and worker >= 0 and e.get("go"):
                current[worker] = self.jobs[worker, e["ticket"]]
            elif e["op"] == "next_batch" and worker >= 0:  # a server evaluates
                current[worker].batches.append(e["ids"])
            elif e["op"] == "upload":
                self.uploads[e["verdict"]] += 1
                if e["verdict"] == "accepted":
                    check(e["staleness"] <= bounds, f"staler than the bound: {e}")
                    arrivals.append((e["worker"] - 1, e["staleness"], e["ticket"]))
            elif e["op"] == "ask" and e["entry"] in ("start", "start_at"):
                count, bounds = e["answers"]
            elif e["op"] == "collect":
                equal(
                    sorted(m for m, _, _ in arrivals),
                    [rank - 1 for rank in e["who"]],
                    "participants",
                )
                jobs = [self.jobs[m, ticket] for m, _, ticket in sorted(arrivals)]
                pairs = [(m, s) for m, s, _ in arrivals]
                self.rounds.append(Close(e["t"], count, pairs, jobs))
                self.rounds[-1].dead = set(self.dead)
                arrivals = []
            elif e["op"] == "ask" and e["entry"] == "round":
                self.rounds[-1].question = e["inputs"]
                self.rounds[-1].answer = e["answers"]
                count, bounds = e["answers"][:2]
            elif e["op"] == "die":
                self.dead.add(worker)
            elif e["op"] == "next" and worker == -1:
                self.rounds[-1].event = e
        self.workers = run.ranks - 1

    def model(self, round):
        return cell(round.event, "w", self.run.training.dtype)

    def restarts(self):
        return sum(len(each.restarted) for each in self.rounds)

    def participations(self):
        return sum(len(each.jobs) for each in self.rounds)
