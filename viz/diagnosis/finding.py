"""One suspicious thing about a gradient, as plain data that crosses between processes."""

from __future__ import annotations

from dataclasses import asdict, dataclass, field
from typing import Any

KINDS = ("none", "nan", "inf", "overflow", "underflow", "wrong", "broadcast", "zero", "update")
NUMERIC = {"nan", "inf", "overflow", "underflow", "zero"}


@dataclass(slots=True)
class Finding:
    """What is suspicious, why, and where.

    Attributes:
        kind: one of `KINDS`, which are in the order in which findings are told.
        cause: a short stable name, such as "not_watched" or "log".
        sentence: what happened and why it matters, for a student.
        line: the line of the learner's file (or cell), 0 if unknown.
        file: that file or cell, such as "cell 2", if it is known and not the one that asks.
        source: the name of the source whose gradient it is, "" for all.
        call: which call of `gradient` or `jacobian` it is about, from 0; -1 for none.
        span: the piece of source that is meant: line, end line, column, end column.
        spans: further pieces that belong to it, by what they are: "call", "tape", "made", ...
        facts: what else a correction needs: names, positions, numbers.
        is_certain: whether the evidence proves it.
        trace: the picture, as a trace in JSON, "" if there is none.
        fix: what to write instead, in words or code.
        is_quiet: whether it is told only if the script fails because of it.
        is_suspected: whether only a trial can tell: it is told where a correction that keeps the
            target changes the gradient.
        node: the tensor's id that the finding stands at, 0 if unknown.
        found_by: the registered kind that found it, and corrects it.
    """

    kind: str
    cause: str
    sentence: str
    line: int = 0
    source: str = ""
    call: int = -1
    span: tuple[int, ...] | None = None
    spans: dict[str, tuple[int, ...]] = field(default_factory=dict)
    facts: dict[str, Any] = field(default_factory=dict)
    is_certain: bool = True
    trace: str = ""
    fix: str = ""
    node: int = 0
    is_quiet: bool = False
    is_suspected: bool = False
    file: str = ""
    found_by: str = "no_gradient"

    @property
    def key(self) -> tuple[Any, ...]:
        """What makes two findings the same one."""
        return self.kind, self.cause, self.line, self.source if self.kind == "none" else ""

    @property
    def mend(self) -> str:
        """The old name of `fix`."""
        return self.fix

    def as_dict(self) -> dict[str, Any]:
        """Plain data."""
        return asdict(self)

    @classmethod
    def of(cls, data: dict[str, Any]) -> Finding:
        """The finding of such data."""
        return cls(**data)


def written(finding: Finding) -> str:
    """The sentence, which is written where the finding is made."""
    return finding.sentence


def passed_over(case: Any, finding: Finding) -> str:
    """Nothing: what is meant is passed over where it is looked for."""
    return ""


def in_order(findings: list[Finding]) -> list[Finding]:
    """First things first: by call and kind. That nothing leads there may follow from another."""
    place = {kind: number for number, kind in enumerate(KINDS)}

    def rank(finding: Finding) -> tuple[bool, int, int]:
        is_first = finding.is_certain and finding.cause != "no_path"
        return not is_first, finding.call, place[finding.kind]

    return sorted(findings, key=rank)
