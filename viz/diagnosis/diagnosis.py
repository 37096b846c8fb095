"""Says what a diagnosis is, keeps the registry of its kinds, and asks them in order.

A kind is one module in `kinds/`: how it is recognised, its sentence, when it is meant, what to
write instead, and an example, which is its test. The record goes from the evidence to the page; a
later stage fills fields with `dataclasses.replace`.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator
from dataclasses import dataclass, field
from typing import Any

from .evidence import Ask, Evidence, Place
from .source_text import Source

SURE, LIKELY = "sure", "likely"
# What the learner sees of a kind, in the order in which findings are shown.
SHOWN = ("error", "none", "nan", "overflow", "underflow", "wrong", "broadcast", "zero", "update")


@dataclass(frozen=True, slots=True)
class Correction:
    """A changed text.

    Attributes:
        text: the whole corrected source.
        keeps_value: whether it claims to compute the same function, or is another one.
    """

    text: str
    keeps_value: bool = True


@dataclass(frozen=True, slots=True)
class Diagnosis:
    """One suspicious thing.

    Attributes:
        kind: the registered kind.
        place: the learner's expression where the mistake is.
        facts: plain data, from which the sentence and the corrections are made.
        shown: what the learner sees, one of `SHOWN`.
        source: the name of what is differentiated, "" where it is about all.
        ask: which request for a gradient, -1 for none.
        also: other places that belong to it, by what they are.
        level: "sure" (proved by the evidence) or "likely".
        quiet: why it is meant, "" where nothing says so.
    """

    kind: Kind
    place: Place
    facts: dict[str, Any] = field(default_factory=dict)
    shown: str = ""
    source: str = ""
    ask: int = -1
    also: dict[str, Place] = field(default_factory=dict)
    level: str = SURE
    quiet: str = ""

    @property
    def line(self) -> int:
        """The learner's line."""
        return self.place.line

    @property
    def sentence(self) -> str:
        """What happened and why it matters."""
        return self.kind.sentence(self)

    @property
    def key(self) -> tuple[Any, ...]:
        """What makes two diagnoses the same one: each line is named once."""
        return self.kind.name, self.place.line

    def as_data(self) -> dict[str, Any]:
        """Plain data that crosses between processes."""
        return {
            "kind": self.kind.name,
            "place": list(self.place),
            "facts": self.facts,
            "shown": self.shown,
            "source": self.source,
            "ask": self.ask,
            "also": {name: list(place) for name, place in self.also.items()},
            "level": self.level,
            "quiet": self.quiet,
        }

    @classmethod
    def of(cls, data: dict[str, Any]) -> Diagnosis:
        """The diagnosis of such data."""
        also = {name: _place(place) for name, place in data["also"].items()}
        fields = {**data, "kind": KINDS[data["kind"]], "place": _place(data["place"]), "also": also}
        return cls(**fields)


def _place(data: Any) -> Place:
    file, line, text, span, code = data
    return Place(file, line, text, tuple(span), code)


def nothing(source: Source, diagnosis: Diagnosis) -> Iterator[Correction]:
    """No correction that could be written for any program."""
    yield from ()


def refused(evidence: Evidence, diagnosis: Diagnosis) -> str:
    """Never meant: the framework has refused it."""
    return ""


@dataclass(frozen=True, slots=True)
class Kind:
    """One kind of suspicious thing; each module of `kinds/` ends with one.

    Attributes:
        name: short and stable.
        rank: what is asked first; a cause stands before its symptom.
        shown: what the learner sees of it, unless a diagnosis says otherwise.
        find: the diagnoses of one request for a gradient, or (ask None) of the whole run; in
            "minitape" the findings of a case, whose gradients' states are the second argument.
        sentence: in words.
        meant: why a program does this on purpose, "" if nothing says so.
        correct: changed texts, the best first.
        example: a program that shows it; its mistake is at the line that ends with `# <- here`.
        healthy: a program that looks like it and is meant.
        hides: kinds that it explains: what they find of the same request is not shown.
        dialects: the frameworks in whose scripts it is looked for; the example is of the first.
    """

    name: str
    rank: int
    shown: str
    find: Callable[[Any, Any], Iterator[Any]]
    sentence: Callable[[Any], str]
    example: str
    healthy: str
    meant: Callable[[Any, Any], str]
    correct: Callable[[Source, Any], Iterator[Any]] = nothing
    hides: tuple[str, ...] = ()
    dialects: tuple[str, ...] = ("pytorch",)


KINDS: dict[str, Kind] = {}


def register(kind: Kind) -> Kind:
    """Adds a kind.

    Raises:
        ValueError: if there is one of this name, or the learner would see an unknown word.
    """
    if kind.name in KINDS:
        raise ValueError(f"There are two kinds `{kind.name}`: give one another name.")
    if kind.shown not in SHOWN:
        raise ValueError(f"`{kind.shown}` of kind `{kind.name}` is none of {', '.join(SHOWN)}.")
    KINDS[kind.name] = kind
    return kind


def refusal(
    name: str,
    rank: int,
    said: str,
    sentence: Callable[[Any], str],
    correct: Callable[[Source, Any], Iterator[Any]] = nothing,
    facts: Callable[[str], dict[str, Any]] = lambda error: {},
    *,
    example: str,
    healthy: str,
) -> Kind:
    """Registers a kind that JAX finds itself: it refuses, and what it says is put in other words.

    `said` is a pattern of the words of its error, and `facts` reads what the sentence needs of it;
    the others are as for `Kind`.
    """

    def find(evidence: Evidence, ask: Ask | None) -> Iterator[Diagnosis]:
        """JAX refuses, at the last line of the script's on the way to its error."""
        error, place = evidence.error, evidence.error_place
        if ask is None and place is not None and re.search(said, error, re.DOTALL):
            yield Diagnosis(KINDS[name], place, facts(error), "error")

    return register(
        Kind(
            name, rank, "error", find, sentence, example, healthy, refused, correct,
            dialects=("jax",),
        )
    )  # fmt: skip


def diagnose(evidence: Evidence, ask: Ask | None) -> list[Diagnosis]:
    """All that is suspicious about one request, or about the whole run, causes first."""
    found: list[Diagnosis] = []
    hidden: set[str] = set()
    dialect = evidence.facts.get("dialect", "pytorch")
    for kind in sorted(KINDS.values(), key=lambda each: each.rank):
        if kind.name in hidden or dialect not in kind.dialects:
            continue
        for each in kind.find(evidence, ask):
            if each.quiet or kind.meant(evidence, each):
                continue
            found.append(each)
            hidden.update(kind.hides)
    return found
