"""How the pairing of members moves the pace of gossip: one respect at a time.

    python3 bench/gossip_pairing.py [--graphs exponential:12 path:10 ...] [--seeds 24]

A simulation of its own, in numpy alone: members that start apart, learn nothing and
average. It shares nothing with the runtime, so that it can say whether the runtime's
matcher or its rule against repeats is what makes a difference. Printed are the decay
of the squared distance to the mean per gradient of a member, with plain gossip and with
a2cid2, their ratio, averagings per gradient and the share of repeated pairs.

The rows:

    theory    the decay of the mean square under Poisson clocks, from second moments;
              of single runs, which the other rows are of, it is a lower bound
    poisson   every edge averages by a Poisson clock of its own, at once
    strands   members with two strands, a quota and a first-come matcher, as the
              published code has them: a pair may average again at once
    no-repeat the same, but a pair may not where both have another neighbour, or
              somebody else waits for one of them: the default of the runtime
    others    `no-repeat` or `strands` with one respect changed, see VARIANTS
"""

import argparse
import heapq

import numpy as np

FLOOR = 1e-12  # distances below are rounding, in a run with 32-bit floats
COORDINATES = 64

# What a row changes of `strands`.
VARIANTS = {
    "strands": {},
    "no-repeat": {"repeats": False},
    "no-repeat, ends free": {"repeats": False, "ends": "free"},
    "no-repeat, ends wait": {"repeats": False, "ends": "wait"},
    "no-repeat, longest wait": {"repeats": False, "longest": True},
    "no-repeat, no transfer": {"repeats": False, "transfer": 0.0},
    "no-repeat, exponential": {"repeats": False, "law": "exponential"},
    "no-repeat, fixed quota": {"repeats": False, "fixed": True},
    "strands, longest wait": {"longest": True},
    "strands, no transfer": {"transfer": 0.0},
    "strands, exponential": {"law": "exponential"},
    "strands, fixed quota": {"fixed": True},
}


def weights_of(name, n):
    """Symmetric weights of the edges of a graph."""
    w = np.zeros((n, n))

    def join(a, b, weight=1.0):
        if a != b:
            w[a, b] += weight
            w[b, a] += weight

    if name == "ring":
        for i in range(n):
            join(i, (i + 1) % n)
    elif name == "path":
        for i in range(n - 1):
            join(i, i + 1)
    elif name == "star":
        for i in range(1, n):
            join(0, i)
    elif name == "complete":
        for i in range(n):
            for j in range(i):
                join(i, j)
    elif name == "exponential":
        # Each way counts: one reached both ways is met twice as often.
        for i in range(n):
            step = 1
            while step < n:
                for j in ((i + step) % n, (i - step) % n):
                    if j != i:
                        w[i, j] += 1
                step *= 2
    elif name == "hypercube":
        for i in range(n):
            step = 1
            while step < n:
                if i < i ^ step:
                    join(i, i ^ step)
                step *= 2
    elif name == "torus":
        rows = max(r for r in range(1, int(n**0.5) + 1) if n % r == 0)
        columns = n // rows
        for i in range(n):
            r, c = divmod(i, columns)
            for j in ((r + 1) % rows * columns + c, r * columns + (c + 1) % columns):
                w[i, j] = w[j, i] = i != j
    elif name == "two-clusters":
        half = (n + 1) // 2
        for part in (range(half), range(half, n)):
            for i in part:
                for j in part:
                    w[i, j] = i != j
        join(half - 1, half)
    elif name.endswith("weights"):
        # A ring with chords, where every third edge counts a tenth.
        for i in range(n):
            join(i, (i + 1) % n, 0.1 if i % 3 == 0 else 1.0)
        for i in range(n // 2):
            join(i, i + n // 2, 3.0)
    else:
        raise SystemExit(f"no graph {name}")
    return w


def rates_of(w):
    """What the busier end of an edge can give it, one averaging per member."""
    share = w / w.sum(1, keepdims=True)
    return np.minimum(share, share.T)


def constants(rates):
    laplacian = np.diag(rates.sum(1)) - rates
    chi1 = 1 / np.linalg.eigvalsh(laplacian)[1]
    green = np.linalg.pinv(laplacian, hermitian=True)
    d = np.diag(green)
    resistance = d[:, None] + d[None, :] - 2 * green
    chi2 = resistance[rates > 0].max() / 2
    return 1 / (2 * np.sqrt(chi1 * chi2)), 0.5 * np.sqrt(chi1 / chi2)


def theory(w, accelerated):
    """The asymptotic decay of E |x - mean|^2 where every edge averages by a Poisson
    clock. With z = (x, x~) and an averaging z -> z - u v'z, u = (d/2, alpha d) and
    v = (d, 0) for the edge's d = e_i - e_j, the moments M = E zz' follow
    M' = BM + MB' + sum over edges of rate (-u v'M - M v u' + (v'M v) u u')."""
    n = len(w)
    rates = rates_of(w)
    eta, alpha = constants(rates) if accelerated else (0.0, 0.5)
    a, b = np.nonzero(np.triu(rates))
    d = np.zeros((len(a), n))
    d[np.arange(len(a)), a], d[np.arange(len(a)), b] = 1, -1
    u, v = np.hstack([d / 2, alpha * d]), np.hstack([d, 0 * d])
    p = rates[a, b][:, None]
    eye = np.eye(n)
    mixing = eta * np.block([[-eye, eye], [eye, -eye]])

    def slope(m):
        vm = v @ m
        one = mixing @ m - u.T @ (p * vm)
        return one + one.T + u.T @ (p * (vm * v).sum(1, keepdims=True) * u)

    apart = eye - 1 / n
    m = np.block([[apart, apart], [apart, apart]])
    h, before = 0.02, 0.0
    while True:
        start = np.trace(m[:n, :n])
        for _ in range(round(4 / h)):
            k1 = slope(m)
            k2 = slope(m + h / 2 * k1)
            k3 = slope(m + h / 2 * k2)
            m = m + h / 6 * (k1 + 2 * k2 + 2 * k3 + slope(m + h * k3))
        rho = -np.log(np.trace(m[:n, :n]) / start) / 4
        # Rounding must not wake the mean, which does not decay.
        both = np.kron(np.eye(2), apart)
        m = both @ m @ both / np.trace(m[:n, :n])
        if abs(rho - before) < 1e-4 * abs(rho):
            return rho
        before = rho


class Replicas:
    """x and x~ of all members, each mixed up to a time of its own."""

    def __init__(self, n, eta, alpha, random):
        self.x = random.standard_normal((n, COORDINATES))
        self.y = self.x.copy()
        self.last = np.zeros(n)
        self.dt = np.ones(n)
        self.eta = np.full(n, eta)
        self.alpha = alpha

    def mix(self, i, now):
        if not self.eta[i]:
            self.last[i] = now
            return
        c = -0.5 * np.expm1(-2 * self.eta[i] * (now - self.last[i]) / self.dt[i])
        d = c * (self.y[i] - self.x[i])
        self.x[i] += d
        self.y[i] -= d
        self.last[i] = now

    def apply(self, i, m):
        self.x[i] -= 0.5 * m
        self.y[i] -= self.alpha * m

    def distance(self, now):
        for i in range(len(self.x)):
            self.mix(i, now)
        return float(((self.x - self.x.mean(0)) ** 2).mean())


def poisson(w, accelerated, steps, seed):
    n, random = len(w), np.random.default_rng(seed)
    rates = rates_of(w)
    eta, alpha = constants(rates) if accelerated else (0.0, 0.5)
    a, b = np.nonzero(np.triu(rates))
    p = rates[a, b]
    replicas = Replicas(n, eta, alpha, random)
    now, points, seen = 0.0, [], 0
    total = p.sum()
    while seen < steps:
        now += random.exponential(1 / total)
        while seen < steps and seen + 1 <= now:
            seen += 1
            points.append((seen, replicas.distance(seen)))
        k = random.choice(len(a), p=p / total)
        i, j = a[k], b[k]
        replicas.mix(i, now)
        replicas.mix(j, now)
        m = replicas.x[i] - replicas.x[j]
        replicas.apply(i, m)
        replicas.apply(j, -m)
    return points, {"per gradient": rates.sum() / n, "repeats": float("nan")}


def strands(
    w,
    accelerated,
    steps,
    seed,
    repeats=True,
    ends="yield",
    longest=False,
    transfer=0.1,
    law="jitter",
    fixed=False,
    slack=None,
    slow=1.0,
):
    """`ends` says whether one with a single neighbour may meet it again at once: it may
    ("free"), unless somebody else waits for that neighbour ("yield"), or never
    ("wait"). `slack`: where another edge of
    either end is more averagings than that behind its share, it goes first, and may be
    repeated. `slow`:
    how many times as long the gradients of member 0 take."""
    n, random = len(w), np.random.default_rng(seed)
    neighbours = [np.nonzero(row)[0] for row in w]
    eta, alpha = constants(rates_of(w)) if accelerated else (0.0, 0.5)
    replicas = Replicas(n, eta, alpha, random)
    last, waiting = [-1] * n, []
    due, done, gradients = [1.0] * n, [0] * n, [0] * n
    start = [0.0] * n
    at_turn = [[False, False] for _ in range(n)]  # computing, averaging
    queue, serial = [], 0
    edges = np.zeros((n, n))
    shares = w / w.sum(1, keepdims=True)
    pairs = again = total = 0

    def later(time, *what):
        nonlocal serial
        heapq.heappush(queue, (time, serial, what))
        serial += 1

    def compute(i, now):
        start[i] = now
        took = random.exponential() if law == "exponential" else random.uniform(0.95, 1.05)
        later(now + took * (slow if i == 0 else 1), "gradient", i)

    def behind(i):
        """How many averagings every edge of i is behind its share of what both its
        ends have made."""
        made = edges.sum(1)
        affords = np.minimum(made[i] * shares[i], made * shares[:, i])
        return np.where(w[i] > 0, affords - edges[i], -np.inf)

    def met_last(i, j):
        return last[i] == j and last[j] == i

    def may_meet(i, j):
        if slack is not None:
            own = behind(i)[j]
            if max(behind(i).max(), behind(j).max()) > max(own, slack):
                return False
            if own > slack:
                return True
        if repeats or not met_last(i, j):
            return True
        several = (len(neighbours[i]) > 1) + (len(neighbours[j]) > 1)
        return several == 0 or several == 1 and ends != "wait"

    def offer(i, now):
        nonlocal pairs, again
        free = [j for j in waiting if w[i, j] > 0 and may_meet(i, j)]
        if not repeats and ends == "yield":
            free = [j for j in free if not met_last(i, j)] or free
        if not free:
            waiting.append(i)
            return
        if longest:
            j = free[0]
        else:
            p = w[i, free]
            j = free[random.choice(len(free), p=p / p.sum())]
        waiting.remove(j)
        pairs += 1
        again += met_last(i, j)
        last[i], last[j] = j, i
        edges[i, j] += 1
        edges[j, i] += 1
        replicas.mix(i, now)
        replicas.mix(j, now)
        later(now + transfer, "averaged", i, j, replicas.x[i] - replicas.x[j])

    def turn(i, side, now):
        at_turn[i][side] = True
        if not all(at_turn[i]):
            return
        at_turn[i] = [False, False]
        replicas.mix(i, now)
        replicas.dt[i] = 0.5 * replicas.dt[i] + 0.5 * (now - start[i])
        if accelerated:
            replicas.eta[i] = eta * min(1, (done[i] + 1) / (gradients[i] + 1))
        compute(i, now)
        offer(i, now)

    def averaged(i, m, now):
        replicas.mix(i, now)
        replicas.apply(i, m)
        done[i] += 1
        if done[i] >= due[i]:
            due[i] += 1 if fixed else random.poisson(1.0)
            turn(i, 1, now)
        else:
            offer(i, now)

    for i in range(n):
        compute(i, 0.0)
    for i in random.permutation(n):
        offer(i, 0.0)
    points = []
    while len(points) < steps:
        now, _, what = heapq.heappop(queue)
        if what[0] == "gradient":
            i = what[1]
            gradients[i] += 1
            total += 1
            if total % n == 0:
                points.append((total / n, replicas.distance(now)))
            turn(i, 0, now)
        else:
            _, i, j, m = what
            averaged(i, m, now)
            averaged(j, -m, now)
    return points, {
        "per gradient": sum(done) / total,
        "repeats": again / pairs,
        # Of an edge per gradient of a member, on average over members.
        "edges": edges / (total / n),
        "gradients": np.array(gradients) / (total / n),
    }


def decay(points):
    """Fitted to the second half of what is clearly above rounding."""
    at, distance = np.array(points).T
    at, distance = at[distance > FLOOR], distance[distance > FLOOR]
    late = at > at[-1] / 2
    return -np.polyfit(at[late], np.log(distance[late]), 1)[0]


def steps_of(w, accelerated):
    """Gradients of a member until nearly all is rounding."""
    slowest = np.linalg.eigvalsh(np.diag(rates_of(w).sum(1)) - rates_of(w))[1]
    return int(np.clip(30 / slowest * (0.6 if accelerated else 1), 40, 1500))


def measure(run, w, seeds):
    """Mean decays of gossip and a2cid2 with their standard errors, and notes."""
    found, notes = [], {}
    for accelerated in (False, True):
        steps = steps_of(w, accelerated)
        decays = []
        for seed in range(seeds):
            points, notes = run(w, accelerated, steps, seed)
            decays.append(decay(points))
        found.append((np.mean(decays), np.std(decays, ddof=1) / np.sqrt(seeds)))
    return found, notes


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--graphs", nargs="+", default=["exponential:12", "path:10"])
    parser.add_argument("--seeds", type=int, default=24)
    parser.add_argument("--variants", nargs="+", default=list(VARIANTS))
    parser.add_argument("--edges", action="store_true", help="print realised rates of edges")
    options = parser.parse_args()
    for graph in options.graphs:
        name, n = graph.rsplit(":", 1)
        w = weights_of(name, int(n))
        print(f"\n{name} of {n}\n{'':26}{'gossip':>16}{'a2cid2':>16}{'ratio':>7}"
              f"{'avg/grad':>10}{'repeats':>9}")
        slow, fast = theory(w, False), theory(w, True)
        print(f"{'theory':26}{slow:9.4f}{fast:16.4f}{'':7}{fast / slow:7.2f}")
        rows = {"poisson": poisson}
        for key in options.variants:
            rows[key] = lambda *a, key=key: strands(*a, **VARIANTS[key])
        for key, run in rows.items():
            found, notes = measure(run, w, options.seeds)
            (slow, e1), (fast, e2) = found
            print(f"{key:26}{slow:9.4f} ±{e1:.4f}{fast:9.4f} ±{e2:.4f}{fast / slow:7.2f}"
                  f"{notes['per gradient']:10.3f}{notes['repeats']:9.2f}", flush=True)
            if options.edges and "edges" in notes:
                used = notes["edges"] / rates_of(w).clip(1e-300)
                used = used[w > 0]
                print(f"    an edge is used {used.min():.2f} to {used.max():.2f} times as "
                      f"often as the constants take it to be")


if __name__ == "__main__":
    main()
