"""Words for what TensorFlow has and minitape has not: why, and what a lesson can do instead.

A name stands for all names below it, and the longest that fits is used. The table of docs/API.md is
made from this one.

Names that one guesses from NumPy, PyTorch or JAX have the line to write instead (`INSTEAD`). A test
runs every line, with a vector `x` and a tape of `y = x * x`.
"""

from __future__ import annotations

import sys
from collections.abc import Sequence
from functools import partial
from types import ModuleType
from typing import Any, NamedTuple, NoReturn

from minitape.names.loading import load_rest
from minitape.names.registry import exports
from minitape.names.signatures import own_initialisers
from minitape.names.tensorflow1 import old_words

INSTEAD: dict[str, str] = {
    "sum": "tf.reduce_sum(x)",
    "mean": "tf.reduce_mean(x)",
    "max": "tf.reduce_max(x)",
    "min": "tf.reduce_min(x)",
    "prod": "tf.reduce_prod(x)",
    "dot": "tf.tensordot(x, x, 1)",
    "array": "tf.constant([1.0, 2.0])",
    "arange": "tf.range(3)",
    "relu": "tf.nn.relu(x)",
    "softmax": "tf.nn.softmax(x)",
    "cat": "tf.concat([x, x], 0)",
    "concatenate": "tf.concat([x, x], 0)",
    "grad": "tape.gradient(y, x)",
    "mse": "tf.reduce_mean((x - 1.0) ** 2)",
}


class Absent(NamedTuple):
    """Why a part of TensorFlow is not supported in minitape, and what to write in a lesson."""

    why: str
    instead: str


_rare = partial(Absent, "courses rarely use it")

_WEIGHTS = (
    "Keep arrays: `numpy.savez(path, *model.get_weights())`, and `set_weights` brings them back."
)
_FILES = Absent(
    "it reads and writes file formats and network protocols, and minitape has only NumPy",
    "Read the file with Python or NumPy, and give the array to `tf.constant`.",
)
_SAVING = Absent("it writes TensorFlow's own formats for saved programs", _WEIGHTS)
_DEVICES = Absent(
    "everything runs on the CPU, in one process",
    "Remove the scope: the code inside stays the same.",
)
_COMPILED = Absent(
    "it produces programs for other devices", "Keep the model as it is; it runs in Python."
)
_OLD = Absent(
    "it was made for an earlier version of TensorFlow",
    "Write the model with tf.keras or tf.Module, and the loop with tf.GradientTape.",
)
_SPARSE = Absent(
    "sparse tensors are a second kind of value for every op",
    "Use a dense tensor; gradients of `tf.gather` are sparse automatically (tf.IndexedSlices).",
)
_PICTURES = Absent(
    "reading image formats needs a library for each format",
    "Read the file with matplotlib or Pillow, and give the array to `tf.constant`.",
)
_PICKLED = Absent(
    "its file holds Python objects, which can run anything when they are read",
    "Read a file that you trust with `numpy.load(path, allow_pickle=True)`, and use "
    "`tf.keras.utils.pad_sequences`.",
)
_LARGE = Absent(
    "trained models are large downloads, and nothing is downloaded at run time",
    "Train a small model on tf.keras.datasets.digits, or bring weights with `set_weights`.",
)
_LAYER = Absent(
    "courses on automatic differentiation rarely use it",
    "Derive a class from tf.keras.layers.Layer, with `build` and `call`; the gradient follows.",
)
_ATTENTION = Absent(
    "it is two products and a softmax",
    "Write each head so: `tf.nn.softmax(q @ tf.transpose(k, [0, 2, 1]) / d**0.5) @ v`.",
)
_TEXT = Absent(
    "it prepares text for production pipelines",
    "Split with Python, number the words with a dict, and use `tf.keras.utils.pad_sequences`.",
)
_TUNING = Absent("it is for long training runs", "Write a tf.keras.callbacks.Callback.")

_TEXTS = Absent(
    "courses on automatic differentiation rarely compute with strings",
    "Work on them in Python, and give the result to `tf.constant`.",
)
_OPERATORS = Absent(
    "it is a matrix that is never written down, with an algebra of its own",
    "Write the matrix with `tf.linalg.diag` or `tf.eye`, and use `tf.linalg.matvec` and `solve`.",
)
_SPECIAL = Absent(
    "courses on automatic differentiation rarely use it",
    "Compute it with SciPy in `tf.custom_gradient`, with its derivative beside it.",
)
_PIXELS = Absent(
    "a tensor of pixels can be sliced, turned and computed with like any other",
    "Write it with slices, `tf.reverse`, `tf.transpose`, `tf.pad` and arithmetic.",
)
_DRAWS = Absent(
    "courses use only a few distributions",
    "Use `tf.random.normal`, `uniform`, `categorical`, `gamma`, `poisson`, or NumPy's generator.",
)
_MATRICES = (
    *("", "Diag", "FullMatrix", "Identity", "LowerTriangular", "ScaledIdentity", "Block"),
    *("BlockDiag", "Circulant", "Composition", "Kronecker", "LowRankUpdate", "Toeplitz", "Zeros"),
)
_PASS = Absent("it is for annotations and for old programs", "Write `iter(dataset)`.")
_LOOP = _rare(
    "Write a loop that yields the elements, and give it to `tf.data.Dataset.from_generator`."
)
_OPERATION = Absent(
    "courses on automatic differentiation rarely use it",
    "Write it with existing ops, or as a `tf.custom_gradient` around NumPy.",
)

ABSENT: dict[str, Absent] = {
    "saved_model": _SAVING,
    "train": Absent(
        "checkpoints are TensorFlow's own file format",
        f"{_WEIGHTS} TensorFlow 1's optimizers are in tf.keras: `tf.keras.optimizers.SGD(0.1)`.",
    ),
    "summary": Absent(
        "event files are for TensorBoard, a separate program",
        "Append numbers to a list, and plot them with matplotlib; `viz` shows gradients.",
    ),
    **dict.fromkeys(["distribute", "tpu"], _DEVICES),
    "config.experimental_connect_to_cluster": _DEVICES,
    **dict.fromkeys(["sparse", "SparseTensor"], _SPARSE),
    **dict.fromkeys(["lite", "xla", "mlir", "quantization", "graph_util"], _COMPILED),
    "profiler": Absent("it measures TensorFlow's own runtime", "Use Python's cProfile."),
    **dict.fromkeys(["io", "audio"], _FILES),
    "lookup": _TEXT,
    **dict.fromkeys(["feature_column", "estimator"], _OLD),
    "queue": Absent("it is for the threads of TensorFlow's runtime", "Use Python's queues."),
    "python": Absent(
        "it is TensorFlow's internal code, which may change at any time",
        "Import the public name: `tf.keras.layers` for `tensorflow.python.keras.layers`, tf.Tensor "
        "for EagerTensor.",
    ),
    "compat.v1": _OLD,
    "autograph": Absent(
        "Python is never rewritten: code that depends on values runs as Python, with a notice",
        "Use tf.cond and tf.while_loop, or leave the decorator out.",
    ),
    "bfloat16": Absent(
        "NumPy has no such type, and minitape computes everything with NumPy",
        "Use tf.float16 to see what few digits do, and tf.float32 otherwise.",
    ),
    "bitcast": Absent(
        "it shows how a machine stores numbers, and no gradient goes through it",
        "Write `tf.constant(x.numpy().view(numpy.int32))`.",
    ),
    **dict.fromkeys(["fingerprint", "strings"], _TEXTS),
    "math.special": _SPECIAL,
    **dict.fromkeys(["math.sobol_sample", "random"], _DRAWS),
    "image": _PIXELS,
    **{f"linalg.LinearOperator{kind}": _OPERATORS for kind in _MATRICES},
    "nn": _OPERATION,
    "RaggedTensorSpec": Absent(
        "traced functions do not take ragged tensors here",
        "Give the flat values and the row splits, which are tensors.",
    ),
    "guarantee_const": _OLD,
    "signal": Absent(
        "courses on automatic differentiation rarely compute with frequencies",
        "Compute it with NumPy in `tf.custom_gradient`; `numpy.fft` has the rule as well.",
    ),
    "raw_ops": Absent(
        "TensorFlow's functions are built from it", "Use the function of that name in `tf`."
    ),
    "sets": Absent(
        "it is for sparse tensors, and no gradient goes through it", "Use Python's sets, or NumPy."
    ),
    "types": Absent("its names are only for annotations", "Annotate with `tf.Tensor` or `Any`."),
    **dict.fromkeys(
        ["keras.activations", "keras.constraints"],
        _rare("Write it as a function, and give that to the layer."),
    ),
    "keras.optimizers": _rare(
        "Use Adam, or write the step as a loop: `v.assign_sub(0.1 * gradient)`."
    ),
    "keras.optimizers.schedules": _rare(
        "Derive a class from LearningRateSchedule, or give the rate as a function."
    ),
    "keras.initializers": _rare("Write it as a function of shape and dtype."),
    "experimental": Absent(
        "it is not stable in TensorFlow, or is made for its runtime",
        "Use tf.Tensor, tf.Module and NumPy.",
    ),
    **{f"image.decode_{kind}": _PICTURES for kind in ("image", "jpeg", "png")},
    **{f"data.{kind}": _FILES for kind in ("TFRecordDataset", "TextLineDataset")},
    "data.Dataset.list_files": _FILES,
    "data.Dataset.rebatch": _rare("Write `dataset.unbatch().batch(n)`, which gives the same."),
    **{f"data.Dataset.{method}": _LOOP for method in ("scan", "shard", "take_while", "unique")},
    "data.Iterator": _PASS,
    "data.NumpyIterator": _PASS,
    "data.experimental": Absent(
        "its stable parts are methods of `tf.data.Dataset`, and the rest reads and writes files",
        "Write `dataset.shuffle(100).repeat()` for `shuffle_and_repeat`, and so on.",
    ),
    "keras.applications": _LARGE,
    "keras.models": Absent("models are not written to files here", _WEIGHTS),
    **dict.fromkeys(["keras.saving", "keras.export"], _SAVING),
    "keras.mixed_precision": Absent(
        "the policy saves time only on GPUs", "Give a layer `dtype='float16'`, or leave it out."
    ),
    "keras.distribution": _DEVICES,
    "keras.preprocessing.text": _TEXT,
    "keras.preprocessing.sequence": _rare("Cut and pad lists in Python, or with `pad_sequences`."),
    "keras.preprocessing": Absent(
        "it reads folders of files, and changes images at random",
        "Read arrays, and change them with `tf.image` in `Dataset.map`.",
    ),
    "keras.utils": Absent(
        "it downloads or prepares files", "Read the data with NumPy; see tf.keras.datasets."
    ),
    **{f"keras.datasets.{name}": _PICKLED for name in ("imdb", "reuters")},
    "keras.utils.unpack_x_y_sample_weight": Absent(
        "your own `train_step` knows what its data are", "Write `x, y = data`."
    ),
    "keras.datasets": Absent(
        "it is a large download", "Read the file with NumPy, and use Dataset.from_tensor_slices."
    ),
    "keras.callbacks": _TUNING,
    "keras.metrics": _rare("Derive a class from tf.keras.metrics.Metric."),
    "keras.losses": _rare("Write it as a function of targets and predictions."),
    "keras.layers.ELU": Absent("it is an activation", "Write `tf.keras.layers.Activation('elu')`."),
    "keras.layers.StackedRNNCells": Absent("layers do the same", "Write one RNN after the other."),
    "keras.layers.Masking": Absent(
        "masks do not travel from layer to layer",
        "Give recurrent layers `mask=tf.reduce_any(x != 0.0, -1)`.",
    ),
    "keras.layers.Resizing": Absent("it is a function", "Write `tf.image.resize(x, [64, 64])`."),
    "keras.layers.SpatialDropout1D": Absent(
        "it drops whole channels", "Write `Dropout(0.2, noise_shape=(None, 1, None))`."
    ),
    **{f"keras.layers.{kind}": _ATTENTION for kind in ("MultiHeadAttention", "Attention")},
    **{f"keras.layers.{kind}": _TEXT for kind in ("TextVectorization", "StringLookup")},
    "keras.layers": _LAYER,
    **dict.fromkeys(["keras.wrappers", "keras.estimator"], _OLD),
    "keras.backend": Absent("Keras 3 keeps few names there", "Use the op of that name in `tf`."),
    "keras.random": Absent(
        "courses draw normal and uniform numbers", "Use the function of that name in `tf.random`."
    ),
    "keras.ops": Absent(
        "it repeats all of NumPy",
        "Use the op of that name in `tf`, in a functional model in a Lambda layer.",
    ),
}


def words(wanted: str) -> str:
    """Why there is no `tf.<wanted>`, and what to do; "" where the table says nothing."""
    said, name = old_words(wanted), wanted
    while name and not said:
        found = ABSENT.get(name)
        if found is not None:
            return (
                f"`tf.{wanted}` is not supported in minitape: {found.why}. {found.instead} "
                "docs/API.md lists the supported names."
            )
        name = name.rpartition(".")[0]
    return said


def closed(module: str) -> None:
    """Gives a module words for every name that it has not; `dir` lists its `__all__`, if any.

    Its classes get initialisers of their own names.
    Set from outside, so that a type checker sees the names that there are and no others.
    """
    here: Any = sys.modules[module]
    if "__path__" not in vars(here):  # with one Python asks `AbsentModules` in `from it import x`
        here.__path__ = []
    here.__getattr__ = partial(_refuse, module)
    if "__all__" in vars(here):
        listed(module)
    own_initialisers(module)


def listed(module: str) -> None:
    """Lets `dir` list a module's `__all__` alone, without what it imports for itself."""
    here: Any = sys.modules[module]
    here.__dir__ = lambda: sorted(here.__all__)


def _refuse(module: str, name: str) -> NoReturn:
    raise missing(module, name)


def missing(module: str, name: str) -> AttributeError:
    """The error for a name that there is not: words about it, or the nearest one there is."""
    start = f"{module}.".removeprefix("minitape.")
    said = words(start + name)
    if not start and not said and name in INSTEAD:
        return AttributeError(
            f"module '{module}' has no attribute '{name}'. Write `{INSTEAD[name]}`."
        )
    if name in {"__path__", "__file__", "__all__"} or name.startswith("__"):
        said = ""
    elif not said or not (start + name in ABSENT or old_words(start + name)):
        load_rest()
        elsewhere = [each for each in exports if each.rpartition(".")[2] == name]
        from difflib import get_close_matches  # on the way to an error only

        near = elsewhere or get_close_matches(start + name, exports, 1, 0.75)
        own = get_close_matches(name, getattr(sys.modules.get(module), "__all__", ()), 1, 0.8)
        if own:  # a slip, or a neighbour that courses do not use: both are said
            said = f"Did you mean `tf.{start}{own[0]}`? {said}"
        elif near:
            said = f"Did you mean `tf.{near[0]}`? {said}"
    return AttributeError(f"module '{module}' has no attribute '{name}'. {said}".rstrip(" "))


# Words for an import of what TensorFlow has and minitape has not.


class AbsentModules:
    """The finder that answers `import minitape.keras.applications` with why and what to do."""

    @staticmethod
    def find_spec(
        fullname: str, path: Sequence[str] | None, target: ModuleType | None = None
    ) -> None:
        """Raise ModuleNotFoundError with words where the table of absent names has some."""
        package, _, wanted = fullname.removeprefix("minitape.").rpartition(".")
        if not fullname.startswith("minitape.") or not words(f"{package}.{wanted}".lstrip(".")):
            return
        # Without a name: `from package import name` drops an error that bears the module's name.
        raise ModuleNotFoundError(str(missing(f"minitape.{package}".rstrip("."), wanted)))


def install() -> None:
    """Ask this finder after all others."""
    if AbsentModules not in sys.meta_path:
        sys.meta_path.append(AbsentModules)
