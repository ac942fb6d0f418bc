"""Bounded staleness as its specification words it, in virtual time.

Nothing here reads a program. `simulate` is the server policy with workers that
restart at once (as the golden tables have it) or at the next local step (as a
program does, which looks for a newer model only there).
"""

import dataclasses
import heapq
import math

INFINITE = math.inf


@dataclasses.dataclass
class Rule:
    """K and the bound, once per round."""

    workers: int
    k0: int
    initial: float = None  # F_0; without it the mean of the first M reports
    alpha: float = 0.5
    floor: int = 1
    adapt: bool = True
    guard: bool = True
    bound: float = None  # a constant; without it the bound follows K

    def __post_init__(self):
        self.K, self.E, self.smallest = min(self.k0, self.workers), None, self.initial
        self.reports, self.sum = 0, 0.0

    def tau(self, alive=None):
        """The bound; of the dead nobody is waited for."""
        alive = alive or self.workers
        if self.bound is not None:
            return self.bound
        K = min(self.K, alive)
        return max(self.floor, math.ceil(self.alpha * alive / K) - 1)

    def close(self, F, participants, alive=None):
        """The loss of a round; changes K, which never falls."""
        alive = alive or self.workers
        self.E = F if self.E is None else 0.9 * self.E + 0.1 * F
        if self.initial is None:
            # Until F_0 is known, the ratio is 1 and the guard is off.
            self.sum += F * participants
            self.reports += participants
            if self.reports < self.workers:
                return
            self.initial = self.smallest = self.sum / self.reports
        if self.adapt:
            ratio = max(1, self.initial / max(self.E, 1e-12))
            wanted = math.floor(self.k0 * math.sqrt(ratio) + 0.5)
            self.K = max(self.K, min(alive, wanted))
        if self.guard and self.E > 1.2 * self.smallest:
            self.K = max(self.K, min(alive, self.K + max(1, self.K // 2)))
            self.smallest = self.E
        self.smallest = min(self.smallest, self.E)


@dataclasses.dataclass
class Round:
    time: int
    K: int
    participants: list  # (worker, staleness) in order of arrival
    F: float
    E: float
    next_K: int
    tau: int
    restarted: list
    w: tuple
    bases: dict  # participant -> samples the server had when it downloaded


def simulate(rule, w, job, loss, durations, latency, steps, samples, rounds, at_once):
    """Rows of the first rounds. `job(m, w)` gives the change of worker m,
    `durations` are those of one local step; times are integers."""
    workers = range(rule.workers)
    version, seen, now = 0, 0, 0
    ticket = [0] * rule.workers
    start, base, base_version, base_seen = {}, {}, {}, {}
    queue = []  # (arrival at the server, worker, ticket)

    def issue(m, begin):
        ticket[m] += 1
        start[m], base[m], base_version[m], base_seen[m] = begin, w, version, seen
        heapq.heappush(
            queue, (begin + steps * durations[m] + latency, m, ticket[m])
        )

    def restart(m):
        arrival = now + latency
        if at_once:
            return issue(m, arrival)
        begin = max(arrival, start[m] + steps * durations[m])
        for k in range(steps):
            if start[m] + k * durations[m] >= arrival:
                begin = start[m] + k * durations[m]
                break
        # Without a break it finishes, and its upload is dropped.
        issue(m, begin)

    for m in workers:
        issue(m, latency)
    buffer, rows = [], []
    while len(rows) < rounds:
        now, m, tk = heapq.heappop(queue)
        if tk != ticket[m]:
            continue
        staleness = version - base_version[m]
        assert staleness <= rule.tau()
        buffer.append((m, staleness))
        if len(buffer) < rule.K:
            continue
        moved = [job(m, base[m]) for m, _ in sorted(buffer)]
        w = tuple(
            old + sum(d[j] for d in moved) / len(moved) for j, old in enumerate(w)
        )
        version, K = version + 1, rule.K
        bases = {m: base_seen[m] for m, _ in buffer}
        seen += len(buffer) * steps * samples
        F = loss(w)
        rule.close(F, len(buffer))
        who, restarted = [m for m, _ in buffer], []
        arrivals, buffer = buffer, []
        for m in sorted(who):
            issue(m, now + latency)
        for m in workers:
            if m not in who and version - base_version[m] > rule.tau():
                restarted.append(m)
                restart(m)
        rows.append(
            Round(now, K, arrivals, F, rule.E, rule.K, rule.tau(), restarted, w, bases)
        )
    return rows


# The golden problem: gradient a∘(x − b_m).
A = (1.0, 0.25)
B = ((1, 4), (2, 3), (3, 2), (6, -1))
DURATIONS = (1000, 1300, 2200, 5100)  # thousandths
LATENCY = 250


def golden_loss(x):
    return sum(
        0.5 * A[j] * (x[j] - b[j]) ** 2 for b in B for j in range(2)
    ) / len(B)


def golden_job(rate):
    def job(m, x):
        y = list(x)
        for _ in range(2):
            for j in range(2):
                y[j] -= rate * (A[j] * (y[j] - B[m][j]))
        return [y[j] - x[j] for j in range(2)]

    return job


def golden_run(start, rate, rounds, at_once, samples=1):
    rule = Rule(4, 1, initial=golden_loss(start), alpha=1)
    return simulate(
        rule, start, golden_job(rate), golden_loss, DURATIONS, LATENCY, 2, samples,
        rounds, at_once,
    )


# time, K, participants, F, E, next K, bound, restarted, w.
G1 = """
2.50 1 0:0 42.922350 42.922350 1 3 - -4.760000 11.220000
3.10 1 1:1 19.539963 40.584111 1 3 - -1.160000 10.342500
4.90 1 2:2 8.992507 37.424951 1 3 - 2.800000 9.367500
5.00 1 0:2 9.493051 34.631761 1 3 3 4.873600 8.663550
6.20 1 1:2 11.142990 32.282884 2 1 2 6.011200 7.947656
9.30 2 0:1,1:0 7.207211 29.775316 2 1 3 4.591936 7.479110
11.80 2 2:1,0:0 5.418346 27.339619 2 1 - 3.403372 7.019555
14.30 2 1:1,0:0 5.017860 25.107443 2 1 3 2.504216 6.653995
16.80 2 2:1,0:0 4.829289 23.079628 2 1 - 2.160850 6.279910
19.30 2 1:1,0:0 4.826646 21.254330 2 1 3 1.861138 5.990632
21.80 2 2:1,0:0 4.537869 19.582684 2 1 - 1.857180 5.684943
24.30 2 1:1,0:0 4.490504 18.073466 2 1 3 1.727883 5.457009
26.80 2 2:1,0:0 4.189493 16.685068 2 1 - 1.802572 5.206338
29.30 2 1:1,0:0 4.169217 15.433483 2 1 3 1.707090 5.027750
31.80 2 2:1,0:0 3.908084 14.280943 2 1 - 1.795351 4.821338
34.30 2 1:1,0:0 3.925566 13.245406 2 1 3 1.704911 4.682445
36.80 2 2:1,0:0 3.702215 12.291087 2 1 - 1.794864 4.511636
39.30 2 1:1,0:0 3.748943 11.436872 3 1 3 1.704905 4.404674
42.40 3 2:1,0:0,1:0 3.547937 10.647979 3 1 - 1.800344 4.264242
47.30 3 0:0,1:0,2:0 3.396418 9.922823 3 1 3 1.872220 4.140979
"""
G2 = """
2.50 1 0:0 3.339966 3.339966 2 1 - 1.500000 2.468750
4.90 2 1:1,2:1 3.988228 3.404792 2 1 3 1.125000 2.585938
8.00 2 0:1,1:0 3.774333 3.441746 2 1 - 1.265625 2.813904
10.50 2 2:1,0:0 2.924655 3.390037 2 1 3 1.869141 2.884235
13.00 2 1:1,0:0 3.019717 3.353005 2 1 - 1.818604 3.036797
15.50 2 2:1,0:0 2.890646 3.306769 2 1 3 1.935699 3.046051
"""


def golden_rows(text):
    rows = []
    for line in text.strip().splitlines():
        time, K, who, F, E, next_K, tau, restarted, *w = line.split()
        rows.append(
            Round(
                round(float(time) * 1000),
                int(K),
                [tuple(map(int, each.split(":"))) for each in who.split(",")],
                float(F), float(E), int(next_K), int(tau),
                [] if restarted == "-" else [int(restarted)],
                tuple(map(float, w)), {},
            )
        )
    return rows
