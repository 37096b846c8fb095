"""What notebooks keep of their outputs: the same words, and pictures that look the same."""

from __future__ import annotations

import base64
import importlib.util
import io
import json
import re
import sys
from pathlib import Path
from urllib.parse import unquote
from xml.etree import ElementTree

import pytest

from minitape.viz.course.course import lessons
from minitape.viz.course.running import with_outputs

nbformat = pytest.importorskip("nbformat", reason="notebooks need nbclient (extra test)")
plt = pytest.importorskip("matplotlib.pyplot", reason="plots need extra viz")

PLACE = Path(__file__).parents[2] / "tutorials" / "stills.py"
spec = importlib.util.spec_from_file_location("stills_of_tutorials", PLACE)
stills = sys.modules[spec.name] = importlib.util.module_from_spec(spec)
spec.loader.exec_module(stills)

SVG = "http://www.w3.org/2000/svg"


def plot(draw) -> str:
    """What a notebook gets of a plot."""
    with plt.style.context(["default", {"svg.fonttype": "none"}]):  # whatever a lesson has set
        figure, axes = plt.subplots()
        draw(axes)
        whole = io.StringIO()
        figure.savefig(whole, format="svg")
        plt.close(figure)
    return whole.getvalue()


def words(drawing: str) -> list[str]:
    return [
        "".join(each.itertext()) for each in ElementTree.fromstring(drawing).iter(f"{{{SVG}}}text")
    ]


def test_a_plot_is_kept_with_all_its_words_in_half_of_the_bytes():
    def draw(axes):
        axes.plot([0.0, 1.0, 2.0], [1.0, 3.14159, 2.0])
        axes.scatter(range(30), range(30))
        axes.set_title("a line of 3.14159 & its marks")

    whole = plot(draw)
    kept = stills.lean(whole)
    assert len(kept) < len(whole) / 2
    assert words(kept) == words(whole)
    assert "a line of 3.14159 & its marks" in words(kept)


def test_a_line_keeps_its_corners_and_loses_the_points_on_the_way():
    ramp = "M 0 0 " + " ".join(f"L {x} {x / 2:.3f}" for x in range(1, 41)) + " L 80 20 L 80 0"
    assert stills.path(ramp) == "M0 0l40 20h40v-20"


def test_a_closed_path_and_one_of_several_pieces_stay_that():
    assert stills.path("M 1 2 L 3 2 L 3 4 z M 9 9 L 9.04 12.06") == "M1 2h2v2zM9 9v3.1"


def test_a_curve_keeps_its_form_with_numbers_to_a_tenth():
    assert stills.path("M 0.54321 2 C 10.06 0 4 -0.25 4 4 z") == "M.543 2C10.1 0 4 -.25 4 4z"
    assert stills.path("M114 78C114 89 114 89 114 100") == "M114 78v22"


def test_marks_that_look_the_same_are_one_path_with_a_mark_at_each_point():
    kept = stills.lean(plot(lambda axes: axes.scatter([1, 2, 3, 4], [1, 3, 2, 4])))
    paths = ElementTree.fromstring(kept).iter(f"{{{SVG}}}path")
    marked = [each.get("d") for each in paths if "marker" in each.get("style", "")]
    assert 4 in [len(re.findall("[Mlhv]", d)) for d in marked]
    assert "<use" not in kept


def test_paths_of_two_colours_are_drawn_in_their_order():
    rows = "".join(
        f'<path d="M0 {y}L9 {y}" style="stroke:{ink};fill:none"/>'
        for y, ink in enumerate(["red", "red", "blue", "red"])
    )
    kept = stills.lean(f'<svg xmlns="{SVG}">{rows}</svg>')
    paths = list(ElementTree.fromstring(kept).iter(f"{{{SVG}}}path"))
    assert [each.get("d") for each in paths] == ["M0 0h9M0 1h9", "M0 2h9", "M0 3h9"]


def test_a_moving_picture_is_kept_as_it_rests():
    moving = (
        f'<svg xmlns="{SVG}" viewBox="0 0 60 40" style="width:100%"><title>A ball falls.</title>'
        "<style>text { fill: red } .button { cursor: pointer } "
        "@media print { .moves { display: none } }</style>"
        '<circle class="moves" r="3"><animateMotion path="M0,0 L9,9" dur="2s"/></circle>'
        '<text class="comes" opacity="0">9 m<animate attributeName="opacity" values="0;1"/></text>'
        '<rect class="rests" style="--rest:0.25" fill-opacity="1" width="9" height="9"/>'
        '<text class="button">Again</text></svg>'
    )
    kept = stills.still(moving)
    assert words(kept) == ["9 m"]
    assert "animate" not in kept and "circle" not in kept and 'opacity="0"' not in kept
    assert 'fill-opacity="0.25"' in kept
    assert 'width="60" height="40"' in kept.replace("'", '"')


def test_a_prediction_keeps_its_question_its_fold_and_a_picture_of_what_it_shows():
    drawing = (
        f'<svg xmlns="{SVG}" viewBox="0 0 9 9"><title>side &lt; 3</title><path d="M0 0L9 9"/></svg>'
    )
    coded = base64.b64encode(drawing.encode()).decode()
    player = (
        f'<div class="minitape-player"><img src="data:image/svg+xml;base64,{coded}">'
        "<details><summary>7 steps as a table</summary></details><script>run()</script></div>"
    )
    page = (
        '<div class="minitape-predict" role="group"><p><strong>Predict.</strong> 5 or 7?</p>'
        '<p><label>Your answer: <input type="text" size="40"></label></p>'
        "<details><summary>Show what happens</summary>"
        f"{stills.SHOWN}<pre>7.0</pre></div>{stills.SHOWN}{player}</div>"
        f"{stills.ANSWER}7: both add up.</p></details></div>"
    )
    output = nbformat.v4.new_output(
        "display_data", {"text/html": page, "text/plain": "Predict: 5 or 7?"}
    )
    (kept,) = stills.stills(output)
    shown = kept.data["text/html"]
    assert re.sub(r'src="[^"]*"', "src", shown) == (
        "<div><p><strong>Predict.</strong> 5 or 7?</p><details><summary>Show what happens</summary>"
        f'{stills.SHOWN}<pre>7.0</pre></div>{stills.SHOWN}<img src alt="side &lt; 3"></div>'
        f"{stills.ANSWER}7: both add up.</p></details></div>"
    )


def test_a_table_that_is_written_in_words_is_kept_in_words():
    data = {"text/html": "<table><tr><td>1.0 MB</td></tr></table>", "text/plain": "1.0 MB"}
    (kept,) = stills.stills(nbformat.v4.new_output("display_data", data))
    assert kept.data == {"text/plain": "1.0 MB"}


def test_an_explanation_is_its_words_and_then_its_picture():
    drawing = f'<svg xmlns="{SVG}"><title>It is cut.</title><path d="M0 0L9 9"/></svg>'
    coded = base64.b64encode(drawing.encode()).decode()
    page = f'<p>It is None.</p><img src="data:image/svg+xml;base64,{coded}">'
    data = {"text/html": page, "text/plain": "It is None."}
    said, picture = stills.stills(nbformat.v4.new_output("display_data", data))
    assert said.data == {"text/plain": "It is None."}
    shown = re.fullmatch(
        r'<img src="data:image/svg\+xml,([^"]*)" alt="It is cut.">', picture.data["text/html"]
    )
    assert ElementTree.fromstring(unquote(shown[1]))[0].get("d") == "M0 0l9 9"


@pytest.mark.takes_turns
@pytest.mark.parametrize("lesson", lessons(), ids=lambda lesson: lesson.name)
def test_what_is_kept_of_a_lesson_s_pictures_looks_like_them(lesson, page):
    """The pictures as a run draws them, and as they are kept, on white paper."""
    from PIL import Image, ImageChops

    drawn = []
    for cell in json.loads(with_outputs(lesson.path))["cells"]:
        for output in cell.get("outputs", []):
            data = output.get("data", {})
            drawn += [data[form] for form in data if form == "image/svg+xml"]
            coded = stills.CODED.findall("".join(data.get("text/html", "")))
            drawn += [base64.b64decode(each).decode() for each in coded]
    assert drawn
    page.set_viewport_size({"width": 800, "height": 900})
    for each in map("".join, drawn):
        seen = []
        for drawing in (each[each.index("<svg") :], stills.lean(each)):
            page.set_content(f'<body style="margin: 0; background: #fff">{drawing}')
            seen.append(Image.open(io.BytesIO(page.screenshot())).convert("L"))
        other = sum(ImageChops.difference(*seen).histogram()[100:])
        ink = sum(seen[0].histogram()[:200])
        assert ink > 100
        assert other <= 0.02 * ink, each[:300]
