"""What runs in a live page's worker: each piece that a program gives, as JSON."""

from __future__ import annotations

import json
import sys
import types

import pytest

from minitape.viz.classroom.program import MAX_TEXT, run

SQUARE = """\
import minitape as tf
from minitape import viz
x = tf.Variable(3.0)
with tf.GradientTape(persistent=True) as tape:
    y = x * x
"""


def pieces(source: str) -> list[dict[str, object]]:
    got: list[str] = []
    run(source, got.append)
    return [json.loads(each) for each in got]


def test_what_is_printed_comes_before_and_after_a_player():
    found = pieces(SQUARE + "print('a', end='')\nviz.step(tape, y, x)\nprint('b', end='')\n")
    assert [each.get("text", each["kind"]) for each in found] == ["a", "player", "b"]
    assert "<svg" in str(found[1]["svg"]) and found[1]["data"]


def test_what_is_printed_just_before_an_endless_loop_was_handed_on_already():
    got = []

    def emit(piece):
        got.append(json.loads(piece)["text"])

    def forever():
        assert "".join(got) == "before\n"

    linked = types.ModuleType("endless")
    linked.forever = forever
    sys.modules["endless"] = linked
    run("import endless\nprint('before')\nendless.forever()\n", emit)
    del sys.modules["endless"]
    assert got == ["before", "\n"]


def test_a_gradient_that_is_asked_for_has_a_player_by_itself():
    found = pieces(SQUARE + "slope = tape.gradient(y, x)\n")
    assert [each["kind"] for each in found] == ["player"]


def test_a_program_that_shows_players_decides_which():
    found = pieces(SQUARE + "slope = tape.gradient(y, x)\nviz.step(tape, y, x)\n")
    assert [each["kind"] for each in found] == ["player"]


@pytest.mark.parametrize(("end", "text"), [("2 + 3", "5\n"), ("None", None), ("x = 5", None)])
def test_only_the_last_expression_is_shown_as_text(end, text):
    found = pieces(f"1 + 1\n{end}\n")
    assert [each["text"] for each in found] == ([text] if text else [])


def test_a_value_that_shows_itself_in_notebooks_does_so_here():
    page = "class A:\n    def _repr_html_(self):\n        return '<b>A</b>'\nA()\nx = 1\n"
    assert pieces(page) == [{"kind": "html", "html": "<b>A</b>"}]


def test_a_syntax_error_has_its_line_and_column():
    (found,) = pieces("x = 1\ny = = 2\n")
    assert (found["kind"], found["line"], found["column"]) == ("error", 2, 5)
    assert found["text"] == "SyntaxError: invalid syntax"


def test_an_exception_has_the_programs_own_last_line_and_the_way_there():
    *_, found = pieces("import json\ndef f(t):\n    return json.loads(t)\n\nf('{')\n")
    assert found["line"] == 3 and str(found["text"]).startswith("JSONDecodeError: ")
    assert "line 5, in <module>: f('{')" in str(found["way"])


def test_what_was_recorded_before_an_exception_is_shown():
    found = pieces(SQUARE + "tape.gradient(y, x)\n1 / 0\n")
    assert [each["kind"] for each in found] == ["player", "error"] and found[-1]["line"] == 7


def test_a_program_that_leaves_by_exit_has_no_error():
    assert pieces("import sys\nprint('a', end='')\nsys.exit(3)\n") == [
        {"kind": "text", "text": "a", "stream": "out"}
    ]


def test_text_without_end_is_cut_and_said_to_be():
    found = pieces("for n in range(100_000):\n    print('x' * 100)\n")
    whole = "".join(str(each["text"]) for each in found)
    assert MAX_TEXT <= len(whole) < MAX_TEXT + 200 and "left out" in whole


def test_errors_and_output_are_told_apart_and_keep_their_order():
    found = pieces("import sys\nprint('a')\nprint('b', file=sys.stderr)\nprint('c')\n")
    said = [(each["text"], each["stream"]) for each in found if each["text"] != "\n"]
    assert said == [("a", "out"), ("b", "err"), ("c", "out")]


def test_each_run_begins_anew_and_leaves_the_main_module_alone():
    main = sys.modules["__main__"]
    pieces("left = 1\n")
    (found,) = pieces("f'{__name__}, ' + str('left' in globals())\n")
    assert found["text"] == "'__main__, False'\n" and sys.modules["__main__"] is main


def test_plots_of_matplotlib_are_shown_once():
    plot = "import matplotlib\nmatplotlib.use('agg')\nimport matplotlib.pyplot as plt\n"
    (found,) = pieces(plot + "figure = plt.figure()\nplt.plot([1, 2])\nx = 1\n")
    assert found["kind"] == "image" and str(found["png"]).startswith("iVBOR")
    assert pieces("x = 1\n") == []
