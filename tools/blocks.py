"""Runs the examples of a documentation page, so that each one is true when the site is built.

A page is Markdown that a forge shows as it is. What a block of code means is said by its fence:

- ```` ```python ```` runs, in the names that the blocks before it left.
- ```` ```python title="train.py" ```` is written to that file, for commands to use.
- ```` ```ipython ```` runs as a notebook's cell, with magics.
- ```` ```sh ````: lines that begin with `minitape` or `python` run; others install something.
- ```` ```text ```` right after one of these is what it prints; `...` stands for anything.

Comments, which a forge does not show, say the rest:

- `<!-- player: EXPRESSION -->` puts that player (or picture) there, live, on the site.
- `<!-- needs: torch -->`: what follows runs only where these modules are installed, up to
  `<!-- needs: -->`.
- `<!-- not run: REASON -->` leaves the next block out.
"""

from __future__ import annotations

import json
import os
import re
import shlex
import subprocess
import sys
import tempfile
from dataclasses import dataclass
from importlib.util import find_spec
from pathlib import Path

ROOT = Path(__file__).parents[1]
RUN = {"python", "ipython", "sh"}
_PIECE = re.compile(
    r"^(?P<indent> *)(?P<fence>`{3,})(?P<language>\w+)(?P<more>[^\n]*)\n(?P<code>.*?)^ *(?P=fence)$"
    r"|^ *<!-- (?P<word>player|not run|needs): ?(?P<said>.*?) ?-->$",
    re.DOTALL | re.MULTILINE,
)


@dataclass
class Block:
    """One example, or one player that the site shows."""

    kind: str
    code: str
    file: str = ""
    prints: str | None = None
    needs: tuple[str, ...] = ()

    @property
    def missing(self) -> list[str]:
        """The modules that it needs and that are not installed."""
        return [name for name in self.needs if not find_spec(name)]


def blocks(text: str) -> list[Block]:
    """The examples of a page, in their order."""
    found: list[Block] = []
    skipped, needs, end = False, (), 0
    for match in _PIECE.finditer(text):
        follows, end = not text[end : match.start()].strip(), match.end()
        if match["word"] == "not run":
            skipped = True
            continue
        if match["word"] == "needs":
            needs = tuple(match["said"].split())
            continue
        if match["word"] == "player":
            found.append(Block("player", match["said"], needs=needs))
            continue
        language = match["language"]
        code = re.sub(f"^{match['indent']}", "", match["code"], flags=re.MULTILINE)
        if skipped:
            skipped = False
        elif language == "text" and follows and found and found[-1].kind in RUN:
            found[-1].prints = code
        elif language in RUN:
            title = re.search(r'title="([^"]+)"', match["more"])
            found.append(Block(language, code, title[1] if title else "", needs=needs))
    return found


def run(text: str, out: Path) -> list[str]:
    """Runs a page in a process and a folder of its own, and writes its players to `out`.

    Returns:
        The names of the players' files, in the page's order; "" where a module is missing.

    Raises:
        AssertionError: an example fails, or prints something else than the page says.
    """
    every = blocks(text)
    found = [block for block in every if not block.missing]
    out.mkdir(parents=True, exist_ok=True)
    with tempfile.TemporaryDirectory() as folder:
        plan = [vars(block) for block in found]
        done = subprocess.run(
            [sys.executable, "-X", "utf8", __file__, str(out)],
            input=json.dumps(plan), cwd=folder, capture_output=True, text=True, encoding="utf-8",
            env={**os.environ, "PYTHONPATH": str(ROOT), "BROWSER": "true", "NO_COLOR": "1"},
        )  # fmt: skip
    assert done.returncode == 0, f"{done.stdout}\n{done.stderr}"
    said = done.stdout.split(MARK)
    for block, got in zip(found, said, strict=False):
        if block.prints is not None:
            agree(block, got)
    shown = [block for block in every if block.kind == "player"]
    return ["" if block.missing else f"{found.index(block)}.html" for block in shown]


def agree(block: Block, got: str) -> None:
    """Compares what was printed with what the page says."""
    pattern = re.escape(block.prints.strip()).replace(re.escape("..."), ".*?")
    assert re.fullmatch(pattern, got.strip(), re.DOTALL), (
        f"{block.code}\nprints\n{got}\nand the page says\n{block.prints}"
    )


MARK = "\x1e"


def _drive(out: Path) -> None:
    """The process: runs each block, and marks the end of what it prints."""
    plan, names = json.load(sys.stdin), {"__name__": "__main__"}
    shell = None
    if any(block["kind"] == "ipython" for block in plan):
        from IPython.core.interactiveshell import InteractiveShell

        shell = InteractiveShell.instance(user_ns=names)
    for number, block in enumerate(plan):
        code = block["code"]
        if block["file"]:
            Path(block["file"]).write_text(code, "utf-8")
        elif block["kind"] == "python":
            exec(compile(code, "the page", "exec", dont_inherit=True), names)
        elif block["kind"] == "ipython":
            shell.run_cell(code).raise_error()
        elif block["kind"] == "sh":
            for line in commands(code):
                sys.stdout.flush()
                _command(line)
        else:
            _save(eval(code, names), out / f"{number}.html")
        print(end=MARK, flush=True)


def commands(code: str) -> list[list[str]]:
    """The lines of a shell block that run here, as words."""
    lines = [shlex.split(line, comments=True) for line in code.splitlines()]
    return [words for words in lines if words and words[0] in {"minitape", "python"}]


def _command(words: list[str]) -> None:
    module = ["-m", "minitape"] if words[0] == "minitape" else []
    done = subprocess.run([sys.executable, *module, *words[1:]], check=False, encoding="utf-8")
    if done.returncode not in {0, 1}:  # `explain` ends with 1 where something is suspicious
        raise SystemExit(f"{shlex.join(words)} ended with {done.returncode}")


def _save(shown: object, place: Path) -> None:
    """Writes what a notebook would show as a page of its own."""
    try:
        shown.save(place)
    except (AttributeError, ValueError):  # no method, or for the endings of pictures alone
        shown_as = shown._repr_mimebundle_()
        bundle = shown_as[0] if isinstance(shown_as, tuple) else shown_as
        html = bundle.get("text/html") or bundle["image/svg+xml"]
        head = "<!doctype html><html lang=en><meta charset=utf-8><title>minitape</title>"
        place.write_text(f"{head}<body>{html}</body></html>", "utf-8")


if __name__ == "__main__":
    _drive(Path(sys.argv[1]))
