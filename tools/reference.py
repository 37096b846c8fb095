"""The reference pages, made of what the package says of itself: docstrings, signatures, `--help`.

Nothing here is written by hand but the examples of `viz` (`viz_examples.md` in docs/reference), so
a name that comes or goes changes the pages by itself.
"""

from __future__ import annotations

import argparse
import inspect
import re
import sys
from pathlib import Path
from types import ModuleType
from typing import Any

ROOT = Path(__file__).parents[1]
sys.path[:0] = [str(ROOT), str(ROOT / "tests")]

import api_page
import minitape as tf
from minitape import viz

_SECTION = re.compile(
    r"^(Args|Attributes|Returns|Yields|Raises|Example|Examples|Note):[ ]*\n((?:(?: {2,}.*)?\n?)*)",
    re.MULTILINE,
)
_ENTRY = re.compile(r"^(\*{0,2}[\w., ]+): ((?:.*\n?)(?:[ ]+.*\n?|\n)*)", re.MULTILINE)


def described(thing: Any, level: int) -> str:
    """A docstring as Markdown: its sections as lists, its examples as code."""
    text = (inspect.getdoc(thing) or "").replace("\t", "    ")

    def section(match: re.Match[str]) -> str:
        title, body = match[1], inspect.cleandoc("\n" + match[2])
        if title.startswith("Example"):
            return f"\n**Example**\n\n```pycon\n{body}\n```\n"
        entries = _ENTRY.findall(body) if title in {"Args", "Attributes", "Raises"} else []
        if not entries:
            return f"\n**{title}.** {escaped(' '.join(body.split()))}\n"
        rows = [f"- `{name}`: {escaped(' '.join(said.split()))}" for name, said in entries]
        return f"\n**{title}**\n\n" + "\n".join(rows) + "\n"

    parts, end = [], 0
    for match in _SECTION.finditer(text):
        parts += [prose(text[end : match.start()]), section(match)]
        end = match.end()
    parts.append(prose(text[end:]))
    return re.sub(r"\n{3,}", "\n\n", "\n".join(parts)).strip()


def prose(text: str) -> str:
    """Paragraphs; what is indented is code."""
    return re.sub(r"(?m)^(?! )(.*)$", lambda line: escaped(line[0]), text)


def escaped(text: str) -> str:
    """Text in which Markdown finds no formatting that is not meant: stars, HTML, links."""
    pieces = re.split(r"(`[^`]*`)", text)
    return "".join(
        piece if piece.startswith("`") else re.sub(r"([*_<\[\]])", r"\\\1", piece)
        for piece in pieces
    )


def signature(name: str, thing: Any) -> str:
    """How a name is called, or the name alone."""
    try:
        given = re.sub(r"(: |-> )'([^']*)'", r"\1\2", str(inspect.signature(thing)))
    except (TypeError, ValueError):
        return ""
    if "<object object" in given:
        given = re.sub(r"<object object at \w+>", "...", given)
    given = given.removesuffix(" -> None") if inspect.isclass(thing) else given
    call = f"{name}{given}"
    if len(call) > 88:
        inner, _, result = call.partition("(")[2].rpartition(")")
        arguments = re.split(r", (?![^\[]*\])", inner)
        call = f"{name}(\n" + "".join(f"    {each},\n" for each in arguments) + f"){result}"
    return f"```py\n{call}\n```\n"  # `py`: an example would be `python`


def entry(path: str, thing: Any, level: int) -> str:
    """The heading, signature and description of one name; of a class its methods as well."""
    anchor = path.replace("*", "")
    head = f"{'#' * level} `{path}` {{ #{anchor} }}\n"
    parts = [head, signature(path.rpartition(".")[2], thing), described(thing, level)]
    if inspect.isclass(thing):
        own = [
            (name, value)
            for name, value in inspect.getmembers(thing)
            if not name.startswith("_")
            and (inspect.isroutine(value) or isinstance(value, property))
            and (inspect.getdoc(value) or "").strip()
            and (getattr(inspect.getmodule(value), "__name__", "minitape")).startswith("minitape")
        ]
        if own:
            rows = [f"- `{name}{_short(value)}`: {escaped(_first(value))}" for name, value in own]
            parts.append("**Methods and properties**\n\n" + "\n".join(rows))
    return "\n".join(part for part in parts if part).strip() + "\n"


def _short(value: Any) -> str:
    if isinstance(value, property):
        return ""
    try:
        names = [name for name in inspect.signature(value).parameters if name != "self"]
    except (TypeError, ValueError):
        return "()"
    return f"({', '.join(names)})"


def _first(value: Any) -> str:
    return " ".join((inspect.getdoc(value) or "").split("\n\n")[0].split())


def viz_page() -> str:
    """`viz`: every public name, with an example and the picture that it makes."""
    text = (ROOT / "docs" / "reference" / "viz_examples.md").read_text("utf-8")
    head, *sections = re.split(r"^## ", text, flags=re.MULTILINE)
    examples = {part.partition("\n")[0].strip(" `"): part.partition("\n")[2] for part in sections}
    lacking = set(viz.__all__) ^ set(examples)
    if lacking:
        raise ValueError(f"docs/reference/viz_examples.md and viz.__all__ differ: {lacking}")
    parts = [head.strip()]
    for name, example in examples.items():
        made = entry(f"viz.{name}", getattr(viz, name), 2)
        parts.append(f"{made}\n{example.strip()}")
    return "\n\n".join(parts) + "\n"


def tf_pages() -> dict[str, str]:
    """A page for each namespace of `tf`, by its name."""
    pages = {}
    for path, names in api_page.parts():
        module = eval(path, {"tf": tf})
        if not isinstance(module, ModuleType) and not names:
            continue
        found = [(name, getattr(module, name)) for name in names if hasattr(module, name)]
        kept = [
            (name, value)
            for name, value in found
            if not inspect.ismodule(value) and _is_named(value)
        ]
        if not kept:
            continue
        listed = ", ".join(f"[`{name}`](#{path}.{name})" for name, _ in kept)
        body = "\n".join(entry(f"{path}.{name}", value, 2) for name, value in kept)
        pages[path] = f"# `{path}`\n\n{listed}\n\n{body}"
    return pages


def _is_named(value: Any) -> bool:
    """Whether a docstring describes the name itself, and not the type of a constant."""
    return callable(value) and not isinstance(value, (int, float, str))


def commands_page() -> str:
    """The command line, as `--help` says it."""
    from minitape.__main__ import parser

    main = parser()
    parts = ["# Command line\n", "What `minitape --help` and `minitape COMMAND --help` say.\n"]
    parts.append(f"```text\n{_help(main)}```\n")
    subparsers = next(
        action for action in main._actions if isinstance(action, argparse._SubParsersAction)
    )
    for name, each in subparsers.choices.items():
        parts.append(f"## `minitape {name}`\n\n```text\n{_help(each)}```\n")
    return "\n".join(parts)


def _help(parser: argparse.ArgumentParser) -> str:
    parser.formatter_class = lambda prog: argparse.HelpFormatter(prog, width=88)
    if hasattr(parser, "color"):
        parser.color = False
    return parser.format_help()
