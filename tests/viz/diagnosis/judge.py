"""Judges `minitape explain` on many PyTorch scripts, with one import of PyTorch.

python -m tests.viz.diagnosis.judge programs | FOLDER    # as of random_scripts
"""

from __future__ import annotations

import contextlib
import io
import json
import os
import re
import signal
import sys
import tempfile
import time
from pathlib import Path
from typing import Any

import minitape.viz.diagnosis.trial.frameworks as terminal


def forked(asked: dict[str, Any], seconds: float, child: str) -> tuple[dict[str, Any] | None, bool]:
    """What a run answers, in a process that shares this one's imports."""
    from minitape.viz.diagnosis.trial import child as runner

    with tempfile.TemporaryDirectory() as folder:
        place = Path(folder) / "answer.json"
        scratch = Path(folder) / "files"
        scratch.mkdir()
        request = Path(folder) / "request.json"
        more = {
            "answer": str(place),
            "scratch": str(scratch),
            "processor_seconds": int(seconds * 4),
        }
        request.write_text(json.dumps({**asked, **more}))
        process = os.fork()
        if not process:
            with contextlib.suppress(BaseException):
                quiet = os.open(os.devnull, os.O_RDWR)
                for number in (0, 1, 2):
                    os.dup2(quiet, number)
                runner.main(str(request))
            os._exit(1)
        is_late = _waited(process, seconds)
        try:
            return json.loads(place.read_text()), is_late
        except (OSError, ValueError):
            return None, is_late


def _waited(process: int, seconds: float) -> bool:
    end = time.monotonic() + seconds
    while time.monotonic() < end:
        if os.waitpid(process, os.WNOHANG)[0]:
            return False
        time.sleep(0.01)
    os.kill(process, signal.SIGKILL)
    os.waitpid(process, 0)
    return True


def looked(file: Path) -> Any:
    """The report on one script."""
    terminal.answer = forked  # type: ignore[assignment]
    return terminal.report(file, (), 60.0)


def passes(text: str, check: str, folder: Path) -> str:
    """ "" if a corrected script passes its check, else why not."""
    process, (reader, writer) = 0, os.pipe()
    process = os.fork()
    if not process:
        os.close(reader)
        said = ""
        try:
            os.chdir(folder)
            sys.path.insert(0, str(folder))
            space: dict[str, Any] = {"__name__": "__main__"}
            with contextlib.redirect_stdout(io.StringIO()):
                exec(compile(text + "\n" + check + "\n", "corrected.py", "exec"), space)
        except BaseException as error:
            said = f"{type(error).__name__}: {error}"[:200] or "failed"
        os.write(writer, said.encode())
        os._exit(0)
    os.close(writer)
    said = b""
    while piece := os.read(reader, 4096):
        said += piece
    os.close(reader)
    os.waitpid(process, 0)
    return said.decode()


def named(report: Any, count: int = 3) -> set[int]:
    """The lines that the first findings and their sentences name."""
    found = set()
    for each in report.diagnoses[:count]:
        found.add(each.finding.line)
        found |= set(map(int, re.findall(r"[Ll]ine (\d+)", each.finding.sentence)))
    return found


def judged(
    name: str, file: Path, lines: list[int], kinds: tuple[str, ...], check: str, folder: Path
) -> dict[str, Any]:
    """What came of one script."""
    began = time.monotonic()
    try:
        report = looked(file)
    except Exception as error:
        return {
            "name": name,
            "line": False,
            "kind": False,
            "fixed": False,
            "silent": True,
            "wrong": False,
            "said": f"{type(error).__name__}: {error}",
            "seconds": time.monotonic() - began,
        }
    first = report.diagnoses[0] if report.diagnoses else None
    problem = passes(report.fixed, check, folder) if report.fixed else "no correction"
    tried = [d for d in report.diagnoses if d.tried.startswith("Tried")]
    said = "; ".join(
        f"{d.finding.line} {d.finding.cause} {d.finding.kind}: {d.finding.sentence}"
        for d in report.diagnoses
    )
    return {
        "name": name,
        "line": bool(named(report) & set(lines)),
        "kind": first is not None and first.finding.kind in kinds,
        "fixed": not problem,
        "silent": first is None,
        "wrong": bool(tried) and bool(problem) and problem != "no correction",
        "said": said,
        "problem": problem,
        "seconds": time.monotonic() - began,
        "fix": first.mend if first else "",
    }


def cases(folder: Path) -> Any:
    """Name, file, lines, kinds and check of each script in a folder."""
    for file in sorted(folder.rglob("*.py")):
        data = file.with_suffix(".json")
        if data.exists():
            truth = json.loads(data.read_text())
            kinds = tuple(truth.get("kinds") or (truth["kind"], *truth["also"]))
            check = truth.get("check", "")
            check = f"from chk import *\n{check}" if (folder / "chk.py").exists() else check
            yield file.stem, file, truth["lines"], kinds, check
        elif file.stem != "chk":
            yield file.stem, file, [], (), ""


def main(words: list[str]) -> None:
    """Judges, and prints the counts."""
    import torch

    import minitape.viz.diagnosis.trial.child  # noqa: F401

    torch.set_num_threads(1)
    wanted, *only = words
    with tempfile.TemporaryDirectory() as folder:
        place = Path(folder)
        if wanted == "programs":
            from tests.viz.diagnosis.torch_scripts import HEALTHY, MISTAKES

            rows = []
            for program in (*MISTAKES, *HEALTHY):
                file = place / (re.sub(r"\W+", "_", program.name) + ".py")
                file.write_text(program.code)
                rows.append((program.name, file, program.lines, program.kinds, program.check))
        else:
            place = Path(wanted)
            rows = list(cases(place))
        results = []
        for row in rows:
            if only and not any(word in row[0] for word in only):
                continue
            one = judged(*row, place)
            results.append((bool(row[2]), one))
            marks = "".join(
                mark if one[key] else "."
                for key, mark in (("line", "L"), ("kind", "K"), ("fixed", "F"), ("wrong", "W"))
            )
            print(
                f"{marks if row[2] else 'ALARM' if one['said'] else 'quiet'} {one['seconds']:5.1f}s"
                f" {row[0]}\n      {one['said'][:400]}",
                flush=True,
            )
            if row[2] and not one["fixed"]:
                print(
                    f"      not fixed: {one.get('problem', '')}  {one.get('fix', '')[:300]!r}",
                    flush=True,
                )
    bad = [one for is_bad, one in results if is_bad]
    count = {
        key: sum(one[key] for one in bad) for key in ("line", "kind", "fixed", "silent", "wrong")
    }
    alarms = sum(bool(one["said"]) for is_bad, one in results if not is_bad)
    print(
        f"{len(bad)} with a mistake: {count}; {alarms} alarms on {len(results) - len(bad)} healthy"
        " ones"
    )


if __name__ == "__main__":
    main(sys.argv[1:])
