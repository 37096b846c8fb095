"""`minitape quiz`: a page without its answers, and codes that only right answers give."""

from __future__ import annotations

import base64
import csv
import hashlib
import re

import numpy as np
import pytest

from browser import expect
from embedded import embedded
from minitape.__main__ import main
from minitape.viz.teaching.sealed import check_code, in_words, offsets_of, read_key, signature

# An ordinary program: it knows nothing of quizzes. d/da of (a b)**2 is 2 a b**2.
PROGRAM = """
import random
import minitape as tf
a = tf.Variable(round(random.uniform(1.0, 3.0), 2), name="a")
b = tf.Variable(round(random.uniform(1.0, 3.0), 2), name="b")
with tf.GradientTape() as tape:
    loss = tf.square(a * b)
print(tape.gradient(loss, [a, b]))
"""


@pytest.fixture(scope="module")
def quiz(tmp_path_factory):
    """The folder of a quiz with five variants."""
    place = tmp_path_factory.mktemp("quiz")
    (place / "product.py").write_text(PROGRAM)
    assert main(["quiz", "make", str(place / "product.py"), str(place / "quiz.html"),
                 "--variants", "5", "--seed", "3"]) == 0  # fmt: skip
    return place


def data_of(place):
    """What the page knows."""
    return embedded((place / "quiz.html").read_text("utf-8"))


def drawings(variant):
    """The pictures of a variant as text."""
    coded = re.findall(r"base64,([^\"]+)", "".join(variant["pictures"]))
    return "".join(base64.b64decode(each).decode() for each in coded)


def values(variant):
    """The numbers of a and b, read off the picture as a learner does."""
    words = re.findall(r"<text[^>]*>(?:<tspan[^>]*>)?([^<]*)", drawings(variant))
    numbers = [float(each) for each in words if re.fullmatch(r"\d\.\d+", each)]
    return numbers[:2]


def answers(a, b):
    """Of the questions in their order: to a*b, to a, to b, and both gradients."""
    g = 2 * a * b
    return [g, g * b, g * a, g * b, g * a]


def variant_of(place, name):
    quiz = data_of(place)
    digest = hashlib.sha256(f"{quiz['quiz']}/{name.lower()}".encode()).digest()
    return quiz["variants"][int.from_bytes(digest[:4], "big") % len(quiz["variants"])]


def test_no_answer_is_in_what_learners_get(quiz):
    shown = data_of(quiz)
    assert len(shown["variants"]) == 5
    assert len({drawings(each) for each in shown["variants"]}) == 5
    for variant in shown["variants"]:
        said = [each["text"] for each in variant["questions"]]
        text = " ".join([*said, *re.findall(r">([^<]+)<", drawings(variant))])
        a, b = values(variant)
        for right in answers(a, b):
            for digits in (f"{right:.4g}", f"{right:.3g}", f"{right:.2f}"):
                assert not re.search(rf"(?<![\d.]){re.escape(digits)}(?!\d)", text), digits
        sealed = {"text", "picture", "offsets", "shape", "seal"}
        assert all(each.keys() == sealed for each in variant["questions"])


def sit(page, place, name, typed):
    """Answers in the page, and gives the code."""
    page.goto((place / "quiz.html").as_uri())
    page.get_by_label("Your name").fill(name)
    page.get_by_role("button", name="Begin").click()
    for text in typed:
        page.get_by_label("Answer").fill(text)
        page.get_by_role("button", name="Check").click()
    return page.locator(".code").inner_text()


@pytest.mark.browser
def test_right_answers_give_a_code_that_the_lecturer_finds_valid(quiz, visit):
    page = visit.page
    a, b = values(variant_of(quiz, "Ada Lovelace"))
    right = [f"{each:.4g}" for each in answers(a, b)]
    # A wrong one first, what is no number, three digits only, and one question given up.
    typed = ["1000", "two", right[0], f"{answers(a, b)[1]:.3g}", "1", "2", "3", *right[3:]]
    code = sit(page, quiz, "  Ada  Lovelace", typed)
    assert re.fullmatch(r"Ada Lovelace/24044/[0-9A-Z]{5}-[0-9A-Z]{5}", code)
    expect(page.locator(".question")).to_contain_text("3.5 of 5 points")
    key = read_key(quiz / "quiz.key.json")
    found = check_code(key, code)
    assert (found.name, found.points, found.of, found.why) == ("Ada Lovelace", 3.5, 5, "")
    head, tail = code.rsplit("/", 1)
    assert check_code(key, f"{head}/{tail.lower().replace('-', '')}").points == 3.5
    for other in (
        code.replace("24044", "44444"),  # more points
        code.replace("24044", "44044"),  # a first try
        code.replace("Ada", "Ida"),
        f"{head}/{tail[:-1]}{'7' if tail[-1] != '7' else '8'}",
        code.replace("24044", "2404"),
        "",
    ):
        assert check_code(key, other).why and check_code(key, other).points == 0
    assert visit.errors == [] and visit.outside == []


@pytest.mark.browser
def test_a_class_list_becomes_a_table_of_points(quiz, visit, capsys):
    codes = {}
    for name in ("Zoë Ångström", "李 明"):
        a, b = values(variant_of(quiz, name))
        codes[name] = sit(visit.page, quiz, name, [f"{each:.4g}" for each in answers(a, b)])
    table = quiz / "handed_in.csv"
    rows = [*codes.items(), ("Bob", codes["李 明"]), ("=cmd()", "nothing")]
    table.write_text("Name;Code\n" + "".join(f"{n};{c}\n" for n, c in rows), "utf-8")
    out = quiz / "points.csv"
    before = table.read_bytes()
    assert main(["quiz", "check", str(quiz / "quiz.key.json"), "--csv", str(table),
                 "--out", str(out)]) == 1  # fmt: skip
    assert table.read_bytes() == before
    found = list(csv.DictReader(out.read_text("utf-8").splitlines()))
    assert [each["points"] for each in found] == ["5", "5", "0", "0"]
    assert [each["valid"] for each in found] == ["yes", "yes", "no", "no"]
    assert found[2]["note"] == "the code is that of 李 明"
    assert found[3]["name"] == "'=cmd()"
    assert main(["quiz", "check", str(quiz / "quiz.key.json"), codes["李 明"]]) == 0
    assert "李 明: 5 of 5 points." in capsys.readouterr().out


@pytest.mark.slow
def test_the_same_seed_gives_the_same_page_and_another_seed_another(quiz):
    again, other = quiz / "again.html", quiz / "other.html"
    make = ["quiz", "make", str(quiz / "product.py")]
    assert main([*make, str(again), "--variants", "5", "--seed", "3"]) == 0
    assert main([*make, str(other), "--variants", "5", "--seed", "4"]) == 0
    assert again.read_bytes() == (quiz / "quiz.html").read_bytes() != other.read_bytes()


def test_near_answers_fall_into_one_bucket_and_others_into_another():
    """Half a percent is what three digits leave open; two percent is another number."""
    random = np.random.default_rng(0)
    for value in np.exp(random.uniform(-9, 9, 500)) * random.choice([-1, 1], 500):
        offsets = offsets_of(np.array(value))
        right = in_words(np.array(value), offsets)
        for factor in (0.9951, 0.999, 1.001, 1.0049):
            assert in_words(np.array(value * factor), offsets) == right
        for factor in (-1.0, 0.98, 1.02, 2.0):
            assert in_words(np.array(value * factor), offsets) != right
    assert (
        in_words(np.array([np.nan, np.inf, -np.inf, 3e-20, 0.0]), [0] * 5) == "5:nan,inf,-inf,0,0"
    )


def test_the_signature_is_the_first_fifty_bits_of_sha_256():
    """SHA-256 of nothing is e3b0c442 98fc1c14..., in groups of five bits 28 14 24 12 8, ..."""
    assert signature([]) == "WERC8-GMRZG"


def test_a_program_that_makes_a_quiz_asks_that_alone(tmp_path):
    """Three contributions, and one gradient instead of two."""
    asking = PROGRAM.replace("print(tape.gradient(loss, [a, b]))", "viz.quiz(tape, loss, a)")
    (tmp_path / "q.py").write_text("from minitape import viz\n" + asking)
    assert main(["quiz", "make", str(tmp_path / "q.py"), str(tmp_path / "q.html"),
                 "--variants", "2"]) == 0  # fmt: skip
    asked = [len(each["questions"]) for each in data_of_page(tmp_path / "q.html")["variants"]]
    assert asked == [4, 4]


def data_of_page(page):
    copy = page.parent / "quiz.html"
    copy.write_bytes(page.read_bytes())
    return data_of(page.parent)


@pytest.mark.parametrize(
    ("program", "more", "words"),
    [
        ("x = 1\n", [], "no tape"),
        ("import minitape as tf\nx = tf.Variable([1.0] * 10)\nwith tf.GradientTape() as t:\n"
         "    y = tf.reduce_sum(x * x)\nt.gradient(y, x)\n", [], "has nothing to ask"),
        (PROGRAM + "1 / 0\n", [], "ZeroDivisionError"),
        (PROGRAM, ["--variants", "0"], "write a number from 1 to"),
    ],
)  # fmt: skip
def test_what_cannot_be_a_quiz_is_said_and_nothing_is_written(
    tmp_path, capsys, program, more, words
):
    (tmp_path / "p.py").write_text(program)
    made = ["quiz", "make", str(tmp_path / "p.py"), str(tmp_path / "q.html"), *more]
    assert main(made) == 2
    assert words in capsys.readouterr().err
    assert [each.name for each in tmp_path.iterdir()] == ["p.py"]


def test_wrong_inputs_of_the_check_are_named(quiz, tmp_path, capsys):
    (tmp_path / "list.csv").write_text("student,points\nada,3\n")
    key = str(quiz / "quiz.key.json")
    for given, words in (
        ([key], "there is no code"),
        ([str(quiz / "product.py"), "x"], "is not a key of a quiz"),
        ([key, "--csv", str(tmp_path / "list.csv")], "has no column `code`"),
        ([key, "--csv", str(tmp_path / "absent.csv")], "No such file"),
    ):
        assert main(["quiz", "check", *given]) == 2
        assert words in capsys.readouterr().err
