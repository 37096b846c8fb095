"""PyTorch scripts with one mistake each, as people ask about them in public, and healthy ones.

A line that may be named ends with `# <-`. `kinds` are the words that the learner may see, `check`
runs after the corrected script and fails if the correction is wrong; its numbers are closed forms,
finite differences, or the same function written in another way.
"""

from __future__ import annotations

from typing import NamedTuple


class Program(NamedTuple):
    """A script, the kinds that may be named, and the check of its correction."""

    name: str
    kinds: tuple[str, ...]
    code: str
    check: str = ""

    @property
    def lines(self) -> list[int]:
        """The lines that may be named."""
        return [n for n, row in enumerate(self.code.splitlines(), 1) if row.endswith("# <-")]


MISTAKES = [
    Program(
        "a likelihood that is minimised",
        ("update",),
        """\
import torch

torch.manual_seed(0)
data = 2.0 + 0.7 * torch.randn(100)
mu, log_sigma = (torch.nn.Parameter(torch.zeros(1)) for _ in range(2))
optimizer = torch.optim.Adam([mu, log_sigma], lr=0.05)
for _ in range(50):
    optimizer.zero_grad()
    loss = torch.distributions.Normal(mu, log_sigma.exp()).log_prob(data).mean()  # <-
    loss.backward()
    optimizer.step()
""",
    ),
    Program(
        "a generator's sample detached for its own loss",
        ("none",),
        """\
import torch
from torch import nn

torch.manual_seed(0)
G, D = nn.Linear(2, 1), nn.Linear(1, 1)
optimizer_g, optimizer_d = (torch.optim.SGD(m.parameters(), lr=0.1) for m in (G, D))
bce = nn.BCEWithLogitsLoss()
for _ in range(4):
    fake = G(torch.randn(8, 2))
    loss_d = bce(D(torch.ones(8, 1)), torch.ones(8, 1)) + bce(D(fake.detach()), torch.zeros(8, 1))
    optimizer_d.zero_grad()
    loss_d.backward()
    optimizer_d.step()
    loss_g = bce(D(fake.detach()), torch.ones(8, 1))  # <-
    optimizer_g.zero_grad()
    loss_g.backward()
    optimizer_g.step()
""",
    ),
    Program(
        "root of a loss that is zero",
        ("nan",),
        """\
import torch
from torch import nn

x = torch.zeros(4, 2)
y = torch.zeros(4, 1)
w = torch.tensor([[1.0], [-2.0]], requires_grad=True)
criterion = nn.MSELoss()
loss = torch.sqrt(criterion(x @ w, y))  # <-
loss.backward()
print(loss.item(), w.grad)
""",
        "import math\nassert all(math.isfinite(v) for v in w.grad.flatten().tolist())\nassert"
        " abs(loss.item()) < 1e-3",
    ),
    Program(
        "losses collected as numbers",
        ("error", "none"),
        """\
import torch
from torch import nn

torch.manual_seed(2)
net = nn.Linear(3, 1)
data = [(torch.randn(3), torch.randn(1)) for _ in range(8)]
losses = []
for x, y in data:
    losses.append(((net(x) - y) ** 2).mean().item())  # <-
loss = torch.tensor(losses).mean()  # <-
loss.backward()
print(net.weight.grad)
""",
        "right = torch.autograd.grad(sum(((net(x) - y) ** 2).mean() for x, y in data) / 8,"
        " list(net.parameters()))\nassert torch.allclose(net.weight.grad, right[0], rtol=1e-3,"
        " atol=1e-5)",
    ),
    Program(
        "features of the encoder under no_grad",
        ("none", "update"),
        """\
import torch
from torch import nn

torch.manual_seed(0)
encoder = nn.Sequential(nn.Linear(4, 8), nn.Tanh())
head = nn.Linear(8, 2)
optimizer = torch.optim.Adam([*encoder.parameters(), *head.parameters()], lr=0.02)
x = torch.randn(60, 4)
y = (x[:, 0] * x[:, 1] > 0).long()
for epoch in range(60):
    optimizer.zero_grad()
    with torch.no_grad():  # <-
        z = encoder(x)  # <-
    loss = nn.functional.cross_entropy(head(z), y)
    loss.backward()
    optimizer.step()
print(loss.item())
""",
        "assert encoder[0].weight.grad is not None and encoder[0].weight.grad.abs().sum() > 0",
    ),
    Program(
        "hidden state carried over batches",
        ("error",),
        """\
import torch
from torch import nn

torch.manual_seed(1)
rnn = nn.GRU(2, 5, batch_first=True)
out = nn.Linear(5, 1)
optimizer = torch.optim.SGD([*rnn.parameters(), *out.parameters()], lr=0.05)
hidden = torch.zeros(1, 3, 5)
for batch in range(6):
    x = torch.randn(3, 4, 2)
    h, hidden = rnn(x, hidden)  # <-
    loss = (out(h[:, -1]) - 1.0).pow(2).mean()
    optimizer.zero_grad()
    loss.backward()
    optimizer.step()
print(loss.item())
""",
        "assert torch.isfinite(loss) and rnn.weight_hh_l0.grad is not None",
    ),
    Program(
        "relu in place after exp",
        ("error",),
        """\
import torch
from torch import nn

torch.manual_seed(3)
layer = nn.Linear(3, 3)
x = torch.randn(5, 3)
h = torch.exp(layer(x))
h -= h.mean(dim=0)  # <-
loss = (h ** 2).mean()
loss.backward()
print(layer.weight.grad)
""",
        "e = torch.exp(layer(x))\nr = torch.autograd.grad(((e - e.mean(dim=0)) ** 2).mean(),"
        " layer.weight)[0]\nassert torch.allclose(layer.weight.grad, r, rtol=1e-3, atol=1e-5)",
    ),
    Program(
        "discriminator steps before the generator's backward",
        ("error",),
        """\
import torch
from torch import nn

torch.manual_seed(4)
G, D = nn.Linear(2, 2), nn.Sequential(nn.Linear(2, 6), nn.Tanh(), nn.Linear(6, 1))
opt_g = torch.optim.SGD(G.parameters(), lr=0.1)
opt_d = torch.optim.SGD(D.parameters(), lr=0.1)
real = torch.randn(16, 2) + 3.0
bce = nn.BCEWithLogitsLoss()
for step in range(5):
    fake = G(torch.randn(16, 2))
    score = D(fake)  # <-
    loss_d = bce(D(real), torch.ones(16, 1)) + bce(D(fake.detach()), torch.zeros(16, 1))
    loss_g = bce(score, torch.ones(16, 1))  # <-
    opt_d.zero_grad()
    loss_d.backward()
    opt_d.step()  # <-
    opt_g.zero_grad()
    loss_g.backward()  # <-
    opt_g.step()
print(loss_d.item(), loss_g.item())
""",
        "assert G.weight.grad is not None and torch.isfinite(loss_g)",
    ),
    Program(
        "layers in a Python list",
        ("update",),
        """\
import torch
from torch import nn


class Deep(nn.Module):
    def __init__(self):
        super().__init__()
        self.hidden = [nn.Linear(2, 8), nn.Linear(8, 8)]  # <-
        self.last = nn.Linear(8, 1)

    def forward(self, x):
        for layer in self.hidden:
            x = torch.tanh(layer(x))
        return self.last(x)


torch.manual_seed(0)
x = torch.randn(50, 2)
y = x[:, :1] * x[:, 1:]
net = Deep()
before = net.hidden[0].weight.detach().clone()
optimizer = torch.optim.Adam(net.parameters(), lr=0.02)  # <-
for epoch in range(50):
    optimizer.zero_grad()
    loss = (net(x) - y).pow(2).mean()
    loss.backward()
    optimizer.step()
print(loss.item())
""",
        "assert (net.hidden[0].weight - before).abs().max() > 1e-3\nassert"
        " len(list(net.parameters())) == 6",
    ),
    Program(
        "predictions of shape (N, 1) against labels of shape (N,)",
        ("broadcast",),
        """\
import torch
from torch import nn

torch.manual_seed(5)
x = torch.randn(40, 2)
y = x @ torch.tensor([1.0, -1.0])
net = nn.Linear(2, 1)
optimizer = torch.optim.SGD(net.parameters(), lr=0.1)
for epoch in range(100):
    prediction = net(x)
    loss = nn.functional.mse_loss(prediction, y)  # <-
    optimizer.zero_grad()
    loss.backward()
    optimizer.step()
print(loss.item(), net.weight)
""",
        "assert torch.allclose(net.weight, torch.tensor([[1.0, -1.0]]), atol=2e-2)",
    ),
    Program(
        "accuracy as a loss",
        ("error", "none"),
        """\
import torch
from torch import nn

torch.manual_seed(6)
x = torch.randn(80, 2)
labels = (x[:, 0] > x[:, 1]).long()
net = nn.Linear(2, 2)
optimizer = torch.optim.SGD(net.parameters(), lr=0.5)
for epoch in range(30):
    output = net(x)
    loss = (torch.argmax(output, dim=1) - labels).float().abs().mean()  # <-
    optimizer.zero_grad()
    loss.backward()
    optimizer.step()
print(loss.item())
""",
        "assert (net(x).argmax(1) == labels).float().mean() > 0.9",
    ),
    Program(
        "softmax layer before CrossEntropyLoss",
        ("update", "zero", "wrong"),
        """\
import torch
from torch import nn

torch.manual_seed(0)
centres = torch.tensor([[2.0, 0.0], [-1.0, 1.7], [-1.0, -1.7]])
y = torch.arange(90) % 3
x = centres[y] + 0.3 * torch.randn(90, 2)
net = nn.Sequential(nn.Linear(2, 8), nn.ReLU(), nn.Linear(8, 3), nn.Softmax(dim=1))  # <-
optimizer = torch.optim.SGD(net.parameters(), lr=0.3)
criterion = nn.CrossEntropyLoss()
for epoch in range(100):
    optimizer.zero_grad()
    loss = criterion(net(x), y)  # <-
    loss.backward()
    optimizer.step()
print(loss.item())
""",
        "assert loss.item() < 0.2",
    ),
    Program(
        "log of a softmax",
        ("nan", "overflow"),
        """\
import torch

logits = torch.tensor([[120.0, 0.0, -5.0], [1.0, 2.0, 3.0]], requires_grad=True)
target = torch.tensor([1, 2])
p = torch.softmax(logits, dim=1)
picked = p[torch.arange(2), target]
loss = -torch.log(picked).mean()  # <-
loss.backward()
print(loss.item(), logits.grad)
""",
        "z = logits.detach().double().requires_grad_()\ntorch.nn.functional.cross_entropy(z,"
        " target).backward()\nassert torch.allclose(logits.grad.double(), z.grad,"
        " atol=1e-4)\nassert abs(loss.item() - 60.2) < 0.1",
    ),
    Program(
        "binary cross-entropy by hand",
        ("nan", "overflow"),
        """\
import torch

torch.manual_seed(0)
x = torch.tensor([[30.0], [-40.0], [1.0]])
y = torch.tensor([[0.0], [1.0], [1.0]])
w = torch.tensor([[5.0]], requires_grad=True)
p = torch.sigmoid(x @ w)
loss = -(y * torch.log(p) + (1 - y) * torch.log(1 - p)).mean()  # <-
loss.backward()
print(loss.item(), w.grad)
""",
        "v = w.detach().double().requires_grad_()\n"
        "torch.nn.functional.binary_cross_entropy_with_logits(x.double()"
        " @ v, y.double()).backward()\nassert torch.allclose(w.grad.double(), v.grad, rtol=1e-3)",
    ),
    Program(
        "direction of a zero vector",
        ("nan",),
        """\
import torch

v = torch.tensor([[3.0, 4.0], [0.0, 0.0]], requires_grad=True)
length = torch.sqrt((v ** 2).sum(dim=1, keepdim=True))  # <-
unit = v / (length + 1e-8)
loss = (unit - torch.tensor([1.0, 0.0])).pow(2).sum()
loss.backward()
print(v.grad)
""",
        "assert torch.isfinite(v.grad).all()\nassert torch.allclose(v.grad[0],"
        " torch.tensor([-0.256, 0.192]), atol=1e-3)",
    ),
    Program(
        "zero_grad after backward",
        ("update", "zero"),
        """\
import torch
from torch import nn

torch.manual_seed(0)
x = torch.randn(30, 1)
y = 3 * x + 1
net = nn.Linear(1, 1)
optimizer = torch.optim.SGD(net.parameters(), lr=0.1)
for epoch in range(100):
    loss = (net(x) - y).pow(2).mean()
    loss.backward()
    optimizer.zero_grad()  # <-
    optimizer.step()  # <-
print(net.weight.item(), net.bias.item())
""",
        "assert abs(net.weight.item() - 3) < 0.02 and abs(net.bias.item() - 1) < 0.02",
    ),
    Program(
        "optimizer before the new head",
        ("update",),
        """\
import torch
from torch import nn

torch.manual_seed(0)
net = nn.Sequential(nn.Linear(3, 6), nn.ReLU(), nn.Linear(6, 10))
optimizer = torch.optim.Adam(net.parameters(), lr=0.05)  # <-
net[2] = nn.Linear(6, 2)  # <-
first = net[2].weight.detach().clone()
x = torch.randn(40, 3)
y = (x[:, 0] > 0).long()
for epoch in range(30):
    optimizer.zero_grad()
    loss = nn.functional.cross_entropy(net(x), y)
    loss.backward()
    optimizer.step()
print(loss.item())
""",
        "assert (net[2].weight - first).abs().max() > 0.05",
    ),
    Program(
        "gradient of the input",
        ("error", "none"),
        """\
import torch
from torch import nn

torch.manual_seed(0)
net = nn.Sequential(nn.Linear(3, 5), nn.Tanh(), nn.Linear(5, 1))
for p in net.parameters():
    p.requires_grad_(False)
image = torch.randn(1, 3)  # <-
score = net(image).sum()
score.backward()
print(image.grad)
""",
        "z = image.detach().clone().requires_grad_()\nassert torch.allclose(image.grad,"
        " torch.autograd.grad(net(z).sum(), z)[0], atol=1e-6)",
    ),
    Program(
        "moved to a device after requires_grad",
        ("none", "error"),
        """\
import torch

torch.manual_seed(0)
x = torch.randn(20, 3, dtype=torch.float64)
y = x @ torch.tensor([1.0, 2.0, 3.0], dtype=torch.float64)
w = torch.zeros(3, requires_grad=True).double()  # <-
for step in range(100):
    loss = (x @ w - y).pow(2).mean()
    loss.backward()
    with torch.no_grad():
        w -= 0.2 * w.grad
        w.grad.zero_()
print(w)
""",
        "assert torch.allclose(w.detach(), torch.tensor([1.0, 2.0, 3.0], dtype=torch.float64),"
        " atol=1e-2)",
    ),
    Program(
        "weights replaced by an update",
        ("none", "error", "update"),
        """\
import torch

torch.manual_seed(0)
x = torch.linspace(-1, 1, 20)
y = 2 * x + 0.5
a = torch.zeros(1, requires_grad=True)
b = torch.zeros(1, requires_grad=True)
for step in range(200):
    loss = ((a * x + b - y) ** 2).mean()
    loss.backward()
    with torch.no_grad():
        a = a - 0.3 * a.grad  # <-
        b = b - 0.3 * b.grad  # <-
print(a, b)
""",
        "assert abs(a.item() - 2) < 0.05 and abs(b.item() - 0.5) < 0.05",
    ),
    Program(
        "update in place while gradients are recorded",
        ("error",),
        """\
import torch

torch.manual_seed(0)
w = torch.randn(2, requires_grad=True)
target = torch.tensor([1.0, -1.0])
for step in range(50):
    loss = (w - target).pow(2).sum()
    loss.backward()
    w -= 0.1 * w.grad  # <-
    w.grad = None
print(w)
""",
        "assert torch.allclose(w.detach(), target, atol=1e-2)",
    ),
    Program(
        "loss of each example",
        ("error",),
        """\
import torch
from torch import nn

torch.manual_seed(0)
x, y = torch.randn(30, 2), torch.randint(0, 3, (30,))
net = nn.Linear(2, 3)
optimizer = torch.optim.SGD(net.parameters(), lr=0.1)
criterion = nn.CrossEntropyLoss(reduction="none")  # <-
for epoch in range(5):
    loss = criterion(net(x), y)  # <-
    optimizer.zero_grad()
    loss.backward()  # <-
    optimizer.step()
print(loss.mean().item())
""",
        "assert net.weight.grad is not None",
    ),
    Program(
        "two losses share a forward pass",
        ("error",),
        """\
import torch
from torch import nn

torch.manual_seed(0)
body = nn.Linear(3, 4)
one, two = nn.Linear(4, 1), nn.Linear(4, 1)
x = torch.randn(10, 3)
h = torch.tanh(body(x))
first = one(h).pow(2).mean()
second = (two(h) - 1).pow(2).mean()
first.backward()  # <-
second.backward()  # <-
print(body.weight.grad)
""",
        "h = torch.tanh(body(x))\nr = torch.autograd.grad(one(h).pow(2).mean() + (two(h) -"
        " 1).pow(2).mean(), body.weight)[0]\nassert torch.allclose(body.weight.grad, r, rtol=1e-3,"
        " atol=1e-6)",
    ),
    Program(
        "penalty as a number",
        ("none", "wrong"),
        """\
import torch
from torch import nn

torch.manual_seed(0)
net = nn.Linear(4, 1)
x, y = torch.randn(20, 4), torch.randn(20, 1)
mse = (net(x) - y).pow(2).mean()
penalty = sum(p.abs().sum().item() for p in net.parameters())  # <-
loss = mse + 0.5 * penalty
loss.backward()
print(net.weight.grad)
""",
        "r = torch.autograd.grad((net(x) - y).pow(2).mean() + 0.5 * sum(p.abs().sum() for p in"
        " net.parameters()), net.weight)[0]\nassert torch.allclose(net.weight.grad, r, rtol=1e-3,"
        " atol=1e-5)",
    ),
    Program(
        "a draw of NumPy's in an autoencoder",
        ("none", "wrong"),
        """\
import numpy as np
import torch
from torch import nn

torch.manual_seed(0)
np.random.seed(0)
encoder, decoder = nn.Linear(4, 4), nn.Linear(2, 4)
optimizer = torch.optim.Adam([*encoder.parameters(), *decoder.parameters()], lr=0.01)
x = torch.randn(32, 4)
for epoch in range(10):
    mean, logvar = encoder(x).chunk(2, dim=1)
    std = torch.exp(0.5 * logvar)
    noise = np.random.normal(mean.detach().numpy(), std.detach().numpy())  # <-
    z = torch.from_numpy(noise).float()  # <-
    kl = 0.5 * (mean ** 2 + logvar.exp() - logvar - 1).sum(dim=1).mean()
    loss = (decoder(z) - x).pow(2).sum(dim=1).mean() + kl
    optimizer.zero_grad()
    loss.backward()
    optimizer.step()
print(loss.item())
""",
        "assert z.requires_grad and z.shape == (32, 2)",
    ),
    Program(
        "clipping after the step",
        ("update", "overflow"),
        """\
import torch
from torch import nn

torch.manual_seed(0)
net = nn.Linear(2, 1)
x, y = 20 * torch.randn(30, 2), 200 * torch.randn(30, 1)
optimizer = torch.optim.SGD(net.parameters(), lr=1e-4)
start = [p.detach().clone() for p in net.parameters()]
for epoch in range(10):
    optimizer.zero_grad()
    loss = (net(x) - y).pow(2).mean()
    loss.backward()
    optimizer.step()  # <-
    nn.utils.clip_grad_norm_(net.parameters(), 1.0)  # <-
print(loss.item())
""",
        "far = sum((p - s).pow(2).sum() for p, s in zip(net.parameters(), start)).sqrt()\nassert"
        " far <= 10 * 1e-4 * 1.01",
    ),
    Program(
        "learning rate far too large",
        ("overflow", "nan", "update"),
        """\
import torch
from torch import nn

torch.manual_seed(0)
x = torch.randn(50, 3) * 5
y = x.sum(dim=1, keepdim=True)
net = nn.Linear(3, 1)
optimizer = torch.optim.SGD(net.parameters(), lr=0.5)  # <-
for epoch in range(100):
    optimizer.zero_grad()
    loss = (net(x) - y).pow(2).mean()
    loss.backward()
    optimizer.step()
print(loss.item())
""",
        "assert loss.item() < 1e-2",
    ),
    Program(
        "forward pass once before the loop",
        ("error",),
        """\
import torch
from torch import nn

torch.manual_seed(0)
x = torch.randn(40, 2)
y = x[:, :1] - x[:, 1:]
net = nn.Linear(2, 1)
optimizer = torch.optim.SGD(net.parameters(), lr=0.1)
prediction = net(x)  # <-
for epoch in range(50):
    loss = (prediction - y).pow(2).mean()  # <-
    optimizer.zero_grad()
    loss.backward()
    optimizer.step()
print(loss.item())
""",
        "assert loss.item() < 1e-2",
    ),
    Program(
        "target of whole numbers",
        ("none", "zero"),
        """\
import torch

x = torch.tensor([0.3, 1.7, 2.2], requires_grad=True)
pixels = (x * 10).int()  # <-
loss = (pixels.float() - 5.0).pow(2).sum()
loss = loss + 0.0 * x.sum()
loss.backward()
print(x.grad)
""",
        "assert x.grad is not None and x.grad.abs().sum() > 0",
    ),
    Program(
        "fifty sigmoid layers",
        ("zero",),
        """\
import torch
from torch import nn

torch.manual_seed(0)
layers = []
for _ in range(40):
    layers += [nn.Linear(8, 8), nn.Sigmoid()]  # <-
net = nn.Sequential(*layers, nn.Linear(8, 1))  # <-
x = torch.randn(20, 8)
loss = (net(x) - 1.0).pow(2).mean()  # <-
loss.backward()
print(net[0].weight.grad.abs().max())
""",
        "assert net[0].weight.grad.abs().max() > 1e-5",
    ),
]

HEALTHY = [
    Program(
        "generator and discriminator",
        (),
        """\
import torch
from torch import nn

torch.manual_seed(0)
G, D = nn.Linear(2, 2), nn.Sequential(nn.Linear(2, 8), nn.LeakyReLU(0.2), nn.Linear(8, 1))
opt_g = torch.optim.Adam(G.parameters(), lr=0.01)
opt_d = torch.optim.Adam(D.parameters(), lr=0.01)
bce = nn.BCEWithLogitsLoss()
for step in range(20):
    real = torch.randn(16, 2) + 2.0
    fake = G(torch.randn(16, 2))
    opt_d.zero_grad()
    loss_d = bce(D(real), torch.ones(16, 1)) + bce(D(fake.detach()), torch.zeros(16, 1))
    loss_d.backward()
    opt_d.step()
    opt_g.zero_grad()
    loss_g = bce(D(fake), torch.ones(16, 1))
    loss_g.backward()
    opt_g.step()
print(loss_d.item(), loss_g.item())
""",
    ),
    Program(
        "target network of a Q-learner",
        (),
        """\
import copy
import random
import torch
from torch import nn

torch.manual_seed(0)
random.seed(0)
q = nn.Sequential(nn.Linear(2, 16), nn.ReLU(), nn.Linear(16, 3))
target = copy.deepcopy(q)
optimizer = torch.optim.Adam(q.parameters(), lr=0.01)
for step in range(30):
    state, following = torch.randn(8, 2), torch.randn(8, 2)
    with torch.no_grad():
        best = target(following).max(dim=1).values
    action = torch.randint(0, 3, (8,))
    value = q(state).gather(1, action[:, None]).squeeze(1)
    loss = nn.functional.smooth_l1_loss(value, 1.0 + 0.9 * best)
    optimizer.zero_grad()
    loss.backward()
    optimizer.step()
    if step % 10 == 0:
        target.load_state_dict(q.state_dict())
print(loss.item())
""",
    ),
    Program(
        "gradients of four batches accumulated",
        (),
        """\
import torch
from torch import nn

torch.manual_seed(0)
net = nn.Linear(3, 1)
optimizer = torch.optim.SGD(net.parameters(), lr=0.1)
optimizer.zero_grad()
for number in range(24):
    x = torch.randn(5, 3)
    loss = (net(x) - x.sum(dim=1, keepdim=True)).pow(2).mean() / 4
    loss.backward()
    if (number + 1) % 4 == 0:
        torch.nn.utils.clip_grad_norm_(net.parameters(), 5.0)
        optimizer.step()
        optimizer.zero_grad()
print(net.weight)
""",
    ),
    Program(
        "reinforce with returns of NumPy",
        (),
        """\
import numpy as np
import torch
from torch import nn

torch.manual_seed(0)
rng = np.random.default_rng(0)
policy = nn.Sequential(nn.Linear(2, 8), nn.Tanh(), nn.Linear(8, 2))
optimizer = torch.optim.Adam(policy.parameters(), lr=0.02)
for episode in range(10):
    logs, rewards = [], []
    state = rng.normal(size=2).astype(np.float32)
    for t in range(6):
        distribution = torch.distributions.Categorical(logits=policy(torch.from_numpy(state)))
        action = distribution.sample()
        logs.append(distribution.log_prob(action))
        rewards.append(float(state[action.item()]))
        state = rng.normal(size=2).astype(np.float32)
    returns = np.cumsum(rewards[::-1])[::-1].copy()
    returns = torch.tensor((returns - returns.mean()) / (returns.std() + 1e-8), dtype=torch.float32)
    loss = -(torch.stack(logs) * returns).sum()
    optimizer.zero_grad()
    loss.backward()
    optimizer.step()
print(loss.item())
""",
    ),
    Program(
        "ppo with old values as arrays",
        (),
        """\
import numpy as np
import torch
from torch import nn

torch.manual_seed(0)
actor, critic = nn.Linear(3, 2), nn.Linear(3, 1)
optimizer = torch.optim.Adam([*actor.parameters(), *critic.parameters()], lr=0.01)
for update in range(4):
    states = torch.randn(12, 3)
    values = critic(states).squeeze(1).detach().numpy()
    logits = actor(states)
    actions = torch.distributions.Categorical(logits=logits).sample()
    old = torch.distributions.Categorical(logits=logits).log_prob(actions).detach()
    rewards = np.linspace(0, 1, 12)
    advantage = torch.as_tensor(rewards - values, dtype=torch.float32)
    returns = torch.as_tensor(rewards, dtype=torch.float32)
    for epoch in range(3):
        new = torch.distributions.Categorical(logits=actor(states)).log_prob(actions)
        ratio = (new - old).exp()
        policy_loss = -torch.min(ratio * advantage, ratio.clamp(0.8, 1.2) * advantage).mean()
        value_loss = (critic(states).squeeze(1) - returns).pow(2).mean()
        optimizer.zero_grad()
        (policy_loss + value_loss).backward()
        optimizer.step()
print(policy_loss.item(), value_loss.item())
""",
    ),
    Program(
        "adversarial example",
        (),
        """\
import torch
from torch import nn

torch.manual_seed(0)
net = nn.Sequential(nn.Linear(4, 8), nn.ReLU(), nn.Linear(8, 2))
x = torch.randn(6, 4)
y = torch.randint(0, 2, (6,))
attack = x.clone().requires_grad_(True)
for step in range(5):
    loss = nn.functional.cross_entropy(net(attack), y)
    (slope,) = torch.autograd.grad(loss, attack)
    attack = (attack + 0.02 * slope.sign()).detach().requires_grad_(True)
print((attack - x).abs().max())
""",
    ),
    Program(
        "linear probe on features",
        (),
        """\
import torch
from torch import nn

torch.manual_seed(0)
backbone = nn.Sequential(nn.Linear(4, 16), nn.ReLU())
head = nn.Linear(16, 2)
x = torch.randn(40, 4)
y = (x[:, 0] > 0).long()
features = backbone(x).detach()
optimizer = torch.optim.SGD(head.parameters(), lr=0.2)
best = float("inf")
for epoch in range(30):
    loss = nn.functional.cross_entropy(head(features), y)
    optimizer.zero_grad()
    loss.backward()
    optimizer.step()
    best = min(best, loss.item())
print(best)
""",
    ),
    Program(
        "straight-through estimator",
        (),
        """\
import torch

torch.manual_seed(0)
w = torch.randn(6, requires_grad=True)
optimizer = torch.optim.SGD([w], lr=0.1)
for step in range(20):
    hard = (w > 0).float()
    soft = torch.sigmoid(w)
    bits = hard + soft - soft.detach()
    loss = (bits.sum() - 3.0).pow(2)
    optimizer.zero_grad()
    loss.backward()
    optimizer.step()
print(w)
""",
    ),
    Program(
        "gradient penalty",
        (),
        """\
import torch
from torch import nn

torch.manual_seed(0)
critic = nn.Sequential(nn.Linear(2, 8), nn.Tanh(), nn.Linear(8, 1))
optimizer = torch.optim.Adam(critic.parameters(), lr=0.01)
for step in range(10):
    real, fake = torch.randn(8, 2) + 1.0, torch.randn(8, 2)
    eps = torch.rand(8, 1)
    mixed = (eps * real + (1 - eps) * fake).requires_grad_(True)
    (slopes,) = torch.autograd.grad(critic(mixed).sum(), mixed, create_graph=True)
    penalty = (slopes.norm(dim=1) - 1).pow(2).mean()
    loss = critic(fake).mean() - critic(real).mean() + 10 * penalty
    optimizer.zero_grad()
    loss.backward()
    optimizer.step()
print(loss.item())
""",
    ),
    Program(
        "masked attention",
        (),
        """\
import math
import torch
from torch import nn

torch.manual_seed(0)
q, k, v = (nn.Linear(4, 4) for _ in range(3))
x = torch.randn(2, 5, 4)
mask = torch.triu(torch.ones(5, 5, dtype=torch.bool), diagonal=1)
parameters = [p for layer in (q, k, v) for p in layer.parameters()]
optimizer = torch.optim.Adam(parameters, lr=0.01)
for step in range(10):
    scores = q(x) @ k(x).transpose(1, 2) / math.sqrt(4)
    weights = scores.masked_fill(mask, float("-inf")).softmax(dim=-1)
    out = weights @ v(x)
    loss = (out[:, :-1] - x[:, 1:]).pow(2).mean()
    optimizer.zero_grad()
    loss.backward()
    optimizer.step()
print(loss.item())
""",
    ),
    Program(
        "exponential average of the weights",
        (),
        """\
import copy
import torch
from torch import nn

torch.manual_seed(0)
net = nn.Linear(3, 1)
average = copy.deepcopy(net)
optimizer = torch.optim.AdamW(net.parameters(), lr=0.02)
scheduler = torch.optim.lr_scheduler.StepLR(optimizer, 5)
history = []
for epoch in range(20):
    x = torch.randn(16, 3)
    loss = (net(x) - x.mean(dim=1, keepdim=True)).pow(2).mean()
    optimizer.zero_grad(set_to_none=False)
    loss.backward()
    optimizer.step()
    scheduler.step()
    history.append(float(loss))
    with torch.no_grad():
        for a, b in zip(average.parameters(), net.parameters()):
            a.mul_(0.9).add_(b, alpha=0.1)
print(sum(history) / len(history))
""",
    ),
    Program(
        "distances of all pairs",
        (),
        """\
import torch

torch.manual_seed(0)
points = torch.randn(7, 2, requires_grad=True)
goal = torch.rand(7, 7) + 1.0
goal = (goal + goal.T) / 2
optimizer = torch.optim.Adam([points], lr=0.05)
for step in range(30):
    square = (points ** 2).sum(dim=1)
    distance = square[:, None] + square[None, :] - 2 * points @ points.T
    loss = ((distance.clamp(min=0) - goal) ** 2).mean()
    optimizer.zero_grad()
    loss.backward()
    optimizer.step()
print(loss.item())
""",
    ),
    Program(
        "early stopping with a loader and a validation set",
        (),
        """\
import torch
from torch import nn
from torch.utils.data import DataLoader, TensorDataset

torch.manual_seed(0)
x = torch.randn(120, 3)
y = (x[:, :1] ** 2 + x[:, 1:2]).tanh()
train = DataLoader(TensorDataset(x[:90], y[:90]), batch_size=30, shuffle=True)
hidden = [nn.Linear(3, 12), nn.BatchNorm1d(12), nn.ReLU(), nn.Dropout(0.1)]
net = nn.Sequential(*hidden, nn.Linear(12, 1))
optimizer = torch.optim.Adam(net.parameters(), lr=0.02, weight_decay=1e-4)
best, patience = float("inf"), 0
for epoch in range(12):
    net.train()
    for a, b in train:
        optimizer.zero_grad(set_to_none=True)
        loss = nn.functional.mse_loss(net(a), b)
        loss.backward()
        nn.utils.clip_grad_norm_(net.parameters(), 1.0)
        optimizer.step()
    net.eval()
    with torch.no_grad():
        validation = nn.functional.mse_loss(net(x[90:]), y[90:]).item()
    best, patience = (validation, 0) if validation < best else (best, patience + 1)
    if patience > 3:
        break
print(best)
""",
    ),
    Program(
        "second derivative in a physics-informed network",
        (),
        """\
import torch
from torch import nn

torch.manual_seed(0)
net = nn.Sequential(nn.Linear(1, 16), nn.Tanh(), nn.Linear(16, 1))
optimizer = torch.optim.Adam(net.parameters(), lr=0.01)
t = torch.linspace(0, 1, 20)[:, None].requires_grad_(True)
for step in range(30):
    u = net(t)
    (first,) = torch.autograd.grad(u.sum(), t, create_graph=True)
    (second,) = torch.autograd.grad(first.sum(), t, create_graph=True)
    loss = (second + u).pow(2).mean() + (u[0] - 1).pow(2).sum() + first[0].pow(2).sum()
    optimizer.zero_grad()
    loss.backward()
    optimizer.step()
print(loss.item())
""",
    ),
]
