"""bounded-staleness on the golden problem of its specification, row by row."""

import dataclasses

import numpy as np

import staleness_reference as golden
import training
from harness import equal, main, near
from server_harness import Server, close_to

MILLISECOND = 1_000_000


@dataclasses.dataclass
class GoldenTraining:
    """The golden problem for workers 0 to 3, at ranks 1 to 4, whose samples
    hold rank + 1. The reported loss is that of the golden rule, the exact one
    after the round, looked up by worker and samples the model had seen: no
    worker of a real run could know it."""

    start: tuple
    losses: dict  # (worker, samples seen) -> F
    size: int = 2
    dtype: type = np.float64

    def text(self):
        width = max(seen for _, seen in self.losses) + 1
        table = [
            [self.losses.get((m, s), -1.0) for s in range(width)] for m in range(4)
        ]
        rows = ", ".join("[" + ", ".join(f"{v!r}" for v in row) + "]" for row in table)
        targets = ", ".join(
            "[" + ", ".join(f"{float(b[j]) - self.start[j]!r}" for j in range(2)) + "]"
            for b in golden.B
        )
        p = "tensor<2xf64>"
        batch = [
            ("x", "tensor<1x2xf64>", "input"),
            ("weights", "tensor<1xf64>", "weights"),
            ("ids", "tensor<1xi64>", "ids"),
        ]
        return f"""
nn.layout @params [#nn.slot<"w" : {p} at 0 parameter>]
{training.gradientHead(p, batch)}
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %mark = tensor.extract %x[%c0, %c0] : tensor<1x2xf64>
  %two = arith.constant 2.0 : f64
  %shifted = arith.subf %mark, %two : f64
  %number = arith.fptosi %shifted : f64 to i64
  %worker = arith.index_cast %number : i64 to index
  %targets = arith.constant dense<[{targets}]> : tensor<4x2xf64>
  %b0 = tensor.extract %targets[%worker, %c0] : tensor<4x2xf64>
  %b1 = tensor.extract %targets[%worker, %c1] : tensor<4x2xf64>
  %b = tensor.from_elements %b0, %b1 : {p}
  %difference = arith.subf %w, %b : {p}
  %a = arith.constant dense<[1.0, 0.25]> : {p}
  %g = arith.mulf %a, %difference : {p}
  %acc1 = arith.addf %acc, %g : {p}
  %n = arith.constant dense<1> : tensor<i64>
  %losses = arith.constant dense<[{rows}]> : tensor<4x{width}xf64>
  %seen = tensor.extract %step[] : tensor<i64>
  %last = arith.constant {width - 1} : i64
  %clamped = arith.minsi %seen, %last : i64
  %at = arith.index_cast %clamped : i64 to index
  %loss = tensor.extract %losses[%worker, %at] : tensor<4x{width}xf64>
  %wrapped = tensor.from_elements %loss : tensor<f64>
  return %acc1, %n, %n, %wrapped : {p}, tensor<i64>, tensor<i64>, tensor<f64>
}}
{training.evaluateHead(p, batch)}
  %none = arith.constant dense<0.0> : tensor<f64>
  %zero = arith.constant dense<0> : tensor<i64>
  return %none, %zero, %zero : tensor<f64>, tensor<i64>, tensor<i64>
}}
{training.stepHead(p, "tensor<f64>")}
  %rate = nn.broadcast %lr dims [] : tensor<f64> -> {p}
  %d = arith.mulf %rate, %g : {p}
  return %d : {p}
}}
{training.rateHead("tensor<f64>")}
  return %base : tensor<f64>
}}
"""


def rows(bench):
    for text, start, rate in (
        (golden.G1, (-8.0, 12.0), 0.2),
        (golden.G2, (3.0, 2.0), 0.5),
    ):
        table = golden.golden_rows(text)
        # The reference itself, with restarts that take effect at once.
        at_once = golden.golden_run(start, rate, len(table), at_once=True)
        # A program restarts at the next local step: later times from the first
        # late restart on, the same versions.
        rows = golden.golden_run(start, rate, len(table), at_once=False)
        losses = {(m, s): row.F for row in rows for m, s in row.bases.items()}
        training = GoldenTraining(start, losses)
        initial = golden.golden_loss(start)
        program = bench.program(
            training, "bounded-staleness", rate, steps=2, k0=1, alpha=1,
            initial_loss=repr(initial),
        )
        durations = ", ".join(f"{d}ms" for d in (1,) + golden.DURATIONS)
        costs = {"gradient": f"[{durations}]", "message": f"{golden.LATENCY}ms"}
        budget = sum(2 * len(row.participants) for row in rows)
        run = bench.run(
            training, program, 5, costs, {"budget": budget}, data="rank"
        )
        server = Server(run)
        equal(len(server.rounds), len(table), "rounds")
        for t, (found, row, printed, exact) in enumerate(
            zip(server.rounds, rows, table, at_once)
        ):
            what = f"round {t + 1}"
            near(exact.F, printed.F, 1e-6, f"reference of {what}")
            equal(exact.time, printed.time, f"reference of {what}")
            equal(found.time, row.time * MILLISECOND, f"time of {what}")
            equal(found.arrivals, row.participants, f"participants of {what}")
            equal(found.count, printed.K, f"K of {what}")
            equal(found.answer[:2], [printed.next_K, printed.tau], f"rule of {what}")
            if t + 1 < len(table):
                equal(found.restarted, printed.restarted, f"restarts of {what}")
            w = server.model(found) + np.array(start)
            close_to(w, row.w, 1e-13, f"w of {what}")
            close_to(w, printed.w, 1e-6, f"printed w of {what}")
            if t < 6:
                equal(found.time, printed.time * MILLISECOND, f"golden time of {what}")
                equal(found.arrivals, printed.participants, f"golden {what}")
            else:
                equal(sorted(found.arrivals), sorted(printed.participants), what)
                equal(found.time - printed.time * MILLISECOND, 200 * MILLISECOND, what)


if __name__ == "__main__":
    main({"rows": rows})
