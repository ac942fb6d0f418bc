"""Compares compiled gossip under Poisson clocks with exact moments.

    check_poisson.py FOLDER quick|long

FOLDER has a2cid2-ring/poisson, gossip-ring/poisson, x.npy and y.npy. Every number must lie
within three standard errors, which come from the replicas themselves.
"""

import math
import subprocess
import sys

import exact_moments as exact

ALGORITHMS = {"gossip": "base", "a2cid2": "accelerated"}
# E D(t)/E D(0) at these times, as tables of the dynamics state it.
TIMES = [1, 2, 5, 10, 20, 50, 100]
TABLE = {
    (16, "gossip"): [0.6187, 0.4189, 0.1868, 8.770e-2, 3.486e-2, 3.545e-3, 8.192e-5],
    (16, "a2cid2"): [0.6301, 0.4574, 0.2369, 8.971e-2, 1.381e-2, 3.775e-5, 1.841e-9],
    (64, "gossip"): [0.6368, 0.4465, 0.2255, 0.1311, 8.056e-2, 4.280e-2, 2.512e-2],
    (64, "a2cid2"): [0.6559, 0.5241, 0.4178, 0.3045, 0.1657, 3.170e-2, 2.685e-3],
}
SIZES = {  # members: replicas, last time
    "quick": {16: (100, 20), 64: (30, 10)},
    "long": {16: (4000, 100), 64: (1000, 100)},
}
MODE_TIMES = {16: [10, 20, 40], 64: [40, 80, 160]}
# Factors on eta and on alpha~; negative rates of decay diverge.
SCALED = [(0.1, 1), (0.25, 1), (0.5, 1), (1.5, 1), (2, 1), (4, 1)]
SCALED += [(1, 0.5), (1, 1.5), (1, 2)]

failures = []
worst = 0.0
compared = 0


def run(folder, algorithm, members, replicas, times, eta=1, alpha=1, dt=1):
    command = [f"{folder}/{algorithm}-ring/poisson", f"{folder}/x.npy", f"{folder}/y.npy"]
    command += [str(v) for v in (members, replicas, 1, eta, alpha, dt, *times)]
    lines = subprocess.run(command, check=True, capture_output=True, text=True)
    return [[float(v) for v in line.split()] for line in lines.stdout.splitlines()]


def compare(what, got, error, want):
    global worst, compared
    z = abs(got - want) / error
    worst, compared = max(worst, z), compared + 1
    print(f"{what}: {got:.4g} +- {error:.2g}, exact {want:.4g}, {z:.1f} errors")
    if not z <= 3:
        failures.append(what)


def check_table(folder, members, replicas, last):
    times = [t for t in TIMES if t <= last]
    for algorithm in ALGORITHMS:
        eta, alpha = exact.constants(members)
        if algorithm == "gossip":
            eta, alpha = 0, 0.5
        want = exact.distances(members, eta, alpha, times, 0.05)
        for mine, table in zip(want, TABLE[members, algorithm]):
            # The last digit of the table.
            if abs(mine - table) > 1.1 * 10 ** (math.floor(math.log10(table)) - 3):
                failures.append(f"the moments, {mine} instead of {table}")
        rows = run(folder, algorithm, members, replicas, times)
        modes = exact.slowest_mode(members, algorithm == "a2cid2", times)
        for row, distance, mode in zip(rows, want, modes):
            name = f"ring {members} {algorithm} t={row[0]:g}"
            compare(name + " D", row[1], row[2], distance)
            compare(name + " slowest mode", row[3], row[4], mode)


def check_slowest(folder, members, replicas):
    times = MODE_TIMES[members]
    for algorithm in ALGORITHMS:
        rows = run(folder, algorithm, members, replicas, times)
        modes = exact.slowest_mode(members, algorithm == "a2cid2", times)
        for row, mode in zip(rows, modes):
            name = f"ring {members} {algorithm} t={row[0]:g} slowest mode"
            compare(name, row[3], row[4], mode)


def check_scaled(folder, members, replicas, times):
    eta, alpha = exact.constants(members)
    for by_eta, by_alpha in SCALED:
        want = exact.distances(members, by_eta * eta, by_alpha * alpha, times, 0.05)
        rows = run(folder, "a2cid2", members, replicas, times, by_eta, by_alpha)
        for row, distance in zip(rows, want):
            name = f"ring {members} eta x {by_eta} alpha x {by_alpha} t={row[0]:g} D"
            compare(name, row[1], row[2], distance)


def check_divergence(folder, replicas, end):
    """Time that runs twice too fast: what decays grows. Where only the first estimate
    of a gradient's time is wrong, the measured ones heal it."""
    once = run(folder, "a2cid2", 64, replicas, [end])[0][1]
    twice = run(folder, "a2cid2", 64, replicas, [end], eta=2)[0][1]
    healed = run(folder, "a2cid2", 64, replicas, [end], dt=0.5)[0][1]
    print(f"ring 64 t={end}: D {once:.3g} with eta, {twice:.3g} with eta x 2,", end=" ")
    print(f"{healed:.3g} where time starts twice too fast")
    if not (once < 0.05 and twice > 3 and healed < 0.05):
        failures.append("divergence")


def main():
    folder, size = sys.argv[1:]
    for members, (replicas, last) in SIZES[size].items():
        check_table(folder, members, replicas, last)
    check_divergence(folder, 6, 60)
    if size == "long":
        check_slowest(folder, 16, 2000)
        check_slowest(folder, 64, 300)
        check_scaled(folder, 16, 1000, [5, 20])
        check_scaled(folder, 64, 200, [5, 20])
    for failure in failures:
        print("FAILED:", failure)
    print(f"{compared} numbers, at most {worst:.1f} standard errors from exact")
    sys.exit(bool(failures))


main()
