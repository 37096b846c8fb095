"""Every equation that a player prints holds for the digits that stand there."""

from __future__ import annotations

import json
import math
import random
import re
import shutil
import subprocess
import sys
import warnings
from decimal import ROUND_HALF_EVEN, Decimal
from fractions import Fraction
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np
import pytest

import minitape as tf
from minitape import viz
from minitape.viz.base.numbers import short, value_of
from minitape.viz.base.quoting import equation, readings

sys.path.insert(0, str(Path(__file__).parents[1]))

from equations import claims, is_true, number
from programs_written import Writer
from test_player import show

if TYPE_CHECKING:
    from playwright.sync_api import Page

PROGRAMS, PAGES = range(200), range(500, 532)
TRAINING = """
model = tf.keras.Sequential([tf.keras.layers.Dense(2, activation="tanh"), tf.keras.layers.Dense(1)])
x, y = tf.constant([[0.31, -1.27, 2.2], [1.9, 0.77, -0.43]]), tf.constant([[0.7], [-0.2]])
model(x)
with viz.recording(), tf.GradientTape(persistent=True) as tape:
    target = tf.reduce_mean(tf.square(model(x) - y))
sources = model.trainable_variables
tf.keras.optimizers.SGD(0.1).apply_gradients(zip(tape.gradient(target, sources), sources))
"""


def traced(source: str) -> Any:
    scope: dict[str, Any] = {"tf": tf, "viz": viz}
    with warnings.catch_warnings(), np.errstate(all="ignore"):
        warnings.simplefilter("ignore")
        exec(compile(source, "<program>", "exec"), scope)
        return viz.step(scope["tape"], scope["target"], scope["sources"]).trace


@pytest.mark.slow
def test_every_equation_in_the_texts_of_200_random_programs_is_true():
    count, false = 0, []
    for seed in PROGRAMS:
        program = Writer(seed)
        trace = traced(program.source)
        texts = [text for step in trace.steps for text in (step.numbers, step.sentence)]
        found = {claim for text in texts for claim in claims(text)}
        count += len(found)
        false += [f"{seed}: {c}" for c in found if is_true(c, program.float) is not True]
    assert not false
    assert count > 1000


NUMBERS = [
    sign * 10 ** rng.uniform(-12, 12) if i % 3 else round(rng.uniform(-20000, 20000) * 16) / 16
    for rng in [random.Random(4)]
    for i in range(3000)
    for sign in [rng.choice([-1, 1])]
] + [k / 16 for k in range(16000, 16600)]  # ties, of which there are few at random


def written(value: float, digits: int) -> str:
    """A number by decimal arithmetic: rounded to digits, ties to even; exact ones end early."""
    exact = Decimal(value)
    unit = Decimal(1).scaleb(exact.adjusted() - digits + 1)
    rounded = exact.quantize(unit, ROUND_HALF_EVEN)
    power = rounded.adjusted()
    is_exact = float(rounded) == value or (
        digits < 7 and float(np.float32(float(rounded))) == value
    )
    if not -5 < power < 6:
        text = f"{rounded.scaleb(-power):.{digits - 1}f}"
        text = text.rstrip("0").rstrip(".") if is_exact else text
        text += "·10" + str(power).translate(str.maketrans("-0123456789", "⁻⁰¹²³⁴⁵⁶⁷⁸⁹"))
    elif is_exact:
        text = f"{rounded:f}".rstrip("0").rstrip(".") if "." in f"{rounded:f}" else f"{rounded:f}"
        text += "" if "." in text else ".0"
    else:  # no digit before the point is left out
        places = max(digits - 1 - power, 0)
        text = f"{exact.quantize(Decimal(1).scaleb(-places), ROUND_HALF_EVEN):f}"
    return text.replace("-", "−")


CASES = [[value, digits, written(value, digits)] for value in NUMBERS for digits in (4, 5, 9)]


def test_numbers_are_rounded_as_decimal_arithmetic_rounds_them():
    assert [c for c in CASES if short(c[0], c[1]) != c[2]] == []


@pytest.mark.parametrize("value", [0.0, -0.0])
def test_zero_has_no_sign(value):
    assert short(value) == "0.0"


SIGNED: list[Any] = []
for _random in [random.Random(7)]:
    for _ in range(1500):
        factors = [float(f"{_random.uniform(-9, 9):.{_random.randint(1, 5)}g}") for _ in "ab"]
        result = math.prod(factors) * _random.choice([1, 1, 1.0002, 1.004, 1.3])
        texts = [written(each, 4) for each in (*factors, result)]
        a, b, c = (number(text.lstrip("−")) * (-1 if "−" in text else 1) for text in texts)
        place = 10.0 ** (math.floor(math.log10(abs(c))) - 3)
        point = 10.0 ** -len(texts[2].partition("·")[0].partition(".")[2])
        near = "≈" if abs(a * b - c) <= max(abs(a * b), abs(c)) / 100 else "→"
        mantissa = "·" not in texts[2]
        unit = Fraction(min(place, point) if mantissa else place)
        SIGNED.append(
            [texts, "=" if abs(a * b - c) <= unit / 2 * (1 + Fraction(1, 10**9)) else near]
        )


def test_an_equals_sign_of_python_stands_only_where_fractions_agree():
    for texts, sign in SIGNED:
        a, b, c = map(value_of, texts)
        found = equation(
            lambda digits, a=a, b=b: readings(a, digits) * readings(b, digits), c, "float32"
        )
        if sign == "=":
            assert found == (4, "="), texts
        else:
            assert found.sign in {"≈": ("=", "≈"), "→": ("=", "≠", "≈")}[sign], texts
            if found.sign == "=":
                product = Fraction(str(readings(a, found.digits))) * Fraction(
                    str(readings(b, found.digits))
                )
                assert abs(float(product) - c) <= 1e-3 * abs(c)


@pytest.mark.skipif(not shutil.which("node"), reason="Node is not installed")
def test_the_page_writes_numbers_and_signs_as_python_does(tmp_path):
    folder = Path(viz.__file__).parent / "player" / "src"
    modules = [(folder / f"{name}.js").as_uri() for name in ("marks", "numbers")]
    (tmp_path / "cases.json").write_text(json.dumps({"numbers": CASES, "signed": SIGNED}))
    script = f"""
import {{ readFileSync }} from "node:fs";
import {{ numberOf }} from "{modules[0]}";
import {{ short, signOf }} from "{modules[1]}";
const cases = JSON.parse(readFileSync({json.dumps(str(tmp_path / "cases.json"))}));
const wrong = cases.numbers.filter(([value, digits, text]) => short(value, digits) !== text);
for (const [[a, b, c], sign] of cases.signed) {{
  if (signOf(numberOf(a) * numberOf(b), c) !== sign) wrong.push([a, b, c, sign]);
}}
console.log(JSON.stringify(wrong.slice(0, 5)));
"""
    (tmp_path / "twin.mjs").write_text(script)
    done = subprocess.run(
        ["node", str(tmp_path / "twin.mjs")], capture_output=True, text=True, check=True, timeout=60
    )
    assert json.loads(done.stdout) == []


def test_integers_that_overflow_wrap():
    assert equation(lambda _: 65536 * 65536, np.int32(0), "int32").sign == "wraps to"
    assert equation(lambda _: 127 + 1, np.int8(-128), "int8").sign == "wraps to"
    assert equation(lambda _: 3 * 7, np.int32(20), "int32").sign == "≠"


def test_a_complex_rule_is_told_with_the_conjugate():
    z = tf.Variable(2.0 + 1.0j)
    with viz.recording(), tf.GradientTape() as tape:
        y = tf.math.real(z * (1.0 + 3.0j))
    player = viz.step(tape, y, z)
    last = [s for s in player.trace.steps if s.kind == "pull"][-1]
    assert last.numbers == "(1.0+0.0j) · conj(1.0+3.0j) = 1.0−3.0j"
    assert last.formula.text == "g · conj(1.0+3.0j)"


@pytest.mark.parametrize("function", [tf.math.imag, tf.math.angle, tf.abs, tf.math.real])
@pytest.mark.parametrize("value", [2.0 + 1.0j, -0.31 + 0.77j, 1.27 - 3.1j])
def test_a_rule_of_a_part_of_a_complex_number_is_printed_and_true(function, value):
    z = tf.Variable(value, dtype=tf.complex64)
    with viz.recording(), tf.GradientTape() as tape:
        y = function(z) * 1.37
    last = [s for s in viz.step(tape, y, z).trace.steps if s.kind == "pull"][-1]
    assert last.formula is not None
    if function in (tf.math.imag, tf.math.angle):
        (claim,) = claims(last.numbers)
        assert is_true(claim) is True, last.numbers


@pytest.mark.parametrize("size", [3, 6, 7, 49])
def test_a_mean_divides_by_its_size(size):
    x = tf.Variable(np.arange(size, dtype="float32"))
    with viz.recording(), tf.GradientTape() as tape:
        y = tf.reduce_mean(x)
    pull = next(s for s in viz.step(tape, y, x).trace.steps if s.kind == "pull")
    assert pull.formula.text == f"broadcast(g · 1/{size})"


# ruff: noqa: E501
READ = r"""(host, isProduct) => {
  const text = (e) => e.textContent.replace(/\s+/g, " ").trim();
  const root = host.shadowRoot ?? host, out = [];
  for (const e of root.querySelectorAll(".sentence, .rule .numbers, .lens h2, .sumline")) out.push(text(e).replace(/^[^=]*\] = \S+: /, ""));
  const row = [...root.querySelectorAll(".cards > .joined")].map((e) => ({
    sign: [...e.querySelectorAll(":scope > .sign")].map(text).join(" "),
    rows: [...e.querySelectorAll("tr")].map((tr) => [...tr.querySelectorAll("td")].map(text)),
    cells: [...e.querySelectorAll("td")].map(text) }));
  const count = Math.max(0, ...row.map(({ cells }) => cells.length));
  const [A, B, C] = row.map(({ rows }) => rows);
  if (isProduct) {
    if (row.length !== 3 || A[0]?.length !== B.length || A.length !== C.length || B[0].length !== C[0].length) return out;
    for (let i = 0; i < C.length; i++) for (let j = 0; j < C[0].length; j++) out.push(`${B.map((b, k) => `${A[i][k]} · ${b[j]}`).join(" + ")} ${row[2].sign} ${C[i][j]}`);
  } else if (row.length > 1 && row.every(({ cells }) => [1, count].includes(cells.length) && cells.every((c) => /\d|NaN|∞/.test(c))))
    for (let e = 0; e < count; e++) out.push("row: " + row.map(({ sign, cells }) => `${sign} ${cells[cells.length === 1 ? 0 : e]}`.trim()).join(" "));
  const cellsOf = (tr) => [...tr.querySelectorAll("td:not(.plus):not(.total):not(.label)")].map(text).filter(Boolean);
  for (const table of root.querySelectorAll(".lens .across table")) {
    const rows = [...table.rows].filter((tr) => !tr.querySelector(".label")), last = rows.at(-1);
    const total = text(last.querySelector(".total")), sign = text(last.lastChild.previousSibling);
    const all = rows.map(cellsOf);
    if (last.classList.contains("products")) all[0].forEach((a, i) => out.push(`${all.slice(0, -1).map((r) => r[i]).join(" · ")} ${text(last.querySelector("th"))[0]} ${all.at(-1)[i]}`));
    out.push(last.classList.contains("products") || rows.length === 1 ? `${all.at(-1).join(" + ")} ${sign} ${total}` : `${all.map((r) => r[0]).join(" · ")} ${sign} ${total}`);
  }
  for (const tr of root.querySelectorAll(".lens .down tr")) out.push([...tr.querySelectorAll("td")].map(text).join(" "));
  return out;
}"""


def parenthesised(text: str) -> str:
    """Cells beside a sign, each of which is one number, as a reader takes them."""
    if text.startswith("row: "):
        return " ".join(f"({t})" if re.search(r"\d.*\d|j", t) else t for t in text[5:].split(" "))
    return re.sub(r"(?<=[·×/+−] )(−[\d.]+(?:·10[⁻⁰¹²³⁴-⁹]+)?)", r"(\1)", text)


def test_every_equation_on_the_pages_of_random_programs_is_true(page: Page, tmp_path: Path):
    page.set_viewport_size({"width": 1400, "height": 900})
    dtypes = ["complex64", "float16", "int", "float32", "float64"]
    sources = [(Writer(seed, dtypes[seed % 5]).source, dtypes[seed % 5]) for seed in PAGES]
    count, products, false = 0, 0, []
    for place, (source, dtype) in enumerate([*sources, (TRAINING, "float32")]):
        trace = traced(source)
        (tmp_path / str(place)).mkdir()
        shown = show(page, tmp_path / str(place), trace)
        seen: set[str] = set()
        for at, step in enumerate(trace.steps):
            shown.go(at)
            op = trace.nodes[step.node].op or ""
            is_product = op == "matmul" and step.kind != "accumulate"
            texts = set(shown.host.evaluate(READ, is_product))
            products += is_product and any(" · " in text for text in texts)
            # Where ∑ leads, the elements of one place are not all that is added up.
            texts = {text for text in texts if not text.startswith("row: ∑")}
            for text in texts - seen:
                for claim in claims(parenthesised(text)):
                    count += 1
                    if is_true(claim, dtype.replace("int", "float32")) is False:
                        false.append(f"{place}, step {at} ({op}): {text}")
            seen |= texts
    assert not false, f"{len(false)} of {count}:\n" + "\n".join(false[:40])
    assert count > 500
    assert products > 8
