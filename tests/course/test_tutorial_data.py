"""The data that ship with the tutorials: what and whose they are, what is learnt of them."""

from __future__ import annotations

import time
from pathlib import Path

import numpy as np
import pytest

FOLDER = Path(__file__).parents[2] / "tutorials"
DIGITS = FOLDER / "data" / "digits.npz"
LESSON = FOLDER / "05_backpropagation.py"


@pytest.fixture(scope="module")
def digits():
    with np.load(DIGITS, allow_pickle=False) as data:
        return {name: data[name] for name in data}


def test_the_digits_have_the_documented_shapes_and_values(digits):
    assert set(digits) == {"images", "labels"}
    assert digits["images"].shape == (1797, 8, 8)
    assert digits["labels"].shape == (1797,)
    assert digits["images"].dtype == digits["labels"].dtype == np.uint8
    assert (digits["images"].min(), digits["images"].max()) == (0, 16)


def test_there_are_as_many_digits_of_each_kind_as_the_repository_of_the_data_says(digits):
    kinds = [178, 182, 177, 183, 181, 182, 181, 179, 174, 180]
    assert np.bincount(digits["labels"]).tolist() == kinds


def test_the_file_of_digits_is_small():
    assert DIGITS.stat().st_size < 60_000


@pytest.mark.parametrize("place", [FOLDER / "data" / "README.md", LESSON])
def test_authors_source_and_licence_of_the_digits_are_named(place):
    text = " ".join(place.read_text("utf-8").replace("#", " ").split())
    for part in ["Alpaydin", "Kaynak", "CC BY 4.0", "10.24432/C50P49", "licenses/by/4.0"]:
        assert part in text


@pytest.mark.slow
def test_the_classifier_of_the_lesson_reads_95_of_100_digits_within_20_seconds(monkeypatch):
    pyplot = pytest.importorskip("matplotlib.pyplot", reason="the lesson draws (extra viz)")
    pyplot.switch_backend("agg")
    monkeypatch.chdir(FOLDER)
    lesson = LESSON.read_text("utf-8")
    imports = (
        "import matplotlib.pyplot as plt\nimport numpy as np\n"
        "import minitape as tf\nfrom minitape import viz\n"
    )
    program = lesson[lesson.index("# ## Real data") : lesson.index("# ## A network that aims")]
    names: dict[str, object] = {}
    start = time.process_time()
    exec(imports + program, names)
    assert time.process_time() - start < 20
    assert names["accuracy"](names["model"], names["test_x"], names["test_y"]) > 0.95
    pyplot.close("all")
