"""Shared links against closed forms, in the simulator and in the interpreter.

    check_links.py RUBATO INTERP FOLDER

A message has b bytes, the shared link B bytes per second: a transfer is b / B. Then

* n workers that push at the same moment over their server's way in have their last
  upload there after n transfers;
* a server that applies every upload at once, and whose link is never free, gets one
  upload and sends one model per transfer;
* k pairs that exchange at the same moment across an uplink have their last answer
  after k transfers, and pairs inside a rack do not use it;
* where the members' own links take a transfer too, and each uplink has f times their
  rate, k such pairs take max(1, k / f) transfers.

The simulator is given bytes and a bandwidth (cluster.toml), or a table of durations;
the interpreter has the table. All within 1 %.
"""

import json
import pathlib
import subprocess
import sys

import numpy as np
import onnx
from onnx import TensorProto, helper, numpy_helper

SIZE = 10_000  # parameters: what else a message has is less than a thousandth
BYTES = 4 * SIZE
TRANSFER = 0.5  # seconds
BANDWIDTH = BYTES / TRANSFER
WORKERS = 5


def run(*command):
    done = subprocess.run(list(map(str, command)), capture_output=True, text=True)
    if done.returncode:
        sys.exit(f"error: code {done.returncode} from {command}\n{done.stdout}{done.stderr}")


def write_model(path):
    """p = x∘w."""
    free = lambda name: helper.make_tensor_value_info(name, TensorProto.FLOAT, ["n", SIZE])
    weight = numpy_helper.from_array(np.ones(SIZE, np.float32), "w")
    node = helper.make_node("Mul", ["x", "w"], ["p"])
    graph = helper.make_graph([node], "product", [free("x")], [free("p")], [weight])
    opset = helper.make_opsetid("", 17)
    onnx.save(helper.make_model(graph, opset_imports=[opset], ir_version=8), path)


class Bench:
    def __init__(self, rubato, interp, folder):
        self.rubato, self.interp, self.folder = rubato, interp, folder
        write_model(folder / "model.onnx")
        np.save(folder / "x.npy", np.ones((64, SIZE), np.float32))

    def compile(self, algorithm, *options):
        common = [self.rubato, "compile", self.folder / "model.onnx", "--loss", "mse"]
        common += ["--batch", "1", "--whole-reductions", "--algorithm", algorithm]
        for option in options:
            common += ["--algorithm-option", option]
        run(*common, "--emit", "sync", "-o", self.folder / "program.mlir")
        run(*common, "-o", self.folder / "train")

    def logs(self, cluster, table, workers, members, rounds):
        """By each of the three, its events."""
        path = lambda name: self.folder / name
        path("cluster.toml").write_text(cluster)
        path("table").write_text(table)
        data = ["--input", path("x.npy"), "--label", path("x.npy"), "--log", path("log")]
        limits = ["--rounds", rounds, "--seed", 3]
        simulate = [path("train"), "simulate", *data, "--workers", workers, *limits]
        interpret = [self.interp, path("program.mlir"), "--ranks", members, "--samples", 64]
        for name, command in (
            ("simulator by bytes", [*simulate[:2], path("cluster.toml"), *simulate[2:]]),
            ("simulator by a table", [*simulate, "--cost", path("table")]),
            ("interpreter", [*interpret, "--cost", path("table"), "--log", path("log"), *limits]),
        ):
            run(*command)
            yield name, list(map(json.loads, open(path("log"))))


def is_near(found, wanted):
    return abs(found - wanted) <= 0.01 * wanted + 1e-9


def transfers(nanoseconds):
    return nanoseconds * 1e-9 / TRANSFER


def uploads_at_once(bench):
    """The first models come one transfer after the other; who has its model first
    computes for longest, so that all push at one moment."""
    bench.compile("k-sync", f"k0={WORKERS}", "steps=1")
    compute = [1 + (WORKERS - 1 - i) * TRANSFER for i in range(WORKERS)]
    workers = "".join(f"[[worker]]\noverhead = {c}\n" for c in compute)
    listed = ", ".join(f"{round(c * 1e9)}ns" for c in [0, *compute])
    cluster = workers + f"[link]\nbandwidth = {BANDWIDTH}\nask = 0\n"
    table = f"gradient = [{listed}]\nmessage = 0\nask = 0\n"
    table += f"uplink.server = {round(TRANSFER * 1e9)}ns\nuplink.server.members = [0]\n"
    for name, log in bench.logs(cluster, table, WORKERS, WORKERS + 1, 2):
        first = next(e for e in log if e["op"] == "collect")
        pushes = [e["t"] for e in log if e["op"] == "push" and e["t"] <= first["t"]]
        assert len(pushes) == WORKERS, pushes
        assert is_near(transfers(max(pushes)), WORKERS + 1 / TRANSFER), pushes
        assert transfers(max(pushes) - min(pushes)) < 0.01, pushes
        took = transfers(first["t"] - max(pushes))
        print(f"{WORKERS} uploads at once, in the {name}: the last after {took:.2f} transfers")
        assert is_near(took, WORKERS), took


def busy_server(bench):
    """Five workers need two transfers and 0.1 s for a turn, the server 5 transfers."""
    bench.compile("asgd", "steps=1")
    cluster = f"[[worker]]\ncount = {WORKERS}\noverhead = 0.1\n"
    cluster += f"[link]\nbandwidth = {BANDWIDTH}\nask = 0\n"
    table = "gradient = 100ms\nmessage = 0\nask = 0\n"
    table += f"uplink.server = {round(TRANSFER * 1e9)}ns\nuplink.server.members = [0]\n"
    for name, log in bench.logs(cluster, table, WORKERS, WORKERS + 1, 60):
        rate = {}
        for what, times in (
            ("uploads", [e["t"] for e in log if e["op"] == "upload"]),
            ("models", sorted({(e["rank"], e["ticket"], e["done"]) for e in log
                               if e["op"] == "await" and e["of"] == "pull" and e["go"]})),
        ):  # fmt: skip
            times = sorted(t if what == "uploads" else t[2] for t in times)[10:50]
            rate[what] = (len(times) - 1) / transfers(times[-1] - times[0])
            assert is_near(rate[what], 1), (what, times)
        print(f"a server without a pause, in the {name}: {rate['uploads']:.2f} uploads "
              f"and {rate['models']:.2f} models per transfer")  # fmt: skip


def pairs(bench):
    """On a ring of four whose neighbours are in different racks every pair crosses;
    where all are in one rack none does."""
    bench.compile("gossip", "topology=ring", "deterministic=true")
    for what, racks, at_once in (
        ("pairs across an uplink", [[0, 2]], 2),
        ("pairs inside racks", [[0, 1, 2, 3]], 0),
    ):
        cluster = "[[worker]]\ncount = 4\noverhead = 2.0\n[link]\nexchange = 0\nask = 0\n"
        table = "gradient = 2s\nexchange = 0\nask = 0\n"
        for i, members in enumerate(racks):
            cluster += f"[[uplink]]\nname = 'rack {i}'\nmembers = {members}\n"
            cluster += f"bandwidth = {BANDWIDTH}\n"
            table += f"uplink.rack{i} = {round(TRANSFER * 1e9)}ns\n"
            table += f"uplink.rack{i}.members = {members}\n"
        for name, log in bench.logs(cluster, table, 4, 4, 12):
            found = check_pairs(log, at_once)
            if at_once:
                print(f"{what}, in the {name}: {at_once} at once take {found:.2f} transfers")
            else:
                print(f"{what}, in the {name}: {found:.2f} transfers")


def pairs_with_own_links(bench):
    """Two racks of two, two pairs across at once."""
    bench.compile("gossip", "topology=ring", "deterministic=true")
    for what, faster in (("twice", 2), ("5/4 of", 1.25)):
        cluster = "[[worker]]\ncount = 4\noverhead = 2.0\n"
        cluster += f"[link]\nbandwidth = {BANDWIDTH}\nask = 0\n"
        table = f"gradient = 2s\nexchange = {round(TRANSFER * 1e9)}ns\nask = 0\n"
        for i, members in enumerate(([0, 2], [1, 3])):
            cluster += f"[[uplink]]\nname = 'rack {i}'\nmembers = {members}\n"
            cluster += f"bandwidth = {BANDWIDTH * faster}\n"
            table += f"uplink.rack{i} = {round(TRANSFER / faster * 1e9)}ns\n"
            table += f"uplink.rack{i}.members = {members}\n"
        for name, log in bench.logs(cluster, table, 4, 4, 12):
            found = check_pairs(log, 2, lambda k: max(1, k / faster))
            print(f"2 pairs across uplinks of {what} a member's rate, in the {name}: "
                  f"{found:.2f} of a member's transfers")  # fmt: skip


def check_pairs(log, at_once, law=lambda k: k):
    """The longest time of a pair behind the moment at which so many were ready; `law`
    says how many transfers k of them take."""
    posted, ready, done = {}, {}, {}
    for e in log:
        if e["op"] == "exchange":
            key = (frozenset((e["rank"], e["peer"])), e["tag"])
            posted.setdefault(key, []).append(e["t"])
            if len(posted[key]) == 2:
                ready[key] = max(posted[key])
        if e["op"] == "await" and e["of"] == "exchange":
            key = (frozenset((e["rank"], e["peer"])), e["tag"])
            done.setdefault(key, []).append(e["done"])
    assert len(done) > 8, done
    if not at_once:
        return max(transfers(max(done[key]) - ready[key]) for key in done)
    moments = {}
    for key in done:
        moments.setdefault(ready[key], []).append(key)
    # Nothing else is under way: the link is free when they begin.
    longest, seen = 0, 0
    for moment, keys in moments.items():
        under_way = [k for k in done if ready[k] < moment < max(done[k])]
        if under_way:
            continue
        took = transfers(max(max(done[k]) for k in keys) - moment)
        assert is_near(took, law(len(keys))), (moment, took, keys)
        seen = max(seen, len(keys))
        longest = max(longest, took)
    assert seen == at_once, moments
    return longest


def main():
    bench = Bench(sys.argv[1], sys.argv[2], pathlib.Path(sys.argv[3]))
    uploads_at_once(bench)
    busy_server(bench)
    pairs(bench)
    pairs_with_own_links(bench)


main()
