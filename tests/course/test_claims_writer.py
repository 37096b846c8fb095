"""What lesson 19 says of its transformer, recomputed in NumPy; its weights, script and picture."""

from __future__ import annotations

import importlib.util
import math
import re
import sys
from xml.etree import ElementTree

import numpy as np
import pytest
from test_claims import run

from lesson_cells import FOLDER, cells
from minitape.viz.course.motion import writing

FILE = FOLDER / "data" / "writer.npz"
LANGUAGE, TESTS, LOADED = "NOUNS = [", "def is_right(", "data/writer.npz"
MODEL = ("def split(", "def joined(", "def block(", "def model(")


@pytest.fixture(scope="module")
def weights():
    with np.load(FILE, allow_pickle=False) as data:
        return {name: data[name] for name in data}


@pytest.fixture(scope="module")
def lesson():
    with pytest.MonkeyPatch.context() as patch:
        patch.chdir(FOLDER)
        parts = (LANGUAGE, TESTS, *MODEL, LOADED, "def written(", "def likeliest(")
        return run("19", *parts)[0]


def logits_by_numpy(w, ids, masked=True):
    """The transformer as it is published: pre-norm blocks, two heads, without biases."""

    def normal(x):
        return (x - x.mean(-1, keepdims=True)) / np.sqrt(x.var(-1, keepdims=True) + 1e-5)

    w = {name: each.astype(float) for name, each in w.items()}
    x = w["letters"][ids] + w["places"][: len(ids)]
    for b in "12":
        h, found = normal(x), []
        for part in (slice(0, 14), slice(14, 28)):
            q, k, v = (h @ w[name + b][:, part] for name in ("query", "key", "value"))
            scores = q @ k.T / math.sqrt(14)
            if masked:
                scores[np.triu_indices(len(ids), 1)] = -np.inf
            e = np.exp(scores - scores.max(-1, keepdims=True))
            found.append(e / e.sum(-1, keepdims=True) @ v)
        x = x + np.concatenate(found, axis=-1) @ w["join" + b]
        x = x + np.maximum(normal(x) @ w["up" + b], 0) @ w["down" + b]
    return normal(x) @ w["out"]


@pytest.mark.course
def test_the_file_holds_15064_numbers_in_32_kb_and_no_objects(weights):
    assert sum(each.size for each in weights.values()) == 15_064
    assert {each.dtype for each in weights.values()} == {np.dtype(np.float16)}
    assert 31_000 < FILE.stat().st_size < 32_500
    assert len(weights) == 15


@pytest.mark.course
@pytest.mark.parametrize("masked", [True, False])
def test_the_lesson_s_model_says_what_the_published_one_says(lesson, weights, masked):
    ids = lesson["numbers"](" the old dogs near the red house wait")
    ours = lesson["model"](lesson["w"], ids[None], mask=masked).numpy()[0]
    np.testing.assert_allclose(ours, logits_by_numpy(weights, ids, masked), atol=1e-9)


@pytest.mark.course
def test_pytorch_s_layers_with_these_weights_say_the_same(lesson, weights):
    torch = pytest.importorskip("torch", reason="PyTorch is not installed")
    w = {name: torch.tensor(each.astype(np.float64)) for name, each in weights.items()}
    ids = torch.tensor(lesson["numbers"](" the old dogs near the red house wait"))
    x = torch.nn.Embedding.from_pretrained(w["letters"])(ids) + w["places"][: len(ids)]
    mask = torch.nn.Transformer.generate_square_subsequent_mask(len(ids), dtype=torch.float64)
    for b in "12":
        layer = torch.nn.TransformerEncoderLayer(
            28, 2, 56, norm_first=True, batch_first=True, dropout=0.0
        ).double()
        attention, (up, down) = layer.self_attn, (layer.linear1, layer.linear2)
        with torch.no_grad():
            for each in layer.parameters():
                each.copy_(torch.ones_like(each) if each is layer.norm1.weight else each * 0)
            layer.norm2.weight.fill_(1.0)
            kernels = torch.cat([w[name + b] for name in ("query", "key", "value")], dim=1)
            attention.in_proj_weight.copy_(kernels.T)
            attention.out_proj.weight.copy_(w["join" + b].T)
            up.weight.copy_(w["up" + b].T)
            down.weight.copy_(w["down" + b].T)
            x = layer(x[None], src_mask=mask)[0]
    theirs = torch.nn.functional.layer_norm(x, (28,)) @ w["out"]
    ours = lesson["model"](lesson["w"], ids.numpy()[None]).numpy()[0]
    np.testing.assert_allclose(ours, theirs.numpy(), atol=1e-8)


@pytest.mark.course
def test_the_test_of_a_sentence_takes_those_of_the_language_and_no_others(lesson):
    draw = np.random.default_rng(1)
    assert all(lesson["is_right"](lesson["sentence"](draw)) for _ in range(300))
    for wrong in [
        "the dog wait.",
        "the dogs waits.",
        "the dogs near the house waits.",
        "the dog near the houses wait.",
        "the old dogs near the red house wait",
        "the dogs under wait.",
        "the dgos wait.",
        "dogs wait.",
        "the dogs wait again today.",
    ]:
        assert not lesson["is_right"](wrong), wrong
    assert lesson["is_right"]("the old dogs near the red house wait.")


def subject_and_verb(text):
    """Whether the subject has an s, and whether the verb has one, by splitting words."""
    words = text.rstrip(".").split()
    subject = words[1] if words[1] not in ("big", "old", "red", "small") else words[2]
    stems = ("fall", "run", "sing", "wait")
    (verb,) = [word for word in words if word.removesuffix("s") in stems]
    return subject.endswith("s"), verb.endswith("s")


@pytest.mark.course
@pytest.mark.parametrize("temperature", [0.5, 1.0])
def test_up_to_temperature_1_every_sentence_agrees(lesson, temperature):
    for text in lesson["written"](lesson["w"], temperature):
        assert set(subject_and_verb(text)) == {True, False}, text


@pytest.mark.course
def test_no_sentence_of_the_training_has_a_horse_and_a_river(monkeypatch):
    train = train_writer()
    names, draw = train.of_lesson(), np.random.default_rng(0)
    for _ in range(200):
        row = "".join(names["LETTERS"][k] for k in train.row(names, draw))
        assert len(row) == 49
        assert not any("horse" in each and "river" in each for each in row.split("."))


@pytest.mark.course
def test_the_counting_table_does_as_well_as_a_coin():
    _, printed = run("19", LANGUAGE, TESTS, "def sentence(", "after[text[k - 6 : k]]")
    assert int(re.search(r"right endings: (\d+) out of", printed)[1]) == pytest.approx(50, abs=4)


def head_taken_out(w, head, block=2):
    join = w[f"join{block}"].copy()
    join[14 * head - 14 : 14 * head] = 0
    return {**w, f"join{block}": join}


@pytest.mark.course
@pytest.mark.parametrize(("head", "right"), [(1, 100), (2, 50)])
def test_without_head_2_endings_are_chance_and_without_head_1_they_stay(
    lesson, weights, head, right
):
    w = head_taken_out(weights, head)

    def next_letter(text):
        return lesson["LETTERS"][int(logits_by_numpy(w, lesson["numbers"](text))[-1].argmax())]

    assert lesson["endings"](next_letter) == pytest.approx(right, abs=4)


@pytest.mark.course
@pytest.mark.parametrize(("head", "right"), [(1, 70), (2, 49)])
def test_without_a_head_words_are_misspelt(lesson, weights, head, right):
    known = {"the", *lesson["LOOKS"], *lesson["PLACES"], *lesson["WHEN"]}
    for word in (*lesson["NOUNS"], *lesson["VERBS"]):
        known |= {word, f"{word}s"}
    w = {
        k: lesson["tf"].constant(v.astype(float)) for k, v in head_taken_out(weights, head).items()
    }
    texts = lesson["written"](w, 0.5)
    words = [word for text in texts for word in text.strip(".").split(" ") if word.isalpha()]
    assert 100 * np.mean([word in known for word in words]) == pytest.approx(right, abs=2)


@pytest.mark.course
@pytest.mark.parametrize(("head", "cost"), [(1, 3.38), (2, 0.58)])
def test_the_heads_of_the_first_block_are_not_equally_important(lesson, weights, head, cost):
    draw, w, found = np.random.default_rng(5), head_taken_out(weights, head, block=1), []
    for _ in range(200):
        text = " ".join(["", *(lesson["sentence"](draw) for _ in range(5))])[:49]
        ids = lesson["numbers"](text)
        logits = logits_by_numpy(w, ids[:-1])
        most = logits.max(-1, keepdims=True)
        sums = np.log(np.exp(logits - most).sum(-1)) + most[:, 0]
        found.append(sums - logits[np.arange(48), ids[1:]])
    assert np.mean(found) == pytest.approx(cost, abs=0.006)


@pytest.mark.course
@pytest.mark.parametrize("block", [1, 2])
@pytest.mark.parametrize("head", [1, 2])
def test_a_head_that_is_off_is_one_whose_rows_of_join_are_0(lesson, weights, block, head):
    ids = lesson["numbers"](" the old dogs near the red house wait")
    ours = lesson["model"](lesson["w"], ids[None], off=(block, head)).numpy()[0]
    np.testing.assert_allclose(
        ours, logits_by_numpy(head_taken_out(weights, head, block), ids), atol=1e-9
    )


@pytest.mark.course
def test_without_head_2_of_block_1_most_words_are_right_and_verbs_end_by_chance(lesson, weights):
    """What the last question asks for."""
    w = {k: v.astype(float) for k, v in head_taken_out(weights, 2, block=1).items()}

    def next_letter(text):
        return lesson["LETTERS"][int(logits_by_numpy(w, lesson["numbers"](text))[-1].argmax())]

    assert lesson["endings"](next_letter) == pytest.approx(55, abs=6)
    texts = lesson["written"]({k: lesson["tf"].constant(v) for k, v in w.items()}, 0.5)
    words = [word for text in texts for word in re.findall("[a-z]+", text)]
    assert 100 * np.mean([word in lesson["WORDS"] for word in words]) == pytest.approx(80, abs=3)


@pytest.mark.course
def test_a_letter_costs_where_words_part_and_nothing_after_it(lesson, weights):
    text = " the old dogs near the red house wait."
    ids = lesson["numbers"](text)
    logits = logits_by_numpy(weights, ids[:-1])
    costs = np.log(np.exp(logits).sum(-1)) - logits[np.arange(len(ids) - 1), ids[1:]]
    house = text.index("house") - 1
    assert costs[house + 2] > 0.5 and costs[[house + 1, house + 3, house + 4]].max() < 0.02
    assert [word for word in lesson["NOUNS"] if word.startswith("ho")] == ["horse", "house"]
    old, dogs, near = text.index("old") - 1, text.index("dogs") - 1, text.index("near") - 1
    assert list(np.argsort(-costs)[:2]) == [old, dogs]
    assert costs[old] == pytest.approx(2.1, abs=0.05) and costs[near + 3] < 0.02
    said = logits[-1] - np.log(np.exp(logits[-1]).sum())
    stop, time, s = (np.exp(said[lesson["LETTERS"].index(each)]) for each in ". s")
    assert costs[-1] == pytest.approx(0.7, abs=0.05) and stop + time > 0.99 > 0.01 > s


@pytest.mark.course
def test_the_model_has_almost_nothing_left_to_learn(lesson, weights):
    draw = np.random.default_rng(4)
    texts = [lesson["sentence"](draw) for _ in range(300)]
    extra, short = 0.0, math.log(chance_of_at_most(47))
    for text in texts:
        ids = lesson["numbers"](" " + text)
        logits = logits_by_numpy(weights, ids[:-1])
        said = logits[np.arange(len(text)), ids[1:]] - np.log(np.exp(logits).sum(-1))
        extra += log_chance(text) - short - said.sum()
    assert -0.001 < extra / sum(map(len, texts)) < 0.01


@pytest.mark.course
def test_the_picture_s_text_says_where_the_heads_look_before_the_last_letter(lesson):
    looks, text = [], " the old dogs near the red house wait"
    lesson["model"](lesson["w"], lesson["numbers"](text)[None], looks)
    first, second = looks[1][0, :, -1]
    assert first.argmax() == text.index("wait") and first.max() > 0.8
    assert second.argmax() == text.index("dogs") + 4 and second.max() > 0.6
    assert len(text) - second.argmax() == 24


def log_chance(text):
    """The logarithm of the chance of a sentence, before those that are too long are drawn again."""
    words = text.rstrip(".").split()
    total, at, places = 0.0, 0, 0
    while True:  # things: the subject, then those of the places
        look = words[at + 1] in ("big", "old", "red", "small")
        total += math.log(0.5) + (math.log(1 / 4) if look else 0.0) + math.log(1 / 16)
        at += 3 if look else 2
        if words[at] not in ("behind", "near", "under"):
            break
        total, at, places = total + math.log(1 / 3), at + 1, places + 1
    total += math.log((0.3, 0.4, 0.3)[places]) + math.log(1 / 4) + math.log(0.5)
    return total + (math.log(1 / 3) if at + 1 < len(words) else 0.0)


@pytest.mark.course
def test_the_lowest_cost_that_there_is_is_that_of_the_model(lesson):
    draw = np.random.default_rng(3)
    texts = [lesson["sentence"](draw) for _ in range(3000)]
    short = chance_of_at_most(47)
    nats = -sum(log_chance(text) - math.log(short) for text in texts)
    assert nats / sum(len(text) + 1 for text in texts) == pytest.approx(0.34, abs=0.01)


def chance_of_at_most(most):
    """The chance that a sentence has at most so many letters, exactly."""

    def convolved(*laws):
        whole = np.ones(1)
        for law in laws:
            whole = np.convolve(whole, law)
        return whole

    def law(words, extra=0):
        counts = np.zeros(20)
        for word in words:
            counts[len(word) + extra] += 1 / len(words)
        return counts

    nouns = law(["ball", "bird", "boat", "dog", "horse", "house", "river", "tree"])
    looks = np.zeros(20)
    looks[0] = 0.5
    looks += 0.5 * law(["big", "old", "red", "small"], 1)
    thing = convolved(np.eye(5)[4], looks, nouns, [0.5, 0.5])  # "the ", a look, a noun, an s
    place = convolved(law(["behind", "near", "under"], 2), thing)
    subject = convolved(np.eye(5)[4], looks, nouns)
    verb = law(["fall", "run", "sing", "wait"], 1)
    one_s = np.eye(2)[1]  # the subject has it, or the verb
    when = np.zeros(20)
    when[0] = 0.5
    when += 0.5 * law(["again", "here", "today"], 1)
    whole = convolved(subject, one_s, verb, when, np.eye(2)[1])
    laws = [whole, convolved(whole, place), convolved(whole, place, place)]
    return sum(p * each[: most + 1].sum() for p, each in zip((0.3, 0.4, 0.3), laws, strict=True))


@pytest.mark.course
def test_the_chance_of_a_length_is_exact():
    assert chance_of_at_most(200) == pytest.approx(1)
    assert chance_of_at_most(14) > 0  # "the dogs run." has 13
    assert chance_of_at_most(12) == 0


def train_writer():
    """The script that trains the weights."""
    sys.path.insert(0, str(FOLDER))
    try:
        spec = importlib.util.spec_from_file_location("train_writer", FOLDER / "train_writer.py")
        module = importlib.util.module_from_spec(spec)
        spec.loader.exec_module(module)
        return module
    finally:
        sys.path.remove(str(FOLDER))


@pytest.mark.course
def test_the_script_makes_arrays_of_the_same_names_and_shapes_and_learns(weights, capsys):
    train = train_writer()
    w = train.trained(steps=30, say=29)
    assert {k: v.numpy().shape for k, v in w.items()} == {k: v.shape for k, v in weights.items()}
    first, last = (float(each) for each in re.findall(r": +([\d.]+) per", capsys.readouterr().out))
    assert last < first - 0.3


@pytest.mark.course
def test_the_lines_that_the_lesson_shows_are_those_of_the_script():
    script = (FOLDER / "train_writer.py").read_text("utf-8")
    assert "default=12_000" in script
    (shown,) = [cell.text for cell in cells("19") if "```python" in cell.text]
    program = shown.split("```")[1].removeprefix("python").strip().splitlines()
    for line in program:
        if "loss = " in line:  # its names are shortened
            line = (
                "tf.nn.sparse_softmax_cross_entropy_with_logits(labels=rows[:, 1:], logits=logits)"
            )
        assert line.strip().replace("model(w", 'names["model"](w') in script, line
    assert f"{train_writer().BATCH} new rows" in shown


@pytest.mark.course
def test_a_text_is_one_drawing_in_which_letters_come_and_squares_darken():
    made = writing("a b", {"one & two": [[1.0, 0.0], [0.3, 0.7]]}, "A text.")
    svg = "{http://www.w3.org/2000/svg}"
    root = ElementTree.fromstring(made.svg)
    assert root.find(f"{svg}title").text == "A text."
    words = ["".join(each.itertext()).strip() for each in root.iter(f"{svg}text")]
    assert words == ["a", "\u00b7", "b", "one & two", "Stop", "Again"]
    values = [each.get("values") for each in root.iter(f"{svg}animate")]
    assert values == ["1", "1", "0;1", "1;0.3", "0;0.7"]
    rests = [each.get("style") for each in root.iter(f"{svg}rect")]
    assert rests == ["--rest:0.3", "--rest:0.7"]  # what is seen by who asked for reduced motion
    assert "var(--rest)" in made.svg and "<script" not in made.svg


@pytest.mark.course
def test_the_player_opens_where_the_straight_path_meets_what_the_layer_norm_brings():
    with pytest.MonkeyPatch.context() as patch:
        patch.chdir(FOLDER)
        names, _ = run(
            "19",
            LANGUAGE,
            *MODEL,
            LOADED,
            "viz.step(tape, loss",
        )
    player = names["player"]
    assert player._at == 126
    assert "The last of 3 contributions has arrived" in player.text(126)
    trace = player.trace
    steps = [step for step in trace.steps if step.kind != "release"]
    node = steps[125].node
    brought = [trace.nodes[s.node].op for s in steps[:125] if s.kind == "pull" and s.to == node]
    assert brought == ["add", "subtract", "reduce_mean"]  # the straight path; twice the layer norm


@pytest.mark.course
def test_the_picture_s_text_says_how_likely_b_is_after_the(lesson, weights):
    logits = logits_by_numpy(weights, lesson["numbers"](" the "))[-1]
    for temperature, said in [(0.5, 0.55), (1.0, 0.32), (2.0, 0.22)]:
        p = np.exp(logits / temperature)
        assert p[lesson["LETTERS"].index("b")] / p.sum() == pytest.approx(said, abs=0.005)
    assert np.sort(p / p.sum())[-7:-5] == pytest.approx(0.10, abs=0.005)  # the last two bars at 2
    words = [*lesson["NOUNS"], *lesson["LOOKS"]]
    assert sorted(word for word in words if word[0] == "b") == ["ball", "big", "bird", "boat"]
