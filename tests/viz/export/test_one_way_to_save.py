"""Everything that has a picture is saved in the same way: by the ending of the file's name."""

from __future__ import annotations

import functools
import sys
from collections import Counter
from xml.etree import ElementTree

import pytest

import minitape as tf
from minitape import viz
from minitape.viz.errors import MissingExtraError
from minitape.viz.export.drawn import _on_slide
from minitape.viz.export.items import Image, Text, flat
from minitape.viz.export.reading import sheet_of
from minitape.viz.films.stage import still
from minitape.viz.picture.svg import svg
from viz_traces import EXAMPLES

STARTS = {
    ".svg": b"<svg ", ".tex": b"% In the preamble", ".html": b"<!doctype html>",
    ".png": b"\x89PNG\r\n", ".pdf": b"%PDF-", ".pptx": b"PK", ".gif": b"GIF89a",
}  # fmt: skip
NEEDS = {".png": ["resvg_py"], ".pdf": ["fpdf"], ".pptx": ["pptx"], ".gif": ["resvg_py", "PIL"]}
STILL = ("surface", "memory", "exploration", "quiz", "comparison")  # nothing in them moves


@functools.cache
def things():
    with viz.recording():
        x, w = tf.Variable([1.0, 2.0], name="x"), tf.Variable(3.0, name="w")
        with tf.GradientTape(persistent=True) as tape:
            y = tf.stop_gradient(x) * w + w
    with tf.GradientTape(persistent=True) as second:
        z = tf.exp(x) * 3.0
    weight = tf.Variable(4.0, name="weight")
    film = viz.film([weight])
    for _ in range(3):
        with tf.GradientTape() as third:
            loss = weight * weight
        film.note(third, loss)
        weight.assign_sub(0.25 * third.gradient(loss, weight))
    return {
        "picture": viz.draw(tape, y, [x, w]),
        "explanation": viz.explain(tape, y, x),
        "findings": viz.check(tape, y, [x, w]),
        "curve": viz.curve(lambda t: tf.sin(t) * t, (-3.0, 3.0)),
        "surface": viz.surface(lambda a, b: a * a - b * b, (-2.0, 2.0), (-2.0, 2.0)),
        "jacobian": viz.jacobian(second, z, x),
        "memory": viz.memory(second),
        "graph": viz.graph(lambda a: tf.cond(a > 0.0, lambda: a * a, lambda: -a), 3.0),
        "film": film,
        "exploration": viz.explore(lambda a, b: a * b, a=(-1.0, 1.0), b=(0.0, 2.0)),
        "quiz": viz.quiz(tape, y, [w]),
        "comparison": viz.beside(viz.step(tape, y, w), viz.step(second, z, x)),
    }


@pytest.mark.slow
@pytest.mark.parametrize("ending", STARTS)
def test_each_thing_is_saved_as_what_the_ending_says_with_the_same_bytes_twice(ending, tmp_path):
    for package in NEEDS.get(ending, []):
        pytest.importorskip(package)
    moving = ("jacobian", "film")  # quick ones: a curve has as many frames as it has points
    for name, thing in things().items():
        if ending == ".gif" and name not in moving:
            continue
        first = thing.save(tmp_path / f"{name}{ending}").read_bytes()
        assert first.lower().startswith(STARTS[ending].lower()), name
        assert thing.save(tmp_path / f"{name}{ending}").read_bytes() == first, name


def smallest(sheet):
    """The smallest letters, in points of a slide that is 13.33 inches wide."""
    return min(text.size for text in flat(sheet.items) if isinstance(text, Text)) * 0.75


@pytest.mark.slow
@pytest.mark.parametrize("runs", [1, 2])
@pytest.mark.parametrize("count", [1, 3, 9])
def test_the_letters_of_a_film_can_be_read_on_a_slide(count, runs):
    films = []
    for _ in range(runs):
        variables = [tf.Variable([1.0 + i, 2.0], name=f"v{i}") for i in range(count)]
        film = viz.film(variables)
        for _ in range(3):
            with tf.GradientTape() as tape:
                loss = tf.add_n([tf.reduce_sum(each * each) for each in variables])
            film.note(tape, loss)
            tape.gradient(loss, variables)
        films.append(film)
    film = films[0].beside(*films[1:])
    slide = _on_slide(sheet_of(still(film.runs, is_wide=True).svg()))
    assert smallest(slide) >= 7.0
    assert (slide.width, slide.height) == (1280.0, 720.0)


def test_a_quiz_as_a_picture_has_its_question_and_not_the_answer(tmp_path):
    x = tf.Variable(1.25, name="x")
    with viz.recording(), tf.GradientTape() as tape:
        y = x * 3.0625
    drawn = viz.quiz(tape, y, [x]).save(tmp_path / "a.svg").read_text("utf-8")
    assert "Question 1 of" in drawn
    assert "∂ 3.06" in viz.draw(tape, y, [x]).svg
    assert "∂ 3.06" not in drawn


def test_an_unknown_ending_is_refused_before_any_drawing_and_leaves_no_file(tmp_path):
    for name, thing in things().items():
        with pytest.raises(ValueError, match=r"no format has the ending '\.bmp'; choose one of"):
            thing.save(tmp_path / f"{name}.bmp")
    assert list(tmp_path.iterdir()) == []


def test_what_does_not_move_says_what_it_can_be_instead_of_a_film(tmp_path):
    for name in STILL:
        with pytest.raises(ValueError, match=r"does not move, .* choose one of .*\.pptx"):
            things()[name].save(tmp_path / "a.gif")
    assert list(tmp_path.iterdir()) == []


def test_a_missing_package_is_named_with_its_pip_line_and_no_file_is_left(tmp_path, monkeypatch):
    monkeypatch.setitem(sys.modules, "pptx", None)
    for thing in things().values():
        with pytest.raises(MissingExtraError, match=r"pip install 'minitape\[export\]'"):
            thing.save(tmp_path / "a.pptx")
    assert list(tmp_path.iterdir()) == []


def test_a_theme_and_a_width_that_do_not_exist_are_refused(tmp_path):
    curve = viz.curve(tf.sin, (-1.0, 1.0))
    with pytest.raises(ValueError, match="there is no theme 'pink'"):
        curve.save(tmp_path / "a.svg", theme="pink")
    with pytest.raises(ValueError, match=r'7 are needed to read them; write width="\d+mm" or more'):
        curve.save(tmp_path / "a.tex", width="42mm")
    assert list(tmp_path.iterdir()) == []


def test_a_picture_has_the_width_that_was_asked_for(tmp_path):
    file = viz.curve(tf.sin, (-1.0, 1.0)).save(tmp_path / "a.svg", width="192mm")
    assert float(ElementTree.parse(file).getroot().get("width")) == pytest.approx(192 / 25.4 * 96)


@pytest.mark.parametrize("name", sorted(EXAMPLES.keys() - {"chain_10000"}))
def test_what_is_read_from_a_picture_has_its_texts_none_missing_and_none_more(name):
    trace = EXAMPLES[name]()
    drawn = svg(trace)
    texts = Counter(
        "".join(each.itertext())
        for each in ElementTree.fromstring(drawn).iter("{http://www.w3.org/2000/svg}text")
    )
    read = Counter(each.plain for each in flat(sheet_of(drawn).items) if isinstance(each, Text))
    texts = Counter({text: count for text, count in texts.items() if text.strip()})
    assert set(texts - read) <= {"Σ"}, "only the badge may be missing, hidden until paths meet"
    assert read - texts == Counter()


def test_cells_keep_their_colours_and_lose_hue_in_a_grey_theme(tmp_path):
    surface = viz.surface(lambda a, b: a * b, (-1.0, 1.0), (-1.0, 1.0))
    (image, *_) = (each for each in flat(sheet_of(surface.svg).items) if isinstance(each, Image))
    assert image.png.startswith(b"\x89PNG")
    text = surface.save(tmp_path / "a.tex", theme="grey").read_text()
    colours = [line.split("{HTML}{")[1][:6] for line in text.splitlines() if "{HTML}{" in line]
    assert all(each[:2] == each[2:4] == each[4:] for each in colours)
