"""The registry: a kind is whole or it is none. No framework is needed for this."""

import ast
import inspect
import sys

import numpy as np
import pytest

import minitape.viz.diagnosis.kinds
import minitape.viz.diagnosis.kinds.engine.examine  # noqa: F401
from minitape.viz.diagnosis import outside
from minitape.viz.diagnosis.diagnosis import KINDS, SHOWN, Diagnosis, Kind, register
from minitape.viz.diagnosis.evidence import Evidence, Place, Value
from minitape.viz.diagnosis.words import neutral

PARTS = {"find", "sentence", "meant", "correct"}


def _module(kind: Kind) -> object:
    """The module of its name, where its parts are."""
    names = {kind.find.__module__, kind.sentence.__module__}
    return next((sys.modules[n] for n in names if n.endswith(f".{kind.name}")), None)


def _missing(kind: Kind) -> list[str]:
    """What a kind lacks to be whole."""
    rows = kind.example.splitlines()
    lacks = []
    if sum(row.endswith("# <- here") for row in rows) != 1:
        lacks.append("one line of the example that ends with `# <- here`")
    if "# <- here" in kind.healthy or not kind.healthy.strip() or kind.healthy == kind.example:
        lacks.append("a healthy program that looks like the example")
    lacks += [f"a docstring of {part}" for part in PARTS if not inspect.getdoc(getattr(kind, part))]
    if _module(kind) is None:
        lacks.append("a module of its name")
    lacks += [f"`{name}`, which it hides" for name in kind.hides if name not in KINDS]
    for text in (kind.example, kind.healthy):
        ast.parse(text)
    return lacks


def test_every_kind_has_an_example_a_healthy_twin_a_sentence_and_a_word_when_it_is_meant():
    assert len(KINDS) >= 20
    lacking = {kind.name: _missing(kind) for kind in KINDS.values() if _missing(kind)}
    assert not lacking


def test_a_kind_without_an_example_would_be_named_by_that_test():
    whole = next(iter(KINDS.values()))
    bare = Kind("bare", 1000, "none", whole.find, whole.sentence, "", "", whole.meant)
    assert any("example" in each for each in _missing(bare))
    assert any("healthy" in each for each in _missing(bare))


def test_a_kind_is_in_the_folder_of_the_scripts_that_it_looks_at():
    for kind in KINDS.values():
        is_engine_s = kind.find.__module__.startswith("minitape.viz.diagnosis.kinds.engine.")
        assert is_engine_s == (kind.dialects == ("minitape",)), kind.name


def test_no_two_kinds_have_one_rank():
    ranks = [kind.rank for kind in KINDS.values()]
    assert len(set(ranks)) == len(ranks)


def test_a_second_kind_of_a_name_is_refused():
    kind = next(iter(KINDS.values()))
    with pytest.raises(ValueError, match="give one another name"):
        register(kind)


def test_a_kind_that_learners_would_see_under_an_unknown_word_is_refused():
    kind = next(iter(KINDS.values()))
    other = Kind("new", 1000, "odd", kind.find, kind.sentence, "x", "y", kind.meant)
    with pytest.raises(ValueError, match="`odd` of kind `new` is none of error, none"):
        register(other)
    assert "new" not in KINDS and kind.shown in SHOWN


def test_a_diagnosis_of_an_unknown_kind_cannot_be_read():
    data = Diagnosis(KINDS["unused"], Place("f.py", 3), {"names": [], "count": 1}).as_data()
    with pytest.raises(KeyError, match="nonsense"):
        Diagnosis.of({**data, "kind": "nonsense"})


def test_a_diagnosis_crosses_between_processes_as_plain_data():
    import json

    place = Place("f.py", 3, "h = x.detach()", (3, 3, 4, 14), "x.detach()")
    one = Diagnosis(
        KINDS["vector_target"], place, {"name": "loss", "shape": [3]}, also={"made": place}
    )
    assert Diagnosis.of(json.loads(json.dumps(one.as_data()))) == one


def test_kinds_know_neither_a_framework_nor_each_other():
    # Those of the engine know its ops by themselves, and are asked of a case, not of an evidence.
    for kind in (each for each in KINDS.values() if "minitape" not in each.dialects):
        tree = ast.parse(inspect.getsource(_module(kind)))
        froms = [n for n in ast.walk(tree) if isinstance(n, ast.ImportFrom)]
        names = {str(n.module) for n in froms}
        names |= {a.name for n in ast.walk(tree) if isinstance(n, ast.Import) for a in n.names}
        assert not any(name.split(".")[0] in {"torch", "jax", "minitape"} for name in names), kind
        assert not any(n.level == 1 for n in froms), f"{kind.name} imports another kind"


def _graph() -> Evidence:
    """w -> tanh -> detach -> times w -> loss, and a print of w."""
    evidence = Evidence()
    for key in range(1, 7):
        evidence.values[key] = Value(key, "variable" if key == 1 else "result")
    place = Place("f.py", 1)
    evidence.add("tanh", "tanh", [1], [2], place)
    evidence.add("detach", "detach", [2], [3], place, "detach")
    evidence.add("multiply", "mul", [3, 1], [4], place)
    evidence.add("sum", "sum", [4], [5], place)
    evidence.add("to_python", "item", [1], [6], place, "to_python")
    return evidence


def test_a_cut_is_an_edge_on_a_way_to_the_target_and_what_is_only_looked_at_is_none():
    evidence = _graph()
    assert [op.name for op in evidence.cuts([5], [1], 5)] == ["detach"]
    assert evidence.before([5]) == {1, 2, 3, 4, 5}
    assert evidence.before([5], passes=True) == {1, 3, 4, 5}


def test_a_walk_ends_where_an_update_begins_a_variable_anew():
    evidence = _graph()
    evidence.values[7] = Value(7, "variable")
    evidence.add("subtract", "isub", [1, 5], [7], Place("f.py", 2), "step")
    assert evidence.before([7]) == {7}
    assert 7 not in evidence.after([1], 99)


def test_walks_of_a_long_run_cost_as_much_as_its_last_step():
    def visited(steps: int) -> int:
        evidence = Evidence()
        evidence.values[0] = Value(0, "variable")
        state, key = 0, 0
        for _ in range(steps):
            evidence.add("multiply", "mul", [state], [key + 1], None)
            evidence.add("step", "isub", [state, key + 1], [key + 2], None, "step")
            state = key = key + 2
        evidence.add("multiply", "mul", [state], [key + 1], None)
        return len(evidence.before([key + 1]))

    assert visited(200) == visited(100) == 2


def test_numbers_that_left_remember_where_they_are_from():
    heard: list[tuple[str, list[int]]] = []

    def hear(name, called, given, result):
        heard.append((called, [outside.key_of(each) for each in given]))
        return 10 + len(heard)

    with outside.Following(hear):
        array = outside.with_key(np.array([1.0, 4.0]), 7)
        root = np.sqrt(array)
        total = np.sum(root)
        number = total.item() * 2
        plain = np.sqrt(np.array([9.0]))
    assert np.asarray(root).tolist() == [1.0, 2.0] and number == 6.0
    assert [called for called, _ in heard] == ["np.sqrt", "np.sum", "item", "mul"]
    assert heard[0][1] == [7] and outside.key_of(number) == 14
    assert outside.key_of(plain) == 0


def test_words_are_one_for_all_frameworks():
    names = [
        "__rtruediv__",
        "true_divide",
        "torch.mm",
        "math.reduce_sum",
        "lax.stop_gradient",
        "relu_",
    ]
    assert [neutral(n) for n in names] == [
        "divide",
        "divide",
        "matmul",
        "reduce_sum",
        "stop_gradient",
        "relu",
    ]
