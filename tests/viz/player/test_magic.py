"""`%%tape` and `%tape` in a shell of their own."""

from __future__ import annotations

import io
from contextlib import redirect_stdout

import pytest

IPython = pytest.importorskip("IPython", reason="no test of magics: install the extra notebook")

from IPython.core.interactiveshell import InteractiveShell  # noqa: E402

from minitape import viz  # noqa: E402
from minitape.viz.notebook import magic  # noqa: E402


@pytest.fixture
def shell(monkeypatch):
    """A new shell with the extension, whose players are kept in `shell.shown`."""
    InteractiveShell.clear_instance()
    shell = InteractiveShell.instance()
    shell.history_manager.enabled = False
    shell.shown = []
    monkeypatch.setattr(magic, "_display", shell.shown.append)
    viz.load_ipython_extension(shell)
    run(shell, "import minitape as tf; from minitape import viz\nx = tf.Variable(3.0)")
    yield shell
    viz.unload_ipython_extension(shell)
    InteractiveShell.clear_instance()


def run(shell, cell):
    """Runs a cell, and gives its error (None without one) and what it printed."""
    printed = io.StringIO()
    with redirect_stdout(printed):
        result = shell.run_cell(cell)
    return result.error_in_exec, printed.getvalue()


CELL = (
    "%%tape\nwith tf.GradientTape() as tape:\n    y = x * x\ng = tape.gradient(y, x)\nprint('done')"
)


def test_a_cell_is_run_and_its_gradient_is_shown(shell):
    _, printed = run(shell, CELL)
    assert "done" in printed
    (player,) = shell.shown
    assert player.gradients["x"].data == (6.0,)
    assert float(shell.user_ns["g"]) == 6.0


def test_lines_have_the_numbers_of_the_cell(shell):
    run(shell, CELL)
    lines = [node.line for node in shell.shown[0].trace.nodes if node.line]
    assert [(line.number, line.text.strip()) for line in lines] == [(3, "y = x * x")]


def test_lines_have_the_number_of_the_cell_too(shell):
    shell.execution_count = 7
    shell.run_cell(CELL, store_history=True)
    assert {n.line.cell for n in shell.shown[0].trace.nodes if n.line} == {7}
    assert shell.execution_count == 8


def test_each_gradient_call_has_its_player(shell):
    run(shell, CELL.replace("as tape", "(persistent=True) as tape").replace("()", "", 1)
        + "\nh = tape.gradient(y * 1.0, x) if False else tape.gradient(y, x)")  # fmt: skip
    assert len(shell.shown) == 2


def test_with_names_the_cell_needs_no_tape(shell):
    run(shell, "%%tape z x\nz = x * x * x")
    (player,) = shell.shown
    assert float(player.gradients[0]) == 27.0
    assert player.trace.title == "gradient of z with respect to x"


def test_a_tensor_of_an_earlier_cell_is_watched(shell):
    run(shell, "c = tf.constant(2.0)")
    run(shell, "%%tape z c x\nz = c * x")
    assert [float(g) for g in shell.shown[0].gradients] == [3.0, 2.0]


def test_a_gradient_inside_a_cell_with_names_leaves_no_nodes(shell):
    run(shell, "%%tape loss x\n" + CELL.removeprefix("%%tape\n") + "\nloss = x * 2.0")
    ops = [node.op for node in shell.shown[0].trace.nodes if node.op]
    assert ops == ["multiply"]


def test_a_tensor_of_the_cell_itself_is_explained(shell):
    _, printed = run(shell, "%%tape z c\nc = tf.constant(2.0)\nz = c * x")
    assert "make c a tf.Variable" in printed


def test_a_cell_without_a_tape_says_what_to_write(shell):
    _, printed = run(shell, "%%tape\n1 + 1")
    assert "with tf.GradientTape() as tape" in printed and shell.shown == []


def test_an_error_in_the_cell_is_shown_as_usual_and_no_player(shell):
    _, printed = run(shell, "%%tape\n1 / 0")
    assert "ZeroDivisionError" in printed and shell.shown == []


@pytest.mark.parametrize("line", ["%%tape z\nz = x", "%%tape z x+1\nz = x", "%tape maybe", "%tape"])
def test_a_magic_written_wrongly_says_how_to_write_it(shell, line):
    from IPython.core.error import UsageError

    error, _ = run(shell, line)
    assert isinstance(error, UsageError)
    assert "%%tape target source" in str(error)


def test_a_name_that_is_no_tensor_is_refused(shell):
    error, _ = run(shell, "%%tape z x\nz = 'text'")
    assert "leaves no tensor or variable" in str(error)


def test_a_session_records_the_cells_after_it(shell):
    run(shell, "%tape on")
    run(shell, "with tf.GradientTape() as tape:\n    y = tf.exp(x + 1.0)")
    run(shell, "player = viz.step(tape, y, x)")
    nodes = shell.user_ns["player"].trace.nodes
    assert {n.line.text.strip() for n in nodes if n.op} == {"y = tf.exp(x + 1.0)"}
    assert all(node.value is not None for node in nodes)


def test_a_session_ends_and_leaves_nothing_on_the_engines_stack(shell):
    from minitape.interpreter import active

    run(shell, "%tape on")
    run(shell, "y = x * x")
    run(shell, "%tape off")
    run(shell, "y = x * x")
    assert active() == ()
    assert shell._minitape_tapes.session is None


def test_loading_twice_changes_nothing_and_unloading_takes_the_magics_away(shell):
    viz.load_ipython_extension(shell)
    viz.unload_ipython_extension(shell)
    assert "tape" not in shell.magics_manager.magics["cell"]


def test_names_may_stand_with_commas_as_in_a_list(shell):
    run(shell, "%%tape z, x\nz = x * x * x")
    assert len(shell.shown) == 1


@pytest.mark.parametrize("kind", ["line", "cell"])
def test_the_magic_has_help(shell, kind):
    text = shell.find_magic("tape", kind).__doc__
    assert "%%tape loss w b" in text
    assert "%tape on" in text and "%tape explain on" in text
    assert "%%tape loss w b" in shell.object_inspect_text("%tape" if kind == "line" else "%%tape")
