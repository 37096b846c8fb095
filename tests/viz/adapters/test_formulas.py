"""Short formulas: of ops that minitape has no op of the same meaning for."""

from __future__ import annotations

import pytest

from minitape.viz.adapters.formulas import ROWS, forward_formula, rule_formula
from minitape.viz.base.mathml import check_fragment
from rows import failing

NAMES = ["a", "relu_1", "c[2]"]


@pytest.mark.parametrize(
    "op", ["convolution", "conv_general_dilated", "Conv2D", "DepthwiseConv2dNative"]
)
def test_a_kernel_s_rule_is_written_as_windows_times_what_comes_back(op):
    assert rule_formula(op, ["x", "k"], 0).text == "conv^T(g, k)"
    assert rule_formula(op, ["x", "k"], 1).text == "∑_p window_p(x) · g_p"


def test_every_formula_is_mathematics_and_text():
    rows = {op: (op,) for op in [*ROWS, "an_op_of_nobody"]}
    assert failing(is_mathematics_and_text, rows) == {}


def is_mathematics_and_text(op):
    made = [forward_formula(op, NAMES), *(rule_formula(op, NAMES, i) for i in range(3))]
    for formula in made:
        check_fragment(formula.mathml)
        assert formula.text
        assert formula.mathml != "<mrow></mrow>"
        assert "\\" not in formula.text + formula.mathml


def test_words_are_no_values_and_names_are():
    formula = rule_formula("masked_fill", ["x"], 0)
    assert "<mtext>where</mtext>" in formula.mathml
    assert "<mtext>mask</mtext>" in formula.mathml
    assert "<mi>g</mi>" in formula.mathml


def test_the_number_of_a_name_is_its_index_and_a_transpose_stands_above():
    mathml = rule_formula("mm", ["a", "relu_1"], 0).mathml
    assert "<mi>relu</mi>" in mathml
    assert "<mo>⊤</mo></msup>" in mathml


def test_what_a_power_is_of_stays_together():
    assert rule_formula("integer_pow", ["x"], 0).text == "g · p · x^(p − 1)"
    assert "<msup><mi>e</mi><mrow>" in forward_formula("Exp", ["h_1"]).mathml
