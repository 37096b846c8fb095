"""PyTorch: a gradient that is a number and lacks a part is told from one that is cut on purpose."""

import pytest

pytest.importorskip("torch")

from tests.viz.diagnosis.test_torch_kinds import ran

START = "import math\nimport torch\nimport torch.nn.functional as F\ntorch.manual_seed(0)\n"
TRAIN = """\
optimizer = torch.optim.SGD(net.parameters(), lr=0.1)
for step in range(3):
    optimizer.zero_grad()
    loss = objective()
    loss.backward()
    optimizer.step()
"""
NET = "net = torch.nn.Linear(2, 2)\nx = torch.randn(5, 4, 2)\n"


def training(body):
    """A script that trains `net` with an objective, and the line that is marked in it."""
    text = START + NET + body + TRAIN
    rows = text.splitlines()
    return text, next((n for n, row in enumerate(rows, 1) if row.endswith("# <- here")), 0)


RECURRENT = """\
def objective():
    h = torch.zeros(4, 2)
    for piece in {over}:
        h = torch.tanh(net({given} + h.detach())){mark}
    return h.pow(2).mean()
"""
PENALTY = """\
def objective():
    z = x[0].clone().requires_grad_()
    (slope,) = torch.autograd.grad(net(z).tanh().sum(), z{option}){mark}
    return net(x).pow(2).mean() + (slope.norm() - 1.0) ** 2
"""
INNER = """\
def objective():{comment}
    inner = net(x[0]).tanh().pow(2).mean()
    (g,) = torch.autograd.grad(inner, [net.weight]){mark}
    return F.linear(x[1], net.weight - 0.1 * g).pow(2).mean()
"""
NUMBER = """\
def objective():
    size = net(x).mean()
    return (size - 1.0) ** 2 * {function}(size){mark}
"""
GATE = """\
net.gate = torch.nn.Parameter(torch.full((2,), 0.5))
def objective():
    p = torch.sigmoid(net.gate)
    mask = (p > 0.5).float(){more}{mark}
    return (net(x) * mask).pow(2).mean() + p.mean()
"""
LISTED = """\
def objective():
    y = net(x[0]).exp()
    total = {total}{mark}
    return (y / total[:, None]).pow(2).sum()
"""
MARK = "  # <- here"
LOST = [
    RECURRENT.format(over="x", given="piece", mark=MARK),
    PENALTY.format(option="", mark=MARK),
    INNER.format(comment="", mark=MARK),
    NUMBER.format(function="math.sin", mark=MARK),
    GATE.format(more="", mark=MARK),
    LISTED.format(total="torch.tensor(y.sum(1).tolist())", mark=MARK),
]
MEANT = [
    RECURRENT.format(over="range(4)", given="x[0]", mark=""),
    PENALTY.format(option=", create_graph=True", mark=""),
    INNER.format(comment="  # of first order", mark=""),
    NUMBER.format(function="torch.sin", mark=""),
    GATE.format(more=" + p - p.detach()", mark=""),
    LISTED.format(total="y.detach().sum(1)", mark=""),
]


def test_a_lost_part_is_found_at_its_line(tmp_path):
    wrong = {}
    for text, line in map(training, LOST):
        found = ran(tmp_path, text)[1]
        if [(d.kind.name, d.line) for d in found] != [("broken_path", line)]:
            wrong[text] = [(d.kind.name, d.line, line) for d in found]
    assert not wrong


def test_a_part_that_is_left_out_on_purpose_is_not_reported(tmp_path):
    said = {text: [d.sentence for d in ran(tmp_path, text)[1]] for text, _ in map(training, MEANT)}
    assert not {text: each for text, each in said.items() if each}


ADVERSARIAL = """\
judge = torch.nn.Linear(2, 1)
other = torch.optim.SGD(judge.parameters(), lr=0.1)
optimizer = torch.optim.SGD(net.parameters(), lr=0.1)
for step in range(3):
    fake = net(x)
    other.zero_grad()
    (judge(fake.detach()).mean() - judge(x).mean()).backward()
    other.step()
    optimizer.zero_grad()
    loss = fake.pow(2).mean() - judge({fake}).mean()
    loss.backward()
    optimizer.step()
"""


@pytest.mark.parametrize(("fake", "lines"), [("fake.detach()", [16]), ("fake", [])])
def test_a_term_whose_gradient_moves_nothing_is_found(tmp_path, fake, lines):
    found = ran(tmp_path, START + NET + ADVERSARIAL.format(fake=fake))[1]
    assert [d.line for d in found] == lines


@pytest.mark.parametrize(("to", "starts"), [("True", "False"), ("False", "True")])
def test_requires_grad_of_a_module_is_no_switch(tmp_path, to, starts):
    objective = "def objective():\n    return net(x).pow(2).mean() + last.pow(2)\n"
    last = f"net.requires_grad_({starts})\nlast = torch.ones((), requires_grad=True)\n"
    text = START + NET + last + f"net.requires_grad = {to}\n" + objective
    found = ran(tmp_path, text + TRAIN.replace("parameters()", "parameters()) + [last]", 1).replace(
        "SGD(net", "SGD(list(net"))[1]  # fmt: skip
    assert ("not_requiring", 9) in [(d.kind.name, d.line) for d in found]


@pytest.mark.parametrize(("word", "lines"), [("softmax", [8]), ("log_softmax", [])])
def test_probabilities_are_no_logarithms_for_nll_loss(tmp_path, word, lines):
    body = f"def objective():\n    p = F.{word}(net(x[0]), dim=1)\n"
    text = START + NET + body + "    return F.nll_loss(p, torch.tensor([0, 1, 1, 0]))\n" + TRAIN
    assert [d.line for d in ran(tmp_path, text)[1]] == lines


@pytest.mark.parametrize(("word", "lines"), [("relu", [6]), ("tanh", [])])
def test_a_second_derivative_of_straight_pieces_is_told_from_a_smooth_one(tmp_path, word, lines):
    text = f"""{START}x = torch.linspace(-1.0, 1.0, 5).requires_grad_()
y = (torch.{word}(x * 2.0) * 3.0).sum()
(slope,) = torch.autograd.grad(y, x, create_graph=True)
(bend,) = torch.autograd.grad(slope.sum(), x, create_graph=True)
"""
    found = [d for d in ran(tmp_path, text)[1] if "second derivative" in d.sentence]
    assert [d.line for d in found] == lines


def test_an_attack_goes_uphill_on_purpose(tmp_path):
    text = f"""{START}# an adversarial example
x = torch.ones(3, requires_grad=True)
for step in range(5):
    loss = (x * x).sum()
    loss.backward()
    x.data = x + 0.1 * x.grad.sign()
    x.grad = None
"""
    assert not ran(tmp_path, text)[1]
