"""Tensors that a function with its own gradient got by keyword: they are not differentiated.

`custom_gradient` passes keyword arguments on. Where all tensors come that way its rule is never
used, and the tape differentiates the ops inside.
"""

from __future__ import annotations

import inspect
from typing import Any, NamedTuple

from minitape.custom.op import Operation
from minitape.values import nest

from ...sources.dataflow import Act, Dataflow
from ...sources.question import Cause, Question, at


class Passed(NamedTuple):
    """A call of a function with its own gradient, and the tensors that it got by keyword."""

    act: Act
    call: Any
    keywords: dict[str, tuple[int, ...]]  # tensor ids by the name of the argument
    closed: dict[str, Any]  # what the call knows


def passed_by_keyword(flow: Dataflow, act: Act) -> Passed | None:
    """What a call got by keyword; None for other ops and for calls without."""
    journal = flow.journal
    entry = journal.by_output.get(act.outputs[0]) if journal is not None else None
    if entry is None or not isinstance(act.op, Operation):
        return None
    call = entry.attributes[0]
    if not inspect.isfunction(call.gradient):
        return None
    closed = dict(inspect.getclosurevars(call.gradient).nonlocals)
    given = {name: _ids(value) for name, value in closed.get("kwargs", {}).items()}
    keywords = {name: ids for name, ids in given.items() if ids}
    return Passed(act, call, keywords, closed) if keywords else None


def by_keyword(q: Question) -> Cause | None:
    """The cause that a source went into such a function by keyword."""
    own = q.flow.descendants(q.s)
    if q.flow.journal is None or q.t in own:
        return None
    wanted = q.flow.ancestors(q.t)
    for act in q.flow.acts:
        found = None if wanted.isdisjoint(act.outputs) else passed_by_keyword(q.flow, act)
        names = [n for n, ids in found.keywords.items() if own & set(ids)] if found else []
        if found is None or not names:
            continue
        sentence = (
            f"`{q.x}` goes into `{found.call!r}` at {at(act.line)} by keyword (`{names[0]}=`), and "
            "a function with its own gradient passes keyword arguments on and does not "
            "differentiate them. Pass tensors by position."
        )
        fix = f"# pass `{names[0]}` to `{found.call!r}` by position"
        return Cause("keywords", sentence, act.line, fix, "by keyword", key=act.outputs[0])
    return None


def _ids(value: Any) -> tuple[int, ...]:
    """The ids of the tensors and variables in a nest."""
    found = [getattr(each, "id", 0) for each in nest.flatten(value)]
    return tuple(each for each in found if each)
