"""Small courses that are written into a folder for a test."""

from __future__ import annotations

from pathlib import Path

HEAD = "---\njupyter:\n  jupytext:\n    formats: md\n---\n"


def lesson(*cells: str, title: str = "A lesson") -> str:
    """A notebook in Jupytext's Markdown: texts, and code between fences."""
    return HEAD + "\n\n".join([f"# {title}", *cells]) + "\n"


def code(source: str, tags: str = "") -> str:
    """A cell of code."""
    mark = f' tags=["{tags}"]' if tags else ""
    return f"```python{mark}\n{source}\n```"


def course(folder: Path, settings: str = "", **lessons: str) -> Path:
    """A folder with notebooks."""
    folder.mkdir(parents=True, exist_ok=True)
    if settings:
        (folder / "course.toml").write_text(settings, "utf-8")
    for name, text in lessons.items():
        (folder / f"{name}.md").write_text(text, "utf-8")
    return folder


def contents(folder: Path) -> dict[str, bytes]:
    """All files of a folder with what is in them."""
    return {
        str(path.relative_to(folder)): path.read_bytes()
        for path in sorted(folder.rglob("*")) if path.is_file()
    }  # fmt: skip
