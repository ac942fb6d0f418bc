"""Adaptive model averaging as its specification words it: the controller in
virtual time, the weights, the merge. Nothing here reads a program."""

import heapq
import math


def weights(updates, batches, delta=0.0, renormalise=True, uniform=False):
    """Merge weights and the sum they are meant to have."""
    active = [u > 0 for u in updates]
    equal = len({u for u in updates if u > 0}) == 1
    if uniform:
        shares = [float(a) for a in active]
    else:
        shares = [b if equal and a else u for u, b, a in zip(updates, batches, active)]
    total = sum(shares)
    alpha = [share / total for share in shares]
    if equal or delta == 0 or uniform:
        return alpha, 1.0
    most = updates.index(max(updates))
    least = updates.index(min(u for u in updates if u > 0))
    alpha[most] *= 1 + delta
    alpha[least] *= 1 - delta
    total = sum(alpha)
    if renormalise:
        return [a / total for a in alpha], 1.0
    return alpha, total


def scaled(batches, updates, gain, low, high, guard=False):
    """The linear rule with clamping."""
    mean = sum(updates) / len(updates)
    if guard:
        gain = min([gain] + [0.5 * b / u for b, u in zip(batches, updates) if u])
    return [
        min(high, max(low, b + gain * (u - mean))) for b, u in zip(batches, updates)
    ]


def whole(batch, quantum):
    return quantum * math.floor(batch / quantum + 0.5)


def controller(slow, overhead, mega, low, high, gain, quantum, megas, guard=False):
    """Rows (updates, batches) of mega-batches. A batch of b samples takes
    s (overhead + b) on a device of slowness s; ties go by device."""
    batches, rows = [float(high)] * len(slow), []
    for _ in range(megas):
        dealt_batches = [whole(b, quantum) for b in batches]
        updates, sent = [0] * len(slow), 0
        queue = [(0, i) for i in range(len(slow))]
        while queue:
            now, i = heapq.heappop(queue)
            if sent >= mega:
                continue
            sent += dealt_batches[i]
            updates[i] += 1
            heapq.heappush(queue, (now + slow[i] * (overhead + dealt_batches[i]), i))
        rows.append((tuple(updates), tuple(dealt_batches)))
        batches = scaled(batches, updates, gain, low, high, guard)
    return rows


# u | b of the golden trace: linear rule, gain 16, quantum 1, no guard.
GOLDEN = [
    ((29, 29, 23, 19), (1024, 1024, 1024, 1024)),
    ((30, 30, 23, 20), (1024, 1024, 992, 928)),
    ((30, 30, 24, 22), (1024, 1024, 948, 836)),
    ((30, 30, 25, 24), (1024, 1024, 908, 764)),
    ((30, 30, 26, 26), (1024, 1024, 872, 712)),
]
