"""What lesson 10 says of attention, recomputed: by differences, by NumPy, by training again."""

from __future__ import annotations

import re
from collections import Counter

import numpy as np
import pytest

from lesson_cells import FOLDER, alternatives, cells, code, numbers, prose, whole

pytest.importorskip("matplotlib.pyplot", reason="the lesson draws (extra plot)")
# The lesson runs as a whole, in about twenty seconds, once for all its claims.
pytestmark = [pytest.mark.slow, pytest.mark.xdist_group("lesson 10")]


@pytest.fixture(scope="module")
def lesson():
    return whole("10")


def softmax(s: np.ndarray) -> np.ndarray:
    e = np.exp(s - s.max(-1, keepdims=True))
    return e / e.sum(-1, keepdims=True)


def by_differences(f, x: np.ndarray, g: np.ndarray, step: float = 1e-6) -> np.ndarray:
    """The sum of g times the slopes of f, for each element of x."""
    shares = np.empty_like(x)
    for i in np.ndindex(x.shape):
        change = np.zeros_like(x)
        change[i] = step
        shares[i] = np.sum(g * (f(x + change) - f(x - change))) / (2 * step)
    return shares


def test_a_throw_comes_down_as_short_of_where_finer_steps_say_as_is_said(lesson):
    names, _ = lesson
    assert "0.32 to 0.43 m short" in code("10")
    for angle in (0.05, 0.1, 0.2, 0.3, 0.5):
        place, speed = np.array([0.0, 1.5]), 20.0 * np.array([np.cos(angle), np.sin(angle)])
        while place[1] > 0:
            air = speed + [6.0 * np.tanh(place[1] / 5.0), 0.0]
            speed = speed + 2e-4 * (-0.02 * np.linalg.norm(air) * air - [0.0, 9.81])
            place = place + 2e-4 * speed
        assert 0.32 < place[0] - names["lands"]([angle])[0] < 0.43


def test_a_soft_mean_is_better_than_the_nearest_and_than_all_alike(lesson):
    names, printed = lesson
    angles, distances, wanted = names["angles"], names["distances"], names["wanted"]

    def miss(sharpness):
        weights = softmax(-sharpness * (wanted[:, None] - distances) ** 2)
        return np.abs(names["lands"](weights @ angles) - wanted).mean()

    nearest = angles[np.abs(wanted[:, None] - distances).argmin(1)]
    alone = np.abs(names["lands"](nearest) - wanted).mean()
    said = dict(map(numbers, re.findall(r"^sharpness [\d.]+: [\d.]+ m$", printed, re.MULTILINE)))
    assert said == pytest.approx(
        {0: miss(0.0), 0.1: miss(0.1), 3: miss(3.0), 1000: alone}, abs=0.01
    )
    assert said[1000] == 0.28
    assert miss(3.0) < alone < miss(0.1) < miss(0.0)
    assert names["misses"][0] == pytest.approx(2.6, abs=0.05)
    assert min(names["misses"]) == pytest.approx(0.2, abs=0.05)
    assert "from 2.6 m at the left" in alternatives("10")


def test_softmax_and_layer_normalisation_backward_are_those_of_differences(lesson):
    names, printed = lesson
    s, g = np.array([[2.0, 1.0, 0.0]]), np.array([[1.0, 0.0, 0.5]])
    expected = by_differences(softmax, s, g)
    rows = [
        numbers(line) for line in printed.splitlines() if line.startswith(("by hand", "by tape"))
    ]
    np.testing.assert_allclose([row[:3] for row in rows[:2]], np.repeat(expected, 2, 0), atol=6e-5)
    assert abs(expected.sum()) < 1e-9

    def normalised(x):
        return (x - x.mean(-1, keepdims=True)) / np.sqrt(x.var(-1, keepdims=True) + 1e-5)

    expected = by_differences(normalised, np.array([[1.0, 2.0, 6.0]]), np.array([[1.0, 0.0, -1.0]]))
    np.testing.assert_allclose([row[:3] for row in rows[2:]], np.repeat(expected, 2, 0), atol=6e-5)


def test_attention_by_hand_is_that_of_differences(lesson):
    names, printed = lesson
    Q, K, V = (names[each].copy() for each in "QKV")
    g = np.random.default_rng(1).normal(size=(4, 2))
    mask = np.triu(np.full((4, 4), -1e9), 1)
    A = softmax(Q @ K.T / 2**0.5 + mask)
    scores = names["softmax_backward"](A, g @ V.T)
    for mine, f, x in [
        (A.T @ g, lambda v: softmax(Q @ K.T / 2**0.5 + mask) @ v, V),
        (scores @ K / 2**0.5, lambda q: softmax(q @ K.T / 2**0.5 + mask) @ V, Q),
        (scores.T @ Q / 2**0.5, lambda k: softmax(Q @ k.T / 2**0.5 + mask) @ V, K),
    ]:
        np.testing.assert_allclose(mine, by_differences(f, x, g), atol=1e-8)
    assert printed.count("agrees to 12 digits: True") == 3


def test_a_mask_put_on_after_softmax_passes_by_the_values_and_leaks_by_the_keys(lesson):
    names, _ = lesson
    Q, K, V = (names[each].copy() for each in "QKV")

    def first_place(q, k, v):
        return ((softmax(q @ k.T / 2**0.5) * np.tril(np.ones((4, 4)))) @ v)[:1]

    by_values = by_differences(lambda v: first_place(Q, K, v), V, np.ones((1, 2)))
    by_keys = by_differences(lambda k: first_place(Q, k, V), K, np.ones((1, 2)))
    assert not by_values[1:].any()
    assert (np.abs(by_keys[1:]).max(1) > 1e-3).all()
    assert "a mask put on *after* softmax passes here" in prose("10")


def test_undivided_scores_spread_with_the_root_of_the_width(lesson):
    _, printed = lesson
    rows = [numbers(line) for line in printed.splitlines() if line.startswith("width ")]
    assert len(rows) == 6
    for width, spread, *_ in rows[0::2]:
        assert spread == pytest.approx(width**0.5, rel=0.05)
    for _, spread, _, slope in rows[1::2]:
        assert spread == pytest.approx(1, abs=0.05)
        assert slope > 0.8
    undivided = [slope for *_, slope in rows[0::2]]
    assert undivided == sorted(undivided, reverse=True)
    for before, after in zip(undivided, rows[1::2], strict=True):
        assert before < after[-1]
    assert undivided[-1] < 0.1


def test_the_sharpness_that_is_learnt_is_the_lowest_of_a_valley_and_there_is_another(lesson):
    names, printed = lesson
    angles, distances = names["angles"], names["distances"]
    apart = (distances[:, None] - distances) ** 2 + np.where(np.eye(24), np.inf, 0.0)

    def loss(sharpness):
        return np.mean((100 * (softmax(-sharpness * apart) @ angles - angles)) ** 2)

    grid = np.geomspace(0.1, 100, 3000)
    losses = np.array([loss(each) for each in grid])
    inner = (losses[1:-1] < losses[:-2]) & (losses[1:-1] < losses[2:])
    lowest = grid[1:-1][inner]
    said = numbers(re.search(r"learnt: .*", printed)[0])
    assert names["learnt"] == pytest.approx(lowest[0], rel=0.01)
    assert said[0] == round(names["learnt"], 1)
    assert said[1] == pytest.approx(0.21, abs=0.006)
    other = lowest[lowest > 10][0]
    between = grid[(grid > lowest[0]) & (grid < other)]
    assert between[np.argmax([loss(each) for each in between])] < 10  # so that 10 leads there
    assert loss(other) < loss(lowest[0])

    def miss(sharpness):
        weights = softmax(-sharpness * (names["wanted"][:, None] - distances) ** 2)
        return np.abs(names["lands"](weights @ angles) - names["wanted"]).mean()

    assert miss(other) > miss(lowest[0])
    said = (
        "From 10, gradient descent ends in another valley than from 0.1. There the loss is lower "
        "still, but the throws miss by more"
    )
    assert said in prose("10")
    assert lowest == pytest.approx([2.4, 57], rel=0.02)

    def after_sixty_steps(begin):
        at, small = np.log(begin), 1e-6
        for _ in range(60):
            at -= 0.3 * (loss(np.exp(at + small)) - loss(np.exp(at - small))) / (2 * small)
        return np.exp(at)

    assert after_sixty_steps(10.0) == pytest.approx(57, rel=0.03)


def test_the_reverser_learns_an_anti_diagonal(lesson):
    names, printed = lesson
    assert names["right"](names["reverser"]) > 0.95
    assert "the positions look at [7 6 5 4 3 2 1 0]" in printed
    assert names["looks"].max(1).min() > 0.5


def test_of_eight_starts_all_learn_with_the_root_and_only_some_without(lesson):
    names, _ = lesson
    for root, few, many in ((True, 8, 8), (False, 1, 6)):
        learnt = 0
        for seed in range(8):
            w, source = names["started"](27, 16, 32, seed=seed), names["batches"](seed)
            for _ in range(3):
                names["trained"](w, source, 100, root=root)
            learnt += names["right"](w, root=root) > 0.9
        assert few <= learnt <= many
    said = (
        "all eight learn the task in these three rounds with the root, and only some of them do "
        "without it"
    )
    assert said in prose("10")


def test_without_a_pause_the_same_start_learns_without_the_root_too(lesson):
    names, _ = lesson
    w = names["started"](27, 16, 32)
    names["trained"](w, names["batches"](0), 300, root=False)
    assert names["right"](w, root=False) > 0.95
    assert "this very one learns the task without the root, too" in prose("10")


def test_without_the_root_one_place_is_wrong_and_the_others_are_right(lesson):
    names, _ = lesson
    assert names["right"](names["scaled"]) > 0.95
    assert names["right"](names["unscaled"], root=False) < 0.2
    assert np.sum(names["places"] < 0.5) == 1
    assert np.sum(names["places"] > 0.9) >= 6
    assert names["p"].argmax() != 15 - names["worst"]
    assert names["p"].max() > 0.9


def test_blind_guessing_costs_the_logarithm_of_the_kinds_and_the_text_is_the_shipped_one(lesson):
    names, printed = lesson
    assert len(names["alphabet"]) == 33
    assert "guessing blindly costs 3.5" in printed
    assert "Guessing costs 3.5" in code("10")
    text = " ".join((FOLDER / "data" / "course.txt").read_text("utf-8").split())
    assert names["text"] == text
    readme = (FOLDER / "data" / "README.md").read_text("utf-8")
    assert "about 99,000 letters of 33" in readme
    assert len(text) == pytest.approx(99_000, abs=500)
    assert len(names["unread"]) == pytest.approx(len(text) / 10, abs=600)


def test_a_model_without_the_mask_copies_and_one_with_it_learns(lesson):
    names, printed = lesson
    assert names["cost"](names["cheat"], names["unread"], mask=False) < 0.3
    read, unread = (names["cost"](names["writer"], names[each]) for each in ("read", "unread"))
    assert 0.8 < read < unread < 1.8
    fresh = names["started"](33, 32, 64, blocks=2)
    assert names["cost"](fresh, names["unread"]) > 3.4


def test_the_model_beats_who_counts_with_two_letters_and_not_who_counts_with_three(lesson):
    names, _ = lesson
    read, unread = ("".join(map(chr, names[each])) for each in ("read", "unread"))
    kinds, said = len(names["alphabet"]), {0: 2.88, 1: 2.26, 2: 1.71, 3: 1.40}
    for before, expected in said.items():
        pairs = Counter(read[k : k + before + 1] for k in range(len(read) - before))
        firsts = Counter(read[k : k + before] for k in range(len(read) - before))
        costs = [
            -np.log((pairs[seen] + 0.1) / (firsts[seen[:-1]] + 0.1 * kinds))
            for seen in (unread[k : k + before + 1] for k in range(len(unread) - before))
        ]
        assert np.mean(costs) == pytest.approx(expected, abs=0.006)
        assert names["counted"](before) == pytest.approx(np.mean(costs), rel=1e-9)
    assert len(names["losses"]) == 1000
    by_twenty = np.reshape(names["losses"], (50, 20)).mean(1)
    assert by_twenty[12] < 2.26
    assert by_twenty[-1] < 1.71 < by_twenty[25]
    assert by_twenty.min() > 1.40
    assert names["cost"](names["writer"], names["unread"]) > 1.40
    said = (
        "A table of three is still better, but a table of four is worse again: of all "
        "kinds of five letters in a row, nearly half come only once in the text that is read"
    )
    assert said in prose("10")
    fives = Counter(read[k : k + 5] for k in range(len(read) - 4))
    fours = Counter(read[k : k + 4] for k in range(len(read) - 4))
    seen = (unread[k : k + 5] for k in range(len(unread) - 4))
    costs = [-np.log((fives[five] + 0.1) / (fours[five[:-1]] + 0.1 * kinds)) for five in seen]
    assert np.mean(costs) > 1.40
    assert 0.4 < np.mean(np.array(list(fives.values())) == 1) < 0.5


def test_the_cheat_depends_most_on_the_next_letter_and_masked_on_no_later_one(lesson):
    names, _ = lesson
    cheat, ids = names["cheat"], np.array([names["alphabet"].index(c) for c in names["asked"]])
    table = cheat["letters"].numpy()[ids].astype(np.float32)

    def guesses(rows, mask):
        w = cheat | {"letters": names["tf"].constant(rows)}
        return names["model"](w, np.arange(16)[None], 4, mask=mask)[0].numpy()[0].max(-1)

    for mask in (False, True):
        moved = np.empty((16, 16))
        for j in range(16):
            other = table.copy()
            other[j] *= 1.05
            moved[:, j] = np.abs(guesses(other, mask) - guesses(table, mask))
        if mask:
            assert not np.triu(moved, 1).any()
        else:
            assert np.mean(moved[:-1].argmax(1) == np.arange(1, 16)) > 0.6


def test_most_of_what_a_letter_costs_without_the_mask_is_that_of_the_last_place(lesson):
    names, _ = lesson
    costs = []
    for _, (now, following, _) in zip(range(20), names["pieces"](names["unread"], 2), strict=False):
        scores = names["model"](names["cheat"], now, 4, mask=False)[0].numpy()
        chances = np.take_along_axis(softmax(scores), following[..., None], -1)[..., 0]
        costs.append(-np.log(chances).mean(0))
    places = np.mean(costs, 0)
    assert names["cost"](names["cheat"], names["unread"], mask=False) == pytest.approx(
        places.mean(), rel=1e-4
    )
    assert places[31] > 0.75 * places.sum()
    said = "Most of the cost is that of the last of the 32 places, whose next letter it cannot"
    assert said in code("10")


def test_the_mask_hides_later_letters_and_a_model_without_it_sees_them(lesson):
    names, _ = lesson
    ids = np.arange(20)[None] % 33
    other = ids.copy()
    other[0, 12] = 30
    for mask in (True, False):
        a, b = (
            names["model"](names["writer"], each, 4, mask=mask)[0].numpy() for each in (ids, other)
        )
        assert np.array_equal(a[0, :12], b[0, :12]) == mask


def test_no_head_looks_at_a_later_letter_and_some_look_at_one_for_a_whole_word(lesson):
    names, _ = lesson
    weights = names["model"](names["writer"], names["ids"], 4)[1].numpy()[0]
    assert weights.shape == (4, 16, 16)
    assert not np.triu(weights, 1).any()
    bars = (weights[:, :-2] > 0.4) & (weights[:, 1:-1] > 0.4) & (weights[:, 2:] > 0.4)
    assert bars.any()


def test_attention_is_written_in_ten_lines():
    (cell,) = [c.text for c in cells("10") if c.text.startswith("def attention(")]
    function = cell.split("\n\n")[0].strip().splitlines()
    assert len(function) <= 10
