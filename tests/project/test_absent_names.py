"""Names: packages are loaded when they are used, and what is not there is said in words."""

import re
import subprocess
import sys

import numpy as np
import pytest

import minitape as tf
from minitape.names.absent import words


@pytest.mark.parametrize(
    "program",
    [
        "import minitape as tf; tf.keras.layers.Dense(1)",
        "import minitape as tf; tf.data.Dataset.range(1)",
        "from minitape import keras; keras.Sequential()",
        "from minitape.keras.layers import Dense; from minitape.keras import layers",
        "import minitape.keras as keras; keras.optimizers.SGD()",
        "from minitape.keras.optimizers.schedules import ExponentialDecay",
        "from minitape.keras.models import Sequential",
        "import minitape.keras.backend as K; K.square",
        "from minitape.keras.preprocessing.sequence import pad_sequences",
        "from minitape.keras.datasets import mnist; from minitape.keras.callbacks import Callback",
        "import minitape as tf; tf.Module(); tf.losses; tf.zeros_initializer()",
    ],
)
def test_packages_are_found_by_the_first_name_asked_for(program):
    subprocess.run([sys.executable, "-c", program], check=True)


@pytest.mark.parametrize(
    ("name", "why", "instead"),
    [
        ("saved_model.save", "formats for saved programs", "numpy.savez"),
        ("train.Checkpoint", "checkpoints are TensorFlow's own file format", "set_weights"),
        ("summary.create_file_writer", "TensorBoard", "matplotlib"),
        ("distribute.MirroredStrategy", "in one process", "Remove the scope"),
        ("sparse.SparseTensor", "a second kind of value", "dense tensor"),
        ("lite.TFLiteConverter", "other devices", "runs in Python"),
        ("data.TFRecordDataset", "file formats", "NumPy"),
        ("data.NumpyIterator", "annotations", "iter(dataset)"),
        ("keras.utils.unpack_x_y_sample_weight", "knows what its data are", "x, y = data"),
        ("keras.callbacks.TerminateOnNaN", "long training runs", "tf.keras.callbacks.Callback"),
    ],
)
def test_what_is_no_part_of_minitape_says_why_and_what_to_do(name, why, instead):
    with pytest.raises(AttributeError, match="is not supported in minitape") as caught:
        eval(f"tf.{name}", {"tf": tf})
    assert why in str(caught.value)
    assert instead in str(caught.value)


def test_the_version_is_that_of_the_semantics_and_says_whose_it_is():
    assert tf.__version__.startswith("2.")
    assert "minitape" in tf.__version__
    assert tf.__version__ == tf.version.VERSION


@pytest.mark.parametrize(
    ("program", "instead"),
    [
        ("import minitape.keras.applications", "Train a small model"),
        ("from minitape.keras.applications import VGG16", "Train a small model"),
        ("from minitape.keras import applications", "Train a small model"),
        ("from minitape.keras.preprocessing.image import ImageDataGenerator", "tf.image"),
        ("import minitape.saved_model", "not supported in minitape"),
        ("from minitape.keras.models import load_model", "numpy.savez"),
        ("from minitape.keras.callbacks import History, ModelCheckpoint", "Callback"),
        ("from minitape.keras.utils import text_dataset_from_directory", "NumPy"),
        ("from minitape.keras.datasets import imdb", "allow_pickle"),
        ("from minitape.python.framework.ops import EagerTensor", "tf.Tensor"),
    ],
)
def test_an_import_of_what_is_no_part_says_what_to_do(program, instead):
    with pytest.raises(ModuleNotFoundError, match="not supported in minitape") as caught:
        exec(program, {})
    assert instead in str(caught.value)


def test_an_import_of_a_name_that_tensorflow_has_not_is_left_to_python():
    with pytest.raises(ModuleNotFoundError, match="No module named 'minitape.no_such_part'"):
        exec("import minitape.no_such_part", {})


def test_a_slip_in_a_name_of_keras_gets_the_name_that_was_meant():
    with pytest.raises(AttributeError, match=r"Did you mean `tf\.keras\.layers\.Dense`\?"):
        _ = tf.keras.layers.Dens
    with pytest.raises(AttributeError, match=r"not supported in minitape.*Activation\('elu'\)"):
        _ = tf.keras.layers.ELU
    with pytest.raises(AttributeError, match="one RNN after the other"):
        _ = tf.keras.layers.StackedRNNCells
    with pytest.raises(
        AttributeError, match=r"`tf\.keras\.layers\.ConvLSTM2D` is not supported"
    ) as found:
        _ = tf.keras.layers.ConvLSTM2D
    assert "Did you mean" not in str(found.value)


@pytest.mark.parametrize(
    ("part", "name"),
    [("initializers", "GlorotUniform"), ("activations", "relu"), ("losses", "mse")],
)
def test_a_notebook_can_complete_the_names_of_a_part_of_keras(part, name):
    assert name in dir(getattr(tf.keras, part))


def test_what_the_words_say_of_attention_gives_the_numbers_of_keras():
    x = tf.reshape(tf.range(12.0) % 5, [1, 3, 4]) / 4
    q, k, v, d = tf.reshape(tf.range(8.0) % 3, [1, 2, 4]) / 2, x, x, 4
    said = re.search("`(tf.nn.*?)`", words("keras.layers.MultiHeadAttention"))
    found = eval(said[1], {"tf": tf, "q": q, "k": k, "v": v, "d": d})
    keras = [[0.554, 0.4296, 0.2555, 0.5055], [0.6161, 0.4978, 0.212, 0.462]]  # one head, no bias
    assert np.allclose(found[0], keras, atol=1e-4)


def test_what_the_words_say_of_masking_gives_the_numbers_of_keras():
    k, r, b = (np.arange(n).reshape(s) % 7 / 7 for n, s in ((8, (2, 4)), (4, (1, 4)), (4, (4,))))
    x = tf.constant([[[1.0, 2.0], [0.0, 0.0], [3.0, 1.0]], [[1.0, 0.0], [2.0, 2.0], [0.0, 0.0]]])
    layer = tf.keras.layers.LSTM(1)
    layer.build((None, 3, 2))
    layer.set_weights([k, r, b])
    said = re.search("`mask=(.*?)`", words("keras.layers.Masking"))
    found = layer(x, mask=eval(said[1], {"tf": tf, "x": x}))
    assert np.allclose(found, [[0.7284], [0.5975]], atol=1e-4)


def test_what_the_words_say_of_spatial_dropout_drops_whole_channels():
    said = re.search("`(Dropout.*?)`", words("keras.layers.SpatialDropout1D"))
    layer = eval(said[1], vars(tf.keras.layers))
    dropped = layer(tf.ones([2, 3, 40]), training=True).numpy() == 0
    assert (dropped == dropped[:, :1]).all()
    assert 0 < dropped.mean() < 0.5


def test_what_the_words_say_of_resizing_is_there():
    said = re.search("`(tf.image.*?)`", words("keras.layers.Resizing"))
    assert eval(said[1], {"tf": tf, "x": tf.ones([1, 4, 4, 1])}).shape == (1, 64, 64, 1)
