"""Which framework a script is for, and what is said where that is missing."""

import importlib.util

import pytest

from minitape.viz.commands import frameworks
from minitape.viz.errors import CommandError


@pytest.mark.parametrize(
    "text, is_torch",
    [
        ("import torch\n", True),
        ("from torch import nn\n", True),
        ("def f():\n    import torch.nn as nn\n", True),
        ("import minitape as tf\nimport torch\n", False),
        ("import numpy\n# import torch\n", False),
        ("import torch_lookalike\n", False),
        ("import torch\nthis is no Python\n", False),
    ],
)
def test_a_script_that_imports_torch_and_no_other_framework_is_pytorchs(tmp_path, text, is_torch):
    file = tmp_path / "train.py"
    file.write_text(text)
    assert frameworks.is_pytorch_script(file) is is_torch


def test_a_missing_pytorch_is_answered_with_what_to_install(tmp_path, monkeypatch):
    monkeypatch.setattr(frameworks, "find_spec", lambda name: None)
    with pytest.raises(
        CommandError,
        match="train.py imports torch, .*`pip install torch`.*minitape there",
    ):
        frameworks.check_installed(tmp_path / "train.py")


def test_an_installed_framework_is_no_complaint(tmp_path, monkeypatch):
    monkeypatch.setattr(frameworks, "find_spec", lambda name: importlib.util.find_spec("numpy"))
    frameworks.check_installed(tmp_path / "train.py")
