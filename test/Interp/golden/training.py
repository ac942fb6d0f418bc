"""Training functions small enough to follow, as text and as numbers.

The loss of a sample x is half the squared distance of w to x. What MLIR text
says here, the methods below say again in numpy, operation by operation and in
the order of the text, so that a run can be compared bit by bit.
"""

import dataclasses

import numpy as np


def head(name, arguments, results):
    """How a training function begins, from (value, type, role) and (type, role)."""

    def argument(value, kind, role):
        called = f'nn.name = "{value}", ' if role in ("input", "label") else ""
        return f"%{value}: {kind} {{{called}nn.role = #nn.argument<{role}>}}"

    def result(kind, role):
        return f"{kind} {{nn.role = #nn.result<{role}>}}"

    takes = ", ".join(argument(*a) for a in arguments)
    gives = ", ".join(result(*r) for r in results)
    return f"func.func @{name}({takes}) -> ({gives}) {{"


def gradientHead(p, batch):
    return head(
        "gradient",
        [("w", p, "parameters"), *batch, ("step", "tensor<i64>", "step"), ("acc", p, "accumulator")],
        [
            (p, "gradient"),
            ("tensor<i64>", "samples"),
            ("tensor<i64>", "divisor"),
            ("tensor<f64>", "loss"),
        ],
    )


def evaluateHead(p, batch):
    return head(
        "evaluate",
        [("w", p, "parameters"), *batch],
        [("tensor<f64>", "loss"), ("tensor<i64>", "correct"), ("tensor<i64>", "valid")],
    )


def stepHead(p, rate, state=()):
    return head(
        "step",
        [("w", p, "parameters"), *((v, t, "state") for v, t in state), ("g", p, "gradient"), ("n", "tensor<i64>", "divisor"), ("lr", rate, "rate")],
        [(p, "displacement"), *((t, "state") for _, t in state)],
    )


def rateHead(rate):
    count = "tensor<i64>"
    return head(
        "lr",
        [("seen", count, "seen"), ("n", count, "samples"), ("base", rate, "base_rate"), ("budget", count, "budget")],
        [(rate, "rate")],
    )


@dataclasses.dataclass(frozen=True)
class Training:
    element: str = "f32"  # of parameters and learning rate
    batch: int = 2  # samples of a micro-batch
    size: int = 4  # parameters
    momentum: float | None = None  # None: the optimizer has no state
    untouched: bool = False  # no gradient touches the last parameter
    decay: bool = False  # the learning rate falls with samples seen
    labels: int = 1  # of a sample: means divide by so many times the samples

    @property
    def dtype(self):
        return {"f32": np.float32, "f64": np.float64}[self.element]

    def number(self, value):
        return self.dtype(value)

    # As numbers.

    def zero(self):
        return np.zeros(self.size, self.dtype)

    def gradient(self, w, samples, acc):
        """The sum over `samples` (rows) added to `acc`."""
        total = self.zero()
        for x in samples:
            term = (w - x.astype(self.dtype)) * self.dtype(1)
            total = total + term * self.mask()
        return acc + total

    def mask(self):
        mask = np.ones(self.size, self.dtype)
        if self.untouched:
            mask[-1] = 0
        return mask

    def step(self, state, gradient, count, rate):
        """(displacement, new state) of a summed gradient."""
        mean = gradient / self.dtype(count * self.labels)
        if self.momentum is None:
            return self.dtype(rate) * mean, None
        velocity = self.dtype(self.momentum) * state + mean
        return self.dtype(rate) * velocity, velocity

    def rate(self, base, seen, budget):
        base = self.dtype(base)
        if not self.decay:
            return base
        return base * (self.dtype(1) - self.dtype(seen) / self.dtype(budget))

    # As text.

    def text(self):
        T, u, d = self.element, self.batch, self.size
        p, x = f"tensor<{d}x{T}>", f"tensor<{u}x{d}x{T}>"
        batch = [
            ("x", x, "input"),
            ("weights", f"tensor<{u}x{T}>", "weights"),
            ("ids", f"tensor<{u}xi64>", "ids"),
        ]
        mask = ", ".join(f"{m:.1f}" for m in self.mask())
        square = "%squares" if T == "f64" else "%wide"
        widen = "" if T == "f64" else f"  %wide = arith.extf %squares : {x} to tensor<{u}x{d}xf64>\n"
        return f"""
nn.layout @params [#nn.slot<"w" : {p} at 0 parameter>]
{gradientHead(p, batch)}
  %rows = nn.broadcast %w dims [1] : {p} -> {x}
  %difference = arith.subf %rows, %x : {x}
  %weight = nn.broadcast %weights dims [0] : tensor<{u}x{T}> -> {x}
  %weighted = arith.mulf %difference, %weight : {x}
  %mask = arith.constant dense<[{mask}]> : {p}
  %masks = nn.broadcast %mask dims [1] : {p} -> {x}
  %touched = arith.mulf %weighted, %masks : {x}
  %sum = nn.reduce sum %touched dims [0] : {x} -> {p}
  %acc1 = arith.addf %acc, %sum : {p}
  %none = arith.constant dense<0.0> : tensor<{u}x{T}>
  %valid = arith.cmpf ogt, %weights, %none : tensor<{u}x{T}>
  %ones = arith.extui %valid : tensor<{u}xi1> to tensor<{u}xi64>
  %n = nn.reduce sum %ones dims [0] : tensor<{u}xi64> -> tensor<i64>
  %labels = arith.constant dense<{self.labels}> : tensor<i64>
  %divisor = arith.muli %n, %labels : tensor<i64>
  %squares = arith.mulf %weighted, %difference : {x}
{widen}  %total = nn.reduce sum {square} dims [0, 1] : tensor<{u}x{d}xf64> -> tensor<f64>
  %half = arith.constant dense<0.5> : tensor<f64>
  %loss = arith.mulf %total, %half : tensor<f64>
  return %acc1, %n, %divisor, %loss : {p}, tensor<i64>, tensor<i64>, tensor<f64>
}}
{evaluateHead(p, batch)}
  %zero = arith.constant dense<0> : tensor<i64>
  %acc = arith.constant dense<0.0> : {p}
  %g, %n, %divisor, %loss = func.call @gradient(%w, %x, %weights, %ids, %zero, %acc) : ({p}, {x}, tensor<{u}x{T}>, tensor<{u}xi64>, tensor<i64>, {p}) -> ({p}, tensor<i64>, tensor<i64>, tensor<f64>)
  return %loss, %zero, %divisor : tensor<f64>, tensor<i64>, tensor<i64>
}}
{self.stepText(T, p)}
{self.rateText(T)}
"""

    def stepText(self, T, p):
        mean = f"""  %count = arith.sitofp %n : tensor<i64> to tensor<{T}>
  %counts = nn.broadcast %count dims [] : tensor<{T}> -> {p}
  %mean = arith.divf %g, %counts : {p}
  %rate = nn.broadcast %lr dims [] : tensor<{T}> -> {p}"""
        if self.momentum is None:
            return f"""{stepHead(p, f"tensor<{T}>")}
{mean}
  %d = arith.mulf %rate, %mean : {p}
  return %d : {p}
}}"""
        return f"""{stepHead(p, f"tensor<{T}>", [("v", p)])}
{mean}
  %beta = arith.constant dense<{self.momentum!r}> : {p}
  %kept = arith.mulf %beta, %v : {p}
  %v1 = arith.addf %kept, %mean : {p}
  %d = arith.mulf %rate, %v1 : {p}
  return %d, %v1 : {p}, {p}
}}"""

    def rateText(self, T):
        body = f"  return %base : tensor<{T}>"
        if self.decay:
            body = f"""  %s = arith.sitofp %seen : tensor<i64> to tensor<{T}>
  %b = arith.sitofp %budget : tensor<i64> to tensor<{T}>
  %share = arith.divf %s, %b : tensor<{T}>
  %one = arith.constant dense<1.0> : tensor<{T}>
  %left = arith.subf %one, %share : tensor<{T}>
  %rate = arith.mulf %base, %left : tensor<{T}>
  return %rate : tensor<{T}>"""
        return f"""{rateHead(f"tensor<{T}>")}
{body}
}}"""
