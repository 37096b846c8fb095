"""The player's program: its scripts as one function, with its looks and its structure.

The one fact to know: the files are written for readers; what a page carries has no comments and no
indentation, and is deflated.
"""

from __future__ import annotations

import functools
import json
import re
import zlib

from ..base.files import encodable
from ..picture.theme import with_palette
from .spaces import without_spaces

STRICT = '"use strict";\n'
# Files that are alike stand near each other: deflated, the program is half a kilobyte smaller.
SCRIPTS = [
    "player_start.js",
    "player_fit.js",
    "player_room.js",
    "player_controls.js",
    "player_time.js",
    "player_opening.js",
    "player_none.js",
    "player_queue.js",
    "player.js",
    "player_map.js",
    "player_findings.js",
    "player_camera.js",
    "player_scenes.js",
    "player_graph.js",
    "player_panes.js",
    "player_matrix.js",
    "player_factors.js",
    "player_summary.js",
    "player_marks.js",
    "player_bars.js",
    "player_proof.js",
    "player_lens.js",
    "player_windows.js",
    "player_numbers.js",
    "player_microscope.js",
    "player_rules.js",
]


@functools.cache
def player_source() -> tuple[str, str]:
    """Give the player's script, and its looks and structure as a JavaScript object."""
    from importlib import resources  # loads much that importing viz need not

    folder = resources.files(__package__)
    script, css, structure = (
        "\n".join(lean((folder / name).read_text("utf-8")) for name in names)
        for names in (SCRIPTS, ["player.css"], ["player.html"])
    )
    script = STRICT + script.replace(STRICT, "")
    structure = re.sub(r'="([\w-]+)"(?=[ >])', r"=\1", structure).replace("</option>", "")
    css = re.sub(r"/\*.*?\*/", "", _used(with_palette(css)))
    css = re.sub(r'="([\w-]+)"\]', r"=\1]", css)
    # A space before ":" would mean something, so only those after a sign go.
    css = re.sub(r"(?<=[{;:,]) | (?=[{}])|\n", "", css).replace(";}", "}")
    assets = json.dumps({"css": css, "html": structure.replace("\n", "")}, ensure_ascii=False)
    # What is fixed for readers is so for the machine, too: the shorter word says the same to it.
    return without_spaces(script).replace("const ", "let "), assets.replace("</", "<\\/")


def _used(css: str) -> str:
    """Drop the colours of the palette that these looks do not need."""
    while unused := [name for name in re.findall(r"(--[\w-]+):", css) if f"var({name})" not in css]:
        css = re.sub(rf"({'|'.join(unused)}):[^;]*;\s*", "", css)
    return css


def lean(source: str) -> str:
    """Drop comments and indentation: the files are written for readers.

    A comment after code goes only if no quote follows its `//`: it might be within a text.
    """
    without = re.sub(r"^\s*(/\*.*?\*/|//[^\n]*)\s*?\n", "", source, flags=re.DOTALL | re.MULTILINE)
    without = re.sub(r" // [^\n\"'`]*$", "", without, flags=re.MULTILINE)
    return "\n".join(line.strip() for line in without.splitlines() if line.strip())


@functools.cache
def start_script() -> str:
    """Give the script element that upgrades every host on the page which still waits."""
    script, assets = player_source()
    return inflating(
        f"(() => {{\n{STRICT}let assets={assets};\n",
        f"{script}\nupgrade(Promise.resolve(assets));\n}})();",
    )


# The browser inflates the program itself and runs it as one more script of the page: what makes
# programs of text (`eval`) is refused by the page's own policy, and is not needed.
_INFLATE = """
const text = "PACKED";
const view = new DataView(new ArrayBuffer(text.length / 109 * 88));
text.match(/.{109}/g).forEach((group, i) => {
let number = [...group].reduce((sum, digit) => sum * 88n + BigInt("DIGITS".indexOf(digit)), 0n);
for (let word = 11; word--; number >>= 64n) view.setBigUint64(88 * i + 8 * word, number);
});
const script = document.createElement("script");
script.textContent = await new Response(new Blob([view]).slice(0, LENGTH).stream().pipeThrough(new DecompressionStream("deflate"))).text();
document.head.appendChild(script).remove();
"""  # noqa: E501
# 88 signs are neither blank nor read by HTML or a notebook (as tags, entities, formulas, texts'
# ends): 109 of them stand for 88 bytes. Base 85 would take 110, base 64 would take 117.
_DIGITS = "".join(chr(code) for code in range(33, 127) if chr(code) not in '"$&<\\`')
_BYTES, _LETTERS = 88, 109


def inflating(*parts: str) -> str:
    """Give a script element that holds a program deflated: each notebook output keeps a copy.

    Parts of different languages have letters of different frequency, so each has its own code.
    """
    deflate = zlib.compressobj(level=9, memLevel=9)  # its checksum finds every damaged byte
    small = b"".join(
        deflate.compress(encodable(part).encode()) + deflate.flush(zlib.Z_BLOCK) for part in parts
    )
    small += deflate.flush()
    filled = {"DIGITS": _DIGITS, "LENGTH": str(len(small)), "PACKED": _written(small)}
    start = without_spaces(lean(_INFLATE))
    script = re.sub("DIGITS|LENGTH|PACKED", lambda found: filled[found[0]], start)
    return f"<script>(async()=>{{{script}}})();</script>"


def _written(data: bytes) -> str:
    """Write bytes as signs, group by group; the last group is filled up with zeros."""
    groups = range(0, len(data), _BYTES)
    return "".join(_group(data[start : start + _BYTES].ljust(_BYTES, b"\0")) for start in groups)


def _group(data: bytes) -> str:
    number = int.from_bytes(data, "big")
    letters = []
    for _ in range(_LETTERS):
        number, digit = divmod(number, len(_DIGITS))
        letters.append(_DIGITS[digit])
    return "".join(reversed(letters))
