"""What is completed after a dot is the public API, and nothing that a module imports for itself."""

from __future__ import annotations

import inspect
from operator import attrgetter
from types import ModuleType
from typing import Any

import pytest

import minitape as tf
from minitape import viz
from rows import failing


def public_modules() -> dict[str, ModuleType]:
    """The two packages and all that is found below them by completing names."""
    found: dict[str, ModuleType] = {}
    left = [("tf", tf), ("viz", viz)]
    while left:
        path, module = left.pop()
        found[path] = module
        inner = {f"{path}.{name}": getattr(module, name) for name in offered(module)}
        left += [
            (name, value)
            for name, value in inner.items()
            if isinstance(value, ModuleType) and value not in found.values()
        ]
    return found


def offered(module: ModuleType) -> list[str]:
    return [name for name in dir(module) if name[0] != "_"]


MODULES = public_modules()


def is_foreign(value: Any) -> bool:
    """Whether something was made neither by the packages nor by who runs the tests."""
    home = value if inspect.ismodule(value) else inspect.getmodule(value)
    return home is not None and home.__name__.partition(".")[0] != "minitape"


def test_all_namespaces_are_looked_at():
    assert len(MODULES) > 45
    assert {"tf.keras.ops", "tf.errors", "tf.nest", "tf.keras.datasets.mnist"} <= set(MODULES)


def test_no_name_is_another_packages():
    foreign = [
        f"{path}.{name}"
        for path, module in MODULES.items()
        for name in offered(module)
        if is_foreign(getattr(module, name))
    ]
    assert foreign == []


def test_no_module_is_one_of_the_inside():
    assert failing(is_none_of_the_inside, {path: (MODULES[path],) for path in MODULES}) == {}


def is_none_of_the_inside(module):
    modules = {name: getattr(module, name) for name in offered(module)}
    inner = [name for name, value in modules.items() if isinstance(value, ModuleType)]
    files = {getattr(modules[name], "__name__", "").rpartition(".")[2] for name in inner}
    inside = {"absent", "base", "configs", "core", "of_arguments", "of_ops", "of_tapes", "logits"}
    assert files & inside == set()
    assert all("__dir__" in vars(modules[name]) or is_namespace(modules[name]) for name in inner)


def is_namespace(module: ModuleType) -> bool:
    return type(module).__name__ == "Namespace"


# Recorded from TensorFlow 2.21: the whole module, or what of it is here.
RECORDED = {
    "nest": "assert_same_structure flatten is_nested map_structure pack_sequence_as",
    "keras.activations": "celu deserialize elu exponential gelu get glu hard_shrink hard_sigmoid "
    "hard_silu hard_swish hard_tanh leaky_relu linear log_sigmoid log_softmax mish relu relu6 selu "
    "serialize sigmoid silu soft_shrink softmax softplus softsign swish tanh threshold",
    "keras.constraints": "Constraint MaxNorm MinMaxNorm NonNeg UnitNorm deserialize get max_norm "
    "min_max_norm non_neg serialize unit_norm",
    "keras.initializers": "Constant GlorotNormal GlorotUniform HeNormal HeUniform Identity "
    "Initializer LecunNormal LecunUniform Ones Orthogonal RandomNormal RandomUniform "
    "TruncatedNormal VarianceScaling Zeros constant deserialize get glorot_normal glorot_uniform "
    "he_normal he_uniform identity lecun_normal lecun_uniform ones orthogonal random_normal "
    "random_uniform serialize truncated_normal variance_scaling zeros",
    "keras.regularizers": "L1 L1L2 L2 OrthogonalRegularizer Regularizer deserialize get l1 l1_l2 "
    "l2 orthogonal_regularizer serialize",
    "keras.optimizers.schedules": "CosineDecay ExponentialDecay "
    "InverseTimeDecay LearningRateSchedule PiecewiseConstantDecay PolynomialDecay",
    "keras.datasets.mnist": "load_data",
}


@pytest.mark.parametrize("path", RECORDED)
def test_what_is_completed_has_that_name_in_tensorflow(path):
    assert set(offered(attrgetter(path)(tf))) <= set(RECORDED[path].split())


def test_errors_offer_exceptions_alone():
    kinds = [getattr(tf.errors, name) for name in offered(tf.errors)]
    assert all(issubclass(kind, Exception) for kind in kinds)


@pytest.mark.parametrize("name", ["Any", "annotations", "TYPE_CHECKING", "import_module"])
def test_viz_has_no_name_that_it_imports_for_itself(name):
    assert not hasattr(viz, name)


def test_the_ops_of_keras_are_offered_and_no_other_op_is_one_of_them():
    assert {"sum", "matmul", "mean", "one_hot", "softmax"} <= set(dir(tf.keras.ops))
    with pytest.raises(AttributeError, match="reduce_sum"):
        tf.keras.ops.reduce_sum  # noqa: B018  # the name is looked up


def test_version_2_has_the_same_names_under_compat():
    import minitape.compat.v2 as version_2

    assert version_2 is tf
    assert tf.compat.v2.GradientTape is tf.GradientTape
