"""The nodes of a tape's records: each with its inputs, value, line, and what is kept for it.

Values that the tape did not keep come from the journal (see `recording`), from the learner's own
names, or are computed again from their inputs by the op's forward.

An outer tape records what an inner tape's `gradient` computes like any other op. The journal notes
when a sweep begins and ends, so what is between belongs to it (`Nesting`).
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, NamedTuple

if TYPE_CHECKING:
    from .journal import Entry, Journal, Sweep


import contextlib
import json
from dataclasses import replace
from itertools import islice
from typing import TYPE_CHECKING

import numpy as np

from minitape.interpreter import identity
from minitape.plan import SPEC, VALUE
from minitape.record import opened, output_ids, plan_of, revived, shape_of
from minitape.safety.silence import Silence
from minitape.tensor import EagerTensor, Spec, Tensor
from minitape.tensors.composite import dense
from minitape.variable import ResourceVariable

from ..trace.array_json import MAX_WHOLE
from ..trace.arrays import Array, name_of
from ..trace.parts import Attribute, Node
from ..trace.pictured import Pictures
from .kept import kept_bytes, short_name
from .lines import calling_frame
from .names import arrays_in, name_of_array, own_name
from .ops import count_of_arguments, facts_to_carry, op_name
from .reading import attributes, input_ids, kept_of, kept_parts
from .versions import Read, Version, assignment, named, versions

if TYPE_CHECKING:
    from minitape.request import Request

    from .journal import Entry, Journal


BY_DEPTH = {1: "the inner tape", 2: "the innermost tape"}


class Place(NamedTuple):
    """Where an op stands: how deep, and in which groups, outermost first."""

    layer: int
    scope: tuple[str, ...]


NOWHERE = Place(0, ())


class Nesting:
    """Finds the place of a tape's ops among the tapes inside of it."""

    def __init__(self, tape: Any, journal: Journal | None) -> None:
        self.mark = tape.mark[0]
        self.sweeps = journal.sweeps if journal is not None else []
        self.depths: dict[Any, int] = {}
        self.labels: dict[int, str] = {}
        self.names = journal.names if journal is not None else {}
        for entry in journal.entries if journal is not None and self.sweeps else ():
            inner = self._inner(entry.tapes)
            self.depths.update({mark: depth for depth, mark in enumerate(inner, 1)})
        self.swept = {each.tape for each in self.sweeps if self.mark in each.tapes}

    def place(self, entry: Entry | None) -> Place:
        """Where an op of the tape stands; outside of all inner tapes if nothing is known."""
        if entry is None:
            return NOWHERE
        named = tuple(name for name in entry.scope.split("/") if name)
        if not self.swept:
            return Place(0, named)
        if entry.sweep:
            sweep = self.sweeps[entry.sweep - 1]
            return Place(self._depth(sweep.tape), (self._label(entry.sweep, sweep),))
        inner = [mark for mark in self._inner(entry.tapes) if mark in self.swept]
        if not inner:
            return Place(0, named)
        depth = self._depth(inner[-1])
        return Place(depth, (f"forward of {self._tape(depth)}", *named))

    def _inner(self, tapes: tuple[Any, ...]) -> tuple[Any, ...]:
        """The tapes inside this one, outermost first."""
        return tapes[tapes.index(self.mark) + 1 :] if self.mark in tapes else ()

    def _depth(self, mark: Any) -> int:
        return self.depths.get(mark, 1)

    def _tape(self, depth: int) -> str:
        deepest = max(self.depths.values(), default=1)
        return BY_DEPTH.get(depth, f"inner tape {depth}") if deepest < 3 else f"inner tape {depth}"

    def _label(self, number: int, sweep: Sweep) -> str:
        """`backward of the inner tape (gradient of y)`; numbered where there are several such."""
        if number not in self.labels:
            names = [self.names[key] for key in sweep.targets if key in self.names]
            of = f" (gradient of {', '.join(names[:3])})" if names else ""
            label = f"backward of {self._tape(self._depth(sweep.tape))}{of}"
            alike = sum(each.startswith(label) for each in self.labels.values())
            self.labels[number] = f"{label}, {alike + 1}" if alike else label
        return self.labels[number]


Record = tuple[Any, ...]
LARGEST_WHOLE = 1024  # elements of an array that a short tape keeps whole
BUDGET = 20_000  # elements that a tape's arrays may have on the whole, beyond the small ones
# Elements up to which arrays are kept beside their records, for scenes; and of all such arrays of a
# tape. What is of moderate size has room of its own, or the first images would take all.
MODERATE, ALL_MODERATE = 1 << 14, 1 << 20
LARGE, ALL_LARGE = 1 << 18, 1 << 19
UNKNOWN = np.dtype("V")  # of what nobody kept, or only its shape


class Graph:
    """The nodes of a recording while they are collected, found by tensor id.

    Attributes:
        nodes: the trace's nodes so far.
        place: node by tensor id.
        values: arrays by tensor id, as far as anybody knows them.
        records: for each op node, its record.
        versions: the values that were read of each variable, by its id.
    """

    def __init__(
        self, names: dict[int, tuple[str, Any]], journal: Journal | None, whole: int = MAX_WHOLE
    ) -> None:
        self.nodes: list[Node] = []
        self.place: dict[int, int] = {}
        self.values: dict[int, Any] = {}
        self.specs: dict[int, Spec] = {}
        self.op_nodes: dict[int, list[int]] = {}  # by record number
        self.produced: set[int] = set()  # ids that a record made
        self.names = {key: name for key, (name, _) in names.items()}
        self.variables: dict[int, ResourceVariable] = {}  # as they are now
        self.versions: dict[int, list[Version]] = {}
        self.version_nodes: dict[tuple[int, int], int] = {}  # by id and number of the version
        self.arrays_outside = arrays_in(calling_frame())
        self.journal = journal
        self.whole = whole
        self.pictures = Pictures()
        self._arrays: dict[int, tuple[Any, Array]] = {}
        self._values: dict[int, Any] = {}
        self._room = {MODERATE: ALL_MODERATE, LARGE: ALL_LARGE}
        for key, (_, tensor) in names.items():
            self._know(key, tensor)

    def _know(self, key: int, tensor: Any) -> None:
        """Notes a tensor's value, and shape and dtype; a variable's is what ops read."""
        spec = tensor.spec
        self.specs[key] = Spec(tuple(spec.shape), spec.dtype)
        if isinstance(tensor, EagerTensor):
            self.values.setdefault(key, tensor.value)
        elif isinstance(tensor, ResourceVariable):
            self.variables[key] = tensor

    def array(self, value: Any) -> Array:
        """The record of an array, made once however often it occurs."""
        found = self._arrays.get(id(value))
        if found is None:  # the value is held, so that no other one gets its id
            made = Array.of(value, self.whole, picture=self.pictures.axes(np.shape(value)))
            kind = MODERATE if made.size <= MODERATE else LARGE
            if not made.is_whole and made.size <= min(kind, self._room[kind]):
                self._room[kind] -= made.size
                made.holding(np.array(value))  # a copy: an optimizer may write to a variable's
            found = self._arrays[id(value)] = (value, made)
            self._values[id(found[1])] = value
        return found[1]

    def held(self, array: Array) -> Any:
        """The values that a record was made of."""
        return self._values[id(array)]

    def shown(self, g: Any) -> Array | None:
        """A cotangent as the learner sees it: TensorFlow's convention conjugates complex ones."""
        if g is None or isinstance(g, tuple):
            return None
        g = opened(dense(g))
        return self.array(np.conj(g) if g.dtype.kind == "c" else g)

    def entry_of(self, record: Record) -> Entry | None:
        """What the journal knows of the op of a record."""
        return None if self.journal is None else self.journal.by_output.get(output_ids(record)[0])

    def attributes_of(self, record: Record) -> tuple[Any, ...]:
        """The attributes of the op of a record."""
        return attributes(record)

    def learn(self, records: list[Record]) -> None:
        """Collects the values that records and journal hold."""
        for record in records:
            self.produced.update(output_ids(record))
            for key, keep, kept in kept_of(record):
                if key and keep >= VALUE:
                    self._know(key, revived(key, kept, ()))
                elif key and keep:
                    dtype = kept.dtype if keep == SPEC else UNKNOWN
                    self.specs.setdefault(key, Spec(tuple(shape_of(kept)), dtype))
            entry = self.entry_of(record)
            for tensor in (*entry.inputs, *entry.outputs) if entry else ():
                self._know(identity(tensor), tensor)
            known = [self.specs.get(key) for key in input_ids(record)]
            self.pictures.learn(op_name(record), [spec.shape if spec else () for spec in known])

    def learn_reads(self, records: list[Record], tape: Any) -> None:
        """Finds out which value of each variable the records' ops read."""
        seen = self.journal.variables if self.journal is not None else {}
        known = {**seen, **self.variables, **getattr(tape, "variables", {})}
        reads: dict[int, list[Read]] = {}
        for number, record in enumerate(records):
            entry = self.entry_of(record)
            time, when = output_ids(record)[0], -1 if entry is None else entry.number
            for position, key in enumerate(ids_of_inputs(record, entry)):
                if key in known and key not in self.produced:
                    value = value_read(record, entry, position)
                    reads.setdefault(key, []).append(Read(number, position, time, when, value))
        self.versions = {key: versions(found, known[key]) for key, found in reads.items()}
        for key, variable in known.items():
            found = self.versions.get(key)
            value = found[0].value if found else variable._plain.value
            self.values.pop(key, None)
            if value is not None:
                self.values[key] = value

    def version_of(self, key: int, record: int, position: int) -> int:
        """Which of the values of a variable an op read; 0 for what is no variable."""
        found = self.versions.get(key, ())
        return next((i for i, each in enumerate(found) if (record, position) in each.places), 0)

    def node_read(self, key: int, record: int, position: int) -> int | None:
        """The node of an input of a record, None where there is none yet."""
        version = self.version_of(key, record, position)
        return self.version_nodes.get((key, version)) if version else self.place.get(key)

    def later_version(self, key: int, version: int) -> int:
        """The node of a variable's value after an assignment."""
        first = self.nodes[self.place[key]]
        found = self.versions[key]
        value = found[version].value
        line = assignment(self.journal, key, found[version - 1], found[version])
        node = replace(
            first, id=len(self.nodes), name=named(first.name, version), line=line,
            value=None if value is None else self.array(value), alias_of=first.id, version=version,
            shape=first.shape if value is None else tuple(value.shape),
        )  # fmt: skip
        self.nodes.append(node)
        self.version_nodes[key, version] = node.id
        return node.id

    def learn_from_cotangents(self, nodes: list[int], cotangents: tuple[Any, ...]) -> None:
        """A value that nobody kept has the shape and dtype of its cotangent."""
        for number, g in zip(nodes, map(opened, map(dense, cotangents)), strict=True):
            if not self.nodes[number].dtype:
                shape, dtype = tuple(g.shape), g.dtype.name
                self.nodes[number] = replace(self.nodes[number], shape=shape, dtype=dtype)

    def leaf(self, key: int, kind: Any, name: str = "", read: Any = None) -> int:
        """The node of a tensor that no record made; `read` is its value where it has no id."""
        value, spec = self.values.get(key, read), self.specs.get(key)
        if spec is None and value is not None:
            spec = Spec(tuple(value.shape), value.dtype)
        name = name or self.names.get(key, "")
        if not name and kind == "constant":
            name = name_of_array(value, self.arrays_outside)
        node = Node(
            id=len(self.nodes), kind=kind, inputs=(), dtype=spec.dtype.name if spec else "",
            shape=tuple(spec.shape) if spec else (), name=name, numbers=self._origin(key),
            value=None if value is None else self.array(value), watched=kind != "constant",
        )  # fmt: skip
        self.nodes.append(node)
        if key:
            self.place[key] = node.id
        return node.id

    def _origin(self, key: int) -> str:
        """Where a tensor that no tape followed comes from, as far as the journal knows."""
        entry = None if self.journal is None else self.journal.by_output.get(key)
        if entry is None:
            return ""
        where = f" in {entry.line.file}, line {entry.line.number}" if entry.line else ""
        return f"made by {entry.op.name}{where}"


def tensors_of(records: list[Record]) -> list[Any]:
    """The tensors that records keep: the learner may have names for them, followed or not."""
    return [part for record in records for part in kept_parts(record) if isinstance(part, Tensor)]


def ids_of_inputs(record: Record, entry: Entry | None) -> list[int]:
    """The tensor id of each input of a record; 0 where the tape did not keep it."""
    return list(input_ids(record)) if entry is None else [getattr(x, "id", 0) for x in entry.inputs]


def graph_of(
    request: Request,
    records: list[Record],
    tape: Any,
    names: dict[int, tuple[str, Any]],
    journal: Journal | None,
) -> Graph:
    """The nodes of a tape's records, its sources and targets."""
    graph = Graph(names, journal, _affordable(len(records)))
    for end in (*request.targets, *request.sources):
        graph._know(getattr(end, "id", 0), end)
    graph.learn(records)
    graph.learn_reads(records, tape)
    _add_sources(graph, request, tape)
    nesting = Nesting(tape, journal)
    for number, record in enumerate(records):
        _add_op(graph, number, record, tape, nesting)
    _add_targets(graph, request)
    return graph


def _affordable(count: int) -> int:
    """Up to which size arrays are kept whole: a short tape can afford more than a long one."""
    return min(LARGEST_WHOLE, max(MAX_WHOLE, BUDGET // max(count, 1)))


def _add_sources(graph: Graph, request: Request, tape: Any) -> None:
    """The sources that nothing computed come first, in the order they were asked for."""
    variables = tape.variables
    for source, key in zip(request.sources, request.source_ids, strict=True):
        if key not in graph.place and key not in graph.produced:
            variable = key in variables or not isinstance(source, Tensor)
            name = graph.names.get(key) or (own_name(source) if variable else "")
            graph.leaf(key, "variable" if variable else "source", name)


def _add_op(graph: Graph, number: int, record: Record, tape: Any, nesting: Nesting) -> None:
    """The node (or nodes, for several outputs) of one record, after those of its unknown inputs."""
    entry = graph.entry_of(record)
    keys = ids_of_inputs(record, entry)
    used = keys[: count_of_arguments(record)]
    inputs = tuple(
        _add_input(graph, key, tape, number, position, value_read(record, entry, position))
        for position, key in enumerate(used)
    )
    kept, keeps = kept_bytes(record, [short_name(graph.nodes[i]) for i in inputs])
    values = _outputs_again(graph, number, record, entry, keys)
    layer, scope = nesting.place(entry)
    called_with = _attributes(record)
    graph.op_nodes[number] = []
    for output, key in enumerate(output_ids(record)):
        if values is not None:
            graph.values.setdefault(key, values[output])
        value = graph.values.get(key)
        spec = graph.specs.get(key) or (
            Spec(value.shape, value.dtype) if value is not None else Spec((), UNKNOWN)
        )
        node = Node(
            id=len(graph.nodes), kind="op", inputs=inputs, op=op_name(record), record=number,
            output=output, dtype=name_of(spec.dtype) if spec.dtype.kind != "V" else "",
            shape=tuple(spec.shape), name=graph.names.get(key, ""), watched=True, kept=kept,
            value=None if value is None else graph.array(value), keeps=keeps,
            line=entry.line if entry else None, layer=layer, scope=scope, attributes=called_with,
            calls=entry.calls if entry else (), facts=facts_to_carry(record),
        )  # fmt: skip
        graph.nodes.append(node)
        graph.place[key] = node.id
        graph.op_nodes[number].append(node.id)


def _attributes(record: Record) -> tuple[Attribute, ...]:
    """What an op was called with besides tensors, as far as JSON has it (it has no functions)."""
    op = plan_of(record).op
    found = []
    for name, value in zip(op.attributes, attributes(record), strict=False):
        with contextlib.suppress(TypeError, ValueError):
            text = json.dumps(value, allow_nan=False, default=_plainly)
            found.append(Attribute(name, text))
    return tuple(found)


def _plainly(value: Any) -> Any:
    """What JSON has no word for: the slices of an index, dtypes, NumPy's integers."""
    if isinstance(value, slice):
        return {"slice": [value.start, value.stop, value.step]}
    if isinstance(value, np.dtype):
        return value.name
    if value is Ellipsis:
        return "..."
    if isinstance(value, np.generic | np.ndarray) and value.size <= MAX_WHOLE:
        return value.tolist()
    raise TypeError(f"JSON has no word for {type(value).__name__}")


def _add_input(graph: Graph, key: int, tape: Any, record: int, position: int, read: Any) -> int:
    """The node of what an op read, made where there is none yet."""
    node = graph.node_read(key, record, position)
    if node is not None:
        return node
    if key not in graph.place and key in tape.variables:
        name = graph.names.get(key) or own_name(tape.variables[key])
        graph._know(key, tape.variables[key])
        graph.leaf(key, "variable", name)
    elif key not in graph.place:
        made = graph.leaf(key, "source" if key in tape.watched else "constant", "", read)
        if not key:
            return made
    version = graph.version_of(key, record, position)
    return graph.later_version(key, version) if version else graph.place[key]


def value_read(record: Record, entry: Entry | None, position: int) -> Any:
    """The array that an op read as one of its inputs, None where nobody kept it."""
    if entry is not None:
        return getattr(entry.inputs[position], "value", None)
    _, keep, kept = next(islice(kept_of(record), position, None))
    value = opened(kept) if keep >= VALUE else None
    return value if hasattr(value, "dtype") and hasattr(value, "shape") else None


def _outputs_again(
    graph: Graph, number: int, record: Record, entry: Entry | None, keys: list[int]
) -> Any:
    """Values the tape did not keep, from the journal or by running the op's forward again."""
    op = plan_of(record).op
    if entry is not None:
        return [y.value for y in entry.outputs]
    inputs = [_value_known(graph, number, record, *each) for each in enumerate(keys)]
    if any(value is None for value in inputs):
        return None
    given = [inputs] if op.variadic else inputs
    try:
        with Silence():
            out = op.forward(*given, *graph.attributes_of(record))
    except Exception:  # a picture with a gap is better than none
        return None
    return out if op.several else [out]


def _value_known(graph: Graph, number: int, record: Record, position: int, key: int) -> Any:
    """What an op read, as its record or another one has it."""
    found = graph.versions.get(key)
    if found:
        return found[graph.version_of(key, number, position)].value
    value = value_read(record, None, position)
    return graph.values.get(key) if value is None else value


def _add_targets(graph: Graph, request: Request) -> None:
    """A target that the tape did not record is a node of its own."""
    for target in request.targets:
        if target.id not in graph.place:
            graph.leaf(target.id, "variable" if not isinstance(target, Tensor) else "constant")
