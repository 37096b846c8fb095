"""What types cannot say about a trace: size, version, references, order; and safe parsing."""

from __future__ import annotations

import json
import math
from collections.abc import Iterable
from typing import TYPE_CHECKING, NoReturn

from ..base.mathml import check_fragment
from ..errors import TraceError
from .plain import as_object, describe

if TYPE_CHECKING:
    from .extras import Break, Inside
    from .parts import Carried, Formula, Node, Step

MAX_BYTES = 64_000_000


def refuse_large(size: int, max_bytes: int) -> None:
    """Raise when a text or file is longer than the limit."""
    if size > max_bytes:
        message = f"this trace has {size:,} bytes, more than the limit of {max_bytes:,}"
        raise TraceError(f"{message}; if you trust it, pass max_bytes={size}")


def parse(
    text: str | bytes, expected_format: str, versions: tuple[int, ...], max_bytes: int = MAX_BYTES
) -> dict[str, object]:
    """Parse JSON into the fields of a trace, without its format and version."""
    if not isinstance(text, str | bytes):
        raise TypeError(
            f"expected the text of a trace, got {describe(text)}; read a file with Trace.load(path)"
        )
    refuse_large(len(text), max_bytes)
    document = as_object(_parse_json(text), "trace")
    given = document.pop("format", None)
    if given != expected_format:
        message = f"this is not a trace: 'format' is {describe(given)}, not {expected_format!r}"
        raise TraceError(f"{message}; write one with trace.save(path)")
    found = document.pop("version", None)
    if type(found) is not int or found not in versions:
        known = " and ".join(map(str, versions))
        message = f"this trace has version {describe(found)}, this program reads {known}"
        raise TraceError(f"{message}; record it again, or use the program that wrote it")
    return document


def _told_once(pairs: list[tuple[str, object]]) -> dict[str, object]:
    """An object of JSON, which says each thing once."""
    told = dict(pairs)
    if len(told) < len(pairs):
        names = [name for name, _ in pairs]
        twice = next(name for name in names if names.count(name) > 1)
        raise TraceError(
            f"an object of this trace has the key {twice!r:.60} twice; which of them counts is not "
            "defined: save the trace again"
        )
    return told


def _parse_json(text: str | bytes) -> object:
    try:
        decoded = text.decode("utf-8") if isinstance(text, bytes) else text
        # Editors of some systems put a byte order mark in front of a text.
        return json.loads(
            decoded.removeprefix("\ufeff"),
            parse_constant=_refuse_constant,
            parse_float=_parse_float,
            object_pairs_hook=_told_once,
        )
    except json.JSONDecodeError as error:
        message = f"this is not JSON: {error.msg} at character {error.pos} of {len(text)}"
        raise TraceError(f"{message}; the text may be cut off: save the trace again") from None
    except UnicodeDecodeError as error:
        message = f"this is not a trace: byte {error.start} is not UTF-8"
        raise TraceError(
            f"{message}; a trace is JSON text, written with trace.save(path)"
        ) from None
    except RecursionError:
        message = "this is not a trace: its lists or objects are nested too deeply"
        raise TraceError(f"{message}; a trace needs about ten levels") from None
    except TraceError:
        raise
    except ValueError as error:
        raise TraceError(f"this is not a trace: {error}") from None


def _refuse_constant(name: str) -> NoReturn:
    message = f"the bare word {name} is not JSON"
    raise TraceError(f'{message}; write it as a text: "nan", "inf" or "-inf"')


def _parse_float(text: str) -> float:
    value = float(text)
    if math.isinf(value):
        raise TraceError(f'the number {text:.40} is too large for a float; write "inf" if meant')
    return value


def check_node(node: Node, position: int, where: str) -> None:
    """Checks a node: its id, and that its inputs come first."""
    if node.id != position:
        message = f"{where}: the id is {node.id}; ids are positions, so it must be {position}"
        raise TraceError(f"{message} (an id that appears twice gives this too)")
    for parent in node.inputs:
        if not 0 <= parent < position:
            message = f"{where}: input {parent} is not an earlier node (0 to {position - 1})"
            raise TraceError(f"{message}; nodes are listed inputs first, so no cycle is possible")
    if (node.kind == "op") != (node.op is not None):
        raise TraceError(f"{where}: kind {node.kind!r} with op {node.op!r}; only an op has one")
    if min(node.output, node.layer, node.kept, node.version, *node.shape, 0) < 0:
        raise TraceError(f"{where}: output, layer, kept, version and shape are never negative")
    if node.alias_of is not None and not 0 <= node.alias_of < position:
        message = f"{where}: alias_of {node.alias_of} is not an earlier node"
        raise TraceError(f"{message}; memory belongs to the node that was made first")
    for attribute in node.attributes:
        _check_json(attribute.json, f"{where}.attributes, {attribute.name!r:.60}")
    _check_formula(node.formula, where)


def _check_json(text: str, where: str) -> None:
    try:
        json.loads(text)
    except (ValueError, RecursionError):
        message = f"{where}: {describe(text)} is not JSON"
        raise TraceError(f'{message}; write a text in quotes: "\\"SAME\\""') from None


def check_ids(ids: Iterable[int], count: int, where: str) -> None:
    """Checks that ids are those of nodes."""
    for node_id in ids:
        if not 0 <= node_id < count:
            message = f"{where}: there is no node {node_id}; the trace has nodes 0 to {count - 1}"
            raise TraceError(message if count else f"{where}: node {node_id} of an empty trace")


def check_step(step: Step, nodes: tuple[Node, ...], where: str) -> None:
    """Checks that a step agrees with its node."""
    pending = step.pending or {}
    check_ids([step.node, *(step.queue or ()), *pending], len(nodes), where)
    _check_formula(step.formula, where)
    _check_parts(step, len(nodes), where)
    if min(pending.values(), default=0) < 0:
        raise TraceError(f"{where}: a pending count is never negative: {describe(pending)}")
    if step.kind not in ("pull", "push"):
        return
    inputs = nodes[step.node].inputs
    if step.to is None or step.position is None:
        says = "where it goes" if step.kind == "pull" else "where it comes from"
        raise TraceError(f"{where}: a {step.kind} says {says}: 'to' and 'position' are missing")
    if not (0 <= step.position < len(inputs) and inputs[step.position] == step.to):
        message = f"{where}: node {step.to} is not input {step.position} of node {step.node}"
        raise TraceError(f"{message}, whose inputs are {list(inputs)}")


def _check_parts(step: Step, count: int, where: str) -> None:
    """What a formula is made of, and the matrix that it is."""
    check_ids([operand.node for operand in step.operands], count, f"{where}.operands")
    chosen = [term.operand for term in step.equation if term.operand is not None]
    if not all(0 <= place < len(step.operands) for place in chosen):
        raise TraceError(f"{where}.equation: the step has {len(step.operands)} operands")
    slopes = step.slopes
    if slopes is None:
        return
    lengths = [len(slopes.rows), len(slopes.columns), len(slopes.values) or len(slopes.rows)]
    if len(set(lengths)) > 1:
        raise TraceError(f"{where}.slopes: rows, columns and values have lengths {lengths}")
    given = [step.cotangent, *step.cotangents]
    width = sum(math.prod(array.shape) for array in given if array is not None)
    height = math.prod(step.contribution.shape) if step.contribution is not None else 0
    for name, places, size in (("rows", slopes.rows, height), ("columns", slopes.columns, width)):
        if not all(0 <= place < size for place in places):
            raise TraceError(f"{where}.slopes.{name}: a place outside of {size} elements")


def check_inside(inside: Inside, count: int, where: str) -> None:
    """A fused op opened is a small trace of its own."""
    check_ids([inside.node, *inside.outer.values()], count, where)
    check_ids(inside.outer, len(inside.nodes), f"{where}.outer")
    for position, node in enumerate(inside.nodes):
        check_node(node, position, f"{where}.nodes[{position}]")
    for number, step in enumerate(inside.steps):
        check_step(step, inside.nodes, f"{where}.steps[{number}]")


def check_direction(step: Step, carries: Carried, where: str) -> None:
    """A pull passes a cotangent back and a push a tangent on; no trace has both."""
    wrong = "push" if carries == "cotangents" else "pull"
    if step.kind == wrong:
        message = f"{where}: a {wrong} in a trace that carries {carries}"
        raise TraceError(f"{message}; 'carries' says what its steps pass on")


def check_break(broken: Break, nodes: tuple[Node, ...], where: str) -> None:
    """Checks that a break lies between a node and one of its inputs."""
    check_ids([broken.node], len(nodes), where)
    inputs = nodes[broken.node].inputs
    if broken.position is not None and not 0 <= broken.position < len(inputs):
        message = f"{where}: node {broken.node} has no input {broken.position}"
        raise TraceError(f"{message}; its inputs are {list(inputs)}")


def _check_formula(formula: Formula | None, where: str) -> None:
    if formula is not None:
        check_fragment(formula.mathml, f"{where}.formula.mathml")
