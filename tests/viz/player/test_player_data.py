"""What a player is given is what `viz.player.data` says, and the types of its scripts are, too."""

from __future__ import annotations

import json

import pytest

import player_types
from minitape import viz
from minitape.viz.player import data
from minitape.viz.player.shown import picture_and_data
from minitape.viz.trace.trace import Trace
from viz_traces import EXAMPLES, diamond


def given(trace: Trace) -> dict:
    """As a page reads it back."""
    return json.loads(json.dumps(picture_and_data(trace, None)[1]))


def test_the_types_of_the_scripts_are_made_of_the_data_s() -> None:
    written = player_types.FILE.read_text("utf-8")
    assert written == player_types.written(), "run python tests/player_types.py"


LONG = {"chain_10000"}
PLAYERS = [
    pytest.param(name, marks=[pytest.mark.slow] if name in LONG else []) for name in EXAMPLES
]


@pytest.mark.parametrize("name", PLAYERS)
def test_every_player_is_given_what_is_declared(name: str) -> None:
    assert player_types.fits(given(EXAMPLES[name]()), data.Data) == []


def test_recorded_networks_and_opened_ops_are_given_what_is_declared() -> None:
    import minitape as tf

    w = tf.Variable([[0.5, -1.0], [2.0, 0.25]])
    with viz.recording(), tf.GradientTape() as tape:
        h = tf.nn.softmax(tf.matmul([[1.0, 2.0]], w))
        loss = tf.reduce_mean(tf.nn.sigmoid_cross_entropy_with_logits([[0.0, 1.0]], h))
    found = given(viz.step(tape, loss, w).trace)
    assert found["insides"]
    assert player_types.fits(found, data.Data) == []


@pytest.mark.parametrize(
    ("change", "place"),
    [
        ({"title": 3}, "data.title"),
        ({"nodes": [{"called": "x"}]}, "data.nodes[0].shape"),
        ({"colour": "red"}, "data.colour is unknown"),
        ({"sources": [True]}, "data.sources[0]"),
        ({"kind": "tree"}, "data.kind"),
    ],
)
def test_what_is_not_declared_is_found(change: dict, place: str) -> None:
    assert place in player_types.fits(given(diamond()) | change, data.Data)
