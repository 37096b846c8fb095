"""Each kind on PyTorch: its example is found, its twin is silent, its correction works."""

import json
import os
from pathlib import Path

import pytest

pytest.importorskip("torch")

from minitape.viz.diagnosis.diagnosis import KINDS, Diagnosis
from tests.viz.diagnosis import judge

CHILD = "minitape.viz.diagnosis.trial.child"

TORCH = [kind for kind in KINDS.values() if kind.dialects[0] == "pytorch"]


def ran(folder, text, wanted=()):
    """What one run of a text finds."""
    file = folder / "script.py"
    file.write_text(text)
    asked = {"file": str(file), "source": None, "arguments": [], "wanted": list(wanted)}
    data, is_late = judge.forked(asked, 60.0, CHILD)
    assert data is not None and not is_late
    assert not data["problems"], data["problems"]
    return data, [Diagnosis.of(each) for each in data["found"]]


def test_each_example_is_found_at_its_line_with_a_sentence_that_has_no_gap(tmp_path):
    wrong = {}
    for kind in TORCH:
        rows = kind.example.splitlines()
        line = next(n for n, row in enumerate(rows, 1) if row.endswith("# <- here"))
        _, found = ran(tmp_path, kind.example)
        got = [(d.kind.name, d.line) for d in found[:1]]
        sentence = found[0].sentence if found else ""
        is_whole = str(line) in sentence and "None`" not in sentence and "``" not in sentence
        if got != [(kind.name, line)] or not is_whole:
            wrong[kind.name] = (got, line, sentence)
    assert not wrong


def test_no_healthy_twin_is_accused(tmp_path):
    said = {k.name: [d.sentence for d in ran(tmp_path, k.healthy)[1]] for k in TORCH}
    assert not {name: each for name, each in said.items() if each}


def test_corrected_examples_are_silent(tmp_path):
    named = [
        "broken_path",
        "non_leaf",
        "integer_leaf",
        "inplace_saved",
        "inplace_leaf",
        "accumulated",
        "not_finite",
        "leaf_replaced",
        "not_requiring",
        "numpy_of_tracked",
        "tied_by_copy",
    ]
    left = {}
    for name in sorted(named):
        file = tmp_path / f"{name}.py"
        file.write_text(KINDS[name].example)
        report = judge.looked(file)
        again = ran(tmp_path, report.fixed)[1] if report.fixed else None
        if again is None or again:
            left[name] = report.fixed
    assert not left


def test_what_is_found_in_step_1000_costs_no_more_ops_than_what_is_found_in_step_100(tmp_path):
    text = (
        "import torch\n"
        "w = torch.ones(3, requires_grad=True)\n"
        "optimizer = torch.optim.SGD([w], lr=0.01)\n"
        "for step in range(STEPS):\n"
        "    optimizer.zero_grad()\n"
        "    ((w * w).sum() - 1.0).pow(2).backward()\n"
        "    optimizer.step()\n"
    )
    looked = [len(ran(tmp_path, text.replace("STEPS", n))[0]["outcomes"]) for n in ("100", "1000")]
    assert looked[0] >= 6 and looked[1] - looked[0] <= 4  # powers of two alone


def test_a_loss_that_is_nan_in_a_step_nobody_looked_at_is_found_in_a_second_run(tmp_path):
    file = tmp_path / "late.py"
    file.write_text(
        "import torch\n"
        "w = torch.tensor([1.0], requires_grad=True)\n"
        "for step in range(60):\n"
        "    x = torch.tensor([1.0 if step != 45 else -1.0])\n"
        "    loss = (w * torch.log(x)).sum() + (w * w).sum()\n"
        "    loss.backward()\n"
        "    w.grad = None\n"
    )
    report = judge.looked(file)
    assert [(d.finding.kind, d.finding.line) for d in report.diagnoses] == [("nan", 5)]


def test_torch_save_and_workers_of_loaders_do_not_stop_the_look(tmp_path):
    _, found = ran(
        tmp_path,
        "import torch\n"
        "from torch.utils.data import DataLoader, TensorDataset\n"
        "w = torch.ones(2, requires_grad=True)\n"
        "for (x,) in DataLoader(TensorDataset(torch.ones(4, 2)), batch_size=2, num_workers=2):\n"
        "    (w.detach() * x).sum().add((0 * w).sum()).backward()\n"
        "torch.save(w, 'weights.pt')\n"
        "assert torch.load('weights.pt', weights_only=False).shape == (2,)\n",
    )
    assert not (tmp_path / "weights.pt").exists()


def test_pytorch_is_as_it_was_after_a_look():
    import torch

    from minitape.viz.diagnosis.sources.places import Places
    from minitape.viz.diagnosis.sources.pytorch import Collector, following

    before = (
        torch.Tensor.backward,
        torch.autograd.grad,
        torch.tensor,
        torch.optim.Optimizer.zero_grad,
    )
    with following(Collector(Places("none.py", ""), lambda ask: None)):
        assert torch.Tensor.backward is not before[0]
    after = (
        torch.Tensor.backward,
        torch.autograd.grad,
        torch.tensor,
        torch.optim.Optimizer.zero_grad,
    )
    assert before == after


def test_the_command_explains_a_script_and_writes_json_and_the_corrected_text(tmp_path):
    import subprocess
    import sys

    file = tmp_path / "train.py"
    file.write_text(KINDS["broken_path"].example)
    words = [
        sys.executable,
        "-m",
        "minitape",
        "explain",
        "train.py",
        "--json",
        "found.json",
        "--fix",
        "fixed.py",
    ]
    found_here = os.environ | {"PYTHONPATH": str(Path(__file__).parents[3])}
    run = subprocess.run(
        words, cwd=tmp_path, env=found_here, capture_output=True, text=True, timeout=300
    )
    assert run.returncode == 1, run.stderr
    found = json.loads((tmp_path / "found.json").read_text())
    assert [(each["cause"], each["line"], each["kind"]) for each in found] == [
        ("broken_path", 3, "error")
    ]
    assert "h = torch.tanh(w)" in (tmp_path / "fixed.py").read_text()
    healthy = subprocess.run(
        [*words[:4], "fixed.py"],
        cwd=tmp_path,
        env=found_here,
        capture_output=True,
        text=True,
        timeout=300,
    )
    assert healthy.returncode == 0 and "nothing is suspicious" in healthy.stdout


def test_the_command_makes_a_page_of_what_a_script_asked(tmp_path):
    from minitape.viz.adapters.torch_script import record_torch_script

    file = tmp_path / "train.py"
    file.write_text(
        "import torch\n"
        "w = torch.tensor([1.0, -2.0], requires_grad=True)\n"
        "for step in range(5):\n"
        "    loss = (w * w).sum()\n"
        "    loss.backward()\n"
        "    with torch.no_grad():\n"
        "        w -= 0.1 * w.grad\n"
        "        w.grad.zero_()\n"
    )
    recorder = record_torch_script(file)
    assert len(recorder.traces) == 3 and recorder.left_out == 2
    gradients = recorder.traces[0]
    assert "line 5" in gradients.title and "loss" in gradients.title
