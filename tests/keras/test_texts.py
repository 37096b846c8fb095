"""Data sets of texts, read from small files; the results written here are those of Keras."""

from __future__ import annotations

import json
import pickle

import numpy as np
import pytest

import minitape as tf

TRAIN = [[5, 8, 2], [1, 9, 9, 4], [7], [3, 3], [2, 6, 1, 8, 5]]
TEST = [[4, 4, 4], [9, 1], [6, 2, 7, 3]]


def rows(texts):
    array = np.empty(len(texts), object)
    array[:] = texts
    return array


@pytest.fixture(autouse=True)
def folder(tmp_path, monkeypatch):
    """The folder of Keras, with two small data sets."""
    monkeypatch.setenv("KERAS_HOME", str(tmp_path))
    place = tmp_path / "datasets"
    place.mkdir()
    np.savez(
        place / "imdb.npz",
        x_train=rows(TRAIN),
        y_train=np.array([1, 0, 0, 1, 1]),
        x_test=rows(TEST),
        y_test=np.array([0, 1, 0]),
    )
    labels = np.array([3, 1, 4, 1, 5, 9, 2, 6])
    np.savez(place / "reuters.npz", x=rows(TRAIN + TEST), y=labels)
    return place


@pytest.mark.parametrize(
    ("options", "first", "labels"),
    [
        ({}, [1, 4, 2, 2, 7], [0, 1, 1, 0, 1]),
        ({"num_words": 9, "skip_top": 4, "oov_char": None}, [4, 7], [0, 1, 1, 0, 1]),
        ({"maxlen": 5, "seed": 7}, [1, 8, 11, 5], [1, 1, 0]),
        ({"start_char": None, "index_from": 0}, [1, 2, 2, 4], [0, 1, 1, 0, 1]),
    ],
)
def test_reviews_are_lists_of_numbers_as_keras_counts_words(options, first, labels):
    (x, y), (x_test, y_test) = tf.keras.datasets.imdb.load_data(**options)
    assert x.dtype == object
    assert list(x[0]) == first
    assert y.tolist() == labels
    assert len(x_test) == len(y_test)


def test_news_are_parted_after_they_were_shuffled():
    (x, y), (x_test, y_test) = tf.keras.datasets.reuters.load_data(num_words=9)
    assert list(x[0]) == [1, 4, 2, 2, 7]
    assert list(x[4]) == [1, 2, 5, 2, 6]
    assert y.tolist() == [1, 1, 2, 3, 6, 4]
    assert list(map(list, x_test)) == [[1, 5, 2, 4, 2, 8], [1, 7, 7, 7]]
    assert y_test.tolist() == [5, 9]


def test_texts_that_are_all_too_long_raise():
    with pytest.raises(ValueError, match="no sequence was kept"):
        tf.keras.datasets.imdb.load_data(maxlen=1)


def test_words_have_their_numbers_in_a_file_beside(folder):
    (folder / "imdb_word_index.json").write_text(json.dumps({"film": 19}))
    assert tf.keras.datasets.imdb.get_word_index() == {"film": 19}
    with pytest.raises(FileNotFoundError, match="reuters_word_index.json"):
        tf.keras.datasets.reuters.get_word_index()


class Trap:
    """What calls a function when it is unpickled."""

    def __reduce__(self):
        return print, ("run",)


def test_a_file_that_would_run_something_is_refused(folder, capsys):
    np.savez(folder / "reuters.npz", x=rows([[Trap()]]), y=np.array([1]))
    with pytest.raises(pickle.UnpicklingError, match=r"builtins\.print, which could run anything"):
        tf.keras.datasets.reuters.load_data()
    assert capsys.readouterr().out == ""
