"""Each number in the text of a lesson is used or printed there, or a test below computes it."""

from __future__ import annotations

import math

import numpy as np
import pytest
from prose_numbers import is_among, said, used_or_printed
from test_claims import AT, by_table, closed_form, run, squared_miss, two_sided

from lesson_cells import cells

LESSONS = [f"{number:02}" for number in range(1, 20)]


def drop_for(height: float, low: float, high: float) -> float:
    """From where between low and high a ball is dropped, on paper, to be so high after a second."""

    def after(h: float) -> float:
        tau = math.sqrt(2 * h / 9.81)
        return 0.8 * 9.81 * tau * (1 - tau) - 9.81 * (1 - tau) ** 2 / 2

    rises = after(high) > after(low)
    for _ in range(60):
        middle = (low + high) / 2
        low, high = (middle, high) if (after(middle) < height) == rises else (low, middle)
    return low


def first_slope() -> float:
    """The slope of the throw's squared miss by the speed across, by four throws."""
    near, far = (two_sided(squared_miss, np.array([10.0, 10.0]), h=h)[0] for h in (1e-3, 2e-3))
    return float(4 * near - far) / 3


def whole_jacobian(way: str) -> int:
    """How many times the function a Jacobian of 20 inputs and 30 outputs costs."""
    names, _ = run("07", "def f(x):", "def by_columns", "def work(")
    function, point = names["network"](20, 30)
    return round(names["work"](names[way], function, point) / names["work"](function, point))


# Numbers that neither the code nor an output of the lesson has, and how to compute them.
COMPUTED = {
    "01": {"-15.84925": first_slope},
    "14": {"-15.849": first_slope},
    "02": {"1600": lambda: 40**2},
    "04": {"64": lambda: 8 * np.float64().nbytes},
    "06": {
        "3e38": lambda: np.finfo(np.float32).max,
        "0.4": lambda: abs(by_table(AT, -3.85) - by_table(AT, -3.95)),
    },
    "07": {
        "1e12": lambda: 1e6**2,
        "4000": lambda: 1e6**2 * np.float32().nbytes / 1e9,
        "6.5": lambda: [1, 0, 2] @ np.array([[2, 1], [np.cos(1), 0], [0, 2 * 2]]) @ [1, 0.5],
        "59": lambda: whole_jacobian("by_columns"),
        "31": lambda: whole_jacobian("by_rows"),
    },
    "09": {
        "1.769": lambda: drop_for(1.1, 1.5, 2.0),
        "3.015": lambda: drop_for(1.1, 2.5, 3.5),
        "0.083": lambda: 1.0 / 12,
    },
    "11": {"2.303": lambda: np.log(10)},
    "12": {"32": lambda: 8 * np.float32().nbytes},
    "17": {
        "32": lambda: 8 * np.float32().nbytes,
        "0.00000006": lambda: np.finfo(np.float16).smallest_subnormal,
        "65,504": lambda: np.finfo(np.float16).max,
        "0.025": lambda: (1 - 0.999) * 5**2,
    },
    "18": {
        "0.022": lambda: 0.5**5.5,
        "0.71": lambda: 0.5**0.5,
        "2.35": lambda: 5.5**0.5,
    },
}
# Numbers that have a test of their own, and where it is.
TESTED = {
    "02": {
        "10.9": "test_newton_climbs_with_seven_negative_eigenvalues_and_with_damping_too",
        "2.7": "test_newton_climbs_with_seven_negative_eigenvalues_and_with_damping_too",
        "0.0022": "test_the_fit_of_the_network_is_a_little_better_than_the_teacher_itself",
        "600": "test_gradient_descent_needs_600_steps_for_what_four_of_gauss_and_newton_reach",
        "1.3e-7": "test_gradient_descent_needs_600_steps_for_what_four_of_gauss_and_newton_reach",
        "2.6": "test_a_tenth_of_the_penalty_at_the_data_leaves_steep_places",
    },
    "05": {"0.23": "test_nearly_all_of_the_sigmoid_s_factor_is_its_slope"},
    "06": {"250": "test_there_are_more_than_250_operations"},
    "07": {"250": "test_the_gusts_by_a_hundred_forward_passes_cost_250_throws"},
    "08": {
        "600": "test_a_round_saves_calls_only_if_its_tape_is_traced_too",
        "9000": "test_a_round_saves_calls_only_if_its_tape_is_traced_too",
    },
    "09": {
        "4.8": "test_the_tape_holds_twice_as_much_for_twice_the_steps",
        "0.92": "test_with_finer_steps_the_growth_is_nearer_to_the_published_exponent",
        "1e-9": "test_the_gradient_of_the_weather_holds_for_a_billionth_and_for_no_thousandth",
    },
    "11": {
        "58": "test_the_picture_s_text_says_where_the_curves_end",
        "1500": "test_fixed_patient_14_reads_as_many_as_the_healthy_one_after_1500_steps",
        "1e-6": "test_in_float32_rounding_can_change_a_small_promise_by_a_tenth",
        "31": "test_a_kernel_moves_by_the_share_of_its_length_that_the_checklist_says",
        "0.0009": "test_a_kernel_moves_by_the_share_of_its_length_that_the_checklist_says",
    },
    "12": {
        "70": "test_the_tape_that_students_build_has_about_seventy_lines",
        "71": "test_a_program_that_reads_digits_has_as_many_lines_as_are_said",
        "23": "test_a_program_that_reads_digits_has_as_many_lines_as_are_said",
    },
    "14": {"14": "test_the_class_and_a_tape_agree_to_14_digits"},
    "15": {"49": "test_a_mean_that_contains_the_sample_shortens_the_estimate_to_49_of_50"},
    "16": {
        "0.02": "test_the_lengths_at_the_curves_of_the_eigenvalues_are_those_that_its_text_says",
        "1.01": "test_the_largest_eigenvalue_of_the_lesson_s_matrix_is_nearly_1",
        "43,000": "test_the_lengths_at_the_curves_of_the_eigenvalues_are_those_that_its_text_says",
    },
    "17": {
        "6.5": "test_a_hundred_steps_below_the_border_and_above_it",
        "1e-7": "test_here_momentum_adam_and_decay_are_the_formulas",
        "0.004": "test_here_momentum_adam_and_decay_are_the_formulas",
        "1e-8": "test_pytorch_takes_the_same_steps_with_another_epsilon_and_another_decay",
    },
    "18": {
        "0.99": "test_here_momentum_weighs_the_old_average_and_a_mode_is_an_argument",
        "5.5": "test_the_squared_slopes_of_saturated_units_and_the_weights_make_12_000",
        "0.055": "test_the_squared_slopes_of_saturated_units_and_the_weights_make_12_000",
        "12,000": "test_the_squared_slopes_of_saturated_units_and_the_weights_make_12_000",
    },
    "19": {"12,000": "test_the_lines_that_the_lesson_shows_are_those_of_the_script"},
}


@pytest.mark.parametrize("lesson", LESSONS)
def test_each_number_of_a_text_is_in_the_lesson_or_has_a_test(lesson):
    known = used_or_printed(lesson)
    elsewhere = COMPUTED.get(lesson, {}).keys() | TESTED.get(lesson, {}).keys()
    nowhere = [(number, where) for number, where in said(lesson)
               if number not in elsewhere and not is_among(number, known)]  # fmt: skip
    assert not nowhere


@pytest.mark.parametrize("lesson", COMPUTED)
def test_a_number_that_the_lesson_does_not_compute_is_the_one_computed_here(lesson):
    for number, value in COMPUTED[lesson].items():
        assert is_among(number, [float(value())]), number


@pytest.mark.parametrize("lesson", sorted(COMPUTED.keys() | TESTED.keys()))
def test_a_number_with_a_test_of_its_own_is_still_in_the_text(lesson):
    texts = {number for number, _ in said(lesson)}
    assert COMPUTED.get(lesson, {}).keys() | TESTED.get(lesson, {}).keys() <= texts


def test_every_test_that_is_named_here_exists(request):
    from pathlib import Path

    sources = "".join(each.read_text("utf-8") for each in Path(__file__).parent.glob("test_*.py"))
    for names in TESTED.values():
        assert all(f"def {name}(" in sources for name in names.values())


def test_a_wrong_number_is_found():
    known = used_or_printed("05")
    assert is_among("1797", known)
    assert not is_among("1798", known)
    assert is_among("0.665", known)
    assert not is_among("0.6651", known)
    assert is_among("-5.24", [5.2391]) and not is_among("-5.25", [5.2391])
    assert is_among("97", [0.97]) and not is_among("97", [0.96])


def test_numbers_are_found_in_sentences_formulas_and_predictions():
    assert any(number == "-15.84925" for number, _ in said("01"))
    assert any(number == "4922" for number, _ in said("01"))  # in a prediction's answer
    assert any(number == "1.3e-7" for number, _ in said("02"))  # $1.3 \cdot 10^{-7}$
    assert not any(number in ("1964", "2018") for number, _ in said("01"))  # years


# Tests of single numbers


def test_gradient_descent_needs_600_steps_for_what_four_of_gauss_and_newton_reach():
    names, _ = run("02", "def loss_of_network")
    kernel, losses = names["start"].copy(), []
    for _ in range(20):
        loss, gradient, matrix = closed_form(kernel, names)
        losses.append(loss)
        kernel = kernel - np.linalg.solve(matrix, gradient).reshape(5, 8)
    assert is_among("1.3e-7", [losses[4] - losses[-1]])
    kernel, steps = names["start"].copy(), 0
    while (found := closed_form(kernel, names))[0] > losses[4]:
        kernel, steps = kernel - 1.6 * found[1].reshape(5, 8), steps + 1
    assert round(steps, -2) == 600


@pytest.mark.slow
def test_a_tenth_of_the_penalty_at_the_data_leaves_steep_places():
    names, _ = run("02", "def trained(", "at_points =")
    network = names["trained"](1.0, 0.01, everywhere=False)
    steepest = np.max(np.abs(names["slopes"](network, names["line"])))
    assert steepest == pytest.approx(2.6, abs=0.06)


def test_there_are_more_than_250_operations():
    import ops_page
    from minitape.names import namespaces

    namespaces.load_rest()
    assert len(ops_page.own_ops()) > 250


def test_the_gradient_of_the_weather_holds_for_a_billionth_and_for_no_thousandth():
    growth = 7e7  # what test_the_gradient_of_the_weather_grows_as_a_small_change_does measures
    size = 40.0  # the attractor is about so wide: no two states are farther apart
    assert growth * 1e-9 < 0.1
    assert growth * 1e-3 > size


@pytest.mark.slow
def test_the_reader_of_the_model_solution_misreads_as_many_as_the_engine():
    names: dict[str, object] = {}
    wanted = ("operations", "loss", "digits", "digits-check")
    for cell in cells("12"):
        tags, name = (
            cell.metadata.get("tags", []),
            cell.metadata.get("nbgrader", {}).get("grade_id"),
        )
        if "needed" in tags or name in wanted or cell.text.startswith("from collections.abc"):
            exec(compile(cell.text, "<lesson 12>", "exec"), names)
    assert names["share"] == pytest.approx(1 - 11 / 500, abs=0.005)
