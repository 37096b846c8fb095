# ---
# jupyter:
#   jupytext:
#     text_representation:
#       extension: .py
#       format_name: percent
#   kernelspec:
#     display_name: Python 3
#     language: python
#     name: python3
# ---

# %% [markdown] slide="the old dogs near the red house **wait**\n\nIs the next letter an **s**, or a full stop?\n\n**What must a machine know to say so?**" notes="2 minutes. Everybody knows the answer. Ask them how they know: which word decides, and how far away is it?"
# # 19. A transformer that writes
#
# *the old dogs near the red house wait* ... Is the next letter an s, or a full stop? You know it, because of a word that ended 24 letters back. **What must a machine
# know to say so?** In this lesson a machine of 15,064 numbers knows it. It writes sentences, and you can look inside and take it apart. The programs that
# answer questions and write code are machines of this kind, ten million times larger.
#
# You need lesson 10, attention, and lesson 18, layer norm and a path that adds. Afterwards you can
#
# - name the parts of a transformer, and say what each one does,
# - let it write, letter by letter, at a low or a high temperature,
# - say what a letter costs, and which letters have to cost something,
# - find out by taking a part away what it was good for.

# %% tags=["setup"]
import re
from collections import Counter, defaultdict

import matplotlib.pyplot as plt
import numpy as np

import minitape as tf
from minitape import viz
from minitape.viz.course.motion import writing

viz.figures()

# %% [markdown] slide="## A small language with one rule\n\nThe subject has an **s**, or its verb has one.\n\n*the birds near the tree sing.* · *the bird near the trees sings.*" notes="2 minutes. The trees in the second sentence are there to mislead."
# ## A small language
#
# We need a text in which everything can be checked. So we make a language of 23 words. A sentence has a subject, at most two places, a verb, and sometimes a
# time: *the birds near the tree sing.* All words are drawn at random. There is a single rule, and it is the rule of English: the subject has an s, or its verb
# has one.


# %% tags=["needed", "given", "writer"] slide=""
# Given: the language.
NOUNS = ["ball", "bird", "boat", "dog", "horse", "house", "river", "tree"]
LOOKS, PLACES = ["big", "old", "red", "small"], ["behind", "near", "under"]
VERBS, WHEN = ["fall", "run", "sing", "wait"], ["again", "here", "today"]
LETTERS = " .abdefghilmnorstuvwy"


def sentence(draw):
    """A sentence of at most 47 letters, drawn word by word."""

    def thing():
        look = [draw.choice(LOOKS)] if draw.random() < 0.5 else []
        return " ".join(["the", *look, draw.choice(NOUNS) + draw.choice(["", "s"])])

    subject = thing()
    words = [subject]
    for _ in range(draw.choice([0, 1, 2], p=[0.3, 0.4, 0.3])):
        words += [draw.choice(PLACES), thing()]
    words.append(draw.choice(VERBS) + ("" if subject.endswith("s") else "s"))
    if draw.random() < 0.5:
        words.append(draw.choice(WHEN))
    made = " ".join(words) + "."
    return made if len(made) < 48 else sentence(draw)


def numbers(text):
    """A text in numbers, one for each letter."""
    return np.array([LETTERS.index(letter) for letter in text])


# %% tags=["setup", "given"]
# Given: what a sentence of this language looks like, and a test of the endings of verbs.
WORDS = {"the", *LOOKS, *PLACES, *WHEN} | {word + s for word in NOUNS + VERBS for s in ("", "s")}
either = {name: f"(?:{'|'.join(words)})" for name, words in [
    ("noun", NOUNS), ("look", LOOKS), ("place", PLACES), ("verb", VERBS), ("when", WHEN)
]}  # fmt: skip
thing = "the (?:{look} )?{noun}"
FORM = re.compile(
    (thing + "(s?)((?: {place} " + thing + "s?){{0,2}}) {verb}(s?)(?: {when})?\\.").format(**either)
)


def is_right(text):
    """Whether this is a sentence of the language, and its verb agrees with the subject."""
    found = FORM.fullmatch(text)
    return bool(found) and found[1] != found[3]


def endings(next_letter, kind=lambda text: True, many=200):
    """Out of 100 verbs in sentences with a place, how many get the right ending?"""
    draw, right = np.random.default_rng(3), []
    while len(right) < many:
        text = sentence(draw)
        found = FORM.fullmatch(text)
        if found[2] and kind(text):
            said = next_letter(" " + text[: found.start(3)])
            right.append((said == "s") == (found[1] == ""))
    return 100 * np.mean(right)


# %% slide="Sentences of the language"
draw = np.random.default_rng(0)
for _ in range(4):
    print(sentence(draw))

# %% slide="A table of six letters: how often does the verb agree? | It is fooled by the nearest noun" notes="3 minutes. A table cannot see farther than its six letters. In most sentences with a place these show the wrong noun, or none."
with viz.predict(
    "A table counts, in 20,000 sentences, which letter follows each six letters. Then it chooses endings of verbs, in sentences with a place. "
    "How many out of 100 does it get right: 50, 75 or 100?",
    "About 50: a coin does as well. What stands just before the verb is the place, not the subject, and six letters reach no farther.",
):
    draw, after = np.random.default_rng(0), defaultdict(Counter)
    text = " ".join(sentence(draw) for _ in range(20_000))
    for k in range(6, len(text)):
        after[text[k - 6 : k]][text[k]] += 1
    share = endings(lambda text: after[text[-6:]].most_common(1)[0][0])
    print(f"right endings: {share:.0f} out of 100")

# %% [markdown] slide="## A letter becomes a row, and so does its position\n\n- **Token**: a piece of text with a number. Here: a letter.\n- **Embedding**: its row of 28 numbers.\n- **Positional embedding**: the row of its position. The two are added." notes="3 minutes. Large models have some 100,000 tokens, which are pieces of words."
# ## A transformer
#
# A **transformer** is a network that reads and writes with attention. Ours has four kinds of parts: **embeddings**,
# attention **heads**, **MLPs**, and a matrix at the end. Layer norms stand before the last three.
#
# A piece of text with a number is a **token**. Here it is a single letter, and there are 21 of them. Large models take pieces of words. Each token has a row
# of 28 numbers, its **embedding**. Attention ignores the order of its rows, so each position has a row as well, the **positional embedding**. The two are
# added.

# %% [markdown] slide="## A block looks around, then thinks\n\n- **Head**: an attention of its own, on a part of each query, key and value.\n- **Causal mask**: nobody looks at later letters.\n- **MLP**: two dense layers, for each row by itself.\n\nHeads and MLP *add* to the row." notes="4 minutes. The residual connection of lesson 18: a row walks through the whole network, and each part adds to it."
# Then come two equal parts, each called a **block**. In a block the rows first look at each other. From the whole row come a query, a key and a
# value. Each of these is cut into two pieces, and each piece has an attention of its own, a **head**. A head can look for one thing, and the other head for another. The **causal mask** sees to it that no row looks at later
# letters: it adds $-10^9$ to their scores before the softmax. Then two dense layers work on each row by itself. They are called an **MLP**, a multi-layer
# perceptron.
#
# Heads and MLP are residual branches. They read the row through a layer norm, and what they find is added to it. At the end a matrix turns each row into 21
# logits, one for each letter that could come next.

# %% tags=["picture", "given"] minutes=1 slide="A row walks through, and each part adds to it" alt="Above, the model from left to right: letter plus position, block 1, block 2, then layer norm and the matrix out, which makes 21 logits for each of the 48 positions. Between the boxes flow 48 rows of 28 numbers. Below, a block opened. A thick straight line leads through it. Twice a branch leaves the line and is added to it again. The first goes through a layer norm, and query, key and value; then head 1 and head 2 stand one above the other, each with a table of 48 by 48 weights and a result of 48 by 14; then comes join. The second goes through a layer norm and the MLP: up to 56 numbers, relu, and down to 28." notes="3 minutes. Follow one row with a finger along the thick line. Where does it meet other rows? Only in the heads."
# Given: this only draws.
_, panel = plt.subplots(figsize=(8.6, 4.2))
panel.set(xlim=(0, 16), ylim=(-0.2, 7.8))
panel.axis("off")
INK, BACK = "#0072b2", "#b04a00"


def part(x, y, words, colour=INK):
    """A box with words."""
    look = {"boxstyle": "round", "facecolor": "white", "edgecolor": colour}
    panel.text(x, y, words, ha="center", va="center", bbox=look, fontsize=10, zorder=3)


def flow(*places, colour=BACK, width=1.2):
    """A line through some places, with an arrow at its end."""
    panel.plot(*zip(*places, strict=True), "-", color=colour, linewidth=width)
    arrow = {"arrowstyle": "->", "color": colour, "linewidth": width}
    panel.annotate("", places[-1], places[-2], arrowprops=arrow)


flow((1, 7), (15.6, 7), colour="black", width=2)
for x, words in [(1.3, "letters\n+ positions"), (5, "block 1"), (8.4, "block 2")]:
    part(x, 7, words)
part(12, 7, "layer norm,\nout")
for x, words in [(3.1, "48 × 28"), (6.7, "48 × 28"), (10.0, "48 × 28"), (14.6, "48 × 21\nlogits")]:
    panel.text(x, 7.15, words, ha="center", va="bottom", fontsize=9)
for start, end in [(4.3, 0.1), (5.7, 15.9)]:
    panel.plot([start, end], [6.6, 5.6], ":", color="0.5")
panel.plot([0.1, 15.9, 15.9, 0.1, 0.1], [-0.1, -0.1, 5.6, 5.6, -0.1], ":", color="0.5")
flow((0.2, 0.7), (15.8, 0.7), colour="black", width=2)
panel.plot([0.6, 0.6, 4.4], [0.7, 3.2, 3.2], "-", color=BACK, linewidth=1.2)
part(1.6, 3.2, "layer\nnorm")
part(3.3, 3.2, "query\nkey\nvalue")
for y, head in [(4.2, 1), (2.2, 2)]:
    panel.plot([4.4, 4.4, 7.6, 7.6], [3.2, y, y, 3.2], "-", color=BACK, linewidth=1.2)
    part(5.4, y, f"head {head}\n48 × 48", BACK)
    panel.text(6.9, y + 0.25, "48 × 14", ha="center", fontsize=9)
flow((7.6, 3.2), (9.0, 3.2), (9.0, 1.1))
part(8.35, 3.2, "join")
flow((9.8, 0.7), (9.8, 3.2), (15.2, 3.2), (15.2, 1.1))
part(10.9, 3.2, "layer\nnorm")
part(12.3, 3.2, "up")
panel.text(13.0, 3.4, "56", ha="center", fontsize=9)
part(14.1, 3.2, "relu,\ndown")
panel.text(12.6, 4.25, "MLP: each row by itself", ha="center", fontsize=10, color=BACK)
panel.text(5.4, 5.05, "the rows look at each other", ha="center", fontsize=10, color=BACK)
for x in (9.0, 15.2):
    part(x, 0.7, "+", "black")
panel.text(2.6, 0.1, "48 × 28", ha="center", fontsize=9)
plt.show()


# %% [markdown] slide="## 28 numbers, 14 for each head\n\n- A row has 28 numbers: its query, key and value are cut into 14 and 14.\n- Each head returns 14, a weighted mean of its values.\n- Side by side these are 28 again, and `join` mixes them.\n\n`hide` is $-10^9$ above the diagonal, and 0 elsewhere."
# In numbers: a row has 28 of them, and so have its query, key and value. Two heads get 14 each, and each head returns 14, a weighted mean of its values.
# Side by side these are 28 again, and the matrix `join` mixes them. In the code `split` cuts, and `joined` puts the pieces side by side.


# %% tags=["needed", "given", "writer"] slide="Layer norm and heads are a few lines"
# Given.
def normalised(x):
    """Layer norm: mean 0 and spread 1 in each row."""
    x = x - tf.reduce_mean(x, axis=-1, keepdims=True)
    return x / tf.sqrt(tf.reduce_mean(x * x, axis=-1, keepdims=True) + 1e-5)


def split(rows, heads=2):
    """(batch, length, width) becomes (batch, heads, length, width / heads)."""
    batch, length, width = rows.shape
    rows = tf.reshape(rows, [batch, length, heads, width // heads])
    return tf.transpose(rows, [0, 2, 1, 3])


# %% tags=["needed", "given", "writer"] slide=""
# Given: the pieces side by side again, and a head that is taken out.
def joined(found):
    """(batch, heads, length, piece) becomes (batch, length, width)."""
    batch, heads, length, piece = found.shape
    return tf.reshape(tf.transpose(found, [0, 2, 1, 3]), [batch, length, heads * piece])


def taken_out(found, n, off):
    """What the heads of block n have found; with `off` = (n, head) this head has found nothing."""
    if off and off[0] == n:
        found = found * tf.cast(np.arange(1, 3) != off[1], found.dtype)[:, None, None]
    return found


# %% tags=["needed", "writer"] minutes=2 slide="A block is ten lines" notes="4 minutes. Point at the two lines with x +: those are the plus signs of the picture. `looks` and `off` are for later, when we look inside."
def block(w, n, x, hide, looks=None, off=None):
    """Block n: the heads look around, then each row thinks; both add to x."""
    h = normalised(x)
    q, k, v = (split(h @ w[f"{name}{n}"]) for name in ("query", "key", "value"))
    weights = tf.nn.softmax(q @ tf.linalg.matrix_transpose(k) / q.shape[-1] ** 0.5 + hide)
    if looks is not None:
        looks.append(weights.numpy())
    found = taken_out(weights @ v, n, off)
    x = x + joined(found) @ w[f"join{n}"]
    return x + tf.nn.relu(normalised(x) @ w[f"up{n}"]) @ w[f"down{n}"]


# %% tags=["needed", "writer"] slide="A transformer is a loop over blocks" notes="2 minutes. Letters and positions, the mask, two blocks, one matrix: the upper row of the picture."
def model(w, ids, looks=None, mask=True, off=None):
    """Logits at each position."""
    x = tf.gather(w["letters"], ids) + w["places"][: ids.shape[1]]
    hide = tf.cast(np.triu(np.full([ids.shape[1]] * 2, -1e9 * mask), 1), x.dtype)
    for n in (1, 2):
        x = block(w, n, x, hide, looks, off)
    return normalised(x) @ w["out"]


# %% [markdown] slide="## It writes: read, draw a letter, read again\n\n**Sampling**: draw the next letter with the probabilities that softmax gives.\n\n**Temperature**: what the logits are divided by, before the softmax." notes="3 minutes. Divided by a small number, the largest logit wins. Divided by a large one, all are alike."
# ## It writes
#
# To write, the model reads what is there, softmax turns its last logits into probabilities, and we draw a letter with these: **sampling**. Then it reads again.
# Before the softmax the logits are divided by a number, the **temperature**. With a small one, the likeliest letter wins more often. With a large one, the
# others catch up.

# %% [markdown] slide="## How it learnt: 12,000 times the step that you know\n\n1. A tape records the loss of 32 rows of text.\n2. `tape.gradient` goes back through both blocks.\n3. Adam takes a step." notes="1 minute. Three minutes on one core. The loss is what lesson 5 used: the cross-entropy of the next letter."
# How did it learn? `tutorials/train_writer.py` ran these lines 12,000 times, in three minutes on one core, on 32 new rows of text each time:
#
# ```python
# with tf.GradientTape() as tape:
#     logits = model(w, rows[:, :-1])
#     loss = mean(cross_entropy(labels=rows[:, 1:], logits=logits))
# gradients, _ = tf.clip_by_global_norm(tape.gradient(loss, variables), 1.0)
# optimizer.apply_gradients(zip(gradients, variables, strict=True))
# ```
#
# The names of the loss are shortened here. The label of each letter is the letter after it. The weights are in a file of 32 kB.

# %% slide="15,064 numbers, in a file of 32 kB"
with np.load("data/writer.npz", allow_pickle=False) as data:
    w = {name: tf.constant(data[name].astype(np.float64)) for name in data}
print(sum(each.numpy().size for each in w.values()), "weights")


# %% tags=["given"] slide=""
# Given: write a letter, and read again.
def written(w, temperature=1.0, many=100, **how):
    """Texts up to the first full stop, written a letter at a time."""
    draw, ids = np.random.default_rng(1), np.zeros([many, 1], int)  # each begins with a space
    for _ in range(47):
        p = tf.nn.softmax(model(w, ids, **how)[:, -1] / temperature).numpy()
        drawn = (p.cumsum(axis=1) < draw.random([many, 1])).sum(axis=1)
        ids = np.concatenate([ids, drawn[:, None]], axis=1)
    texts = ["".join(LETTERS[k] for k in row) for row in ids]
    return [text[1:].partition(".")[0] + "." for text in texts]


# %% tags=["picture", "given"] minutes=1 slide="Cold, the likeliest letter wins more often; hot, the others catch up" alt="Bars for the letters that may follow 'the': b, r, h, o, s, d and t, at three temperatures. At 1 the bar of b is the highest, 0.32, for four words begin with b. At 0.5 it is 0.55, and the other bars are lower. At 2 the bar of b is 0.22, and the smallest are 0.10." notes="2 minutes. Why is b the likeliest? Count the words of the language that begin with b: big, ball, bird, boat."
# Given: this only draws.
logits = model(w, numbers(" the ")[None]).numpy()[0, -1]
ids = np.argsort(-logits)[:7]
_, panel = plt.subplots(figsize=(7, 2.6))
for n, (temperature, hue) in enumerate([(0.5, "#0072b2"), (1.0, "0.45"), (2.0, "#b04a00")]):
    p = np.exp(logits / temperature)
    panel.bar(np.arange(7) + 0.27 * (n - 1), p[ids] / p.sum(), width=0.25, color=hue)
    panel.text(4.4, 0.46 - 0.08 * n, f"temperature {temperature:g}", color=hue)
panel.set_xticks(range(7), [LETTERS[k] for k in ids])
panel.set(xlabel="the next letter after “the ”", ylabel="probability")
plt.show()

# %% slide="Temperature 0.5, 1 and 2: how many sentences are right? | Cold, as learnt, and hot | Up to 1 all of them" notes="3 minutes. Right means: each word is a word, in an order that the language has, and the verb agrees. Read the hot sentences aloud."
with viz.predict(
    "It writes 100 sentences at each of the temperatures 0.5, 1 and 2. How many are right, in every letter: 100, 100 and 60; 90, 60 and 0; or 100, 50 and 10?",
    "All of them at 0.5 and at 1, and about 60 at 2. At 1 it draws as it has learnt to. Hotter, now and then a letter slips in that fits nowhere.",
):
    for temperature in (0.5, 1.0, 2.0):
        texts = written(w, temperature)
        print(f"{temperature}: {sum(map(is_right, texts))} out of 100 right, such as")
        print("    " + "\n    ".join(texts[4:7]))

# %% [markdown] slide="## It has not learnt them by heart\n\nNo sentence in its training data had both a *horse* and a *river*." notes="2 minutes. That is a test set: pairs that it has never seen. Ask the class for other tests."
# Has it learnt these sentences by heart? No sentence in its training data had both a horse and a river. We test the verbs in such sentences, and in all others with a
# place.


# %% slide="A pair that it never saw: the verbs agree"
def likeliest(w, **how):
    """A function that says which letter is the likeliest after a text."""
    return lambda text: LETTERS[np.argmax(model(w, numbers(text)[None], **how)[0, -1])]


new = endings(likeliest(w), lambda text: "horse" in text and "river" in text)
print(f"right: {endings(likeliest(w)):.0f} out of 100, with a horse and a river {new:.0f}")


# %% [markdown] slide="## Look inside: where does a head look?\n\nBefore each letter, each head spreads one unit of attention over all letters so far."
# ## What the heads look at
#
# How does it find the subject? We let it read one sentence and watch the two heads of its second block. A square is dark where a head looks before it
# writes the next letter. Watch the second row at the end: the verb is written, and an ending is needed.

# %% tags=["picture"] minutes=2 slide="For the ending of the verb, one head looks at the end of the subject" notes="3 minutes. Let it run once without a word. Nobody told it what a subject is."
shown = " the old dogs near the red house wait."
looks = []
model(w, numbers(shown)[None, :-1], looks)
writing(
    shown,
    {"head 1": looks[1][0, 0], "head 2": looks[1][0, 1]},
    "The letters of the sentence appear one after the other: the old dogs near the red house wait, full stop. Below them are two rows of squares, one for each head, dark "
    "where the head looks. Before the full stop, head 1 looks at the w of wait. Head 2 looks at the space after dogs, the end of the subject, 24 letters back. "
    "There the picture rests, and this space has a frame.",
    mark=shown.index("dogs") + 4,
)

# %% slide="We take out head 2 of the second block: what breaks? | Grammar breaks: verbs end by chance" notes="3 minutes. Then take out the other one, and let them read what it writes. Head 1 spells, and head 2 does both."
with viz.predict(
    "We replace what head 2 has found by 0, so that it adds nothing. What happens to the 100 right endings: do they stay, fall to about 50, or to 0?",
    "They fall to about 50. Without head 2 the endings are a coin toss, and half of the words are misspelt, too. Without head 1 the endings stay right, and "
    "nearly a third of the words are misspelt. So head 1 spells, and head 2 does both: few heads have only one job.",
):
    for head in (1, 2):
        texts = written(w, 0.5, off=(2, head))
        spelt = [word in WORDS for text in texts for word in re.findall("[a-z]+", text)]
        print(
            f"without head {head}: {endings(likeliest(w, off=(2, head))):.0f} endings out of 100 right, ",
            end="",
        )
        print(f"{100 * np.mean(spelt):.0f} % of the words. It writes:", *texts[1:3])

# %% [markdown] slide=""
# What exactly has head 2 found? The subject, or the first noun? In this language they are always the same, so no sentence can tell. Be as careful as this
# with every picture of attention, and with every part that is taken out: that shows what *this* model relies on. Trained without the part, it might have found another
# way.

# %% [markdown] slide="## What does a letter cost?\n\nThe cross-entropy: minus the logarithm of the probability that the right letter got.\n\n**Perplexity**: $e$ to the mean cost." notes="3 minutes. A perplexity of 1.4: on average it hesitates between 1.4 letters. Blind guessing hesitates between 21."
# ## What a letter costs
#
# The training made one number small: the cost of a letter. It is the cross-entropy, minus the logarithm of the probability that the right letter got. The power
# $e$ to the mean cost is called the **perplexity**: among how many letters the model hesitates. We measure it on sentences that were drawn afresh.

# %% slide="It hesitates between 1.4 letters"
draw = np.random.default_rng(5)
fresh = [(" ".join(["", *(sentence(draw) for _ in range(5))]))[:49] for _ in range(200)]
rows = np.stack([numbers(text) for text in fresh])


def costs(w, rows, **how):
    """The cost of each letter of each row, without its first."""
    logits = model(w, rows[:, :-1], **how)
    return tf.nn.sparse_softmax_cross_entropy_with_logits(labels=rows[:, 1:], logits=logits)


cost = float(tf.reduce_mean(costs(w, rows)))
print(f"cost {cost:.2f}, perplexity {np.exp(cost):.2f}; guessing: {np.log(21):.2f} and 21")

# %% tags=["picture"] minutes=1 slide="Which letter costs most? | The o of old, then the d of dogs | A letter costs something where there is a choice" notes="2 minutes. The ending of the verb is free, because head 2 has found the subject. The bar at the full stop is for a time such as today, which could follow."
with viz.predict(
    "Here is the sentence again: *the old dogs near the red house wait.* Which of its letters costs most: the o of *old*, the r of *near*, or the full stop, where "
    "the verb could have had an s?",
    "The o of *old*, 2.1, closely followed by the d of *dogs*. The r of *near* costs nothing, for nothing else can follow *nea*. And the s that the verb does not get is free: "
    "the 0.7 of the full stop is for a time that could follow.",
    alt="A bar for each letter of the sentence, the cost of that letter. Most letters cost nothing. The bars stand where a word is chosen: at the first letters of old, dogs, near, red, house and wait, inside red and house, where river and horse would go on otherwise, after the nouns, which could have an s, and at the full stop, where a time could stand. The o of old is the highest.",
):
    each = costs(w, numbers(shown)[None]).numpy()[0]
    _, panel = plt.subplots(figsize=(7.6, 2.2))
    panel.bar(range(len(each)), each, color="#b04a00")
    panel.set_xticks(range(len(each)), [c.replace(" ", "·") for c in shown[1:]], fontsize=10)
    panel.tick_params(axis="x", length=0)
    panel.set(ylabel="cost", xlim=(-0.7, len(each) - 0.3))
    plt.show()

# %% [markdown] slide=""
# Nobody can know which noun is drawn, so its first letter has to cost something. Where several words go on alike, the letter that decides
# between them costs something, too: the u of *house*, which could have been *horse*. After that, the rest is free. Since we know the language, we can compute the
# lowest cost possible: it is 0.34, as well. Our model has almost nothing left to learn.
#
# A large language model is the same loop. It has some hundred blocks instead of two, rows of ten thousand numbers, and tokens that are pieces of words. Its
# backward pass is made of the same rules.

# %% [markdown] slide="## The same elsewhere\n\n| here | PyTorch | JAX |\n|:--|:--|:--|\n| `tf.gather(rows, ids)` | `nn.Embedding(21, 28)` | `rows[ids]` |\n| a block | `nn.TransformerEncoderLayer` | by hand |\n| mask: -1e9 | mask: `-inf` | `jnp.triu` |\n| `random.categorical` | `torch.multinomial` | `random.categorical` |"
# ## The same elsewhere
#
# | here, and in TensorFlow | PyTorch | JAX |
# |:--|:--|:--|
# | `tf.gather(rows, ids)` | `nn.Embedding(21, 28)(ids)` | `rows[ids]` |
# | a block, by hand | `nn.TransformerEncoderLayer(28, 2, 56, norm_first=True, batch_first=True, dropout=0.0)`, with a mask | by hand |
# | the mask adds -1e9 | `nn.Transformer.generate_square_subsequent_mask(48)` has `-inf` | `jnp.triu(jnp.full((48, 48), -1e9), 1)` |
# | `tf.random.categorical(logits, 1)` | `torch.multinomial(p, 1)`: takes probabilities | `jax.random.categorical(key, logits)` |
# | `np.load(file, allow_pickle=False)` | `torch.load(file, weights_only=True)` | `np.load` |

# %% [markdown] slide="## At home: the mask is a part, too\n\nIn training, no row has ever seen a later letter.\n\n**What happens when we let it look ahead?**"
# ## Homework: let it look ahead
#
# The mask hides later letters. They are a great help: a row that sees the next letter need not guess it. So we take the mask off.

# %% slide="Take the mask off: what does a letter cost? | More than blind guessing" notes="3 minutes. In lesson 10 a model that was trained without a mask cheated, at 0.09. This one was trained with it. What is the difference?"
with viz.predict(
    "The trained model may suddenly look at later letters: we take the mask off. What does a letter cost now: nearly 0, 0.34 as before, or more than blind "
    "guessing, 3.04?",
    "More than blind guessing, 4.9. A model that is trained without a mask learns to copy the next letter. This one has never learnt what to do with later letters, and "
    "they disturb it.",
):
    print(f"mask taken off: {float(tf.reduce_mean(costs(w, rows, mask=False))):.1f}")

# %% [markdown] slide="## Exercises\n\nTemperature; the weights of a head; perplexity."
# ## Exercises
#
# Replace each `...` with your answer, run the cell, and run the check below it.
#
# **Exercise 1.** Write `chances(logits, temperature)` in NumPy: the probabilities with which the next letter is drawn. There may be several rows of logits, and each
# row has its own probabilities. Logits may be as large as 10,000.


# %% nbgrader={"grade": false, "grade_id": "chances", "locked": false, "schema_version": 3, "solution": true, "task": false}
def chances(logits, temperature):
    """The probabilities of the letters, along the last axis."""
    ### BEGIN SOLUTION
    scaled = logits / temperature
    e = np.exp(scaled - scaled.max(axis=-1, keepdims=True))
    return e / e.sum(axis=-1, keepdims=True)
    ### END SOLUTION


# %% nbgrader={"grade": true, "grade_id": "chances-check", "locked": true, "points": 3, "schema_version": 3, "solution": false, "task": false}
with viz.Score(3) as score, np.errstate(all="ignore"):
    draw = np.random.default_rng()  # other numbers each time
    for part, size in [(2, 1.0), (1, 10_000.0)]:
        hot = draw.uniform(1.5, 3.0)
        given = draw.uniform(0.5, 1.0, (3, 5)) * size
        right = tf.nn.softmax(tf.constant(given / hot)).numpy()
        found = chances(given.copy(), hot)
        assert found is not None, "Nothing is returned yet: the probabilities."
        assert np.shape(found) == (3, 5), (
            f"There is a probability for each logit: shape (3, 5), not {np.shape(found)}."
        )
        found = np.asarray(found, float)
        hint = "Divide the logits by the temperature, and take the softmax of each row."
        if np.isnan(found).any() or np.isinf(found).any():
            hint = "Something is not a number: e to such a power is too large for floats. What can you take away from all logits of a row, without changing the result?"
        elif np.allclose(found, tf.nn.softmax(tf.constant(given * hot)).numpy()):
            hint = "A high temperature should make the letters more alike, and yours makes the likeliest one win."
        elif np.allclose(found, tf.nn.softmax(tf.constant(given)).numpy()):
            hint = "The temperature changes nothing yet."
        elif np.allclose(found, tf.nn.softmax(tf.constant(given / hot), axis=0).numpy()):
            hint = "Your columns sum to 1, and the rows should: each row is one position."
        elif np.isclose(found.sum(), 1):
            hint = "Together, all rows sum to 1. Each row should, for each is drawn from by itself."
        elif np.allclose(found, tf.nn.softmax(tf.constant(given)).numpy() / hot):
            hint = "Your rows do not sum to 1: divide before the softmax, not after it."
        elif not np.allclose(found.sum(axis=-1), 1):
            hint = (
                f"The probabilities of a row sum to {found[0].sum():.3g}, and they should sum to 1."
            )
        score.part(part, np.allclose(found, right), hint)
    score.total("a temperature above 1 flattens, and softmax ignores what is added to all logits.")
score.earned

# %% [markdown]
# **Exercise 2.** Which weights belong to one head? `model(..., off=(2, 1))` takes out head 1 of block 2 in the middle of the calculation. Now do it with the
# weights alone, before the model runs. Write `without(w, block, head)`: a new dictionary, with which the model computes as if this head had found nothing. All
# other heads work as before, and `w` itself stays as it is. Blocks and heads are counted from 1, and a head has 14 of the 28 numbers.


# %% nbgrader={"grade": false, "grade_id": "without", "locked": false, "schema_version": 3, "solution": true, "task": false}
def without(w, block, head):
    """The weights of a model in which one head adds nothing."""
    ### BEGIN SOLUTION
    kernel = w[f"join{block}"].numpy().copy()
    kernel[14 * (head - 1) : 14 * head] = 0.0
    return {**w, f"join{block}": tf.constant(kernel)}
    ### END SOLUTION


# %% nbgrader={"grade": true, "grade_id": "without-check", "locked": true, "points": 4, "schema_version": 3, "solution": false, "task": false}
with viz.Score(4) as score:
    draw = np.random.default_rng()  # other numbers each time
    shapes = {"letters": (21, 28), "places": (48, 28), "out": (28, 21)}
    for n in (1, 2):
        shapes |= {f"{name}{n}": (28, 28) for name in ("query", "key", "value", "join")}
        shapes |= {f"up{n}": (28, 56), f"down{n}": (56, 28)}
    given = {name: draw.normal(size=size) / 3 for name, size in shapes.items()}
    ids, first = draw.integers(0, 21, (2, 7)), int(draw.integers(1, 3))
    intact = True
    for part, nth, head in [(2, 2, first), (1, 1, 3 - first)]:
        mine = {name: tf.constant(each.copy()) for name, each in given.items()}
        whole, wanted = model(mine, ids).numpy(), model(mine, ids, off=(nth, head)).numpy()
        other = model(mine, ids, off=(nth, 3 - head)).numpy()
        found = without(mine, nth, head)
        assert isinstance(found, dict), "A dictionary is asked for, with the names that w has."
        missing = set(given) - set(found)
        assert not missing, f"The dictionary has no {min(missing)}: it needs all weights of w."
        size = {name: np.shape(found[name]) for name in given}
        wrong = [name for name in given if size[name] != shapes[name]]
        assert not wrong, (
            f"{wrong[0]} has the shape {size[wrong[0]]}. Only numbers change, not shapes."
        )
        intact &= all(np.array_equal(mine[name], given[name]) for name in given)
        found = {name: tf.constant(np.asarray(found[name], float)) for name in given}
        said = model(found, ids).numpy()
        changed = {name for name in given if not np.array_equal(found[name], given[name])}
        kernel = found.get(min(changed, default=""), tf.zeros([1, 1])).numpy()
        lost = [~kernel.any(axis=1 - axis) for axis in (0, 1)]  # rows and columns of zeros
        hint = "The model still computes something else. Follow what a head has found: which numbers of which array does it meet next?"
        if not changed:
            hint = "All weights are as before."
        elif not any(name.endswith(str(nth)) for name in changed):
            hint = f"An array of block {nth} has to change, and it has not."
        elif np.allclose(said, other):
            hint = "That is the other head. Heads are counted from 1."
        elif changed <= {f"query{nth}", f"key{nth}"}:
            hint = "A head whose scores are all alike looks everywhere at once. It still finds something, and adds it."
        elif changed & {f"up{nth}", f"down{nth}", "letters", "places", "out"}:
            hint = f"{min(changed)} is not a part of a head. Where do the two heads come together?"
        elif lost[0].all():
            hint = "Now both heads are gone: all of this array is 0."
        elif lost[0].sum() == 14 and f"value{nth}" in changed:
            hint = "Those are rows of value: they belong to 14 numbers that both heads read. Which numbers does one head write?"
        elif lost[1].sum() == 14 and f"join{nth}" in changed:
            hint = "Those are columns of join: they belong to 14 numbers that both heads write to. Which ones does a single head meet?"
        elif lost[0].any() and lost[0].sum() != 14:
            hint = f"{lost[0].sum()} rows are 0, and a head has 14 numbers."
        elif lost[0].sum() == 14:
            hint = "There are 14 rows, and not the right ones. Which piece of a row is that of head 1, after the last transpose and reshape?"
        score.part(part, np.allclose(said, wanted) and not np.allclose(said, whole), hint)
    hint = "`w` itself has changed: without head 1, and then without head 2, both would be gone. Copy before you change."
    if score.earned == 0:
        hint = None  # one hint at a time
    score.part(1, intact and score.earned > 0, hint)
    score.total(
        "what a head has found meets its own rows of the matrix that joins, and only there."
    )
score.earned

# %% [markdown]
# **Exercise 3.** Write `perplexity(logits, ids)` in NumPy. `ids` are the numbers of a text of n letters. `logits` has a row for each of them, of shape (n, letters): the row at
# position t is the guess for the letter *after* it. The first letter is not guessed, and the last row guesses a letter that you do not have.


# %% nbgrader={"grade": false, "grade_id": "perplexity", "locked": false, "schema_version": 3, "solution": true, "task": false}
def perplexity(logits, ids):
    """Among how many letters the model hesitates, on average."""
    ### BEGIN SOLUTION
    guess, truth = logits[:-1], ids[1:]
    log_sums = np.log(np.exp(guess).sum(axis=1))
    cost = np.mean(log_sums - guess[np.arange(len(truth)), truth])
    return np.exp(cost)
    ### END SOLUTION


# %% nbgrader={"grade": true, "grade_id": "perplexity-check", "locked": true, "points": 4, "schema_version": 3, "solution": false, "task": false}
with viz.Score(4) as score:
    draw = np.random.default_rng()  # other numbers each time
    for part, letters in [(2, 4), (2, 7)]:
        ids = draw.integers(0, letters, 12)
        logits = 2.0 * draw.normal(size=(12, letters))
        table = tf.nn.log_softmax(tf.constant(logits)).numpy()

        def mean_of(rows, targets, table=table):
            """The mean logarithm that some rows give to some letters."""
            return float(np.mean([table[r, t] for r, t in zip(rows, targets, strict=True)]))

        log_p = mean_of(range(11), list(ids)[1:])
        wanted = 1 / float(tf.exp(tf.constant(log_p)))
        found = perplexity(logits.copy(), ids.copy())
        assert found is not None, "Nothing is returned yet: one number."
        assert np.size(found) == 1, f"One number is asked for, not {np.size(found)}."
        found = float(np.real(np.reshape(found, ())))
        probable = np.exp([table[r, ids[r + 1]] for r in range(11)])
        hint = "It is e to the mean cost, over the 11 letters that are guessed."
        if np.isclose(found, np.exp(-mean_of(range(12), ids))):
            hint = "Each row is compared with the letter that it has just read. It guesses the one after it."
        elif np.isclose(found, np.exp(-mean_of(range(1, 12), list(ids)[:-1]))):
            hint = (
                "It is shifted the wrong way: the row at t is compared with the letter before it."
            )
        elif np.isclose(found, -log_p):
            hint = "That is the cost of a letter. The perplexity is e to that power."
        elif np.isclose(found, log_p):
            hint = "That is the mean logarithm. Change its sign, then take e to that power."
        elif np.isclose(found, 1 / wanted):
            hint = "The sign is missing: a perplexity is at least 1."
        elif np.isclose(found, 2.0 ** (-log_p)):
            hint = "The cost is in natural logarithms, so it is a power of e, not of 2."
        elif np.isclose(found, 1 / probable.mean()):
            hint = "You have averaged probabilities. Average the costs, which are logarithms."
        elif np.isclose(found, (1 / probable).mean()):
            hint = "Each letter is turned into a perplexity, and then they are averaged. The mean comes first, then the power."
        elif np.isclose(found, np.exp(-table[:-1][:, ids[1:]].mean())):
            hint = "Every row is compared with all the letters. Each row guesses one of them."
        elif np.isclose(found, np.exp(-11 * log_p)):
            hint = "You have added the costs. Their mean is asked for."
        score.part(part, np.isclose(found, wanted), hint)
    score.total("shift by one letter, average the costs, and take the power at the end.")
score.earned

# %% [markdown]
# **To think about.** In words, for 2 points that are given by hand: take out head 2 of block 1, let it write at the temperature 0.5, and count endings, as the
# lesson did for block 2. Guess first. What has the writer lost, and what can it still do? Head 2 of block 2 is untouched, and it looks at the space after *dogs*. What must
# the row of that space know, and who told it?

# %% [markdown]
# ## What to remember
#
# - A transformer turns tokens into rows. Heads let the rows look at each other, MLPs work on each row, and both add to it.
# - It writes by reading, drawing a letter, and reading again. The temperature divides the logits before the softmax.
# - A letter costs minus the logarithm of its probability. Where the language leaves a choice, no model can do better.
# - Take a part out, and you see what it was good for: one head spells, the other does that and lets the verb agree. Few heads have only one job.
# - The mask belongs to the training. What a model never saw in training, it cannot use.
#
# **Read on.** Vaswani and others, *Attention Is All You Need* (2017). Elhage and others, *A Mathematical Framework for Transformer Circuits* (2021). Linzen, Dupoux, Goldberg,
# *Assessing the Ability of LSTMs to Learn Syntax-Sensitive Dependencies* (2016). Karpathy, *minGPT*.

# %% [markdown]
# ## Further: one step of the training
#
# One step of the training is a tape, a loss, a gradient, and a step against it. Here is the loss of one short sentence, in a player. Where a row goes straight on
# *and* into a branch, contributions meet on the way back. The player opens at such a step, before the last MLP: the straight path brings one, and the layer
# norm brings two, since it uses its row twice.

# %% tags=["given"] slide=""
short = numbers(" dogs run.")[None]
with viz.recording(), tf.GradientTape() as tape:
    tape.watch(w)
    logits = model(w, short[:, :-1])
    loss = tf.reduce_mean(
        tf.nn.sparse_softmax_cross_entropy_with_logits(labels=short[:, 1:], logits=logits)
    )
player = viz.step(tape, loss, w["join2"], title="The loss of one short sentence", at=126)
player

# %% [markdown]
# ## Further: take every part out
#
# What does a letter cost without one of the parts? A part is taken out when what it adds is 0: the rows of the positions, the last matrix of an MLP, a head.

# %%
for name in ("places", "down1", "down2"):
    less = w | {name: 0.0 * w[name]}
    print(f"without {name}: {float(tf.reduce_mean(costs(less, rows))):.1f}")
for off in [(1, 1), (1, 2), (2, 1), (2, 2)]:
    found = float(tf.reduce_mean(costs(w, rows, off=off)))
    print(f"without head {off[1]} of block {off[0]}: {found:.2f}")

# %% [markdown]
# So each part is needed, and the heads are not equally important. Without head 1 of the first block a letter costs 3.4, more than blind guessing: all that follows
# was built on what this head finds. Without head 2 of the first block it costs 0.58.
