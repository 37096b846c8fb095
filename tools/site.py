"""What the documentation site adds to the pages of `docs/`: MkDocs calls the functions below.

- The reference pages, the course and the pages at the top (changelog, contributing) are made.
- Each page's examples run, and `<!-- player: ... -->` becomes a player in a frame.
- Links to files outside of `docs/` lead to the repository, where its address is known.

Runs on what is in the checkout; nothing is fetched.
"""

from __future__ import annotations

import os
import re
import shutil
import sys
import tempfile
from pathlib import Path, PurePosixPath
from typing import Any

from mkdocs.structure.files import File

ROOT = Path(__file__).parents[1]
sys.path[:0] = [str(ROOT / "tools"), str(ROOT)]

import blocks
import metadata
import reference

PLACES = metadata.addresses()
# Pages at the top of the repository, and where the site has them.
TOP = {
    "CHANGELOG.md": "changelog.md",
    "CONTRIBUTING.md": "contributing.md",
    "CODE_OF_CONDUCT.md": "code-of-conduct.md",
    "README.md": "index.md",
    "tutorials/README.md": "tutorial/course.md",
}
_LINK = re.compile(r"(!?)\[((?:[^\[\]]|\[[^\]]*\])*)\]\(([^)\s]+)\)")
_FENCE = re.compile(r"(^ *```.*?^ *```$)", re.DOTALL | re.MULTILINE)
_PLAYER = re.compile(r"^<!-- player: .*? -->$", re.MULTILINE)
_made = Path(tempfile.mkdtemp())


def on_config(config: Any) -> Any:
    """Fills in the addresses, and the pages of `tf` in the navigation."""
    if PLACES["docs"]:
        config.site_url = PLACES["docs"]
    if PLACES["source"]:
        config.repo_url = PLACES["source"]
    pages = [{path: f"reference/{path}.md"} for path in reference.tf_pages()]
    config.nav = _with(config.nav, pages)
    return config


def _with(nav: Any, pages: list[Any]) -> Any:
    if isinstance(nav, list):
        return [_with(each, pages) for each in nav]
    if isinstance(nav, dict):
        return {name: _with(inner, pages) for name, inner in nav.items()}
    return pages if nav == "TF_PAGES" else nav


def on_files(files: Any, config: Any) -> Any:
    """Adds the pages and files that are made."""
    made = {
        "reference/viz.md": reference.viz_page(),
        "reference/command-line.md": reference.commands_page(),
        "tutorial/course.md": course_page(),
        **{f"reference/{path}.md": text for path, text in reference.tf_pages().items()},
    }
    for name, place in TOP.items():
        if place not in made and place != "index.md":
            made[place] = moved((ROOT / name).read_text("utf-8"), name, place)
    for place, text in made.items():
        files.append(File.generated(config, place, content=text))
    for file in course_files():
        files.append(File.generated(config, f"course/{file.name}", abs_src_path=str(file)))
    return files


def course_files() -> list[Path]:
    """The lessons as pages and slides."""
    from minitape.viz.course.pages import write_course

    folder = _made / "course"
    write_course(folder)
    return sorted(folder.iterdir())


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

    parts = _FENCE.split(text)
    return "".join(p if p.lstrip().startswith("```") else _LINK.sub(link, p) for p in parts)


def on_page_markdown(text: str, page: Any, config: Any, files: Any) -> str:
    """Links that leave `docs/`, and the players of a page."""
    place = page.file.src_uri

    def link(match: re.Match[str]) -> str:
        picture, words, to = match.groups()
        path, _, anchor = to.partition("#")
        if re.match(r"[a-z]+:", to) or not path:
            return match[0]
        target = os.path.normpath(PurePosixPath("docs") / PurePosixPath(place).parent / path)
        if target.startswith("docs" + os.sep) and files.get_file_from_path(target[5:]):
            return match[0]
        inside = TOP.get(target)
        if inside is None and re.fullmatch(r"tutorials/\w+\.ipynb", target):
            inside = f"course/{Path(target).stem}.html"
        if inside:
            back = os.path.relpath(inside, PurePosixPath(place).parent)
            return f"{picture}[{words}]({back}{'#' * bool(anchor)}{anchor})"
        if not (ROOT / target).exists():
            return match[0]  # a dead link: MkDocs says so
        return f"[{words}]({PLACES['source']}/blob/main/{target})" if PLACES["source"] else words

    parts = _FENCE.split(text)
    text = "".join(p if p.lstrip().startswith("```") else _LINK.sub(link, p) for p in parts)
    return with_players(text, page, config)


def with_players(text: str, page: Any, config: Any) -> str:
    """Runs a page that shows players, and puts them into frames."""
    if not _PLAYER.search(text):
        return text
    name = page.file.src_uri.removesuffix(".md")
    folder = _made / "players" / name
    made = blocks.run(text, folder)
    target = Path(config.site_dir, "players", name)
    shutil.rmtree(target, ignore_errors=True)
    shutil.copytree(folder, target)
    to = os.path.relpath(f"players/{name}", PurePosixPath(page.file.dest_uri).parent)
    frames = iter(made)

    def frame(match: re.Match[str]) -> str:
        said = match[0].removeprefix("<!-- player: ").removesuffix(" -->")
        file = next(frames)
        if not file:
            return ""
        return (
            f'<iframe class="player" src="{to}/{file}" loading="lazy" '
            f'title="What {said.replace(chr(34), chr(39))} shows"></iframe>'
        )

    return _PLAYER.sub(frame, text)


def on_post_build(config: Any) -> None:
    """Removes what was made on the way."""
    shutil.rmtree(_made, ignore_errors=True)
