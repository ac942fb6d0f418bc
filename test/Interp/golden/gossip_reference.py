"""Pairwise averaging with two variables, as its specification words it.

Nothing here reads a program: a replay gets the events of a run in their order
(gradients with their samples, snapshots, averagings, ends of periods, each with
its time) and computes the members' variables by the formulas.
"""

import math

import numpy as np

import reference as ref


def ring_constants(n, rate=1.0):
    gap = 1 - math.cos(2 * math.pi / n)
    eta = rate / 2 * math.sqrt(n * gap / (n - 1))
    return eta, 0.5 * math.sqrt(n / ((n - 1) * gap))


def complete_constants(n, rate=1.0):
    return n * rate / (2 * (n - 1)), 0.5


class Member:
    def __init__(self, start, eta, alpha, now, period):
        self.x, self.xt, self.last, self.dt = start, start, now, period
        self.graph_eta = self.eta = eta
        self.alpha = alpha
        self.gradients = self.averagings = 0
        self.moved = np.zeros_like(start)  # all that gradients subtracted

    def mix(self, now):
        c = -0.5 * math.expm1(-2 * self.eta * (now - self.last) / self.dt)
        d = c * (self.xt - self.x)
        self.x, self.xt, self.last = self.x + d, self.xt - d, now

    def gradient(self, now, step):
        self.mix(now)
        self.x, self.xt = self.x - step, self.xt - step
        self.moved = self.moved + step
        self.gradients += 1

    def average(self, now, sent, received):
        self.mix(now)
        m = sent - received
        self.x, self.xt = self.x - 0.5 * m, self.xt - self.alpha * m
        self.averagings += 1

    def period(self, length, rate, keep=0.5, scale=True):
        """The time of a gradient, waiting included; mixing slows down where
        fewer averagings happen than the rate promises."""
        self.dt = keep * self.dt + (1 - keep) * length
        if scale:
            done = (self.averagings + 1) / (self.gradients + 1)
            self.eta = self.graph_eta * min(1, done / rate)


def step_of(training, rate, x, batch, state):
    g, n = ref.gradient_of(training, x, [batch])
    return training.step(state, g, n, training.number(rate))
