"""Writes small random programs whose players are read: half of them assign or update variables."""

from __future__ import annotations

import numpy as np

DTYPES = ("float32", "float32", "float64", "float16", "complex64", "complex128", "int")


class Writer:
    """One program: `source` is its text, which leaves `tape`, `target` and `sources`."""

    def __init__(self, seed: int, dtype: str = "") -> None:
        self.random = np.random.default_rng([2026, seed])
        self.dtype = dtype or self.of(*DTYPES)
        self.float = "float32" if self.dtype == "int" else self.dtype
        self.lines: list[str] = []
        self.names: dict[str, tuple[int, ...]] = {}
        self.variables: list[str] = []
        self.assigns = bool(seed % 2)
        self.source = self.written()

    def of(self, *options):
        return options[int(self.random.integers(len(options)))]

    def array(self, shape) -> str:
        values = self.random.normal(size=shape) * 10.0 ** self.random.integers(-2, 2)
        values = np.round(values, int(self.random.integers(1, 7)))
        if self.float.startswith("complex"):
            values = values + 1j * np.round(self.random.normal(size=shape), 3)
        return str(values.tolist())

    def put(self, text: str, shape, depth: int = 1) -> str:
        name = f"t{len(self.names)}"
        self.names[name] = shape
        self.lines.append("    " * depth + f"{name} = {text}")
        return name

    def written(self) -> str:
        shapes = [(), (3,), (2, 3), (3, 3)]
        for i in range(int(self.random.integers(1, 4))):
            shape = self.of(*shapes)
            name = f"v{i}"
            self.lines.append(f"{name} = tf.Variable({self.array(shape)}, dtype=tf.{self.float})")
            self.names[name] = shape
            self.variables.append(name)
        self.lines.append("with viz.recording(), tf.GradientTape(persistent=True) as tape:")
        for _ in range(int(self.random.integers(3, 8))):
            self.step()
            if self.assigns and self.random.random() < 0.4:
                v = self.of(*self.variables)
                shape = self.names[v]
                how = self.of("assign", "assign_add", "assign_sub")
                self.lines.append(
                    f"    {v}.{how}(tf.constant({self.array(shape)}, tf.{self.float}))"
                )
        total = " + ".join(f"tf.reduce_sum({name})" for name in list(self.names)[-2:])
        total = f"tf.math.real({total})" if self.float.startswith("complex") else total
        self.lines.append(f"    target = {total}")
        self.lines.append(f"sources = [{', '.join(self.variables)}]")
        if self.assigns and self.random.random() < 0.7:
            for v in self.variables:
                self.lines.append(f"{v}.assign({v} * tf.constant(0.75, tf.{self.float}))")
        return "\n".join(self.lines) + "\n"

    def any(self, *fits) -> str:
        names = [n for n in self.names if not fits or self.names[n] in fits]
        return self.of(*names) if names else ""

    def step(self) -> None:
        x = self.any()
        shape = self.names[x]
        y = self.any(shape, ())
        both = np.broadcast_shapes(shape, self.names[y])
        real = not self.float.startswith("complex")
        kind = int(self.random.integers(10 if real else 6))
        scalar = f"tf.constant({self.array(())}, tf.{self.float})"
        if self.dtype == "int" and self.random.random() < 0.5:
            n = int(self.random.integers(1, 2**31 - 1))
            name = self.put(
                f"tf.constant({n}, tf.int32) * tf.constant({self.of(2, 3, 65536)}, tf.int32)", ()
            )
            del self.names[name]
            self.lines.append(f"    {name} = tf.cast({name}, tf.float32) * 1e-9 * v0")
            self.names[name] = self.names["v0"]
        elif kind < 3:
            self.put(f"{x} {self.of('*', '+', '-')} {y}", both)
        elif kind == 3:
            self.put(f"{x} {self.of('*', '-', '/', '+')} {scalar}", shape)
        elif kind == 4:
            self.put(f"tf.reduce_{self.of('sum', 'mean')}({x})", ())
        elif kind == 5:
            a, b = self.any((2, 3), (3, 3)), self.any((3, 3))
            if a and b:
                self.put(f"{a} @ {b}", self.names[a])
            else:
                self.put(f"-{x} + {x}", shape)
        elif kind == 6:
            self.put(
                f"tf.{self.of('tanh', 'sin', 'square', 'sigmoid', 'abs', 'nn.relu')}({x})", shape
            )
        elif kind == 7:
            self.put(f"tf.{self.of('maximum', 'minimum')}({x}, {y})", both)
        elif kind == 8:
            self.put(f"{x} / ({y} * {y} + tf.constant(0.7, tf.{self.float}))", both)
        else:
            self.put(f"{x} ** {self.of(2, 3)}", shape)
