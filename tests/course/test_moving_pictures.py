"""What moves in lessons 1 to 5 and 9, and that each picture says the same when it is still."""

from __future__ import annotations

import re
from xml.etree import ElementTree

import numpy as np
import pytest

from minitape.viz.course.motion import circling, flying, meeting, strolling, there_and_back, volleys

SVG = "{http://www.w3.org/2000/svg}"
ROOM = [(0.0, 0.0), (2.0, 1.0), (4.0, 0.0)]  # a curve


def chain(returns: bool):
    units = [("3", "12"), ("9", "2"), ("18", "1")]
    layers = [[(value, arrives if returns else "")] for value, arrives in units]
    return there_and_back(layers, [[[("6", "")]], [[("2", "")]]], "A chain.")


def bowl():
    turn = np.linspace(0, 2 * np.pi, 9)
    places = np.stack([np.cos(turn), np.sin(turn)], 1)
    return circling([("1", 2 * places)], places, places[:, 1] ** 2, {2: "high"}, "A bowl.")


def graph(number: str):
    turns = [[("y", "x", number, 0.0)]]
    return meeting({"x": (50, 30), "y": (90, 130)}, turns, ("x:", [[("3", True)]]), "A graph.")


PICTURES = {
    "there_and_back": lambda: chain(returns=True),
    "volleys": lambda: volleys([("first", [ROOM]), ("last", [ROOM])], [(4.0, 0.0)], "Balls."),
    "strolling": lambda: strolling(
        [("one", [ROOM], [(1.0, 0.5), (3.0, 0.5)])], ROOM, 0.5, "Walks."
    ),
    "meeting": lambda: graph("7"),
    "circling": bowl,
}


def parts(picture, kind: str) -> list[ElementTree.Element]:
    return list(ElementTree.fromstring(picture.svg).iter(SVG + kind))


def moment(element: ElementTree.Element) -> int:
    """When something appears, in the order of what is shown."""
    (shown,) = [e for e in element.iter(SVG + "animate") if e.get("attributeName") == "opacity"]
    return shown.get("values").split(";").index("1")


@pytest.mark.parametrize("name", PICTURES)
def test_a_picture_moves_says_what_is_to_be_seen_and_has_no_script(name):
    picture = PICTURES[name]()
    title = parts(picture, "title")[0].text
    assert title == picture.alt and title.endswith(".")
    assert "<script" not in picture.svg
    assert parts(picture, "animate") or parts(picture, "animateMotion")
    assert {each.text for each in parts(picture, "text")} >= {"Stop", "Again"}


@pytest.mark.parametrize("name", PICTURES)
def test_what_comes_is_there_in_the_last_frame_and_what_moves_is_not_when_still(name):
    picture = PICTURES[name]()
    root = ElementTree.fromstring(picture.svg)
    for element in root.iter():
        opacity = [
            e for e in element.findall(SVG + "animate") if e.get("attributeName") == "opacity"
        ]
        if opacity and element.get("class") == "comes":
            assert opacity[0].get("values").endswith("1")
        if element.find(SVG + "animateMotion") is not None:
            assert element.get("class") == "moves"


def test_gradients_come_after_all_values_and_from_right_to_left():
    text = {
        e.text: e for e in parts(chain(returns=True), "text") if e.find(SVG + "animate") is not None
    }
    assert [moment(text[word]) for word in ("3", "9", "18")] == [0, 1, 2]
    assert (moment(text["1"]), moment(text["12"])) == (3, 5)
    forward = [each.text for each in parts(chain(returns=False), "text")]
    assert "12" not in forward and "18" in forward


def test_a_line_without_a_gradient_of_its_own_is_not_broken():
    line = parts(chain(returns=True), "path")[0].get("d")
    _, end, start, _ = re.findall(r"[ML](\d+),", line)
    assert end == start


def test_no_label_of_a_ball_lies_on_the_ground_or_on_another():
    ends = [(13.7, 0.0), (19.3, 0.67), (19.5, 2.0), (20.0, 2.0)]
    names = [f"throw {n}" for n in range(4)]
    picture = flying([[(0.0, 1.5), end] for end in ends], names, (20.0, 2.0), "Balls.")
    labels = {e.text: (float(e.get("x")), float(e.get("y"))) for e in parts(picture, "text")}
    ground = float(parts(picture, "line")[0].get("y1"))
    assert all(not -3 < labels[name][1] - ground < 12 for name in names)
    assert all(
        abs(labels[a][0] - labels[b][0]) > 50 or abs(labels[a][1] - labels[b][1]) > 14
        for a in names
        for b in names
        if a < b
    )


def test_a_ball_of_each_round_flies_in_its_own_two_seconds():
    flights = parts(PICTURES["volleys"](), "animateMotion")
    assert [each.get("keyTimes") for each in flights] == ["0;0.000;0.333;1", "0;0.333;0.667;1"]
    assert flights[0].get("dur") == "6s"


def test_a_dotted_line_leads_from_where_a_ball_of_the_first_round_ended_to_its_ring():
    picture = volleys([("before training", [ROOM]), ("last", [ROOM])], [(2.0, 2.0)], "Balls.")
    (dotted,) = [e for e in parts(picture, "path") if e.get("stroke-dasharray")]
    start, end = (tuple(map(int, at.split(","))) for at in dotted.get("d")[1:].split(" L"))
    (ring,) = [e for e in parts(picture, "circle") if e.get("fill") == "none"]
    scale = 600 / 4  # 600 units for the 4 m of the flight
    assert end == (float(ring.get("cx")), float(ring.get("cy")))
    assert (end[0] - start[0], end[1] - start[1]) == (-2 * scale, -2 * scale)
    assert "\u00d7 where it ended before training" in {e.text for e in parts(picture, "text")}


def test_a_walk_ends_where_its_last_place_is():
    circles = parts(PICTURES["strolling"](), "circle")
    walked = [e.get("values").split(";")[-1] for e in circles[1].iter(SVG + "animate")]
    assert walked == [circles[2].get("cx"), circles[2].get("cy")]


def test_what_a_title_says_of_the_end_of_a_walk_comes_at_the_end():
    walk = [(1.0, 0.5), (3.0, 0.5)]
    picture = strolling([("one: arrived", [ROOM], walk)], ROOM, 0.5, "Walks.")
    title, ending = parts(picture, "text")[0], parts(picture, "tspan")[0]
    assert (title.text, ending.text) == ("one", ": arrived")
    (shown,) = ending.iter(SVG + "animate")
    assert (shown.get("attributeName"), shown.get("values")) == ("fill-opacity", "0;1")
    assert float(shown.get("keyTimes").split(";")[1]) > 0.9


def test_a_path_without_a_number_stops_at_a_cross():
    (whole,), (cut,) = (parts(graph(number), "animateMotion") for number in ("7", ""))
    assert whole.get("keyPoints").endswith("1;1")
    assert cut.get("keyPoints").endswith("0.45;0.45")
    struck = [e for e in parts(graph("7"), "tspan") if e.get("text-decoration") == "line-through"]
    assert [each.text for each in struck] == ["3"]


def test_the_dot_on_the_curve_is_highest_where_the_ground_is():
    along = [e.get("values") for e in parts(bowl(), "animate") if e.get("attributeName") == "cy"]
    ys = list(map(float, along[1].split(";")))
    assert np.argmin(ys) in (2, 6) and ys[0] == max(ys)  # y grows downward
