"""Moments of gossip on a ring under Poisson clocks, without sampling.

Between events x' = eta (x~ - x), x~' = eta (x - x~). An averaging over an edge takes
m / 2 from one x, alpha~ m from its x~, and gives both to the other side, where m is
the difference of the two x. Edges average at the rate l = 1/2 each.

From independent first values nothing tells one place of the ring from another, so
the second moments are diagonal in Fourier modes. With g = 2 - 2 cos(2 pi k / n) and
a = (1/2, alpha~), the 2 x 2 moments C of mode k of (x, x~) follow

    C' = B C + C B^T + l g s a a^T,    B = [[-eta, eta], [eta, -eta]] - l g a (1, 0),

where s = E m^2 of an edge, the mean over modes of g C_xx, couples all modes.
"""

import numpy as np

EDGE = 0.5  # averagings of an edge in a unit of time, one of each member


def constants(n):
    """eta and alpha~ of a ring, in closed form."""
    gap = 1 - np.cos(2 * np.pi / n)
    return 0.5 * np.sqrt(n * gap / (n - 1)), 0.5 * np.sqrt(n / ((n - 1) * gap))


def distances(n, eta, alpha, times, step=0.02):
    """E D(t) / E D(0) at ascending times, from independent values with x~ = x."""
    g = 2 - 2 * np.cos(2 * np.pi * np.arange(n) / n)
    out, back = -eta - EDGE * g / 2, eta - EDGE * alpha * g

    def slope(c):
        xx, xy, yy = c
        kick = EDGE * np.mean(g * xx) * g
        return np.array(
            [
                2 * (out * xx + eta * xy) + kick / 4,
                back * xx + (out - eta) * xy + eta * yy + kick * alpha / 2,
                2 * (back * xy - eta * yy) + kick * alpha**2,
            ]
        )

    c, now, found = np.ones((3, n)), 0.0, []
    for end in times:
        # Classical Runge-Kutta: its error is far below what is compared.
        count = max(1, int(np.ceil((end - now) / step)))
        h = (end - now) / count
        for _ in range(count):
            k1 = slope(c)
            k2 = slope(c + h / 2 * k1)
            k3 = slope(c + h / 2 * k2)
            k4 = slope(c + h * k3)
            c = c + h / 6 * (k1 + 2 * k2 + 2 * k3 + k4)
        now = end
        found.append(c[0, 1:].sum() / (n - 1))
    return found


def slowest_mode(n, accelerated, times):
    """The mean of cos(2 pi i / n), from 1."""
    eta, alpha = constants(n)
    gap = 1 - np.cos(2 * np.pi / n)
    kappa = 2 * alpha
    t = np.asarray(times, float)
    if not accelerated:
        return np.exp(-gap * t / 2)
    return np.exp(-eta * t) * (kappa - (kappa - 1) * np.exp(-gap * t / 2))
