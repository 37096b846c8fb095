"""Long work is counted where somebody looks on, and nowhere else."""

from __future__ import annotations

import io
import sys
from types import SimpleNamespace

import pytest

from minitape.viz.export import waiting


class Terminal(io.StringIO):
    def isatty(self):
        return True


@pytest.fixture
def clock(monkeypatch):
    """A clock that says what the test sets."""
    now = SimpleNamespace(seconds=0.0)
    monkeypatch.setattr(waiting, "time", SimpleNamespace(monotonic=lambda: now.seconds))
    return now


def work(clock, seconds):
    """Four frames of so many seconds each."""
    for each in waiting.counted("abcd", 4, "frame"):
        yield each
        clock.seconds += seconds


def test_a_terminal_is_told_after_two_seconds_and_its_line_goes_at_the_end(clock, monkeypatch):
    monkeypatch.setattr(sys, "stderr", terminal := Terminal())
    assert list(work(clock, 1.5)) == list("abcd")
    lines = terminal.getvalue().split("\r\x1b[K")
    assert lines == ["", "frame 3 of 4", "frame 4 of 4", ""]


def test_what_is_done_soon_is_not_counted(clock, monkeypatch):
    monkeypatch.setattr(sys, "stderr", terminal := Terminal())
    assert list(work(clock, 0.4)) == list("abcd")
    assert terminal.getvalue() == ""


def test_a_file_of_errors_is_not_written_to(clock, capsys):
    assert list(work(clock, 1.5)) == list("abcd")
    assert capsys.readouterr() == ("", "")


def test_work_that_is_broken_off_leaves_no_line(clock, monkeypatch):
    monkeypatch.setattr(sys, "stderr", terminal := Terminal())
    working = work(clock, 3.0)
    assert [next(working), next(working)] == ["a", "b"]
    working.close()
    assert terminal.getvalue() == "\r\x1b[Kframe 2 of 4\r\x1b[K"


def test_a_notebook_shows_one_line_below_its_cell_and_empties_it():
    nbformat = pytest.importorskip("nbformat")
    client = pytest.importorskip("nbclient")
    cell = nbformat.v4.new_code_cell(
        "from minitape.viz.export import waiting\n"
        "waiting.SECONDS = -1.0\n"
        "list(waiting.counted('ab', 2, 'step'))"
    )
    seen = []

    class Listening(client.NotebookClient):
        def process_message(self, message, cell, cell_index):
            seen.append((message["msg_type"], message["content"].get("data")))
            return super().process_message(message, cell, cell_index)

    Listening(nbformat.v4.new_notebook(cells=[cell])).execute()
    shown = [data["text/plain"] for kind, data in seen if "display_data" in kind]
    assert shown == ["", "step 1 of 2", "step 2 of 2", ""]
