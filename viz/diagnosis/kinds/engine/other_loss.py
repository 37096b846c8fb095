"""Variables are moved by a loss that is not theirs: `d_loss` for the generator of a GAN.

What a loss is for only names say. So this is said only where two lines ask, the loss of one is
called like the variables of the other, and a loss that is called like its own variables is there.
"""

from __future__ import annotations

import ast
import re
from collections.abc import Iterator
from typing import Any, NamedTuple

from ...corrections.candidate import asking, asking_at
from ...diagnosis import Kind, register
from ...finding import Finding, passed_over, written
from ...source_text import Source
from ...sources.case import Case
from ...sources.rounds import place_of, source_of

NO_WORDS = {"loss", "losses", "cost", "total", "objective", "step", "value", "mean", "model", "net"}
NO_WORDS |= {"network", "trainable", "variables", "weights", "params", "parameters", "vars"}


class Asked(NamedTuple):
    """A request as it is written: its target, and the words of its target and its sources."""

    target: str
    of_target: frozenset[str]
    of_sources: frozenset[str]


def find(case: Case, states: list[str]) -> Iterator[Finding]:
    """This request's loss is named like the variables of another one."""
    here = (
        place_of(case.rounds[-1].stack, case.file)
        if len(case.rounds) > 1 and case.rounds[0].moves
        else None
    )
    others = [place_of(each[-1].stack, case.file) for each in case.beside if each]
    source = source_of(here)
    if here is None or source is None:
        return
    mine = asked(source, here)
    for place in others:
        other = asked(source, place) if place is not None and place.file == here.file else None
        if mine is None or other is None or alike(mine.of_target, mine.of_sources):
            continue
        own = [
            name
            for name in losses(source)
            if alike(words(name), mine.of_sources) and not alike(words(name), other.of_sources)
        ]
        if own and alike(mine.of_target, other.of_sources):
            sentence = (
                f"Line {here.line} differentiates `{mine.target}` with respect to variables whose"
                f" loss is `{own[0]}` by its name. Steps against this gradient make"
                f" `{mine.target}` smaller."
            )
            yield Finding(
                "update", "other_loss", sentence, here.line, span=here.span,
                spans={"call": here.span}, facts={"own": own},
            )  # fmt: skip
            return


def asked(source: Source, place: Any) -> Asked | None:
    """The words of a request `tape.gradient(d_loss, generator.trainable_variables)`."""
    call = asking_at(source, place.span)
    if call is None or len(call.args) < 2 or not isinstance(call.args[0], ast.Name):
        return None
    target = source.code(call.args[0])
    return Asked(target, words(target), words(source.code(call.args[1])))


def words(text: str) -> frozenset[str]:
    """The words of names that say what something belongs to, lower case and without digits."""
    parts = re.findall(r"[A-Z]?[a-z]+|[A-Z]+(?![a-z])", text)
    return frozenset(each.lower() for each in parts) - NO_WORDS


def alike(some: frozenset[str], others: frozenset[str]) -> bool:
    """Whether a word of one begins like one of the other: `d`, `disc` and `discriminator`."""
    return any(a.startswith(b) or b.startswith(a) for a in some for b in others)


def losses(source: Source) -> list[str]:
    """The names of losses that a text assigns."""
    names = [
        n.id for n in ast.walk(source.tree)
        if isinstance(n, ast.Name) and isinstance(n.ctx, ast.Store)
    ]  # fmt: skip
    return [
        n for n in dict.fromkeys(names) if {"loss", "cost"} & {*re.findall("[a-z]+", n.lower())}
    ]


def correct(source: Source, finding: Finding) -> Iterator[str]:
    """The loss that is named like the variables."""
    call = asking(source, finding)
    for name in finding.facts["own"] if call is not None else ():
        yield source.edited([source.replaced(call.args[0], name)])


EXAMPLE = """\
import minitape as tf

fake, critic = tf.Variable(0.5), tf.Variable(2.0)
for step in range(4):
    with tf.GradientTape(persistent=True) as tape:
        critic_loss = critic * (fake - 1.0) + critic**2
        fake_loss = -critic * fake + fake**2
    critic.assign_sub(0.1 * tape.gradient(critic_loss, critic))
    fake.assign_sub(0.1 * tape.gradient(critic_loss, fake))  # <- here
"""
KIND = register(
    Kind(
        "other_loss",
        564,
        "update",
        find,
        written,
        EXAMPLE,
        EXAMPLE.replace("gradient(critic_loss, fake)", "gradient(fake_loss, fake)").replace(
            "  # <- here", ""
        ),
        passed_over,
        correct,
        dialects=("minitape",),
    )
)
