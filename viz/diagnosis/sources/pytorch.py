"""Collects the evidence of a PyTorch script that nobody changed.

A TorchFunctionMode sees each public call with its arguments, so the words are those of the learner
and no op is touched. `_version` shows changes in place, `grad_fn` and its saved tensors what the
graph keeps, hooks on its nodes what each did to the gradient. The ops before a request for
gradients are its window: the first few windows are looked at, then the 8th, 16th, 32nd, ... and
those in `wanted`; between them each call costs what the mode itself costs. What goes wrong in here
never reaches the script.
"""

from __future__ import annotations

import math
import time
import warnings
import weakref
from collections.abc import Callable, Iterable
from contextlib import ExitStack, contextmanager, suppress
from typing import Any

import torch
from torch.optim.optimizer import (
    register_optimizer_step_post_hook,
    register_optimizer_step_pre_hook,
)
from torch.overrides import TorchFunctionMode

from .. import outside
from ..evidence import STEP, Ask, Event, Evidence, Factor, Place, Value
from ..words import neutral
from .places import Places

FIRST = 6  # requests that are looked at in any case
MAX_OPS = 30_000  # of one window
MAX_NODES = 4_000  # of a backward pass that is watched
MAX_HELD = 400_000_000  # bytes of values
MAX_SMALL = 50_000  # elements of the variables whose steps are followed
LEAVES = {
    "numpy", "item", "tolist", "__float__", "__int__", "__array__", "__index__", "__complex__",
}  # fmt: skip
COPIES = {
    "tensor", "as_tensor", "asarray", "from_numpy", "FloatTensor", "DoubleTensor", "Tensor",
    "new_tensor", "LongTensor", "IntTensor", "scalar_tensor",
}  # fmt: skip
SILENT = {
    "size", "dim", "__len__", "__repr__", "__format__", "is_floating_point", "__hash__", "__bool__",
    "numel", "register_hook", "retain_grad", "is_complex", "element_size", "__deepcopy__", "stride",
    "is_contiguous", "has_names", "storage_offset", "__setstate__", "__reduce_ex__", "data_ptr",
    "untyped_storage", "storage", "get_device", "is_same_size",
    "register_post_accumulate_grad_hook", "__dir__", "__contains__", "allclose", "equal",
    "manual_seed", "is_tensor", "ndimension", "is_nonzero", "is_inference", "set_default_dtype",
    "_has_compatible_shallow_copy_type",
}  # fmt: skip
PROPERTIES = {"data", "T", "mT", "H", "real", "imag"}
UPDATES = {
    "__isub__", "__iadd__", "__imul__", "__itruediv__", "sub_", "add_", "mul_", "div_", "copy_",
    "addcdiv_", "addcmul_", "lerp_", "__setitem__", "clamp_", "subtract_",
}  # fmt: skip
LEAF_NODE = "torch::autograd::AccumulateGrad"


class _Mode(TorchFunctionMode):
    """Hands each call to the collector."""

    def __init__(self, collector: Collector) -> None:
        super().__init__()
        self.collector = collector

    def __torch_function__(self, func: Any, types: Any, args: Any = (), kwargs: Any = None) -> Any:
        collector = self.collector
        if not collector.on or collector.depth:
            return func(*args, **(kwargs or {}))
        return collector.call(func, args, kwargs or {})


class _Named:
    """A call that has no function of its own."""

    def __init__(self, name: str) -> None:
        self.__name__ = name


class Collector:
    """Fills an `Evidence` while a script runs.

    Args:
        places: the places in the script.
        look: called after each request whose window was seen.
        wanted: further requests to be looked at, by number.
    """

    def __init__(
        self, places: Places, look: Callable[[Ask], None], wanted: Iterable[int] = ()
    ) -> None:
        self.evidence = Evidence()
        self.places, self.look = places, look
        self.wanted = set(wanted)
        self.missed: list[int] = []  # requests where something is wrong that nobody looked at
        self.on, self.depth = True, 0
        self.followed = True  # whether the last request was looked at: the step after it counts
        self.asked = 0
        self.began = 0  # the op at which this window began
        self.next_key = 1
        self.keys: dict[int, tuple[Any, int, int]] = {}  # id: weak reference, version, key
        self.variables: dict[int, Any] = {}  # key: weak reference
        self.held: dict[int, tuple[Any, int]] = {}  # key: the value, and its version then
        self.older: dict[int, tuple[Any, int]] = {}
        self.bytes = 0
        self.storages: dict[int, int] = {}  # key: the storage of a value
        self.changes: dict[int, list[int]] = {}  # storage: ops that wrote to it
        self.swept: dict[Any, int] = {}  # nodes that an earlier request has released
        self.optimizers: list[tuple[Any, Place | None]] = []
        self.losses: dict[Place | None, list[float]] = {}
        self.spent, self.started = 0.0, time.perf_counter()
        self.grads: dict[int, tuple[Any, int]] = {}  # variable: what a request left in `.grad`

    # Which value

    def key(self, x: Any, place: Place | None = None) -> int:
        """The key of a tensor as it is now."""
        version = _version(x)
        known = self.keys.get(id(x))
        same = known is not None and known[0]() is x
        if known is not None and same and known[1] == version:
            self._hold(known[2], x, version)
            return known[2]
        key = self._new(x, version)
        if known is not None and same:  # changed through a view, by an optimizer, unseen
            old = known[2]
            is_variable = x.is_leaf and x.requires_grad
            self.evidence.root[key] = self.evidence.first(old)
            self.evidence.add(
                "changed", "a change in place", [old], [key], None, STEP if is_variable else ""
            )
            self.evidence.values[key].name = self.evidence.values[old].name
            self.evidence.values[key].place = self.evidence.values[old].place
            self.variables.pop(old, None)
        else:
            value = self.evidence.values[key]
            value.place = place or (self.places.here() if value.role == "variable" else None)
            value.role = value.role if x.is_leaf else "unknown"
        return key

    def _new(self, x: Any, version: int) -> int:
        key, self.next_key = self.next_key, self.next_key + 1
        self.keys[id(x)] = (weakref.ref(x), version, key)
        is_variable = bool(x.requires_grad and x.is_leaf)
        value = Value(
            key,
            "variable" if is_variable else "constant",
            tuple(x.shape),
            str(x.dtype).removeprefix("torch."),
            read=lambda: self._numbers(key),
        )
        self.evidence.values[key] = value
        if is_variable:
            self.variables[key] = weakref.ref(x)
        self.storages[key] = _storage(x)
        self._hold(key, x, version)
        return key

    def _hold(self, key: int, x: Any, version: int) -> None:
        if key in self.held or self.bytes > MAX_HELD or not self.on:
            return
        with torch._C.DisableTorchFunction():
            alias = x.detach() if x.requires_grad else x
        self.held[key] = (alias, version)
        self.bytes += x.numel() * 4

    def _numbers(self, key: int) -> Any:
        held = self.held.get(key) or self.older.get(key)
        if held is None or _version(held[0]) != held[1]:
            return None
        return _array(held[0])

    def fresh(self, role: str, shape: Any, place: Place | None) -> int:
        """A key for something that is no tensor."""
        key, self.next_key = self.next_key, self.next_key + 1
        self.evidence.values[key] = Value(
            key, role, tuple(shape), place=place, name=self.places.name_at(place)
        )
        return key

    # Ops

    def call(self, func: Any, args: Any, options: Any) -> Any:
        """One call of the framework's, made and noted."""
        name = getattr(func, "__name__", "")
        if name == "__get__":
            return self._property(func, args, options)
        if name == "__set__" or name in {"requires_grad_"}:
            return self._sets(func, name, args, options)
        if name in SILENT or not name:
            return func(*args, **options)
        return self.made(_Named(name), func, args, options)

    def made(self, named: Any, func: Any, args: Any, options: Any) -> Any:
        """Calls a function and notes it as an op."""
        began = time.perf_counter()
        given: list[tuple[Any, int, int]] = []
        with suppress(Exception):
            given = [(x, self.key(x), _version(x)) for x in _tensors((args, options))]
        traced = outside.traced_in((args, options))
        if traced:
            args, options = outside.untraced(args), outside.untraced(options)
        self.depth += 1
        middle = time.perf_counter()
        try:
            out = func(*args, **options)
        finally:
            after = time.perf_counter()
            self.depth -= 1
        self.depth += 1
        try:
            if named.__name__ == "__iter__":
                rows = list(out)
                self._saw("unbind", given, traced, args, options, rows)
                out = iter(rows)
            elif named.__name__ in LEAVES:
                out = self._left(args[0], named.__name__, out)
            else:
                self._saw(named.__name__, given, traced, args, options, out)
        except Exception:
            self.evidence.facts["unseen"] = self.evidence.facts.get("unseen", 0) + 1
        finally:
            self.depth -= 1
        if len(self.evidence.ops) - self.began > MAX_OPS:
            self.on = False
        self.spent += time.perf_counter() - after + middle - began
        return out

    def _property(self, func: Any, args: Any, options: Any) -> Any:
        name = getattr(getattr(func, "__self__", None), "__name__", "")
        if name in PROPERTIES:
            return self.made(_Named(name), func, args, options)
        out = func(*args, **options)
        if name == "grad":
            self.depth += 1
            with suppress(Exception):
                self._reads_grad(args[0], out)
            self.depth -= 1
        return out

    def _reads_grad(self, x: Any, grad: Any) -> None:
        place = self.places.here()
        if place is None:
            return
        is_leaf = x.is_leaf or x.retains_grad
        kind = "reads grad" if is_leaf else "reads no grad"
        if not x.requires_grad:
            kind = "reads grad of constant"
        self._event(kind, (self.key(x),), {"none": grad is None})

    def _sets(self, func: Any, name: str, args: Any, options: Any) -> Any:
        what = getattr(getattr(func, "__self__", None), "__name__", "")
        out = func(*args, **options)
        self.depth += 1
        with suppress(Exception):
            x = args[0]
            if name == "requires_grad_" or what == "requires_grad":
                value = self.evidence.values[self.key(x, self.places.here())]
                if x.requires_grad and x.is_leaf:
                    value.role = "variable"
                    self.variables[value.key] = weakref.ref(x)
                elif value.role == "variable":
                    value.role = "constant"
                    self.variables.pop(value.key, None)
                self._event("requires_grad", (value.key,), {"to": bool(x.requires_grad)})
            elif what == "grad" and args[1] is None:
                self._event("zero_grad", (self.key(x),), {"by": "hand"})
            elif what == "data":
                self._event("step", (self.key(x),), {"by": "hand"})
        self.depth -= 1
        return out

    def _left(self, x: Any, way: str, result: Any) -> Any:
        """A tensor's value leaves for NumPy or Python."""
        place = self.places.here()
        if place is None:
            return result
        key = self.fresh("outside", getattr(result, "shape", ()), place)
        is_whole = isinstance(result, int) or way in {"__int__", "__index__"}
        array = way in {"numpy", "__array__"}
        cut = "int" if is_whole else "to_numpy" if array else "to_python"
        name = "to_numpy" if array else "to_python"
        self.evidence.add(name, way.strip("_"), [self.key(x)], [key], place, cut)
        return outside.with_key(result, key)

    def leaves(self, x: Any, way: str, result: Any) -> Any:
        """`float(x)` or `int(x)` in the learner's file."""
        if not isinstance(x, torch.Tensor) or not self.on or self.depth:
            return result
        self.depth += 1
        try:
            return self._left(x, f"__{way}__", result)
        finally:
            self.depth -= 1

    def heard(self, name: str, called: str, given: list[Any], result: Any) -> int:
        """NumPy or Python computed something from what was a tensor."""
        inputs = [outside.key_of(each) for each in given]
        if not self.on:
            return inputs[0]
        place = self.places.here()
        key = self.fresh("outside", getattr(result, "shape", ()), place)
        draws = called.startswith("np.random")
        self.evidence.add(
            neutral(name), called, inputs, [key], place, "sample" if draws else "outside"
        )
        return key

    def _saw(self, name: str, given: Any, traced: Any, args: Any, options: Any, out: Any) -> None:
        results = _tensors(out)
        if name == "__setitem__":
            results = [args[0]]
        if not results:
            return
        evidence, place = self.evidence, self.places.here()
        written = [x for x, _, version in given if _version(x) != version]
        inputs = list(dict.fromkeys([*(key for _, key, _ in given), *map(outside.key_of, traced)]))
        word = neutral(name, len(inputs))
        cut = self._cut(word, name, given, traced, results, written)
        outputs = []
        for y in results:
            version, known = _version(y), self.keys.get(id(y))
            is_known = known is not None and known[0]() is y
            if known is not None and is_known and known[1] == version:
                outputs.append(known[2])  # the tensor itself comes back, as from `.to`
                continue
            key = self._new(y, version)
            value = evidence.values[key]
            value.place, value.name = place, self.places.name_at(place)
            if known is not None and is_known:
                evidence.root[key] = evidence.first(known[2])
                value.name = evidence.values[known[2]].name
                value.place = evidence.values[known[2]].place
                self.variables.pop(known[2], None)
            if value.role != "variable":
                value.role = "result" if inputs else "constant"
            outputs.append(key)
        new = [key for key in outputs if key not in inputs]
        if not new:
            return
        attributes = self._attributes(args, options)
        if written:
            attributes["in_place"] = True
        called = name.strip("_")
        if place is not None and f"torch.{called}(" in place.code:
            called = f"torch.{called}"
        op = evidence.add(word, called, inputs, new, place, cut, attributes)
        for y in results:
            if y.grad_fn is not None:
                y.grad_fn.metadata.setdefault("op", op.number)
        for x in written:
            self._wrote(x, op.number, name, place)

    def _wrote(self, x: Any, number: int, name: str, place: Place | None) -> None:
        """A write in place: it may be an update of a variable."""
        storage = _storage(x)
        self.changes.setdefault(storage, []).append(number)
        if place is None or x.requires_grad and not x.is_leaf:
            return
        for key, reference in self.variables.items():
            variable = reference()
            if variable is None:
                continue
            if variable is x or self.storages.get(key) == storage:
                # what never had a gradient is an average or a copy of another network
                is_step = name in UPDATES and self.asked and variable.grad is not None
                kind = "step" if is_step else "set"
                self._event(kind, (key,), {"by": "hand", "name": name})
            elif variable.grad is not None and variable.grad is x and name in {"zero_", "fill_"}:
                self._event("zero_grad", (key,), {"by": "hand"})

    @staticmethod
    def _attributes(args: Any, options: Any) -> dict[str, Any]:
        found: dict[str, Any] = {}
        for name in ("dim", "axis", "keepdim", "of"):
            if isinstance(options.get(name), int | tuple | list):
                found["dim" if name == "axis" else name] = options[name]
        rest = [a for a in args[1:] if isinstance(a, int) and not isinstance(a, bool)]
        if "dim" not in found and rest:
            found["dim"] = rest[0]
        if len(args) > 1 and isinstance(args[1], tuple):
            found["at"] = [str(a) for a in args[1] if isinstance(a, int | slice)]
        numbers = [a for a in args if isinstance(a, int | float) and not isinstance(a, bool)]
        if numbers:
            found["numbers"] = [float(n) for n in numbers[:3]]
        return found

    def _cut(
        self, word: str, name: str, given: Any, traced: Any, results: Any, written: Any
    ) -> str:
        tracked = any(x.requires_grad for x, _, _ in given)
        if written and any(y.is_leaf and y.requires_grad for y in results):
            return STEP
        if any(y.requires_grad for y in results):
            is_new = all(y.is_leaf for y in results)
            return ("parameter" if name == "Parameter" else "constant") if is_new else ""
        if name in {"detach", "detach_", "data"}:
            return "detach"
        if name == "__array_wrap__":
            return "to_numpy"
        if name in COPIES and (tracked or traced):
            return "constant"
        if not tracked:
            return ""
        if word == "grad":
            return "gradient"
        if not any(y.is_floating_point() or y.is_complex() for y in results):
            if word == "cast":
                return "integer"
            return "comparison" if results[0].dtype == torch.bool else "choice"
        return "no_grad" if not torch.is_grad_enabled() else "not differentiable"

    # Events

    def _event(self, kind: str, keys: Iterable[int] = (), facts: Any = None) -> None:
        if len(self.evidence.events) < 20_000:
            place = self.places.here()
            number = len(self.evidence.ops)
            event = Event(kind, number, self.asked, place, tuple(keys), facts or {})
            self.evidence.events.append(event)

    # Requests

    def ask(
        self, targets: Any, run: Any, called: str, sources: Any = None, retain: bool = False
    ) -> Any:
        """`backward` or `autograd.grad`."""
        number, place = self.asked, self.places.here()
        self.asked += 1
        targets = [t for t in targets if isinstance(t, torch.Tensor)]
        if not self.on:
            return self._unlooked(number, place, targets, run)
        self.followed = True
        ask = Ask(number, place, tuple(self.key(t) for t in targets))
        leaves = {}
        with suppress(Exception):
            leaves = self._sources(sources)
        ask.sources = tuple(leaves)
        ask.began, ask.ended = self.began, len(self.evidence.ops)
        ask.facts |= {"called": called, "retain": retain, "grad_enabled": torch.is_grad_enabled()}
        before: dict[int, Any] = {}
        nodes: dict[Any, int] = {}
        seen: list[Any] = []
        handles: list[Any] = []
        try:
            self._loss(ask, place, targets)
            before = self._before(leaves) if sources is None else {}
            ask.facts["was there"] = [k for k, g in before.items() if g[0] is not None and g[3]]
            self._values(ask, leaves)
            nodes = self._nodes(targets)
            ask.facts["again"] = sorted({self.swept[n] for n in nodes if n in self.swept})
            handles = self._hooks(nodes, seen)
        except Exception:
            self.evidence.facts["unseen"] = self.evidence.facts.get("unseen", 0) + 1
        result = None
        try:
            result = run()
        except RuntimeError as error:
            ask.error = str(error)
            with suppress(Exception):
                self._failed(ask, nodes)
            raise
        finally:
            for handle in handles:
                handle.remove()
            with suppress(Exception):
                self._answered(ask, leaves, before, result if sources is not None else None)
            for op_number, into, out in seen:
                op = self.evidence.ops[op_number]
                ask.sweep.append(Factor(op, [_array(g) for g in into], [_array(g) for g in out]))
            if not retain:
                self.swept.update(dict.fromkeys(nodes, number))
            self._ended(ask)
        return result

    def gave(self, targets: Any, sources: list[Any], found: Any) -> None:
        """The gradients of a request are results too; most have no graph of their own."""
        if not self.on or self.depth:
            return
        given, results = _tensors(targets), _tensors(found)
        self.depth += 1
        with suppress(Exception):
            rows = [(x, self.key(x), _version(x)) for x in given]
            self._saw("grad", rows, [], (), {"of": [self.key(x) for x in sources]}, results)
        self.depth -= 1

    def _unlooked(self, number: int, place: Place | None, targets: Any, run: Any) -> Any:
        ask = Ask(number, place, (), looked=False)
        self.followed = False
        self._loss(ask, place, targets)
        loss = ask.facts.get("loss", 0.0)
        if not math.isfinite(loss):
            self.missed += [number - 1, number] if not self.missed else []
        seen = any(place == each.place for each in self.evidence.asks[-40:])
        if not seen:
            self.wanted |= set(range(number + 1, number + 4))
        try:
            return run()
        except RuntimeError as error:
            ask.error = str(error)
            self.evidence.asks.append(ask)
            self.missed.append(number)
            raise
        finally:
            self._next_window()

    def _loss(self, ask: Ask, place: Place | None, targets: Any) -> None:
        if len(targets) == 1 and targets[0].numel() == 1 and targets[0].is_floating_point():
            loss = float(targets[0].detach())
            ask.facts["loss"] = loss
            losses = self.losses.setdefault(place, [])
            if len(losses) < 2000:
                losses.append(loss)

    def _sources(self, sources: Any) -> dict[int, Any]:
        if sources is not None:
            return {self.key(x): x for x in sources if isinstance(x, torch.Tensor)}
        alive = {key: reference() for key, reference in self.variables.items()}
        for key in [key for key, x in alive.items() if x is None]:
            self.variables.pop(key, None)
        return {self.key(x): x for x in alive.values() if x is not None and x.requires_grad}

    @staticmethod
    def _before(leaves: dict[int, Any]) -> dict[int, Any]:
        """What `.grad` holds before a request: a copy, itself, its version, whether it is not 0."""
        found: dict[int, Any] = {}
        for key, x in leaves.items():
            g = x.grad
            if g is None:
                found[key] = (None, None, 0, False)
            else:
                found[key] = (g.clone(), g, g._version, bool((g.to_dense() != 0).any()))
        return found

    def _values(self, ask: Ask, leaves: dict[int, Any]) -> None:
        few = sum(x.numel() for x in leaves.values()) <= MAX_SMALL
        if few and len(self.evidence.asks) < 24:
            ask.facts["values"] = {
                self.evidence.first(key): _array(x).copy()
                for key, x in leaves.items()
                if x.layout is torch.strided
            }

    def _nodes(self, targets: Any) -> dict[Any, int]:
        """The nodes behind the targets, with the op that each belongs to."""
        found: dict[Any, int] = {}
        todo = [(t.grad_fn, -1) for t in targets if t.grad_fn is not None]
        while todo and len(found) < MAX_NODES:
            node, number = todo.pop()
            if node is None or node in found or node.name() == LEAF_NODE:
                continue
            number = node.metadata.get("op", number)
            found[node] = number
            todo += [(before, number) for before, _ in node.next_functions]
        return found

    @staticmethod
    def _hooks(nodes: dict[Any, int], seen: list[Any]) -> list[Any]:
        def note(number: int) -> Any:
            def hook(out: Any, into: Any) -> None:
                seen.append((number, _known(into), _known(out)))

            return hook

        return [node.register_hook(note(number)) for node, number in nodes.items() if number >= 0]

    def _answered(self, ask: Ask, leaves: Any, before: Any, given: Any) -> None:
        for number, (key, x) in enumerate(leaves.items()):
            own = given[number] if given is not None else x.grad
            if ask.error:
                own = None
            old, same, version, _ = before.get(key, (None, None, 0, False))
            if own is not None and own is same and own._version == version:
                own = None  # what an earlier request left there: this one gave nothing
            elif own is not None and old is not None:
                own = own.detach() - old
            numbers = None if own is None else _array(own)
            ask.gradients[key] = None if numbers is None else numbers.copy()  # it may be zeroed

    def _ended(self, ask: Ask) -> None:
        """The window of a request that was seen is over."""
        began = time.perf_counter()
        self.evidence.asks.append(ask)
        with suppress(Exception):
            self.named()
        with suppress(Exception):
            self.look(ask)
        ask.sweep = []
        sizes = {k: None if g is None else _size(g) for k, g in ask.gradients.items()}
        if "values" not in ask.facts:
            ask.gradients = sizes
        self.spent += time.perf_counter() - began
        self._next_window()

    def _next_window(self) -> None:
        number = self.asked
        total = time.perf_counter() - self.started
        slow = self.spent > 1.0 + 0.5 * total
        first = number < FIRST and not (slow and number > 2)
        self.on = first or (not slow and number & (number - 1) == 0) or number in self.wanted
        if not self.on:
            self.held, self.older, self.bytes = {}, {}, 0
            self.began = len(self.evidence.ops)
            return
        self.older, self.held, self.bytes = self.held, {}, 0
        self.began = len(self.evidence.ops)
        if len(self.keys) > 20_000:
            self.keys = {i: known for i, known in self.keys.items() if known[0]() is not None}
        if len(self.swept) > 3 * MAX_NODES:
            self.swept.clear()

    def _failed(self, ask: Ask, nodes: dict[Any, int]) -> None:
        """Which saved tensor was changed, and by which op."""
        if "inplace operation" not in ask.error:
            return
        for node, number in nodes.items():
            for name in dir(node) if number >= 0 else ():
                if not name.startswith("_saved_"):
                    continue
                try:
                    getattr(node, name)
                except RuntimeError as each:
                    if "inplace" in str(each) or "in-place" in str(each):
                        self._stale(ask, number, name.removeprefix("_saved_"))

    def _stale(self, ask: Ask, number: int, what: str) -> None:
        op = self.evidence.ops[number]
        place = {"self": 0, "mat1": 0, "input": 0, "other": 1, "weight": 1, "mat2": 1}.get(what)
        keys: Any = op.inputs[place : place + 1] if place is not None else op.outputs
        keys = keys or (*op.outputs, *op.inputs)
        storages = {self.storages.get(key) for key in (*keys, *op.outputs, *op.inputs)} - {None}
        own = {self.storages.get(key) for key in keys} - {None}
        for group in (own, storages):
            writes = sorted(n for s in group for n in self.changes.get(s, ()) if n > number)  # type: ignore[arg-type]
            if writes:
                change = self.evidence.ops[writes[0]]
                found = {"op": number, "what": what, "key": keys[0], "change": change.number}
                ask.facts.setdefault("stale", []).append(found)
                return

    def named(self) -> None:
        """Gives values the names that the learner's frames have for them."""
        frame = self.places.frame()
        while frame is not None:
            for name, x in list(frame.f_locals.items()):
                if not name.startswith("_"):
                    self.name(name, x)
            frame = self.places.frame(frame.f_back) if frame.f_back is not None else None

    def name(self, name: str, x: Any, deep: bool = True) -> None:
        """One name of one thing: a tensor, a module, a list or an object with some of them."""
        if isinstance(x, torch.Tensor):
            known = self.keys.get(id(x))
            if known is not None and known[0]() is x:
                value = self.evidence.values[known[2]]
                value.name = value.name or name
        elif isinstance(x, torch.nn.Module):
            for path, parameter in x.named_parameters():
                known = self.keys.get(id(parameter))
                if known is not None and known[0]() is parameter and name != "self":
                    value = self.evidence.values[known[2]]
                    value.name = f"{name}.{path}"
                    self.evidence.facts.setdefault("modules", {})[self.evidence.first(known[2])] = 1
            if name == "self" and deep:
                for path, child in x.named_children():
                    self.name(f"self.{path}", child, False)
        elif isinstance(x, list | tuple) and deep and len(x) <= 32:
            for number, each in enumerate(x):
                self.name(f"{name}[{number}]", each, False)
        elif isinstance(x, dict) and deep and len(x) <= 32 and not name.startswith("__"):
            for word, each in x.items():
                if isinstance(word, str):
                    self.name(f"{name}[{word!r}]", each, False)
        elif deep and hasattr(x, "__dict__") and type(x).__module__ == "__main__":
            for path, each in list(vars(x).items())[:32]:
                self.name(f"{name}.{path}", each, False)


def _with_modes(module: Any) -> list[Any]:
    """The layers in a module that do another thing in training than in an evaluation."""
    return [
        each
        for each in module.modules()
        if each is not module
        and (
            getattr(each, "p", False)
            and isinstance(each, torch.nn.modules.dropout._DropoutNd)
            or getattr(each, "track_running_stats", False)
        )
    ]


def _version(x: Any) -> int:
    return 0 if x.is_inference() else int(x._version)


def _storage(x: Any) -> int:
    try:
        return int(x.untyped_storage()._cdata)
    except (RuntimeError, NotImplementedError, AttributeError):
        return id(x)


def _tensors(tree: Any) -> list[Any]:
    if isinstance(tree, torch.Tensor):
        return [tree]
    if isinstance(tree, tuple | list):
        return [leaf for each in tree for leaf in _tensors(each)]
    return [leaf for each in tree.values() for leaf in _tensors(each)] if type(tree) is dict else []


def _array(x: Any) -> Any:
    """The numbers of a tensor as an array, None where it has none to read."""
    if x is None:
        return None
    with torch._C.DisableTorchFunction(), suppress(RuntimeError, TypeError, NotImplementedError):
        x = x.detach().cpu()
        x = x.to_dense() if x.layout is not torch.strided else x
        x = x.resolve_conj().resolve_neg()
        return (x.float() if x.dtype is torch.bfloat16 else x).numpy()
    return None


def _known(gradients: Any) -> list[Any]:
    return [g.detach() for g in gradients if g is not None]


def _size(g: Any) -> Any:
    import numpy as np

    return np.abs(g).max() if g.size else np.zeros((), g.dtype)


@contextmanager
def following(collector: Collector) -> Any:
    """Listens while the block runs; afterwards PyTorch is as it was."""
    with ExitStack() as stack:
        wraps = _Wraps(collector, stack)
        wraps.all()
        if any("compile" in line for line in collector.places.lines):  # it loads for a second
            stack.enter_context(torch.compiler.set_stance("force_eager"))
        stack.enter_context(outside.Following(collector.heard, collector.leaves))
        stack.enter_context(_Mode(collector))
        yield


class _Wraps:
    """What is put around PyTorch's own functions while a script runs."""

    def __init__(self, collector: Collector, stack: ExitStack) -> None:
        self.c, self.stack = collector, stack
        self.evaluating: dict[int, dict[str, Any]] = {}  # facts of the last `eval`, by module

    def all(self) -> None:
        """Puts all wraps on."""
        self._patch(torch.Tensor, "backward", self._backward)
        self._patch(torch.autograd, "backward", self._all_backward)
        self._patch(torch.autograd, "grad", self._grad)
        self._patch(torch.optim.Optimizer, "__init__", self._optimizer)
        self._patch(torch.optim.Optimizer, "zero_grad", self._zero_grad)
        self._patch(torch.nn.Module, "zero_grad", self._zero_grad)
        self._patch(torch.nn.Module, "__setattr__", self._module_sets)
        self._patch(torch.nn.Module, "train", self._mode)
        for owner in (torch.nn.utils, torch.nn.utils.clip_grad):
            for name in ("clip_grad_norm_", "clip_grad_value_"):
                self._patch(owner, name, self._clips)
        for name in ("from_numpy", "as_tensor", "tensor"):
            self._patch(torch, name, self._enters)
        apply = torch.autograd.Function.__dict__["apply"]
        torch.autograd.Function.apply = classmethod(self._applies(apply.__func__))
        self.stack.callback(setattr, torch.autograd.Function, "apply", apply)
        for hook in (
            register_optimizer_step_pre_hook(self._step),
            register_optimizer_step_post_hook(self._stepped),
        ):
            self.stack.callback(hook.remove)
        self._warnings()

    def _patch(self, owner: Any, name: str, wrapper: Any) -> None:
        own = getattr(owner, name)
        setattr(owner, name, wrapper(own))
        self.stack.callback(setattr, owner, name, own)

    def _quietly(self, run: Any) -> Any:
        self.c.depth += 1
        try:
            return run()
        finally:
            self.c.depth -= 1

    def _asked(self, targets: Any, run: Any, called: str, **options: Any) -> Any:
        if self.c.depth:
            return run()
        given = [targets] if isinstance(targets, torch.Tensor) else list(targets)
        return self._quietly(lambda: self.c.ask(given, run, called, **options))

    def _backward(self, own: Any) -> Any:
        def backward(
            tensor: Any,
            gradient: Any = None,
            retain_graph: Any = None,
            create_graph: bool = False,
            inputs: Any = None,
        ) -> Any:
            return self._asked(
                tensor,
                lambda: own(tensor, gradient, retain_graph, create_graph, inputs),
                "backward",
                retain=bool(retain_graph or create_graph),
            )

        return backward

    def _all_backward(self, own: Any) -> Any:
        def backward(tensors: Any, *args: Any, **options: Any) -> Any:
            return self._asked(tensors, lambda: own(tensors, *args, **options), "backward")

        return backward

    def _grad(self, own: Any) -> Any:
        def grad(outputs: Any, inputs: Any, *args: Any, **options: Any) -> Any:
            given = [inputs] if isinstance(inputs, torch.Tensor) else list(inputs)
            keep = bool(options.get("retain_graph") or options.get("create_graph"))
            found = self._asked(
                outputs,
                lambda: own(outputs, given, *args, **options),
                "grad",
                sources=given,
                retain=keep,
            )
            self.c.gave(outputs, given, found)
            return found

        return grad

    def _optimizer(self, own: Any) -> Any:
        def initialise(optimizer: Any, *args: Any, **options: Any) -> None:
            self._quietly(lambda: own(optimizer, *args, **options))
            place = self.c.places.here()
            self.c.optimizers.append((optimizer, place))
            keys = [self.c.key(p) for g in optimizer.param_groups for p in g["params"]]
            self.c._event("optimizer", keys, {"optimizer": id(optimizer)})

        return initialise

    def _zero_grad(self, own: Any) -> Any:
        def zero_grad(thing: Any, *args: Any, **options: Any) -> Any:
            if not self.c.depth:
                groups = getattr(thing, "param_groups", None)
                parameters = (
                    [p for g in groups for p in g["params"]] if groups else thing.parameters()
                )
                known = (
                    [self.c.keys.get(id(p)) for p in parameters]
                    if self.c.on or self.c.followed
                    else []
                )
                keys = [k[2] for k in known if k is not None]
                self.c._event("zero_grad", keys, {"by": "call"})
            return self._quietly(lambda: own(thing, *args, **options))

        return zero_grad

    def _module_sets(self, own: Any) -> Any:
        def sets(module: Any, name: str, value: Any) -> None:
            own(module, name, value)
            if name == "requires_grad" and not self.c.depth:
                keys = [self.c.key(p) for p in module.parameters()]
                self.c._event("module requires_grad", keys, {"to": bool(value)})

        return sets

    def _mode(self, own: Any) -> Any:
        """`train` and `eval`, which calls it, of modules that have layers which know of it."""

        def train(module: Any, mode: bool = True) -> Any:
            layers = [] if self.c.depth or not module.training and not mode else _with_modes(module)
            if layers:
                if not self.evaluating:
                    register = torch.nn.modules.module.register_module_forward_pre_hook
                    self.stack.callback(register(self._runs).remove)
                words = " and ".join(dict.fromkeys(f"`{type(x).__name__}`" for x in layers))
                facts = {"to": mode, "evaluated": False, "layers": words}
                self.evaluating[id(module)] = facts
                self.c._event("mode", [self.c.key(p) for p in module.parameters()], facts)
            return self._quietly(lambda: own(module, mode))

        return train

    def _runs(self, module: Any, inputs: Any) -> None:
        """A module runs: one without gradients is evaluated."""
        if id(module) in self.evaluating and not torch.is_grad_enabled():
            self.evaluating[id(module)]["evaluated"] = True

    def _clips(self, own: Any) -> Any:
        def clip(*args: Any, **options: Any) -> Any:
            if not self.c.depth:
                self.c._event("clip", (), {"called": own.__name__})
            return self._quietly(lambda: own(*args, **options))

        clip.__name__ = own.__name__
        return clip

    def _enters(self, own: Any) -> Any:
        def enters(data: Any, *args: Any, **options: Any) -> Any:
            given = outside.traced_in((data,))
            if not given or not self.c.on or self.c.depth:
                return own(outside.untraced(data) if given else data, *args, **options)
            return self.c.made(_Named(own.__name__), own, (data, *args), options)

        enters.__name__ = own.__name__
        return enters

    def _applies(self, own: Any) -> Any:
        def apply(cls: Any, *args: Any, **options: Any) -> Any:
            if not self.c.on or self.c.depth:
                return own(cls, *args, **options)
            return self.c.made(
                _Named(cls.__name__), lambda *a, **o: own(cls, *a, **o), args, options
            )

        return apply

    def _step(self, optimizer: Any, args: Any, options: Any) -> Any:
        c = self.c
        c.depth += 1
        if c.depth > 1:
            return None
        parameters = [p for g in optimizer.param_groups for p in g["params"]]
        facts: dict[str, Any] = {"by": "optimizer", "optimizer": id(optimizer)}
        keys: list[int] = []
        if c.on or c.followed:
            with suppress(Exception):
                keys = [c.key(p) for p in parameters]
                facts["without"] = [c.key(p) for p in parameters if p.grad is None]
                facts["zeros"] = all(p.grad is None or not p.grad.any() for p in parameters)
                facts["maximize"] = any(g.get("maximize") for g in optimizer.param_groups)
                c.named()
        c._event("step", keys, facts)
        closure = args[0] if args else options.get("closure")
        if callable(closure):  # its ops are the learner's
            c.depth -= 1
            options = {**options, "closure": self._learners(closure)}
            c.depth += 1
            return args[:0], options
        return None

    def _learners(self, closure: Any) -> Any:
        def again() -> Any:
            before, self.c.depth = self.c.depth, 0
            try:
                return closure()
            finally:
                self.c.depth = before

        return again

    def _stepped(self, optimizer: Any, args: Any, options: Any) -> None:
        c = self.c
        if c.depth == 1:
            number = None
            for p in (p for g in optimizer.param_groups for p in g["params"]):
                known = c.keys.get(id(p))
                if known is not None and known[1] != _version(p):
                    if c.on and number is None:
                        number = c.evidence.add(
                            "step", "optimizer.step", [], [], c.places.here(), STEP
                        ).number
                    if number is not None:
                        c.changes.setdefault(_storage(p), []).append(number)
                    c.keys[id(p)] = (known[0], _version(p), known[2])  # the same variable
                    c.held.pop(known[2], None)
                    c.older.pop(known[2], None)
        c.depth -= 1

    def _warnings(self) -> None:
        own = warnings.showwarning
        warnings.simplefilter("default")

        def show(message: Any, category: Any, filename: str, lineno: int, *rest: Any) -> None:
            self.c._event(
                "warning", (), {"text": str(message)[:600], "category": category.__name__}
            )
            own(message, category, filename, lineno, *rest)

        warnings.showwarning = show  # type: ignore[assignment]
        self.stack.callback(setattr, warnings, "showwarning", own)
