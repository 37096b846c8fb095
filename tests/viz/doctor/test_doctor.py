"""The doctor for engines names the first wrong rule, and says nothing of right ones."""

from __future__ import annotations

import csv
import json
import os
import re
import sys
from pathlib import Path

import pytest
from engines_of_learners import RIGHT, WRONG

from minitape.__main__ import main
from minitape.viz.doctor.asking import ask, submissions
from minitape.viz.doctor.examination import Examined
from minitape.viz.doctor.subject import NothingToExamineError, examine
from rows import failing


def examined(folder: Path, source: str, name: str = "engine_of_a_learner") -> list[Examined]:
    place = folder / f"{name}.py"
    place.write_text(source)
    try:
        return examine(place)
    finally:
        sys.modules.pop(name, None)
        sys.path.remove(str(folder))


def planted(style: str, old: str, new: str) -> str:
    source = RIGHT[style]
    assert source.count(old) >= 1, old
    source = source.replace(old, new, 1)
    return source.replace("ORDER", "KEPT").replace(
        "class Function:", "KEPT = []\n\n\nclass Function:"
    )


@pytest.mark.parametrize("style", RIGHT)
def test_a_right_engine_has_no_mistake(style, tmp_path):
    found = examined(tmp_path, RIGHT[style])
    assert [mistake.sentence for each in found for mistake in each.mistakes] == []
    assert sum(len(each.right) for each in found) >= 3


@pytest.mark.slow
def test_a_planted_mistake_is_named_with_its_kind_and_rule(tmp_path):
    def check(style: str, old: str, new: str, kind: str, op: str) -> None:
        found = examined(tmp_path, planted(style, old, new))
        first = next(mistake for each in found for mistake in each.mistakes)
        assert first.kind.startswith(kind), first
        assert op in first.op, first

    rows = {f"{style}: {new.strip()} for {old.strip()}"[:80]: (style, old, new, kind, op)
            for style, old, new, kind, op in WRONG}  # fmt: skip
    assert len({kind for *_, kind, _ in WRONG}) >= 15
    assert failing(check, rows) == {}


def test_the_line_of_a_wrong_rule_is_quoted(tmp_path):
    def check(style: str, old: str, new: str) -> None:
        found = examined(tmp_path, planted(style, old, new))
        first = next(mistake for each in found for mistake in each.mistakes)
        assert first.line is not None
        changed = [line.strip() for line in new.split("\n")]
        assert first.line.text in changed or any(line in first.line.text for line in changed)

    told = ("sign", "swapped", "forgotten cotangent", "forgotten factor")
    rows = {f"{style}: {new}"[:80]: (style, old, new)
            for style, old, new, kind, _ in WRONG if kind in told}  # fmt: skip
    assert len(rows) >= 12
    assert failing(check, rows) == {}


def test_numbers_that_are_named_are_those_of_the_engine(tmp_path):
    (found,) = examined(tmp_path, planted("closures", "(1 - t**2)", "(1 - t)"))
    (mistake,) = found.mistakes
    at, gave, right = map(
        float, re.findall(r"at (\S+): (\S+) where (\S+) is", mistake.sentence.replace("−", "-"))[0]
    )
    from math import tanh

    assert gave == pytest.approx(1 - tanh(at), rel=1e-3)
    assert right == pytest.approx(1 - tanh(at) ** 2, rel=2e-3)


def test_an_engine_that_is_edited_at_once_is_read_again_and_nothing_is_left_beside_it(
    tmp_path, monkeypatch
):
    monkeypatch.setattr(sys, "dont_write_bytecode", False)
    monkeypatch.syspath_prepend(str(tmp_path))
    wrong = planted("tape", "lambda g: g * np.cos(a)", "lambda g: g * np.sin(a)")
    file = tmp_path / "edited_engine.py"
    for source, mistakes in ((wrong.replace("g * np.sin(a)", "g * np.cos(a)"), 0), (wrong, 1)):
        file.write_text(source)
        os.utime(file, (1_000_000_000, 1_000_000_000))
        assert sum(len(each.mistakes) for each in examine(file)) == mistakes
    assert [each.name for each in tmp_path.iterdir()] == [file.name]


def test_an_op_that_is_not_known_is_judged_by_its_own_values(tmp_path):
    own = """
    def wobble(self):
        out = Value(self.data**3 + math.sin(self.data), (self,))

        def _backward():
            self.grad += (3 * self.data**2 SIGN math.cos(self.data)) * out.grad

        out._backward = _backward
        return out

    def exp(self):"""
    source = RIGHT["closures"].replace("\n    def exp(self):", own)
    (right,) = examined(tmp_path, source.replace("SIGN", "+"))
    assert not right.mistakes and "x.wobble()" in right.right
    (wrong,) = examined(tmp_path, source.replace("SIGN", "-"))
    assert [each.op for each in wrong.mistakes] == ["x.wobble()"]


def test_ops_without_a_rule_and_results_without_a_gradient_are_no_mistakes(tmp_path):
    (found,) = examined(tmp_path, RIGHT["primitives"])
    assert not found.mistakes
    assert any(why.startswith("`abs(x)`: it has no rule") for why in found.left_out)
    (found,) = examined(tmp_path, RIGHT["patched"])
    assert not found.mistakes
    left = [why.split("`")[1] for why in found.left_out if "(`requires_grad`)" in why]
    assert left == ["x.max()", "x.mean()", "Tanh(x)"]


def test_ops_of_all_modules_of_a_package_are_asked(tmp_path):
    """The engine in one module, its ops in others: those of the engine's own base class."""
    head, rest = RIGHT["objects"].split("\nclass Sine(Op):")
    package = tmp_path / "engine_in_parts"
    package.mkdir()
    (package / "__init__.py").write_text("")
    (package / "core.py").write_text(head)
    ops = "import numpy as np\n\nfrom .core import Op, folded\n\n\nclass Sine(Op):" + rest
    (package / "ops.py").write_text(ops)

    def found(wrong: str) -> list[Examined]:
        (package / "ops.py").write_text(ops.replace("g * np.cos(", wrong))
        for name in [name for name in sys.modules if name.startswith("engine_in_parts")]:
            del sys.modules[name]
        return examine(package)

    (right,) = found("g * np.cos(")
    assert not right.mistakes
    assert {"Sine(x)", "affine(x, w, b)", "CrossEntropy(x, labels)"} <= set(right.right)
    (wrong,) = found("-g * np.cos(")
    assert [(each.kind, each.op) for each in wrong.mistakes] == [("sign", "Sine(x)")]
    sys.path.remove(str(tmp_path))


def test_an_op_made_of_others_is_not_blamed_for_how_they_are_joined(tmp_path):
    own = "\n    def cube(self):\n        return self * self * self\n\n    def exp(self):"
    source = RIGHT["closures"].replace("\n    def exp(self):", own)
    source = source.replace(
        "self.grad += other.data * out.grad", "self.grad = other.data * out.grad"
    )
    (found,) = examined(tmp_path, source)
    assert [each.kind for each in found.mistakes] == ["overwritten"]
    assert "`x.cube()`: it is made of other ops, see the mistake above" in found.left_out


def test_what_a_mean_does_is_said_only_where_something_is_counted(tmp_path):
    source = RIGHT["functions"].replace(
        "return g @ b.T, a.T @ g", "return 3.0 * (g @ b.T), a.T @ g"
    )
    (found,) = examined(tmp_path, source)
    assert "a mean divides" in found.mistakes[0].sentence
    halved = RIGHT["paths"].replace("g * 2 * a.array", "g * 8 * a.array")
    (found,) = examined(tmp_path, halved)
    assert "4.000 times what is right, in all elements" in found.mistakes[0].sentence


def test_an_op_that_fails_turns_off_that_op_alone(tmp_path):
    own = "\n    def cube(self):\n        raise NotImplementedError\n\n    def exp(self):"
    (found,) = examined(tmp_path, RIGHT["closures"].replace("\n    def exp(self):", own))
    assert not found.mistakes
    assert "x.exp()" in found.right


def test_a_file_without_an_engine_is_told_what_is_looked_for(tmp_path):
    with pytest.raises(NothingToExamineError, match=r"Looked for: a class with `\+`, `\*` and"):
        examined(tmp_path, "x = 1\n")
    with pytest.raises(NothingToExamineError, match="cannot be imported: SyntaxError"):
        examined(tmp_path, "def f(:\n")


@pytest.mark.slow
def test_an_engine_that_never_ends_is_given_up_and_said(tmp_path):
    place = tmp_path / "endless.py"
    place.write_text("while True:\n    pass\n")
    answered = ask(place, limit=3.0)
    assert answered.data is None
    assert answered.text.endswith("was given up after 3 seconds: does a loop in it never end?")


def test_an_engine_that_ends_the_process_is_said(tmp_path):
    place = tmp_path / "ends.py"
    place.write_text("import os\nos._exit(7)\n")
    assert ask(place).text.endswith("ended the examination: exit code 7")


def test_the_command_ends_with_0_1_or_2(tmp_path, capsys):
    places = {name: tmp_path / f"{name}.py" for name in ("right", "wrong", "none")}
    places["right"].write_text(RIGHT["layers"])
    places["wrong"].write_text(planted("layers", "return dout * self.mask", "return dout"))
    places["none"].write_text("")
    out = tmp_path / "out.json"
    assert main(["doctor", str(places["right"])]) == 0
    assert main(["doctor", str(places["wrong"]), "--json", str(out), "--points", "8"]) == 1
    assert "ReLU: first mistake (forgotten factor)" in capsys.readouterr().out
    told = json.loads(out.read_text())
    assert (told["score"], told["max_score"]) == (6.0, 8.0)
    assert {test["name"]: test["score"] for test in told["tests"]} == {
        "Linear: Linear": 2.0, "Tanh: Tanh": 2.0, "MeanSquaredError: MeanSquaredError": 2.0,
        "ReLU: ReLU": 0.0,
    }  # fmt: skip
    assert main(["doctor", str(places["none"])]) == 2
    assert main(["doctor", str(tmp_path / "missing.py")]) == 2
    assert main(["doctor"]) == 2


def test_a_class_gets_a_row_for_each_learner(tmp_path, capsys):
    group, rows = tmp_path / "class", tmp_path / "rows.csv"
    for name, source in {
        "ada": RIGHT["closures"], "=bob": planted("closures", "(1 - t**2)", "(1 - t)"), "cy": "1/0",
    }.items():  # fmt: skip
        (group / name).mkdir(parents=True)
        (group / name / "engine.py").write_text(source)
    assert [each.parent.name for each in submissions(group)] == ["=bob", "ada", "cy"]
    assert main(["doctor", "--class", str(group), "--csv", str(rows)]) == 0
    table = list(csv.DictReader(rows.read_text().splitlines()))
    assert [row["learner"] for row in table] == ["'=bob", "ada", "cy"]
    assert [row["kind"] for row in table] == ["wrong slope", "", "not examined"]
    assert float(table[0]["points"]) < float(table[1]["points"]) == 10.0
    assert "ZeroDivisionError" in table[2]["first mistake"]
    assert "3/3  cy: 0 points." in capsys.readouterr().out


def test_a_learner_s_prints_and_warnings_are_not_heard(tmp_path, capfd):
    examined(tmp_path, "print('hello')\n" + RIGHT["closures"])
    assert capfd.readouterr() == ("", "")


def test_the_report_in_the_docs_is_what_the_command_prints(tmp_path, capsys):
    place = tmp_path / "engine.py"
    place.write_text(planted("closures", "other.data * out.grad", "other.data"))
    assert main(["doctor", str(place)]) == 1
    page = (Path(__file__).parents[3] / "docs" / "DOCTOR.md").read_text("utf-8")
    shown = page.split("$ minitape doctor engine.py\n")[1].split("```")[0]
    assert capsys.readouterr().out == shown
