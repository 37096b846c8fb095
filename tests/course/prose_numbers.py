"""The numbers in what the lessons say, and those that the lessons themselves use or print.

A number of a text is told apart from the small ones that only count (up to ten, as in "two tapes"),
from years, and from those of lessons, exercises and quoted code.
"""

from __future__ import annotations

import ast
import html
import json
import re
from collections.abc import Iterator

from lesson_cells import FOLDER, cells
from minitape.viz.course.running import with_outputs

NUMBER = re.compile(r"(?<![\w.^_/-])[-−]?\d[\d,]*(?:\.\d+)?(?:e[-+]?\d+)?(?![\w]|\.\d)")
SCIENTIFIC = re.compile(r"(\d[\d.]*)\s*\\cdot\s*10\^\{?(-?\d+)\}?|(?<![\d.])10\^\{?(-?\d+)\}?")
NOT_SAID = [
    r"```.*?```",
    r"`[^`]*`",
    r"https?://\S+",
    r"\b[Ll]essons? \d+(?:(?:, | and | to )\d+)*",
    r"\b(?:Exercise|Milestone|Patient|patient|number|Algorithm|chapter|class|order|TensorFlow) \d+",
    r"\*[A-Z][^*]{12,}\*",  # titles of papers
    r"\b(?:19|20)\d\d\b",
    r"^#* ?\d+\. ",
    r"\bW_\d|\bb_\d|[a-zA-Z]_\{?\d+\}?",
    r"\\(?:begin|end)\{[^}]*\}",
]


def said(lesson: str) -> Iterator[tuple[str, str]]:
    """The numbers in the texts of a lesson, each with the sentence around it."""
    for text in texts(lesson):
        for pattern in NOT_SAID:
            text = re.sub(pattern, " ", text, flags=re.DOTALL | re.MULTILINE)
        flat = re.sub(r"\s+", " ", SCIENTIFIC.sub(in_digits, text))
        for found in NUMBER.finditer(flat):
            number = found[0].replace("−", "-").rstrip(",")
            value = abs(float(number.replace(",", "")))
            if "." in number or "e" in number or value > 10:
                yield number, flat[max(0, found.start() - 60) : found.end() + 60]


def in_digits(found: re.Match[str]) -> str:
    """A power of ten as Python writes it."""
    return f"{found[1] or 1}e{found[2] or found[3]}"


def texts(lesson: str) -> Iterator[str]:
    """The Markdown of a lesson, and the questions and answers of its predictions."""
    for cell in cells(lesson):
        if cell.kind == "markdown":
            yield cell.text
        elif "viz.predict(" in cell.text:
            for node in ast.walk(ast.parse(cell.text)):
                if isinstance(node, ast.Call) and ast.unparse(node.func) == "viz.predict":
                    yield from (ast.literal_eval(each) for each in node.args)


def used_or_printed(lesson: str) -> list[float]:
    """All numbers in the code of a lesson and in its outputs."""
    (path,) = FOLDER.glob(f"{lesson}_*.ipynb")
    found = []
    for cell in json.loads(with_outputs(path))["cells"]:
        if cell["cell_type"] != "code":
            continue
        asked = "viz.predict(" in "".join(cell["source"])
        source = "".join(cell["source"])
        found.append(without_texts(source))
        for output in cell["outputs"]:
            data = output.get("data", {})
            found += ["".join(output.get("text", "")), "".join(data.get("text/plain", ""))]
            found.append(visible("".join(data.get("text/html", "")), asked))
    return [number for text in found for number in values(text)]


def without_texts(source: str) -> str:
    """Code without the texts of its predictions."""
    for node in ast.walk(ast.parse(source)):
        if isinstance(node, ast.Call) and ast.unparse(node.func) == "viz.predict":
            for each in node.args:
                source = source.replace(ast.get_source_segment(source, each) or "", "")
    return source


def visible(made: str, asked: bool) -> str:
    """What an output in HTML shows: without scripts, pictures, and a prediction's own words."""
    made = re.sub(r"<script.*?</script>|<style.*?</style>", " ", made, flags=re.DOTALL)
    if asked:
        made = " ".join(re.findall(r"<pre>(.*?)</pre>", made, flags=re.DOTALL))
    return html.unescape(re.sub(r"<[^>]*>", " ", made))


def values(text: str) -> list[float]:
    """The numbers in a text, as floats."""
    plain = text.replace("−", "-")
    found = re.findall(r"(?<![\w.])-?\d[\d_,]*(?:\.\d*)?(?:e[-+]?\d+)?", plain)
    cleaned = (each.replace(",", "").replace("_", "") for each in found)
    return [float(each) for each in cleaned if re.fullmatch(r"-?\d+(\.\d*)?(e[-+]?\d+)?", each)]


def is_among(number: str, known: list[float]) -> bool:
    """Whether one of the known numbers is this one, to the digits that were written."""
    plain = number.replace(",", "")
    digits = re.sub(r"e.*|[-.]", "", plain).lstrip("0") or "0"
    wanted = abs(float(plain))
    exact = "." not in plain and "e" not in plain
    whole = [abs(each) for each in known]
    if exact and wanted in (*whole, *(round(100 * each, 6) for each in whole if each <= 1)):
        return True
    tail = re.sub(r"e.*", "", plain).partition(".")[2]
    power = int(plain.partition("e")[2] or 0)
    half = 0.5 * 10.0 ** (power - len(tail))
    loose = exact and len(digits) > 1
    return any(
        abs(each - wanted) <= half * 1.0001 for each in (whole if not exact or loose else [])
    )
