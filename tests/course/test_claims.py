"""What the lessons say, recomputed: from a lesson's own cells, or from a closed form."""

from __future__ import annotations

import base64
import contextlib
import inspect
import io
import json
import math
import os
import re
import subprocess
import sys
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import minitape as tf
from lesson_cells import FOLDER, build, cells, prose
from minitape import viz
from minitape.backward import backward
from minitape.viz.course.running import with_outputs

pyplot = pytest.importorskip("matplotlib.pyplot", reason="the lessons draw (extra plot)")


def with_predictions(found: list[Any]) -> list[str]:
    """The cells of code, each with the prediction that follows it at once."""
    code: list[str] = []
    for before, cell in zip([None, *found], found, strict=False):
        follows = before is not None and before.kind == "code" and bool(code)
        if cell.kind == "code" and follows and cell.text.startswith("with viz.predict("):
            code[-1] += "\n" + cell.text
        elif cell.kind == "code":
            code.append(cell.text)
    return code


def run(lesson: str, *parts: str) -> tuple[dict[str, Any], str]:
    """Names and printed text of a lesson's first cell (imports), and of those that hold `parts`."""
    code = with_predictions(cells(lesson))
    chosen = [code[0]]
    for part in parts:
        (found,) = [text for text in code[1:] if part in text]
        chosen += [found] if found not in chosen else []
    names: dict[str, Any] = {"__name__": "lesson"}
    printed = io.StringIO()
    with contextlib.redirect_stdout(printed):
        for text in chosen:
            exec(compile(text, f"<lesson {lesson}>", "exec"), names)
    return names, printed.getvalue()


def run_apart(lesson: str, *parts: str) -> str:
    """The text that `run` gives, in a process of its own: for cells that declare ops."""
    code = f"from test_claims import run; print(run({lesson!r}, *{parts!r})[1])"
    tests = Path(__file__).parents[1]
    paths = os.pathsep.join(map(str, [Path(__file__).parent, tests, FOLDER.parent]))
    done = subprocess.run(
        [sys.executable, "-W", "ignore", "-c", code],
        env=os.environ | {"PYTHONPATH": paths, "MPLBACKEND": "Agg"},
        capture_output=True,
        text=True,
        check=False,
    )
    assert done.returncode == 0, done.stderr
    return done.stdout


def numbers(text: str) -> list[float]:
    return [float(each) for each in re.findall(r"-?\d+\.?\d*(?:e[-+]?\d+)?", text)]


@pytest.fixture(autouse=True)
def without_windows():
    """Figures are drawn and closed, whatever the lessons do."""
    pyplot.switch_backend("Agg")
    yield
    pyplot.close("all")


# Lesson 2: Newton, Gauss-Newton and gradient descent


@pytest.fixture(scope="module")
def newton():
    parts = ["def loss_of_network", "def newton_system", "def walk("]
    return run("02", *parts, "def gauss_newton_system", "border = 2.0")


def losses_after(label: str, printed: str) -> list[float]:
    (line,) = [each for each in printed.splitlines() if each.startswith(label + ":")]
    return numbers(line.split(":")[1])


def closed_form(kernel: np.ndarray, names: dict[str, Any]) -> tuple[float, np.ndarray, np.ndarray]:
    """Loss, gradient and Gauss-Newton's matrix of the network, by pencil, in NumPy."""
    x, second, wanted = (names[key].numpy() for key in ("x", "second", "wanted"))
    hidden = np.tanh(x @ kernel)
    off = (hidden @ second - wanted) / np.sqrt(180)
    slope = (1 - hidden**2) / np.sqrt(180)
    jacobian = np.einsum("ni,nj,jo->noij", x, slope, second).reshape(180, 40)
    return float(np.sum(off**2)), 2 * jacobian.T @ off.ravel(), 2 * jacobian.T @ jacobian


def test_gauss_newton_arrives_in_four_steps_by_the_closed_form_too(newton):
    names, printed = newton
    kernel, losses = names["start"].copy(), []
    for _ in range(20):
        loss, gradient, matrix = closed_form(kernel, names)
        losses.append(loss)
        kernel -= np.linalg.solve(matrix, gradient).reshape(5, 8)
    np.testing.assert_allclose(losses_after("Gauss-Newton", printed), losses[:5], atol=6e-5)
    assert losses[4] - losses[-1] < 1e-6 < losses[2] - losses[-1]
    assert float(names["lowest"]) == pytest.approx(losses[-1], rel=1e-6)


def test_newton_climbs_with_seven_negative_eigenvalues_and_with_damping_too(newton):
    names, printed = newton
    kernel, step = names["start"], 1e-5
    rows = []
    for direction in np.eye(40).reshape(40, 5, 8):
        ahead, behind = (closed_form(kernel + s * direction, names)[1] for s in (step, -step))
        rows.append((ahead - behind) / (2 * step))
    hessian = np.array(rows)
    values = np.linalg.eigvalsh((hessian + hessian.T) / 2)
    assert np.sum(values < 0) == 7
    assert values[0] > -0.1  # so that a damping of 0.1 makes it positive definite
    slope = closed_form(kernel, names)[1]
    for label, damping, length in (
        ("Newton", 0.0, "10.9"),
        ("Newton with damping 0.1", 0.1, "2.7"),
    ):
        update = np.linalg.solve(hessian + damping * np.eye(40), slope)
        after = closed_form(kernel - update.reshape(5, 8), names)[0]
        losses = losses_after(label, printed)
        assert slope @ update > 0  # taken away: downhill
        assert f"{np.linalg.norm(update):.1f}" == length
        assert length in prose("02")
        assert losses[1] == pytest.approx(after, abs=1e-3)
        assert losses[1] > losses[0]
        assert min(losses) == losses[0]
    assert "Seven directions bend down" in prose("02")
    assert f"{np.linalg.norm(kernel - names['teacher']):.1f}" == "1.6"


def test_newton_s_second_step_in_the_network_points_uphill(newton):
    names, _ = newton

    def bend(kernel, step=1e-5):
        rows = [
            (closed_form(kernel + e, names)[1] - closed_form(kernel - e, names)[1]) / (2 * step)
            for e in step * np.eye(40).reshape(40, 5, 8)
        ]
        return (np.array(rows) + np.transpose(rows)) / 2

    kernel, along = names["start"], []
    for _ in range(2):
        slope = closed_form(kernel, names)[1]
        update = np.linalg.solve(bend(kernel), slope)
        along.append(-slope @ update)
        kernel = kernel - update.reshape(5, 8)
    assert along[0] < 0 < along[1]
    assert "Newton's first step still points downhill" in prose("02")
    assert "The second step points uphill" in prose("02")


def test_the_fit_of_the_network_is_a_little_better_than_the_teacher_itself(newton):
    names, _ = newton
    of_teacher = closed_form(names["teacher"], names)[0]
    assert f"{of_teacher:.4f}" == "0.0022"
    assert float(names["lowest"]) < of_teacher < 2 * float(names["lowest"])


def test_the_arrow_downhill_in_the_picture_of_a_saddle_is_minus_its_gradient():
    names, _ = run("02", "Newton's step: from {")
    arrows = {
        text.arrow_patch.get_linestyle(): text.xy
        for text in names["plt"].gca().texts
        if getattr(text, "arrow_patch", None)
    }
    end = arrows["dashed"]
    x, y = 0.5, 1.0
    way = np.array(end) - [x, y]
    downhill = np.array([-2 * x, y])  # of x^2 - y^2 / 2
    np.testing.assert_allclose(way / np.linalg.norm(way), downhill / np.linalg.norm(downhill))
    assert names["plt"].gca().get_aspect() == 1.0


def test_newton_s_step_goes_up_on_a_hill_and_up_or_down_on_a_saddle():
    def gain(hessian, x):
        return -0.5 * np.array(x) @ np.diag(hessian) @ x  # to the middle, at 0

    draw = np.random.default_rng(0)
    assert all(gain([-1.0, -3.0], x) > 0 for x in draw.normal(size=(20, 2)))
    assert gain([2.0, -1.0], [0.0, 1.0]) > 0 > gain([2.0, -1.0], [1.0, 0.0])


def test_a_step_of_gauss_and_newton_points_downhill_by_twice_the_square_of_js():
    draw = np.random.default_rng(0)
    J, e = draw.normal(size=(7, 3)), draw.normal(size=7)
    s, g = np.linalg.solve(J.T @ J, J.T @ e), 2 * J.T @ e
    assert g @ s == pytest.approx(2 * np.sum((J @ s) ** 2))


def test_for_a_square_jacobian_the_least_squares_are_the_equations():
    J, e = np.random.default_rng(0).normal(size=(2, 2)), np.array([1.0, -2.0])
    np.testing.assert_allclose(np.linalg.solve(J.T @ J, J.T @ e), np.linalg.solve(J, e))


def test_gradient_descent_needs_about_a_thousand_steps_at_its_best_rate(newton):
    names, printed = newton
    table = {key: losses_after(f"rate {key}", printed) for key in ("0.3", "1.0", "1.6", "2.0")}
    best = min(table, key=lambda rate: table[rate][2])
    assert best == "1.6"
    assert float(best) < names["border"] < 2.0
    assert table[best][1] > 1e-6 > table[best][2]
    assert table["2.0"][2] > 1e-3
    loss, kernel = 0.0, names["start"].copy()
    for _ in range(101):
        loss, gradient, _ = closed_form(kernel, names)
        kernel -= 1.6 * gradient.reshape(5, 8)
    assert table[best][1] == pytest.approx(loss - float(names["lowest"]), rel=0.05)


# Lesson 2: calm models


@pytest.mark.slow
def test_a_network_is_calm_only_where_its_slope_was_asked_for():
    names, printed = run("02", "def trained(", "at_points =")
    rows = {line[:18].strip(): numbers(line[18:]) for line in printed.splitlines()[1:]}
    error, at_points, largest = range(3)
    wanted = names["seen"].numpy()
    assert rows["slopes only"][at_points] == rows["slopes only"][largest] == 0.0
    assert rows["slopes only"][error] > np.var(wanted) - 0.1  # as bad as one number for all
    stairs, plain = rows["both, at the data"], rows["error only"]
    calm = rows["both, everywhere"]
    assert stairs[at_points] < plain[at_points] / 3
    assert stairs[largest] > 2 * plain[largest]
    assert calm[largest] < plain[largest]
    assert calm[error] < 1.2 * plain[error]


@pytest.mark.slow
def test_the_calm_network_s_slope_is_that_of_differences():
    names, _ = run("02", "def trained(", "at_points =")
    network, line = names["cases"]["both, at the data"], names["line"].numpy()
    ahead, behind = (network(tf.constant(line + h)).numpy() for h in (1e-3, -1e-3))
    expected = (ahead - behind) / 2e-3
    np.testing.assert_allclose(names["slopes"](network, names["line"]), expected, atol=0.02)


def test_the_areas_of_the_outer_tape_are_called_as_the_picture_calls_them():
    names, _ = run("02", "def steepness")
    page = names["player"]._repr_mimebundle_()["text/html"]
    svg = base64.b64decode(re.search(r"svg\+xml;base64,([A-Za-z0-9+/=]+)", page)[1]).decode()
    texts = re.findall(r"<text[^>]*>([^<]*)</text>", svg)
    said = re.findall(r"\b([ABC]), \*([^*]+)\*", prose("02"))
    assert [letter for letter, _ in said] == ["A", "B", "C"]
    for letter, name in said:
        at = next(i for i, text in enumerate(texts) if text.startswith(name))
        assert texts[at - 1] == letter


# Lesson 1: the chain rule as a picture


def test_the_slopes_in_the_picture_of_the_chain_rule_are_those_of_two_runs():
    (cell,) = [each.text for each in cells("01") if "there_and_back(\n" in each.text]
    h, price = 1e-5, lambda side: 2.0 * side**2
    area = ((3 + h) ** 2 - (3 - h) ** 2) / (2 * h)
    whole = (price(3 + h) - price(3 - h)) / (2 * h)
    for words in ('("side = 3", "12")', '("area = 9", "2")', '("price = 18", "1")', "× 6", "× 2"):
        assert words in cell
    assert (area, whole) == pytest.approx((6, 12), rel=1e-6)
    assert (3**2, price(3)) == (9, 18)


def test_round_the_circle_of_lesson_1_the_miss_grows_most_along_the_gradient():
    names, _ = run("01", "def fly(", "def miss(", "circling(\n")
    start = np.array([10.0, 10.0])
    slopes = two_sided(lambda v: squared_miss(v), start, h=1e-5)
    assert names["g"] == pytest.approx(list(slopes), abs=0.05)
    way = slopes / np.linalg.norm(slopes)
    seen = [squared_miss(start + 0.1 * d) - squared_miss(start) for d in (way, -way)]
    assert [f"{each:+.1f}" for each in seen] == ["+1.6", "-1.6"]
    words = sorted(names["marked"].values())
    assert words == ["across g: 0 m²", "against g: -1.6 m²", "along g: +1.6 m²"]
    top, low = (int(pick(names["grown"])) for pick in (np.argmax, np.argmin))
    assert names["marked"][top][:7] == "along g" and names["marked"][low][:9] == "against g"


# Lesson 2: once round the circle of errors


def test_the_misses_round_the_circle_are_those_of_throws_in_numpy():
    names, _ = run(
        "02", "def fly(", "RING =", "bend = outer", "= np.linalg.eigh(bend)", "circling(\n"
    )
    hit = np.array([15.6458, 11.7326])
    thrown = [100 * squared_miss(hit + each) ** 0.5 for each in names["circle"]]
    np.testing.assert_allclose(names["thrown"], thrown, rtol=1e-6)
    seen = [thrown[0], min(thrown), thrown[24], max(thrown)]
    assert np.round(seen).tolist() == [11, 10, 14, 15]
    assert sorted(names["marked"].values()) == ["10 cm", "15 cm", "across: 11 cm", "up: 14 cm"]
    top, low = (thrown.index(pick(thrown[:49])) for pick in (max, min))
    assert {top, low} <= set(names["marked"])


# Lesson 4: what the cut path would have brought


def test_what_is_lost_at_the_cut_is_the_difference_to_two_throws():
    names, _ = run("04", "HEIGHTS =", "persistent=True) as tape:\n    far = miss(v)", "meeting(\n")
    lost = names["right"] - names["got"]
    assert lost == pytest.approx(3.23, abs=0.005)
    assert "What the other one would bring, 3.23" in prose("04")


def test_the_strips_of_lesson_4_are_seven_halvings_of_a_hundred_lines():
    names, _ = run("04", "def halved(")
    picture = names["halved"](lines=100, bad=47)
    words = re.findall(r"font-size:13px\">([^<]+)<", picture.svg)
    left = [int(each.split()[0]) for each in words[:-1]]
    assert (left, words[-1]) == ([100, 50, 25, 13, 7, 4, 2], "line 47")
    (asked,) = [each.text for each in cells("04") if "halved(lines=100" in each.text]
    assert "100, 50, 25, 13, 7, 4, 2, 1" in asked and "bad=47" in asked
    assert math.ceil(math.log2(100)) == 7 and math.ceil(math.log2(1000)) == 10
    assert "a hundred lines take seven comparisons" in prose("04")
    for bad in range(1, 101):
        assert names["halved"](100, bad).svg.count("font-size:13px") <= 8
        assert f">line {bad}<" in names["halved"](100, bad).svg


# Lessons 2 and 3: two derivatives that differ


OWN_TAPE = ["class Value:", "class Op(", "class Record(", "class Tape:", "def summed_to("]
OWN_TAPE += ["once through the records"]
CUBES = [("02", ["first: "]), ("03", [*OWN_TAPE, "def layered(", "# 3 x**2"])]


@pytest.mark.parametrize(("lesson", "parts"), CUBES)
def test_the_two_derivatives_of_the_cube_are_27_and_18(lesson, parts):
    _, printed = run(lesson, *parts)
    found = numbers(printed)
    at = found.index(3 * 3.0**2)
    assert found[at + 1] == 6 * 3.0
    assert "27" in prose(lesson)
    assert "18" in prose(lesson)


# Lesson 3: its pictures say what its tape says


def test_the_tape_beside_the_first_graph_of_lesson_3_is_the_one_that_is_recorded():
    names, _ = run("03", *OWN_TAPE, "def written(")
    x = names["Value"](2.0)
    with names["Tape"]() as tape:
        tape.watch(x)
        y = x * x + 3.0 * x
    called = {x: "x", tape.records[0].output: "a", tape.records[1].output: "b", y: "y"}
    lines = []
    for number, (op, inputs, output) in enumerate(tape.records, 1):
        used = sorted((called.get(each, "3") for each in inputs), key="xab3".index)
        lines.append(f"{number} {op.name} {', '.join(used)} → {called[output]}")
    seen = [" ".join(each.split()) for each in re.findall(r">(\d  [^<]+)<", names["written"]().svg)]
    assert seen == lines


def test_the_lines_in_the_picture_of_the_outer_tape_are_its_records_and_six_are_backward():
    names, _ = run("03", *OWN_TAPE, "def layered(", "# 3 x**2")
    seen = re.findall(r">(\w+   [^<]+)<", names["layered"](names["inner"], names["outer"]).svg)
    results = [float(line.split("→")[1]) for line in seen]
    assert results == [float(record.output.array) for record in names["outer"].records]
    assert (len(seen), results[-1]) == (8, 27.0)
    assert [line.split()[0] for line in seen[2:]].count("add") == 2


def test_the_sums_in_the_picture_of_a_broadcast_are_those_of_the_bias():
    names, _ = run("03", *OWN_TAPE, "rng = np.random", "def repeated(")
    gradient = names["tape"].gradient(names["outputs"], names["bias"]).array
    svg = names["repeated"]().svg
    last = re.findall(r'class="comes"[^>]*font-weight:bold">(\d)<', svg)
    assert [float(each) for each in last] == gradient.tolist() == [4.0, 4.0]
    assert names["bias"].array.tolist() == [0.5, -0.5] and svg.count(">0.5<") >= 5


# Lesson 3: two loops side by side


def test_each_line_of_the_two_loops_side_by_side_is_in_its_source():
    texts = [each.text for each in cells("03")]
    (cell,) = [text for text in texts if "def line_of" in text]
    (own,) = [text for text in texts if "once through the records" in text]
    pairs = re.findall(r"\(\[(.*?)\], \[(.*?)\]\)", cell)
    assert len(pairs) == 6
    for ours, theirs in pairs:
        assert all(own.count(part) == 1 for part in re.findall(r'"(.*?)"', ours))
        engine = inspect.getsource(backward)
        assert all(engine.count(part) == 1 for part in re.findall(r'"(.*?)"', theirs))


# Lesson 3: the way back


def test_a_value_of_lesson_3_stands_right_of_an_array_too():
    names, _ = run("03", *OWN_TAPE)
    x = names["Value"]([1.0, 2.0])
    with names["Tape"]() as tape:
        tape.watch(x)
        y = np.array([3.0, 4.0]) * x
    assert y.array.tolist() == [3.0, 8.0]
    assert tape.gradient(y, x).array.tolist() == [3.0, 4.0]


def test_each_share_of_the_product_of_matrices_is_the_sum_that_lesson_3_writes():
    names, _ = run("03", *OWN_TAPE)
    draw = np.random.default_rng(0)
    x, y, g = draw.normal(size=(2, 3)), draw.normal(size=(3, 4)), draw.normal(size=(2, 4))
    by_x, by_y = (rule(*map(names["Value"], (g, x, y))).array for rule in names["matmul"].rules)
    np.testing.assert_allclose(by_x, np.einsum("ij,kj->ik", g, y))
    np.testing.assert_allclose(by_y, np.einsum("ij,ik->kj", g, x))


def test_the_loop_of_lesson_3_walked_forward_brings_nothing_to_x():
    names, _ = run("03", *OWN_TAPE)
    x = names["Value"](2.0)
    with names["Tape"]() as tape:
        tape.watch(x)
        y = x * x + 3.0 * x
    tape.records.reverse()
    assert tape.gradient(y, x) is None
    assert "Walked forward, the first records find no $g$" in prose("03")


def test_a_target_of_several_elements_counts_as_their_sum_and_a_seed_weighs_them():
    names, _ = run("03", *OWN_TAPE)
    x = names["Value"](2.0)
    with names["Tape"]() as tape:
        tape.watch(x)
        y = x * [3.0, 4.0]
    assert tape.gradient(y, x).array == 3.0 + 4.0
    assert tape.gradient(y, x, seed=np.array([10.0, 1.0])).array == 34.0


def test_the_column_of_lesson_3_gets_the_sum_of_what_it_was_multiplied_by():
    _, printed = run("03", *OWN_TAPE, "rng = np.random", "column = Value")
    assert numbers(printed.splitlines()[-1]) == [4.0, 4.0, 1.0 + 2.0 + 3.0, 6.0]


def test_each_order_of_derivatives_on_the_tape_of_lesson_3_has_a_longer_tape():
    names, _ = run("03", *OWN_TAPE)
    x, tapes = names["Value"](1.1), [names["Tape"]() for _ in range(4)]
    for tape in tapes:
        tape.__enter__()
        tape.watch(x)
    slope = x * x * x * x * x
    for order, tape in enumerate(reversed(tapes), 1):
        tape.__exit__()
        slope = tape.gradient(slope, x)
        assert slope.array == pytest.approx(math.perm(5, order) * 1.1 ** (5 - order))
    lengths = [len(tape.records) for tape in reversed(tapes)]
    assert lengths == sorted(set(lengths))
    assert "(Each order has a longer tape." in prose("03")


def test_a_share_on_the_tape_of_lesson_3_has_the_shape_of_its_input_or_of_the_output():
    names, _ = run("03", *OWN_TAPE, "relu = Op", "reciprocal = Op")
    draw = np.random.default_rng(0)
    shapes = {"add": [(2, 1), (3,)], "multiply": [(), (2, 3)], "matmul": [(2, 3), (3, 4)]}
    for name in ("transpose", "relu", "reciprocal", "root", "tanh"):
        shapes[name] = [(2, 3)]
    for name, sizes in shapes.items():
        op = names[name]
        inputs = [names["Value"](draw.uniform(1.0, 2.0, size)) for size in sizes]
        shape = op.forward(*[each.array for each in inputs]).shape
        for rule, each in zip(op.rules, inputs, strict=True):
            share = rule(names["Value"](np.ones(shape)), *inputs)
            assert share.array.shape in (each.array.shape, shape)


def test_the_player_of_the_own_tape_calls_the_source_by_its_name():
    notebook = with_outputs(FOLDER / "03_how_a_tape_works.ipynb")
    cells = [json.dumps(cell) for cell in json.loads(notebook)["cells"]]
    (player,) = [cell for cell in cells if "own.step_tape(tape" in cell]
    said = "contributions has arrived at <code>x</code>: its gradient is complete."
    assert f"{said} 5.0 + 2.0 = 7.0" in player
    assert "constant 2.0" not in player and "the value 2.0" not in player


# Lesson 4: what has a derivative, and what an explanation names


STAIRCASES = {
    "round": tf.round,
    "floor": tf.floor,
    "ceil": tf.math.ceil,
    "a comparison": lambda x: tf.cast(x > 1.0, tf.float32),
    "argmax": lambda x: tf.cast(tf.argmax([x, 1.0]), tf.float32),
    "a cast": lambda x: tf.cast(tf.cast(x, tf.int32), tf.float32),
    "stop_gradient": tf.stop_gradient,
}


@pytest.mark.parametrize("name", STAIRCASES)
def test_what_lesson_4_calls_an_operation_without_a_derivative_gives_none(name):
    x = tf.Variable(2.6)
    with tf.GradientTape() as tape:
        y = STAIRCASES[name](x) ** 2
    assert tape.gradient(y, x) is None


def test_the_sign_gives_zeros_and_a_running_sum_in_a_variable_none():
    x, memory = tf.Variable(2.6), tf.Variable(0.0)
    with tf.GradientTape(persistent=True) as tape:
        sign = tf.sign(x)
        memory.assign_add(x)
        total = memory**2
    assert float(tape.gradient(sign, x)) == 0.0
    assert tape.gradient(total, x) is None


def test_a_function_of_numpy_that_only_indexes_gives_a_tensor_and_the_right_gradient():
    x = tf.Variable([1.0, 2.0])
    with tf.GradientTape() as tape:
        y = np.flip(x**2)
    assert tape.gradient(y, x).numpy().tolist() == [2.0, 4.0]
    assert "gives an array, nearly always" in prose("04")


def test_a_value_halfway_says_on_which_side_of_it_the_cut_lies():
    """In one step of the throw no height has been asked by the speeds; in two, one has."""
    heights, winds = np.arange(0.0, 11.0, 2.0), [-0.5, -2.4, -3.9, -5.1, -5.6, -5.8]

    def speed_after(v, steps):
        vx, vy, y, dt = v[0], v[1], 1.5 + 0.0 * v[1], 0.02
        for _ in range(steps):
            air = vx - np.interp(float(y), heights, winds)
            drag = 0.02 * (air**2 + vy**2) ** 0.5
            vx, vy = vx - dt * drag * air, vy - dt * (drag * vy + 9.81)
            y = y + dt * vy
        return vx

    at = np.array([10.0, 10.0])
    for steps, agree in [(1, True), (2, False), (50, False)]:
        v = tf.Variable(at)
        with tf.GradientTape() as tape:
            speed = speed_after(v, steps)
        by_runs = two_sided(lambda v, steps=steps: speed_after(v, steps), at, h=1e-5)
        assert np.allclose(tape.gradient(speed, v), by_runs, atol=1e-6) == agree


def test_between_its_jumps_a_staircase_has_the_derivative_0_and_round_gives_none():
    assert (np.round(2.6 + 1e-3) - np.round(2.6 - 1e-3)) / 2e-3 == 0.0
    assert "Between the jumps the derivative *is* 0" in prose("04")


def test_a_zero_beside_a_cut_path_is_wrong_and_a_wrong_rule_of_ones_own_is_a_number():
    def cut(x):
        return tf.nn.relu(x) + 3.0 * float(x)

    x, z = tf.Variable(-1.0), tf.Variable(3.0)
    with tf.GradientTape(persistent=True) as tape:
        y = cut(x)
        wrong = tf.custom_gradient(lambda z: (z * z, lambda g: g * z))(z)
    assert float(tape.gradient(y, x)) == 0.0
    assert two_sided(lambda v: float(cut(tf.constant(v[0]))), np.array([-1.0])) == pytest.approx(3)
    assert "at $x = -1$ a tape says 0" in prose("04")
    assert float(tape.gradient(wrong, z)) == 3.0  # and the slope of the square is 6


def test_of_a_way_into_numpy_and_another_cut_an_explanation_names_both():
    x = tf.Variable(4.0)
    with viz.recording(), tf.GradientTape() as tape:
        left = np.square(x) * 2.0
        right = tf.square(tf.stop_gradient(x)) * 3.0
        y = left + right
    text = viz.explain(tape, y, x).text
    assert "all of these have to be fixed" in text
    assert "leaves for NumPy" in text
    assert "stop_gradient" in text


# Lesson 5: probability minus truth, on the first page and by hand


def test_probability_minus_truth_is_what_the_parts_give_too():
    _, printed = run("05", "Cross-entropy, made of its parts")
    e = np.exp([2.0, 1.0, 0.0])
    np.testing.assert_allclose(numbers(printed), e / e.sum() - [1, 0, 0], rtol=1e-5)


def test_the_loss_made_of_its_parts_has_no_gradient_at_a_score_of_100():
    scores = tf.Variable([[100.0, 1.0, 0.0]])
    with np.errstate(all="ignore"), tf.GradientTape() as tape:
        loss = tf.math.log(tf.reduce_sum(tf.exp(scores))) - scores[0, 0]
    with np.errstate(all="ignore"):
        assert np.isnan(tape.gradient(loss, scores)[0, 0])
    with np.errstate(over="ignore"):
        assert np.isinf(np.exp(np.float32(100.0)))


def test_no_gradient_of_cross_entropy_is_larger_than_one():
    scores = tf.constant(10 * np.random.default_rng(0).normal(size=(200, 5)))
    with tf.GradientTape() as tape:
        tape.watch(scores)
        loss = tf.nn.sparse_softmax_cross_entropy_with_logits([0] * 200, scores)
    assert np.max(np.abs(tape.gradient(loss, scores))) <= 1.0


@pytest.mark.slow
def test_at_ten_times_its_rate_the_reader_of_digits_ends_with_closed_units_and_guesses(monkeypatch):
    monkeypatch.chdir(FOLDER)  # where the data are
    parts = ["with np.load(", "order = np.random", "def dense(", "def mean_loss(", "def train("]
    names, _ = run("05", *parts, "train(model, 0.05")
    images, labels = names["train_x"].numpy(), names["train_y"].numpy()
    for start in (1, 2, 3):
        closed, losses = {}, {}
        for rate in (0.01, 0.05, 0.5):
            tf.random.set_seed(start)
            widths = [(64, "relu"), (32, "relu"), (10, None)]
            model = tf.keras.Sequential([names["dense"](*width) for width in widths])
            names["train"](model, rate, epochs=3)
            first, second, last = (
                [each.numpy() for each in layer.variables] for layer in model.layers
            )
            units = np.maximum(
                np.maximum(images @ first[0] + first[1], 0) @ second[0] + second[1], 0
            )
            scores = units @ last[0] + last[1]
            largest = scores.max(axis=1)
            sums = largest + np.log(np.exp(scores - largest[:, np.newaxis]).sum(axis=1))
            losses[rate] = np.mean(sums - scores[np.arange(len(labels)), labels])
            closed[rate] = np.sum(units.max(axis=0) == 0)
        assert losses[0.05] < losses[0.01] < np.log(10) < losses[0.5] < 2.4
        assert closed[0.5] == 32
        assert closed[0.05] < 8


# Lesson 6: minus infinity


@pytest.mark.slow
def test_the_first_rule_of_log_add_exp_fails_at_minus_infinity_and_the_mended_one_does_not():
    parts = ['@primitive("log_add_exp"']
    parts += ["return g * sigmoid(x - y)\n\n\n@log", "An op of our own"]
    parts += ["forward_runs = []", "@differences.prepare", "def careless("]
    parts += ["def check_op", "nothing, one ="]
    printed = run_apart("06", *parts, "def to_infinity_x")
    lines = [line for line in printed.splitlines() if "slopes by x" in line]
    assert "by x: [nan  0.  1.]  by y: [nan  1.  0.]" in lines[0]
    assert "by x: [0. 0. 1.]  by y: [0. 1. 0.]" in lines[1]
    assert "elsewhere as before: True" in printed
    assert np.logaddexp(-np.inf, -np.inf) == -np.inf


# Lesson 6: rules, and what the check finds


def test_the_slopes_of_all_hats_add_up_to_the_wind_s_slope_on_the_right_at_stations_too():
    (text,) = [c.text for c in cells("06") if "def hat_slope(" in c.text]
    names: dict[str, Any] = {"np": np, "Array": np.ndarray}
    exec(text.split("@hat.vjp")[0].replace('@primitive("hat_slope")', ""), names)
    heights, winds = np.arange(0.0, 11.0, 2.0), [-0.5, -2.4, -3.9, -5.1, -5.6, -5.8]
    for y in [0.3, 1.9, 2.0, 3.3, 4.0, 4.1, 6.0, 8.0, 9.9]:
        at = np.float64(y)
        found = sum(w * names["hat_slope"](at, h) for h, w in zip(heights, winds, strict=True))
        ahead, here = np.interp([y + 1e-6, y], heights, winds)
        assert found == pytest.approx((ahead - here) / 1e-6, abs=1e-6)
    assert names["hat_slope"](np.float32([3.3, 4.0]), 4.0).dtype == np.float32
    assert "their sum is the wind's own slope on the right" in prose("06")


@pytest.mark.course
def test_at_a_corner_of_a_hat_two_runs_give_a_quarter_and_the_rule_a_half():
    def hat(y):
        return max(0.0, 1.0 - abs(y - 4.0) / 2.0)

    assert (hat(2.0 + 1e-6) - hat(2.0 - 1e-6)) / 2e-6 == pytest.approx(1 / 4)
    assert "$1/4$, and the rule says $1/2$" in prose("06")
    printed = run_apart("06", '@primitive("hat")', '@primitive("hat_slope")', "between corners")
    assert "between corners: True\nat a corner:   False" in printed


@pytest.mark.course
def test_the_slope_as_e_to_the_x_minus_out_loses_its_digits_far_from_zero():
    parts = ['@primitive("log_add_exp"', "return g * sigmoid(x - y)\n\n\n@log"]
    printed = run_apart("06", *parts, "its exponent is never above 0")
    said = re.findall(r"e\^\(x - out\) ([\d.]+), sigmoid ([\d.]+)", printed)
    expected = []
    for each in (np.float32(1e4), np.float32(1e8)):
        out = np.logaddexp(each, each)
        assert out.dtype == np.float32
        expected.append((f"{np.exp(each - out):.4f}", "0.5000"))
    assert said == expected == [("0.4999", "0.5000"), ("1.0000", "0.5000")]
    assert "In neither: 0.4999 in place of 0.5, and then 1" in " ".join(c.text for c in cells("06"))


@pytest.mark.course
def test_the_rule_of_log_add_exp_is_right_at_large_and_at_infinite_numbers():
    code = """
from test_claims import run
names, _ = run("06", '@primitive("log_add_exp"', "return g * sigmoid(x - y)\\n\\n\\n@log")
tf, np = names["tf"], names["np"]
for a, b in [(1e8, 1e8), (3e38, -3e38), (-3e38, 3e38), (0.0, -np.inf), (np.inf, 0.0)]:
    x, y = tf.Variable(a), tf.Variable(b)
    with np.errstate(over="ignore"), tf.GradientTape() as tape:
        out = tf.log_add_exp(x, y)
        print("slopes", *(float(each) for each in tape.gradient(out, [x, y])))
"""
    tests = Path(__file__).parents[1]
    paths = os.pathsep.join(map(str, [Path(__file__).parent, tests, FOLDER.parent]))
    environment = os.environ | {"PYTHONPATH": paths, "MPLBACKEND": "Agg"}
    done = subprocess.run([sys.executable, "-W", "ignore", "-c", code], env=environment,
                          capture_output=True, text=True, check=True)  # fmt: skip
    found = re.findall(r"slopes (.*)", done.stdout)
    assert found == ["0.5 0.5", "1.0 0.0", "0.0 1.0", "1.0 0.0", "1.0 0.0"]


@pytest.mark.course
def test_two_numbers_or_a_factor_behind_it_find_a_forgotten_factor_and_second_order_does_not():
    printed = run_apart("06", "def forgetful(", "Which of four checks")
    said = re.findall(r"^(one number|two numbers|used later|order 2): +(\w+)$", printed, re.M)
    assert [each for _, each in said] == ["True", "False", "False", "True"]
    assert "The second and the third. With one number" in " ".join(c.text for c in cells("06"))


def test_a_custom_gradient_that_forgets_g_is_found_with_one_number():
    @tf.custom_gradient
    def square(x):
        return x * x, lambda g: 2.0 * x

    assert not tf.check_gradients(square, [3.0], order=1)


def test_numpy_in_a_rule_is_right_once_and_not_twice():
    from minitape.op import primitive
    from minitape.ops.elementwise.sigmoids import sigmoid
    from minitape.tensor import Array, Tensor

    names = {"primitive": primitive, "np": np, "Array": Array, "Tensor": Tensor}
    (text,) = [c.text for c in cells("06") if "def careless(" in c.text]
    exec(text, names)

    def with_numpy(g, x, y):
        return g / (1.0 + np.exp(y - x))

    def with_ops(g, x, y):
        return g * sigmoid(y - x)

    for rule in (with_numpy, with_ops):
        rule.__annotations__ = {"g": Tensor, "x": Tensor, "y": Tensor, "return": Tensor}
    op = names["careless"](with_numpy, with_ops)
    assert tf.check_gradients(op, [[1.0, 2.0], 0.5], order=1)
    assert not tf.check_gradients(op, [[1.0, 2.0], 0.5], order=2)


# Lesson 7: positive definite


def rosenbrock_hessian(x: np.ndarray) -> np.ndarray:
    """The Hessian of the valley, from the handbook's formula."""
    n, found = len(x), np.zeros((len(x), len(x)))
    for i in range(n - 1):
        found[i, i] += 1200 * x[i] ** 2 - 400 * x[i + 1] + 2
        found[i, i + 1] = found[i + 1, i] = -400 * x[i]
        found[i + 1, i + 1] += 200
    return found


def valley(x: np.ndarray) -> float:
    return float(np.sum(100 * (x[1:] - x[:-1] ** 2) ** 2 + (1 - x[:-1]) ** 2))


@pytest.fixture(scope="module")
def conjugate():
    parts = ["def forward_over_reverse", "def whole_hessian", 'print("H v, with H:"']
    return run("07", *parts, "def solve(", "for diagonal in")


def test_the_valley_bends_up_near_its_lowest_point_and_not_at_the_other_one(conjugate):
    names, printed = conjugate
    near, far = names["near"].numpy(), names["x"].numpy()
    for label, point in (("eigenvalues of H", near), ("eigenvalues at x", far)):
        values = np.linalg.eigvalsh(rosenbrock_hessian(point))
        line = next(each for each in printed.splitlines() if each.startswith(label))
        np.testing.assert_allclose(numbers(line.split(":")[1]), values, atol=0.06)
    assert np.linalg.eigvalsh(rosenbrock_hessian(near))[0] > 0
    assert np.linalg.eigvalsh(rosenbrock_hessian(far))[0] == pytest.approx(-462.4, abs=0.05)


def test_newton_s_step_happens_to_go_down_where_the_valley_bends_down(conjugate):
    names, _ = conjugate
    far = names["x"].numpy()
    step = 1e-6
    slope = [(valley(far + step * e) - valley(far - step * e)) / (2 * step) for e in np.eye(4)]
    after = far - np.linalg.solve(rosenbrock_hessian(far), slope)
    assert valley(after) < valley(far)
    assert "happens to go down" in prose("07")


def test_conjugate_gradients_give_nan_for_a_matrix_that_is_not_positive_definite(conjugate):
    names, printed = conjugate
    assert "diag(1.0, 2.0): [1.  0.5]" in printed
    assert "diag(1.0, -1.0): [nan nan]" in printed
    np.testing.assert_allclose(np.linalg.solve(np.diag([1.0, -1.0]), [1, 1]), [1, -1])


# Pictures


@pytest.mark.parametrize("source", build.sources(), ids=lambda source: source.stem[:2])
def test_every_figure_has_a_text_that_says_what_is_to_be_seen(source):
    for cell in build.cells(source.read_text("utf-8")):
        draws = re.search(r"^(plt\.show\(\)|show\w*\(\w+\)|draw_flow\(\w+\))$", cell.text, re.M)
        if draws and "plt" in source.read_text("utf-8") and "(nodes)" not in cell.text:
            assert len(cell.metadata.get("alt", "").split()) > 12, cell.text


@pytest.mark.parametrize("source", build.sources(), ids=lambda source: source.stem[:2])
def test_curves_differ_by_more_than_their_colour(source):
    for cell in build.cells(source.read_text("utf-8")):
        calls = r"^ *(?:plt|panel)\.(?:plot|semilogy|semilogx)\((.*)\)$"
        looks = r'"[-:.osdk^]+"|marker|dashes|look'
        plain = [c for c in re.findall(calls, cell.text, re.M) if not re.search(looks, c)]
        assert len(plain) <= 1, plain


# The ball, in NumPy: what the lessons say of it


def landing(v, gusts=None, steps=100, dtype=np.float64) -> tuple[Any, Any]:
    """Where the ball is after 2 seconds, by a loop of its own."""
    vx, vy = dtype(v[0]), dtype(v[1])
    x, y, dt = dtype(0.0), dtype(1.5), 2.0 / steps
    for i in range(steps):
        air = vx - (-6.0 + (0.0 if gusts is None else gusts[i])) * np.tanh(y / 5.0)
        drag = 0.02 * np.hypot(air, vy)
        vx, vy = vx - dt * drag * air, vy - dt * (drag * vy + 9.81)
        x, y = x + dt * vx, y + dt * vy
    return x, y


def squared_miss(v) -> float:
    x, y = landing(v)
    return float((x - 20.0) ** 2 + (y - 2.0) ** 2)


def two_sided(f, at, h=1e-4) -> np.ndarray:
    """The gradient of a function of a vector by differences."""
    steps = h * np.eye(len(at))
    return np.array([(f(at + each) - f(at - each)) / (2 * h) for each in steps])


AT = np.array([10.0, 10.0])
THROW = ("def fly(", "def miss(v, ring=")  # the cells of lesson 1


def test_three_guesses_miss_by_what_lesson_1_prints_and_its_gradient_is_that_of_two_throws():
    names, printed = run(
        "01", *THROW, "def in_the_wind(", "guesses =", "tape.gradient(far, v).numpy()"
    )
    expected = [squared_miss(v) ** 0.5 for v in [(10, 10), (15, 15), (20, 10)]]
    found = [float(each) for each in re.findall(r"misses by ([\d.]+) m", printed)]
    np.testing.assert_allclose(found, expected, atol=6e-3)
    (shown,) = re.findall(r"gradient: \[(.*)\]", printed)
    slopes = [float(each) for each in shown.split()]
    np.testing.assert_allclose(slopes, two_sided(squared_miss, AT), rtol=2e-4)
    assert two_sided(squared_miss, AT)[0] == pytest.approx(-15.84925, abs=1e-5)


def test_the_smallest_steps_give_no_slope_with_seven_digits():
    assert np.float32(10.0) + np.float32(1e-7) == np.float32(10.0)
    _, printed = run("01", *THROW, "Which `h` gives")
    slopes = dict(re.findall(r"h = (\S+) +slope (\S+)", printed))
    off = {h: abs(float(slope) + 15.84925) for h, slope in slopes.items()}
    assert min(off, key=off.get) == "0.1"
    assert float(slopes["1e-07"]) == 0.0


def descended(rate, ring, steps=60):
    """The speeds after steps of a rate against a gradient of differences, and the miss."""

    def far(v):
        return float(np.sum((np.array(landing(v)) - ring) ** 2))

    v = AT.copy()
    for _ in range(steps):
        v = v - rate * two_sided(far, v)
    return v, far(v) ** 0.5


def test_the_answer_of_lesson_1_to_its_first_question_is_that_of_its_sixth_step():
    hit, left = descended(0.3, (20.0, 2.0), steps=6)
    assert left < 0.01 and [f"{each:.2f}" for each in hit] == ["15.64", "11.73"]
    assert "with (15.64, 11.73)" in prose("01")


def test_a_gradient_of_the_throw_costs_what_is_said():
    _, printed = run(
        "01",
        *THROW,
        "v = tf.Variable([10.0, 10.0])\n\nwith",
        "def computed(",
        "A throw computes",
    )
    ((throw, both),) = re.findall(r"^(\d+) and (\d+)$", printed, re.M)
    assert (int(throw), int(both)) == (2010, 4922)
    assert f"{int(both) / int(throw):.1f}" == "2.4"
    assert "computes 2010 numbers" in printed
    assert "4922, or 2.4 times" in printed


@pytest.mark.course
def test_descent_hits_after_six_steps_and_runs_away_with_a_larger_rate():
    _, printed = run("01", *THROW, "for step in range(8)", "instead of 0.3")
    misses = [float(each) for each in re.findall(r"misses by ([\d.]+) m", printed)]
    v, expected = AT.copy(), []
    for _ in range(8):
        expected.append(squared_miss(v) ** 0.5)
        v = v - 0.3 * two_sided(squared_miss, v)
    np.testing.assert_allclose(misses, expected, atol=2e-3)
    assert next(i for i, each in enumerate(misses) if each < 0.01) == 6
    v = AT.copy()
    jumps = []
    for _ in range(400):
        v = v - 0.5 * two_sided(squared_miss, v)
        jumps.append(squared_miss(v) ** 0.5)
    assert round(jumps[38]) == 16
    np.testing.assert_allclose(jumps[-4:], [16.358, 18.756] * 2, atol=2e-3)  # and so for ever


@pytest.mark.slow
def test_the_border_of_the_rates_is_where_lesson_2_says():
    hit = np.array([15.6458, 11.7326])
    steps = 1e-3 * np.eye(2)
    rows = [
        (two_sided(squared_miss, hit + e) - two_sided(squared_miss, hit - e)) / 2e-3 for e in steps
    ]
    values = np.linalg.eigvalsh(rows)
    parts = ["def fly(", "RING =", "bend = outer", "= np.linalg.eigh(bend)", 'print("border"']
    names, printed = run("02", *parts, "The border is 0.46")
    np.testing.assert_allclose(names["curvatures"], values, atol=2e-3)
    assert f"{2 / values[-1]:.2f}" == "0.46"
    at_start = [
        (two_sided(squared_miss, AT + e) - two_sided(squared_miss, AT - e)) / 2e-3 for e in steps
    ]
    assert f"{2 / np.linalg.eigvalsh(at_start)[-1]:.2f}" == "0.41"  # elsewhere it is another
    below, above = (float(each) for each in re.findall(r"rate .*misses by ([\d.]+) m", printed))
    assert below < 1e-3
    assert above == pytest.approx(2.5, abs=0.1)
    assert float(miss_after(0.47, hit + 0.04, 110)) > above  # "and the miss is still growing"
    assert re.findall(r"border ([\d.]+)", printed) == ["0.41", "0.46"]
    assert miss_after(0.45, AT, 300) < 0.01  # "and yet 0.45 arrives from there"


def test_a_hand_that_is_off_by_a_tenth_misses_by_what_the_curvatures_of_lesson_2_say():
    hit = np.array([15.6458, 11.7326])
    names, printed = run(
        "02", "def fly(", "RING =", "Your hand is too fast", "bend = outer",
        "= np.linalg.eigh(bend)",
    )  # fmt: skip
    thrown = [100 * squared_miss(hit + 0.1 * each) ** 0.5 for each in np.eye(2)]
    said = [int(each) for each in re.findall(r"0.1 m/s too fast \w+: (\d+) cm", printed)]
    assert said == [round(each) for each in thrown] == [11, 14]
    said = "".join(cell.text for cell in cells("02"))
    assert "from 11 cm across" in said and "14 cm at straight up" in said
    angles = np.linspace(0.0, np.pi, 181)
    every = [
        (100 * squared_miss(hit + 0.1 * np.array([np.cos(a), np.sin(a)])) ** 0.5, a) for a in angles
    ]
    (least, along), (most, across) = min(every), max(every)
    rows = re.findall(r"on paper ([\d.]+) cm, thrown ([\d.]+) cm", printed)
    np.testing.assert_allclose(np.array(rows, float), [[least] * 2, [most] * 2], atol=0.15)
    assert [round(least), round(most)] == [10, 15]
    ways = [np.array(each) / np.linalg.norm(each) for each in ([0, 1], [1, 1], [-1, 1])]
    asked = [f"{100 * squared_miss(hit + 0.1 * way) ** 0.5:.1f}" for way in ways]
    assert asked == re.findall(r"^up.*: ([\d.]+) cm", printed, re.MULTILINE)
    up, forward, back = asked
    assert f"Up and back: {back} cm, after {up} straight up and {forward} up and forward" in said
    hessian = names["bend"].numpy()
    assert f"{hessian[1, 1]:.2f}" == "3.95" and f"{hessian[0, 1]:.2f}" == "-0.87"
    on_paper = 3.95 * 0.1**2 / 2
    assert f"{on_paper:.2f}" == "0.02" and round(100 * on_paper**0.5) == round(thrown[1]) == 14
    assert -np.cos(across) / np.sin(across) == pytest.approx(0.5, abs=0.05)  # half as much back
    assert abs(across - along) == pytest.approx(np.pi / 2, abs=0.1)
    at_rim = [squared_miss(hit + each * np.array([0.0, 1.0])) for each in (-0.3, 0.3)]
    np.testing.assert_allclose(at_rim, 0.18, atol=0.01)  # the picture's text
    beside = [squared_miss(hit + each * np.array([1.0, 0.0])) for each in (-0.3, 0.3)]
    np.testing.assert_allclose(beside, 0.11, atol=0.01)


def miss_after(rate, v, steps) -> float:
    """The miss after steps of a rate against a gradient of differences."""
    for _ in range(steps):
        v = v - rate * two_sided(squared_miss, v)
    return squared_miss(v) ** 0.5


def landed(v, seconds, strength) -> np.ndarray:
    """Where the ball is after some seconds, in NumPy."""
    vx, vy, x, y, dt = *v, 0.0, 1.5, seconds / 100
    for _ in range(100):
        air = vx - strength * np.tanh(y / 5.0)
        drag = 0.02 * np.hypot(air, vy)
        vx, vy = vx - dt * drag * air, vy - dt * (drag * vy + 9.81)
        x, y = x + dt * vx, y + dt * vy
    return np.array([x, y])


@pytest.mark.course
def test_the_calm_throw_is_flat_and_fast_and_a_gust_moves_it_by_what_is_said():
    names, printed = run("02", "def fly(", "RING =", "def four_errors", "Is the calm throw higher")
    off = {}
    for name, p in names["throws"].items():
        *v, seconds = np.array(p)
        off[name] = [
            np.hypot(*(landed(v, seconds, strength) - [20.0, 2.0])) for strength in (-6.0, -8.0)
        ]
    rows = re.findall(r"off by ([\d.]+) m, in more wind ([\d.]+) m", printed)
    np.testing.assert_allclose(np.array(rows, float), list(off.values()), atol=6e-3)
    assert f"{off['the hit'][1]:.2f}" == "1.34"
    assert f"{off['calm'][1]:.2f}" == "0.27"
    across, up, seconds = np.array(names["throws"]["calm"])
    assert up / across < 11.7326 / 15.6458
    assert seconds < 2.0
    *v, seconds = np.array(names["throws"]["calm, no aim"])
    assert f"{seconds:.2f}" == "0.07"
    assert off["calm, no aim"][0] == pytest.approx(19.0, abs=0.5)


@pytest.mark.course
def test_the_two_curvatures_say_by_how_much_each_throw_of_lesson_1_comes_nearer():
    _, printed = run(
        "02",
        "def fly(",
        "RING =",
        "bend = outer",
        "= np.linalg.eigh(bend)",
        "Which numbers tell you so in advance",
    )
    assert "rate 0.30: times [ 0.37 -0.31]" in printed
    misses = [1.512, 0.516, 0.178, 0.063, 0.022, 0.008]
    ratios = np.divide(misses[1:], misses[:-1])
    assert np.all((ratios > 0.30) & (ratios < 0.38))
    low, high = 2.105, 4.352  # where |1 - r low| and |1 - r high| are equal, the larger is least
    rates = np.linspace(0.0, 0.46, 4601)
    largest = np.maximum(abs(1 - rates * low), abs(1 - rates * high))
    assert rates[np.argmin(largest)] == pytest.approx(0.31, abs=0.005)


@pytest.mark.course
def test_gauss_and_newton_hit_in_three_steps_and_find_the_wind():
    names, printed = run(
        "02",
        "def fly(",
        "RING =",
        "hit = tf",
        "Gradient descent took six",
        "seen = fly",
        "sure = np",
    )
    v, expected = AT.copy(), []
    for _ in range(4):
        off = np.array(landing(v)) - [20.0, 2.0]
        expected.append(np.hypot(*off))
        jacobian = np.transpose(
            [(np.array(landing(v + e)) - landing(v - e)) / 2e-4 for e in 1e-4 * np.eye(2)]
        )
        v = v - np.linalg.solve(jacobian, off)
    found = [float(each) for each in re.findall(r"step \d: misses by (\S+) m", printed)]
    np.testing.assert_allclose(found[:3], expected[:3], rtol=0.05)
    assert found[3] < 1e-6  # "less than a thousandth of a millimetre"
    drag, wind = names["unknown"].numpy()
    assert abs(drag - 0.02) < 3 * names["sure"][0]
    assert abs(wind + 6.0) < 3 * names["sure"][1]


def filmed(drag, wind):
    """Twenty places of the hit, for arrays of drags and winds."""
    vx, vy = np.full_like(drag, 15.6458), np.full_like(drag, 11.7326)
    x, y, dt, places = 0.0 * drag, 1.5 + 0.0 * drag, 0.02, []
    for _ in range(100):
        air = vx - wind * np.tanh(y / 5.0)
        slowed = drag * np.hypot(air, vy)
        vx, vy = vx - dt * slowed * air, vy - dt * (slowed * vy + 9.81)
        x, y = x + dt * vx, y + dt * vy
        places.append(np.stack([x, y], -1))
    return np.stack(places[4::5], 1).reshape(len(drag), 40)


@pytest.mark.course
def test_two_films_in_three_give_a_drag_and_two_in_three_a_wind_within_their_standard_deviations():
    names, _ = run("02", "def fly(", "RING =", "hit = tf", "seen = fly", "sure = np")
    films, truth = 2000, np.array([0.02, -6.0])
    drag, wind = (np.full(films, each) for each in truth)
    seen = filmed(drag, wind) + 0.05 * np.random.default_rng(1).normal(size=(films, 40))
    for _ in range(4):
        e = filmed(drag, wind) - seen
        by_drag = (filmed(drag + 1e-6, wind) - filmed(drag - 1e-6, wind)) / 2e-6
        by_wind = (filmed(drag, wind + 1e-4) - filmed(drag, wind - 1e-4)) / 2e-4
        J = np.stack([by_drag, by_wind], -1)
        squares = np.swapaxes(J, 1, 2) @ J
        step = np.linalg.solve(squares, np.swapaxes(J, 1, 2) @ e[..., None])[..., 0]
        drag, wind = drag - step[:, 0], wind - step[:, 1]
    off = np.stack([drag, wind], -1) - truth
    np.testing.assert_allclose(names["sure"], off.std(axis=0), rtol=0.06)
    within = np.mean(np.abs(off) < names["sure"], axis=0)
    np.testing.assert_allclose(within, 2 / 3, atol=0.05)
    of_lesson = names["covariance"][0, 1] / np.prod(names["sure"])
    assert of_lesson == pytest.approx(np.corrcoef(off.T)[0, 1], abs=0.02)
    assert of_lesson > 0.9  # more drag, and a wind that is less against us


@pytest.mark.course
def test_newton_s_step_for_a_minimum_runs_away_from_a_place_where_the_ground_is_a_bowl():
    parts = [
        "def fly(",
        "RING =",
        "hit = tf",
        "def equations",
        "And from (30, 30)",
        "for speeds in",
    ]
    _, printed = run("02", *parts)

    def bend(v):
        steps = 1e-2 * np.eye(2)
        return np.array(
            [
                (two_sided(squared_miss, v + e) - two_sided(squared_miss, v - e)) / 2e-2
                for e in steps
            ]
        )

    v, expected = np.array([30.0, 30.0]), []
    for _ in range(3):
        expected.append(squared_miss(v) ** 0.5)
        low = np.linalg.eigvalsh(bend(v))[0]
        v = v - np.linalg.solve(bend(v), two_sided(squared_miss, v))
    (row,) = re.findall(r"from \(30, 30\), minimum +(.*) m", printed)
    np.testing.assert_allclose(numbers(row)[:3], expected, rtol=1e-2)
    assert low < 0  # at the third place, "and there one curvature is negative"
    rows = [numbers(line) for line in re.findall(r"curvatures \[(.*)\]", printed)]
    hit = (15.6458, 11.7326)
    places = [(30.0, 30.0), hit, (45.0, 0.0)]
    wanted = [np.linalg.eigvalsh(bend(np.array(place))) for place in places]
    np.testing.assert_allclose(rows, wanted, atol=1e-2)


@pytest.mark.course
def test_newton_s_first_step_aims_below_zero_and_lands_above_where_it_began():
    names, _ = run("02", "def fly(", "RING =", "def equations", "the bowl that Newton sees")
    v, rows = np.array([30.0, 30.0]), 1e-2 * np.eye(2)
    slope = two_sided(squared_miss, v)
    bend = np.array(
        [(two_sided(squared_miss, v + e) - two_sided(squared_miss, v - e)) / 2e-2 for e in rows]
    )
    step = -np.linalg.solve(bend, slope)
    begin, landed = squared_miss(v), squared_miss(v + step)
    aim = begin + slope @ step / 2  # the bowl's lowest point
    assert [round(begin), round(landed), round(aim)] == [469, 1513, -377]
    found = [names["start"], names["landed"], names["bowl"][-1]]
    np.testing.assert_allclose(found, [begin, landed, aim], rtol=1e-3)
    lowest = int(np.argmin(names["ground"]))
    assert names["parts"][lowest] == pytest.approx(0.45, abs=0.03)
    assert names["ground"][lowest] < 10.0


def test_the_slope_of_log_add_exp_is_the_probability_of_a_die():
    parts = ["def naive(", '@primitive("log_add_exp"', '@log_add_exp.vjp("x")', "text = np"]
    names, printed = run("06", *parts)
    a, b = names["a"].numpy(), names["b"].numpy()
    usual, ours = (numbers(line) for line in printed.splitlines()[-2:])
    assert usual == []  # -inf, nan and nan
    first = 1.0 / (1.0 + math.exp(b - a))
    np.testing.assert_allclose(ours, [np.logaddexp(a, b), first, 1.0 - first], atol=6e-3)
    counts = np.bincount(names["text"], minlength=4)
    assert a == pytest.approx(counts @ np.log([0.4, 0.3, 0.2, 0.1]))
    assert b == pytest.approx(counts @ np.log([0.39, 0.3, 0.2, 0.11]))


def test_the_own_tape_of_lesson_3_and_the_engine_agree_in_all_printed_digits():
    _, printed = run("03", *OWN_TAPE, "reciprocal = Op", "as theirs:")
    own, theirs = (
        line.split(":")[1].split()
        for line in printed.splitlines()
        if ":   " in line or "minitape:" in line
    )
    assert own == theirs
    np.testing.assert_allclose(
        [float(each) for each in own], two_sided(squared_miss, AT), rtol=1e-7
    )
    assert "2010 records" in printed


def by_table(v, at_four_metres=-3.9) -> float:
    """The squared miss in the wind of the table."""
    heights, winds = np.arange(0.0, 11.0, 2.0), [-0.5, -2.4, at_four_metres, -5.1, -5.6, -5.8]
    vx, vy, x, y, dt = *v, 0.0, 1.5, 0.02
    for _ in range(100):
        air = vx - np.interp(y, heights, winds)
        drag = 0.02 * np.hypot(air, vy)
        vx, vy = vx - dt * drag * air, vy - dt * (drag * vy + 9.81)
        x, y = x + dt * vx, y + dt * vy
    return (x - 20.0) ** 2 + (y - 2.0) ** 2


@pytest.mark.slow
def test_the_table_of_winds_is_wrong_in_lesson_4_and_fixed_in_lesson_6():
    expected = two_sided(by_table, AT, h=1e-5).round(2)
    np.testing.assert_allclose(expected, [-15.83, -2.01])
    parts = [
        "HEIGHTS =",
        "persistent=True) as tape:\n    far = miss(v)",
        "by two throws:",
        "for the table:",
    ]
    _, wrong = run("04", *parts)
    assert "by the tape: [-15.68  -5.24]" in wrong
    assert "for the table: None" in wrong
    parts = ['@primitive("hat")', '@primitive("hat_slope")', "def miss(v, steps=100)"]
    printed = run_apart("06", *parts)
    assert "by the speeds: [-15.83  -2.01]" in printed
    assert re.search(r"by the table: .* 0\. +0\. +\]", printed)


@pytest.mark.parametrize("lesson", ["04", "05", "06", "07", "08", "09", "10"])
def test_a_cell_that_is_given_says_so_in_its_first_line(lesson):
    given = [c.text for c in cells(lesson) if "given" in c.metadata.get("tags", [])]
    assert given
    assert [text for text in given if not text.startswith("# Given")] == []


def test_the_limit_of_lesson_6_passes_the_check_alone_and_not_with_a_square_behind_it():
    names, _ = run("06", "def limited(")
    limited, at = names["limited"], [[0.1, 10.0]]
    assert tf.check_gradients(limited, at)
    assert not tf.check_gradients(lambda x: limited(x) ** 2, at)
    assert "passes the check alone" in prose("06")


def test_a_plain_number_in_front_makes_float32_of_an_array_in_an_op_as_lesson_6_says():
    array = np.array([0.5, 2.0])
    assert tf.maximum(0.0, array).dtype == tf.float32  # as in TensorFlow
    assert tf.where(array > 1.0, 0.0, array).dtype == tf.float32
    assert tf.maximum(array, 0.0).dtype == tf.float64
    assert "`tf.maximum(a, 0.0)`; in front it makes `float32` of an array" in prose("06")


def test_the_network_of_lesson_5_aims():
    book = next(FOLDER.glob("05_*.ipynb")).read_text("utf-8")  # training it again takes long
    misses = [float(each) for each in re.findall(r"mean miss ([\d.]+) m", book)]
    assert misses[0] == 6.9
    assert misses[-1] < 0.5
    names, _ = run("05", "def flights(", "def throws(")
    found = names["throws"](
        tf.constant([[10.0, 10.0]], tf.float64), tf.constant([-6.0], tf.float64), 100
    )
    np.testing.assert_allclose(found[0], landing(AT), rtol=1e-9)
