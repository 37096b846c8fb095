"""What a notebook keeps of its outputs: words and still pictures, in few bytes.

A reader on a forge sees the course in them. Players, moving pictures and plots in their full size
come back when a cell is run, and pages of the course run every lesson. So a notebook holds none of
their programs and data, and does not change when a player does.
"""

from __future__ import annotations

import base64
import html
import math
import re
from collections import Counter
from collections.abc import Iterable, Iterator
from io import BytesIO
from itertools import groupby
from typing import Any
from xml.etree import ElementTree
from xml.etree.ElementTree import Element

import nbformat

from minitape.viz.quizzes.prediction import ANSWER, SHOWN

SVG, LINK = "http://www.w3.org/2000/svg", "{http://www.w3.org/1999/xlink}href"
ElementTree.register_namespace("", SVG)

CODED = re.compile(r"data:image/svg\+xml;base64,([\w+/=]+)")
DRAWN = re.compile(r"<svg\b.*?</svg>", re.DOTALL)
FIELD = re.compile(r"<p><label>.*?</label></p>")  # where the learner writes
OPENED = re.compile(  # each part of what a prediction shows when it is opened
    rf"(?<={SHOWN})(.*?)(?=</div>(?:{SHOWN}|{ANSWER}|</details></div>\Z))", re.DOTALL
)
STRAIGHT = re.compile(  # a curve that goes straight down
    r"^(?P<from>M(?P<x>[\d.]+)[ ,][\d.]+)C(?:(?P=x)[ ,][\d.]+[ ,]){2}(?P<to>(?P=x)[ ,][\d.]+)$"
)
FLAT = 0.2  # how far, in points, a line may be from the one with all of its points
THEMED = re.compile(r"var\(--[\w-]+, ?([^()]*)\)")
DARK = re.compile(r"@media ?\(prefers-color-scheme: ?dark\) ?\{([^{}]*\{[^{}]*\})*[^{}]*\}")
WRITTEN = ("font-family", "font-size", "text-anchor")  # only letters have these
PRESENTED = (*WRITTEN, "fill", "stroke", "stroke-width", "stroke-dasharray")
PLAIN = {"font-size": "medium", "text-anchor": "start"}  # what they are where nothing is said


def stills(output: Any) -> Iterator[Any]:
    """What is kept of an output of a cell: its words, then its pictures; often itself."""
    data = output.get("data", {})
    if "image/svg+xml" in data:
        data["image/svg+xml"] = lean(data["image/svg+xml"])
    page, words = data.get("text/html", ""), data.get("text/plain", "")
    if ANSWER in page or SHOWN in page:
        asked = FIELD.sub("", OPENED.sub(lambda part: folded(part[0]), page))
        data["text/html"] = re.sub(r"<div class=\"minitape-predict\"[^>]*>", "<div>", asked)
        del data["text/plain"]
    elif pictures := drawings(page):
        if not words.startswith("<") and not page.startswith('<div class="minitape-motion"'):
            yield nbformat.v4.new_output("display_data", {"text/plain": words})
        for each in pictures:
            yield nbformat.v4.new_output("display_data", {"text/html": picture(each, words)})
        return
    elif page and words and not words.startswith("<"):
        del data["text/html"]  # a table, which is written in the words, too
    yield output


def drawings(page: str) -> list[str]:
    """The pictures of a page, without programs and motion."""
    coded = [base64.b64decode(each).decode() for each in CODED.findall(page)]
    return [lean(each) for each in coded or map(still, DRAWN.findall(page))]


def folded(part: str) -> str:
    """A part of what a prediction shows: text as it is, or still pictures with their words."""
    alt = re.search(r'<img [^>]*alt="([^"]*)"', part)
    words = html.unescape(alt[1]) if alt else ""
    return "".join(picture(each, words) for each in drawings(part)) or part


def picture(drawing: str, words: str) -> str:
    """A drawing as an image, which a notebook shows before it is trusted; its title is its words."""
    root = ElementTree.fromstring(drawing)
    for each in root.findall(f"{{{SVG}}}title"):
        words = each.text or words
        root.remove(each)
    link = compact(root).replace("%", "%25").replace("#", "%23").replace('"', "'")
    return f'<img src="data:image/svg+xml,{link}" alt="{html.escape(words)}">'


def still(drawing: str) -> str:
    """A moving picture as it is printed: as it rests in the end."""
    root = ElementTree.fromstring(drawing)
    for parent in list(root.iter()):
        for each in list(parent):
            marks = each.attrib.pop("class", "").split()
            if named(each).startswith("animate") or {"moves", "button"} & set(marks):
                parent.remove(each)
            elif "comes" in marks:
                each.attrib.pop("opacity", None)
            elif "rests" in marks:
                each.set("fill-opacity", looks(each).get("--rest", "1"))
    for each in root.iter(f"{{{SVG}}}style"):
        each.text = (each.text or "").partition(".button")[0]
    *_, wide, high = root.get("viewBox", "").split()
    root.attrib |= {"width": wide, "height": high}
    return ElementTree.tostring(root, "unicode")


def lean(drawing: str) -> str:
    """The same picture in fewer bytes: nothing twice, and nothing finer than can be seen."""
    root = ElementTree.fromstring(THEMED.sub(r"\1", drawing))  # on paper, whatever the theme
    root.set("style", "background:#fff")
    referred = {a or b for a, b in re.findall(r"#([\w-]+)|aria-labelledby=\"([^\"]*)\"", drawing)}
    ruled = re.search(r"\btext ?\{", drawing)  # a rule goes before attributes, and what is above
    for parent in list(root.iter()):
        tidy(parent)
        for each in parent:
            if each.get("id") not in referred:
                each.attrib.pop("id", None)
            said_once(each, () if ruled else PRESENTED)
    flatten(root)
    for each in root.iter():
        if "d" in each.attrib:
            each.set("d", path(each.attrib["d"]))
    marked(root)
    joined(root)
    if not ruled:
        inherited(root)
    for each in root.iter(f"{{{SVG}}}style"):
        each.text = rules(each.text or "")
    return compact(root)


def compact(root: Element) -> str:
    """A drawing in quotation marks that JSON does not have to escape."""
    text = ElementTree.tostring(root, "unicode").replace(" />", "/>")
    return re.sub(r"=\"([^\"']*)\"(?=[^<>]*>)", r"='\1'", text)


def named(element: Element) -> str:
    """An element's name without its namespace."""
    return element.tag.rpartition("}")[2]


def tidy(parent: Element) -> None:
    """Takes out what only the writer of a picture needs, and white space between elements."""
    spaced = named(parent) in {"text", "tspan", "title", "style"}
    for each in list(parent):
        if named(each) == "metadata" or (named(each) == "text" and not len(each) and not each.text):
            parent.remove(each)
        each.tail = each.tail if spaced else None
        for key in [key for key in each.attrib if key.startswith("data-")]:
            del each.attrib[key]
    parent.text = parent.text if spaced else None


def flatten(parent: Element) -> None:
    """Puts what is in a group that says nothing in the place of the group."""
    for each in parent:
        flatten(each)
    for at in reversed(range(len(parent))):
        if named(parent[at]) == "g" and not parent[at].attrib:
            parent[at : at + 1] = list(parent[at])


def looks(element: Element) -> dict[str, str]:
    """The properties that an element's `style` sets."""
    pairs = (each.partition(":") for each in element.get("style", "").split(";") if ":" in each)
    return {key.strip(): value.strip() for key, _, value in pairs}


def look(element: Element, chosen: dict[str, str]) -> None:
    """Sets an element's `style`."""
    element.attrib.pop("style", None)
    if chosen:
        element.set("style", ";".join(f"{key}:{value}" for key, value in chosen.items()))


def said_once(element: Element, presented: Iterable[str]) -> None:
    """Short colours, no turn by nothing, and each property in one place."""
    found = {key: element.attrib[key] for key in presented if key in element.attrib}
    found |= looks(element)
    for key, value in found.items():
        element.attrib.pop(key, None)
        found[key] = re.sub(r"#(\w)\1(\w)\2(\w)\3\b", r"#\1\2\3", value)
    if "DejaVu Sans" in found.get("font-family", ""):
        wide = "Mono" in found["font-family"]
        found["font-family"] = "monospace" if wide else "DejaVu Sans,sans-serif"
    look(element, found)
    if element.get("transform", "").startswith(("rotate(-0 ", "rotate(0 ")):
        del element.attrib["transform"]
    if link := element.attrib.pop(LINK, None):
        element.set("href", of_few_colours(link))


def of_few_colours(link: str) -> str:
    """An image of at most 256 colours with a table of them; whatever else is linked, as it is."""
    from PIL import Image

    if not link.startswith("data:image/png;base64,"):
        return link
    image = Image.open(BytesIO(base64.b64decode(link.partition(",")[2])))
    colours = image.convert("RGB").getcolors(256)
    if colours is None or (image.mode == "RGBA" and image.getextrema()[3] != (255, 255)):
        return link.replace(" ", "").replace("\n", "")
    made, table = BytesIO(), image.convert("RGB").quantize(len(colours), dither=Image.Dither.NONE)
    table.save(made, "png", optimize=True)
    return f"data:image/png;base64,{base64.b64encode(made.getvalue()).decode()}"


def path(d: str) -> str:
    """A path of lines with its corners alone; any other with rounded numbers."""
    if re.search(r"[^MLZz\d.,\s-]", d := STRAIGHT.sub(r"\g<from>L\g<to>", d)):
        return re.sub(r"\s*([A-Za-z])\s*", r"\1", re.sub(r"-?\d*\.\d+", rounded, d)).strip()
    return "".join(map(piece, re.findall(r"M[^M]*", d)))


def piece(d: str) -> str:
    numbers = [float(each) for each in re.findall(r"-?[\d.]+", d)]
    points = list(zip(numbers[::2], numbers[1::2], strict=True))
    return through(corners(points)) + "z" * (d.rstrip()[-1] in "Zz")


def corners(points: list[tuple[float, float]]) -> list[tuple[float, float]]:
    """The points of a line but for those that lie on the way (Douglas and Peucker, 1973)."""
    if len(points) < 3:
        return points
    (x, y), (u, v) = points[0], points[-1]
    far = math.hypot(u - x, v - y)
    away = [
        abs((u - x) * (q - y) - (p - x) * (v - y)) / far if far else math.hypot(p - x, q - y)
        for p, q in points
    ]
    at = max(range(len(points)), key=away.__getitem__)
    if away[at] <= FLAT:
        return [points[0], points[-1]]
    return corners(points[: at + 1])[:-1] + corners(points[at:])


def through(points: list[tuple[float, float]]) -> str:
    """A path through points in tenths, each said from the one before."""
    tenths = [(round(10 * x), round(10 * y)) for x, y in points]
    made = "M" + both(*tenths[0])
    return made + "".join(
        onward(u - x, v - y) for (x, y), (u, v) in zip(tenths, tenths[1:], strict=False)
    )


def onward(x: int, y: int) -> str:
    """A line to a point from the one before, in tenths."""
    if x and y:
        return "l" + both(x, y)
    return f"v{tenth(y)}" if y else f"h{tenth(x)}"


def both(x: int, y: int) -> str:
    return tenth(x) + " " * (y >= 0) + tenth(y)


def tenth(number: int) -> str:
    return short(f"{number / 10:g}")


def rounded(number: re.Match[str]) -> str:
    """A coordinate to a tenth of a point, a factor to three digits."""
    value = float(number[0])
    return short(f"{round(value, 1):g}" if abs(value) >= 1 else f"{value:.3g}")


def short(number: str) -> str:
    return re.sub(r"^(-?)0\.", r"\1.", number)


def marked(root: Element) -> None:
    """The same mark at many places becomes one path with that mark at its points."""
    defined = {each.get("id"): each for each in root.iter() if "id" in each.attrib}
    for parent in list(root.iter()):
        uses: dict[tuple[str, str], list[Element]] = {}
        for each in parent.findall(f"{{{SVG}}}use"):
            uses.setdefault((each.get("href", ""), each.get("style", "")), []).append(each)
        for (link, _), places in uses.items():
            mark = defined.get(link[1:])
            if mark is None or len(places) < 3:
                continue
            name = f"{link[1:]}{len(defined)}"
            made = Element(
                f"{{{SVG}}}marker",
                {"id": name, "markerUnits": "userSpaceOnUse", "overflow": "visible"},
            )
            copy = ElementTree.SubElement(made, mark.tag, {"d": mark.get("d", "")})
            look(copy, looks(places[0]) | looks(mark))
            points = [(float(each.get("x", "0")), float(each.get("y", "0"))) for each in places]
            line = Element(
                f"{{{SVG}}}path", {"d": through(points), "style": f"fill:none;marker:url(#{name})"}
            )
            at = list(parent).index(places[0])
            for each in places:
                parent.remove(each)
            parent[at:at] = [made, line]
            defined[name] = made
    without_unused(root)


def without_unused(root: Element) -> None:
    """Takes out the definitions that nothing uses any more."""
    used = {each.get("href", "")[1:] for each in root.iter(f"{{{SVG}}}use")}
    for parent in list(root.iter()):
        for defs in parent.findall(f"{{{SVG}}}defs"):
            for each in list(defs):
                if named(each) == "path" and each.get("id") not in used:
                    defs.remove(each)
            if not len(defs):
                parent.remove(defs)


def joined(root: Element) -> None:
    """Paths that follow each other in one colour become one path for each look."""
    for parent in list(root.iter()):
        runs = groupby(list(parent), lambda each: (named(each) == "path", colours(each)))
        for (is_path, shown), run in runs:
            if not is_path or len(shown) != 1:
                continue  # of two colours one may lie on the other
            first: dict[tuple[tuple[str, str], ...], Element] = {}
            for each in run:
                look = tuple(sorted((k, v) for k, v in each.attrib.items() if k != "d"))
                if "id" in each.attrib or "marker" in each.get("style", "") or look not in first:
                    first[look] = each
                else:
                    first[look].set("d", first[look].get("d", "") + each.get("d", ""))
                    parent.remove(each)


def colours(element: Element) -> frozenset[str]:
    """The colours of a path; one that can be seen through has none that is sure."""
    found = looks(element)
    shown = {found.get("fill", ""), found.get("stroke", "none")} - {"none"}
    return frozenset() if "opacity" in str(found) or "class" in element.attrib else frozenset(shown)


def inherited(root: Element) -> None:
    """The commonest letters are said once, at the top."""
    texts = [(each, looks(each)) for each in root.iter(f"{{{SVG}}}text")]
    for key in WRITTEN:
        common = Counter(found.get(key) for _, found in texts).most_common(1)
        if common and common[0][0] and key not in root.attrib:
            root.set(key, common[0][0])
            for _, found in texts:
                if found.get(key) == common[0][0]:
                    del found[key]
                else:
                    found.setdefault(key, PLAIN.get(key, "inherit"))
    for each, found in texts:
        look(each, found)
        for part in each:
            own = looks(part)
            own.pop("font-family", None)
            look(part, own)


def rules(style: str) -> str:
    """A picture's rules for paper, none of them twice."""
    return re.sub(r"([\w-]+):[^;{}]*;(?=\1:)", "", DARK.sub("", style)).strip()
