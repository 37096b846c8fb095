"""Prepares and builds the documentation: `python tools/website.py`, then open `build/site`.

Everything that a page needs is made beforehand and lies in `build/docs`, as Markdown and files.
So no code of ours runs in the builder, and it can be exchanged: MkDocs with the Material theme, or
Zensical (`--with zensical`), which reads the same configuration.

- The reference pages, the course and the pages at the top (changelog, contributing) are made.
- Each page with players runs, and `<!-- player: ... -->` becomes a player in a frame.
- Formulas become MathML, so no script has to be fetched to set them.
- Links to files outside of `docs/` lead to the repository, where its address is known.

Nothing is fetched. A warning of the builder is an error.
"""

from __future__ import annotations

import argparse
import os
import re
import shutil
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path, PurePosixPath

ROOT = Path(__file__).parents[1]
sys.path[:0] = [str(ROOT / "tools"), str(ROOT)]

import blocks
import metadata
import reference

BUILD = ROOT / "build"
DOCS = BUILD / "docs"
PLACES = metadata.addresses()
# Pages at the top of the repository, and where the site has them.
TOP = {
    "CHANGELOG.md": "changelog.md",
    "CONTRIBUTING.md": "contributing.md",
    "CODE_OF_CONDUCT.md": "code-of-conduct.md",
    "README.md": "index.md",
    "tutorials/README.md": "tutorial/course.md",
}
LEFT_OUT = {"reference/viz_examples.md"}
# They mention everything, and answer few questions: the search puts them last.
FOUND_LAST = {"HISTORY.md", "changelog.md"}
_LINK = re.compile(r"(!?)\[((?:[^\[\]]|\[[^\]]*\])*)\]\(([^)\s]+)\)")
_FENCE = re.compile(r"^ *(`{3,}).*?^ *\1$", re.DOTALL | re.MULTILINE)
_CODE = re.compile(r"(`[^`\n]+`)")
_FORMULA = re.compile(r"\$\$(.+?)\$\$|\$(?! )([^$\n]+?)(?<! )\$", re.DOTALL)
_PLAYER = re.compile(r"^<!-- player: (.*?) -->$", re.MULTILINE)


def main() -> int:
    """Prepares and builds."""
    parser = argparse.ArgumentParser(description=__doc__.partition("\n")[0])
    parser.add_argument("--with", dest="builder", default="mkdocs", choices=["mkdocs", "zensical"])
    parser.add_argument("--to", type=Path, default=BUILD / "site", help="the folder (build/site)")
    options = parser.parse_args()
    prepare()
    config = BUILD / "mkdocs.yml"
    place = f"site_dir: {options.to.resolve().as_posix()}\n"
    config.write_text(configuration() + place, "utf-8")
    environment = {
        **os.environ,
        "NO_MKDOCS_2_WARNING": "1",
    }  # about the theme
    command = [sys.executable, "-m", options.builder, "build", "--strict", "-f", str(config)]
    return subprocess.run(command, cwd=BUILD, env=environment, check=False).returncode


def configuration() -> str:
    """The builder's configuration: with the addresses, and the pages of `tf` in the navigation."""
    text = (ROOT / "mkdocs.yml").read_text("utf-8")
    indent = " " * 10
    rows = "".join(f"\n{indent}- {path}: reference/{path}.md" for path in reference.tf_pages())
    text = text.replace(" TF_PAGES", rows)
    known = {"site_url": PLACES["docs"], "repo_url": PLACES["source"]}
    return text + "".join(f"{name}: {value}\n" for name, value in known.items() if value)


def prepare() -> None:
    """Writes everything that the builder reads."""
    shutil.rmtree(DOCS, ignore_errors=True)
    pages = {}
    for file in sorted((ROOT / "docs").rglob("*")):
        name = file.relative_to(ROOT / "docs").as_posix()
        if file.suffix == ".md" and name not in LEFT_OUT:
            pages[name] = file.read_text("utf-8")
        elif file.suffix in {".png", ".svg", ".css", ".js"}:
            (DOCS / name).parent.mkdir(parents=True, exist_ok=True)
            shutil.copyfile(file, DOCS / name)
    pages["reference/viz.md"] = reference.viz_page()
    pages["reference/command-line.md"] = reference.commands_page()
    pages["tutorial/course.md"] = course_page()
    pages |= {f"reference/{path}.md": text for path, text in reference.tf_pages().items()}
    for name, place in TOP.items():
        if place not in pages:
            pages[place] = moved((ROOT / name).read_text("utf-8"), name, place)
    write_course()
    for place, text in pages.items():
        (DOCS / place).parent.mkdir(parents=True, exist_ok=True)
        text = with_formulas(linked(with_players(text, place), place, set(pages)))
        if place in FOUND_LAST:
            text = f"---\nsearch:\n  boost: 0.1\n---\n{text}"
        (DOCS / place).write_text(text, "utf-8")


def write_course() -> None:
    """The lessons as pages and slides."""
    from minitape.viz.course.pages import write_course

    write_course(DOCS / "course")


def course_page() -> str:
    """The list of the lessons."""
    from minitape.viz.course.course import lessons

    rows = [
        f"{number}. [{each.title}](../course/{each.name}.html) "
        f"([slides](../course/{each.name}.slides.html))<br>{each.summary}"
        for number, each in enumerate(lessons(), 1)
    ]
    return (
        "# The course\n\nLessons of 50 minutes each. Here you can read them and step through "
        "their pictures. To change the code and do the exercises, install minitape and run "
        "`minitape tutorials`: it copies the notebooks and opens JupyterLab.\n\n"
        + "\n".join(rows)
        + "\n\nYou teach? The [lecturer's guide](../LECTURERS.md) has goals, minutes and what "
        "usually goes wrong.\n"
    )


def moved(text: str, source: str, place: str) -> str:
    """A page from elsewhere in the repository, with links that are right at its place here."""

    def link(match: re.Match[str]) -> str:
        picture, words, to = match.groups()
        if re.match(r"[a-z]+:|#", to):
            return match[0]
        target = os.path.normpath(PurePosixPath(source).parent / to)
        back = os.path.relpath(target, (PurePosixPath("docs") / place).parent)
        return f"{picture}[{words}]({back})"

    return outside_of_code(text, lambda part: _LINK.sub(link, part))


def linked(text: str, place: str, pages: set[str]) -> str:
    """A page whose links stay inside of the site, lead to the repository, or are their words."""

    def link(match: re.Match[str]) -> str:
        picture, words, to = match.groups()
        path, _, anchor = to.partition("#")
        if re.match(r"[a-z]+:", to) or not path:
            return match[0]
        target = os.path.normpath(PurePosixPath("docs") / PurePosixPath(place).parent / path)
        target = target.replace(os.sep, "/")
        inside = target.removeprefix("docs/")
        if target.startswith("docs/") and (inside in pages or (DOCS / inside).is_file()):
            return match[0]
        inside = TOP.get(target, "")
        if re.fullmatch(r"tutorials/\w+\.ipynb", target):
            inside = f"course/{Path(target).stem}.html"
        if inside:
            back = os.path.relpath(inside, PurePosixPath(place).parent).replace(os.sep, "/")
            return f"{picture}[{words}]({back}{'#' * bool(anchor)}{anchor})"
        if not (ROOT / target).exists():
            return match[0]  # a dead link: the builder says so
        return f"[{words}]({PLACES['source']}/blob/main/{target})" if PLACES["source"] else words

    return outside_of_code(text, lambda part: _LINK.sub(link, part))


def outside_of_code(text: str, change: Callable[[str], str]) -> str:
    """The text with everything changed but its blocks of code."""
    parts, end = [], 0
    for block in _FENCE.finditer(text):
        parts += [change(text[end : block.start()]), block[0]]
        end = block.end()
    return "".join([*parts, change(text[end:])])


def with_formulas(text: str) -> str:
    """Formulas between dollars as MathML."""
    from minitape.viz.course.formulas import mathml

    def formula(match: re.Match[str]) -> str:
        made = mathml(match[1] or match[2], block=match[1] is not None)
        return " ".join(made.split())

    def prose(part: str) -> str:
        pieces = _CODE.split(part)
        return "".join(p if p.startswith("`") else _FORMULA.sub(formula, p) for p in pieces)

    return outside_of_code(text, prose)


def with_players(text: str, place: str) -> str:
    """Runs a page that shows players, and puts them into frames."""
    if not any(block.kind == "player" for block in blocks.blocks(text)):
        return text
    name = place.removesuffix(".md")
    made = iter(blocks.run(text, DOCS / "players" / name))
    to = os.path.relpath(f"players/{name}", PurePosixPath(place).parent).replace(os.sep, "/")

    def frame(match: re.Match[str]) -> str:
        file, said = next(made), match[1].replace('"', "'")
        if not file:
            return ""
        source = f'src="{to}/{file}"'
        return f'<iframe class="player" {source} loading="lazy" title="What {said} shows"></iframe>'

    return outside_of_code(text, lambda part: _PLAYER.sub(frame, part))


if __name__ == "__main__":
    sys.exit(main())
