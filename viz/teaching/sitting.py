"""Runs a notebook's cells once for each variant: `python -m minitape.viz.teaching.sitting ASKED`.

Nothing is shown: what matters is what `viz.exam` writes down. The answer says which cell raised.
"""

from __future__ import annotations

import contextlib
import io
import json
import os
import sys
from pathlib import Path
from typing import Any

from minitape.viz.quizzes.exam import ANSWERS, SEED, TOLERANCE
from minitape.viz.quizzes.questions import MAX_ELEMENTS
from minitape.viz.script import NoTapeError, ScriptError
from minitape.viz.teaching.drawing import drawn_anew


def main(place: str) -> None:
    """Runs what is asked for, and writes next to it what went wrong."""
    asked = json.loads(Path(place).read_text("utf-8"))
    os.environ["MPLBACKEND"] = "agg"
    sys.path.insert(0, os.getcwd())
    for variant in asked["variants"]:
        os.environ[SEED], os.environ[ANSWERS] = variant["seed"], variant["answers"]
        if "program" in asked:
            failed = _ask_by_tapes(Path(asked["program"]), variant)
        else:
            with drawn_anew(variant["seed"]):
                failed = _run(asked["cells"])
        if failed is not None:
            Path(asked["failed"]).write_text(json.dumps(failed), "utf-8")
            return


def _ask_by_tapes(program: Path, asked: dict[str, Any]) -> dict[str, Any] | None:
    """Writes down questions about the backward passes of a notebook that a learner can compute."""
    from minitape.viz.teaching.sealed import NothingToAskError, SealedError, variant_of

    try:
        found = variant_of(program, asked["seed"], MAX_ELEMENTS)
    except (NothingToAskError, NoTapeError):
        return None
    except (SealedError, ScriptError) as error:
        return {"cell": 0, "error": str(error)}
    with open(asked["answers"], "a", encoding="utf-8") as file:
        for each in found.asked:
            question = {
                "points": 1, "text": each.text, "shape": list(each.expected.shape),
                "answer": each.expected.ravel().tolist(), "tolerance": TOLERANCE,
                "picture": found.pictures[each.trace],
            }  # fmt: skip
            file.write(json.dumps(question) + "\n")
    return None


def _run(cells: list[tuple[int, str]]) -> dict[str, Any] | None:
    """Runs cells in names of their own; gives the cell that raises."""
    names: dict[str, Any] = {"__name__": "__main__"}
    for number, source in cells:
        try:
            with contextlib.redirect_stdout(io.StringIO()):
                exec(compile(_plain(source), f"cell {number}", "exec"), names)
        except BaseException as error:
            return {"cell": number, "error": f"{type(error).__name__}: {error}"}
    return None


def _plain(source: str) -> str:
    """The cell as Python: lines with `%` and `!` as IPython reads them, or left out."""
    with contextlib.suppress(ImportError):
        from IPython.core.inputtransformer2 import TransformerManager

        made = TransformerManager().transform_cell(source)  # type: ignore[no-untyped-call]
        return "\n".join(line for line in made.split("\n") if "get_ipython()" not in line)
    return "\n".join(
        line for line in source.split("\n") if not line.lstrip().startswith(("%", "!"))
    )


if __name__ == "__main__":
    main(sys.argv[1])
