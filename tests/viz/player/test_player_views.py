from __future__ import annotations

import re

from minitape.viz.views.of_tapes import pictures
from viz_traces import chain, diamond, network


def test_a_small_tape_has_one_picture_of_its_own_nodes() -> None:
    (whole,) = pictures(diamond())
    assert whole.members == ()
    assert whole.drawing.count("data-node=") == 4


def test_every_node_is_inside_exactly_one_box_of_the_first_picture() -> None:
    trace = chain(1_000)
    whole = pictures(trace)[0]
    assert sorted(node for box in whole.members for node in box) == list(range(len(trace.nodes)))


def test_a_box_opens_the_picture_of_what_it_stands_for() -> None:
    drawn = pictures(chain(1_000))
    for picture in drawn:
        for box, opened in (picture.opens or {}).items():
            inside = {node for members in drawn[opened].members for node in members}
            assert set(picture.members[box]) <= inside


def test_every_node_can_be_reached_alone() -> None:
    trace = chain(1_000)
    alone = {m[0] for picture in pictures(trace) for m in picture.members if len(m) == 1}
    assert alone == set(range(len(trace.nodes)))


def test_boxes_and_members_correspond() -> None:
    for picture in pictures(network(60)):
        drawn = [int(n) for n in re.findall(r'data-node="(\d+)"', picture.drawing)]
        assert sorted(drawn) == list(range(len(picture.members)))
