"""Serial loops of the specifications, in numpy.

Nothing here reads a program. A loop gets the rounds: for each the members that
took part, and for each of those its micro-batches, lists of sample numbers. It
gives the parameters after every round. Sums over members go by ascending rank
and sums over micro-batches by their order, so equality is bit by bit.
"""

import dataclasses
from fractions import Fraction

import numpy as np

from training import Training


def sample(training, number):
    """The contents of a sample under `--data id`: element j of sample s is
    ((5 s + 3 j) mod 32) / 8 - 2, which every element type holds exactly."""
    elements = [((5 * number + 3 * j) % 32) / 8 - 2 for j in range(training.size)]
    return np.array(elements, training.dtype)


@dataclasses.dataclass
class Model:
    """What an update changes."""

    training: Training
    base: float
    w: np.ndarray = None
    budget: float = 2.0**60

    def __post_init__(self):
        self.w = self.training.zero() if self.w is None else self.w
        self.state = self.training.zero()
        self.seen = 0

    def rate(self, clock=None):
        clock = self.seen if clock is None else clock
        return self.training.rate(self.base, clock, self.budget)

    def update(self, gradient, count, factor=None):
        rate = self.rate()
        if factor is not None:
            rate = rate * self.training.number(factor)
        d, state = self.training.step(self.state, gradient, count, rate)
        self.w = self.w - d
        self.state = self.state if state is None else state
        self.seen += count


def gradient_of(training, w, batches):
    """(sum, samples) of one member: `batches` are lists of sample numbers."""
    acc, count = training.zero(), 0
    for batch in batches:
        contents = [sample(training, s) for s in batch]
        acc = training.gradient(w, contents, acc)
        count += len(batch)
    return acc, count


def total(parts):
    """The sum over members by ascending rank."""
    result = parts[0]
    for part in parts[1:]:
        result = result + part
    return result


def reduce_round(training, w, members):
    parts = [gradient_of(training, w, members[rank]) for rank in sorted(members)]
    return total([g for g, _ in parts]), sum(n for _, n in parts)


def allreduce(model, rounds, factors=None):
    history = []
    for t, members in enumerate(rounds):
        sums = reduce_round(model.training, model.w, members)
        model.update(*sums, factors and factors[t])
        history.append(model.w)
    return history


def delayed(model, rounds, rule=None, flush=True):
    """w(t+1) = w(t) - step of the gradients that were taken at w(t-1)."""
    history, pending = [], None
    for members in rounds:
        next_sum = reduce_round(model.training, model.w, members)
        if pending:
            model.update(*pending, rule and rule(pending[1]))
        history.append(model.w)
        pending = next_sum
    if flush:
        model.update(*pending, rule and rule(pending[1]))
    history.append(model.w)
    return history


def linear(reference, low=0.25, high=4.0):
    """The learning rate follows the samples that are applied."""
    return lambda count: min(max(count / reference, low), high)


def local_sgd(model, rounds, mode="keep"):
    """Each member steps by itself from w, then displacements are averaged.
    Gives parameters and states after every round."""
    training, history = model.training, []
    states = {rank: training.zero() for rank in rounds[0]}
    for members in rounds:
        moved, count = {}, 0
        for rank, batches in members.items():
            x, own = model.w, 0
            state = training.zero() if mode == "reset" else states[rank]
            for batch in batches:
                clock = model.seen + own * len(members)
                g, n = gradient_of(training, x, [batch])
                d, new = training.step(state, g, n, model.rate(clock))
                x, state, own = x - d, state if new is None else new, own + n
            moved[rank], states[rank] = x - model.w, state
            count += own
        share = training.number(len(members))
        by_rank = sorted(members)
        model.w = model.w + total([moved[rank] for rank in by_rank]) / share
        if mode == "average":
            mean = total([states[rank] for rank in by_rank]) / share
            states = {rank: mean for rank in by_rank}
        if mode == "reset":
            states = {rank: training.zero() for rank in by_rank}
        model.seen += count
        history.append((model.w, dict(states)))
    return history


def contiguous(rounds, quanta, batch, ranks, samples):
    """Rounds that take the unshuffled samples in order, epoch after epoch, in
    contiguous slices by rank, `quanta` micro-batches each."""
    def members(start):
        numbers = [(start + i) % samples for i in range(quanta * batch * ranks)]
        cuts = [numbers[i : i + batch] for i in range(0, len(numbers), batch)]
        return {r: cuts[r * quanta : (r + 1) * quanta] for r in range(ranks)}

    return [members(t * quanta * batch * ranks) for t in range(rounds)]


def exact_delayed(rows, targets, base, reference, low, high, beta):
    """The delayed loop on a scalar in rational arithmetic. `rows` are the
    micro-batches of each member, `targets` what its samples pull w to; each
    row counts the same samples. Gives (gradients, rates, w), flush last."""
    unit = 8
    w, velocity, pending = Fraction(0), Fraction(0), None
    gradients, rates, history = [], [], []

    def apply():
        nonlocal w, velocity
        mean, count = pending
        rate = base * min(max(Fraction(count, reference), low), high)
        velocity = beta * velocity + mean
        w -= rate * velocity
        rates.append(rate)

    for counts in rows:
        samples = sum(counts) * unit
        mean = sum(k * unit * (w - b) for k, b in zip(counts, targets)) / samples
        gradients.append(mean)
        if pending:
            apply()
        history.append(w)
        pending = (mean, samples)
    apply()
    return gradients, rates, history + [w]


def abs_sgd_times(durations, reduction, rounds, least=1):
    """Protocol P0 in integer nanoseconds: rows of (counts, start, done)."""
    clocks, done, rows = [0] * len(durations), None, []
    for _ in range(rounds):
        counts = []
        for i, duration in enumerate(durations):
            k = 0
            while k < least or (done is not None and clocks[i] < done):
                clocks[i] += duration
                k += 1
            counts.append(k)
        start = max(clocks)
        done = start + reduction
        rows.append((tuple(counts), start, done))
    return rows


def barrier_counts(durations, reduction, rounds):
    """Protocol P1: who has the last sum says so and goes on until it hears
    that all have it, which takes as long as a reduction."""
    clocks, done, rows = [0] * len(durations), 0, []

    def compute(until, least):
        for i, duration in enumerate(durations):
            here = least
            while here > 0 or clocks[i] < until:
                clocks[i] += duration
                counts[i] += 1
                here -= 1

    for _ in range(rounds):
        counts = [0] * len(durations)
        compute(done, 1)
        compute(max(clocks) + reduction, 0)
        done = max(clocks) + reduction
        rows.append(tuple(counts))
    return rows


def compensated(model, rounds, strength):
    """The delayed loop with g + strength g g (w - w') for a mean gradient g
    that was taken at w' and is applied at w."""
    history, pending = [], None

    def apply():
        (total, count), before = pending
        divisor = count * model.training.labels
        mean = total / divisor
        mean = mean + strength * mean * mean * (model.w - before)
        model.update(mean * divisor, count)

    for members in rounds:
        at = model.w
        sums = reduce_round(model.training, at, members)
        if pending:
            apply()
        history.append(model.w)
        pending = (sums, at)
    apply()
    return history + [model.w]


def split_by_speed(size, speeds):
    """Largest remainder, each at least one."""
    quotas = [size * v / sum(speeds) for v in speeds]
    shares = [max(1, int(quota)) for quota in quotas]
    order = sorted(range(len(quotas)), key=lambda i: (int(quotas[i]) - quotas[i], i))
    for i in order[: size - sum(shares)]:
        shares[i] += 1
    return shares


def lb_bsp_shares(size, batch, durations, rounds, smoothing=Fraction(7, 10), delay=0):
    """Shares of every round. Speeds are exact; a partial micro-batch takes as
    long as a full one. With a delay what a round took is known one round later."""
    speeds = [Fraction(1)] * len(durations)
    known = [speeds[:]] * (1 + delay)  # before the first rounds, and after each
    measured, rows = False, []
    for t in range(rounds):
        shares = split_by_speed(size, known[t])
        rows.append(shares)
        for i, share in enumerate(shares):
            speed = Fraction(share, -(-share // batch) * durations[i])
            past = speeds[i] if measured else speed
            speeds[i] = smoothing * past + (1 - smoothing) * speed
        known.append(speeds[:])
        measured = True
    return rows


def ramp(counts, base=None, per_ratio=8, length=None, shrink=None):
    """The factor of each applied update from the member count of each: the
    pseudo-code of the specification, with the current factor as the start of
    every ramp."""
    base = base or counts[0]
    c = s = m = Fraction(counts[0], base)
    members, T, j, factors = counts[0], 0, 0, []
    for count in counts:
        if count != members:
            members, s, m, j = count, c, Fraction(count, base), 0
            g = m / s
            units = g if g > 1 else {None: 0, "ratio": g, "inverse": 1 / g}[shrink]
            T = int(per_ratio * units + Fraction(1, 2))
            if length is not None and units:
                T = length
        c = s * (1 + Fraction(j, T) * (m / s - 1)) if j < T else m
        j += 1
        factors.append(c)
    return factors
