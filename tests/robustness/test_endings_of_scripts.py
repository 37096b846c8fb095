"""However a script ends, `minitape step` shows what it recorded, and says how it ended."""

from __future__ import annotations

import pytest

from minitape.viz.script import record_script

HEAD = """import minitape as tf
x = tf.Variable(2.0)
with tf.GradientTape() as t:
    y = x * x
t.gradient(y, x)
"""
BAD = "class Bad({}):\n    def __str__(self): {}\nraise Bad"


@pytest.mark.parametrize(
    ("end", "said"),
    [
        ("class Stop(BaseException): pass\nraise Stop('enough')", "line 7: Stop: enough"),
        ("import asyncio\nraise asyncio.CancelledError", "line 7: CancelledError"),
        ("raise GeneratorExit", "line 6: GeneratorExit"),
        (BAD.format("Exception", "raise ValueError"), "line 8: Bad: "),
        (BAD.format("BaseException", "return 1 / 0"), "raises ZeroDivisionError"),
        (BAD.format("Exception", "return None"), "raises TypeError"),
    ],
)
def test_the_page_of_what_was_recorded_is_kept(tmp_path, end, said):
    script = tmp_path / "lesson.py"
    script.write_text(f"{HEAD}{end}\n")
    recorder = record_script(script)
    assert len(recorder.traces) == 1
    assert said in recorder.stopped
    assert said in recorder.traces[0].notes[-1]


def test_an_interrupt_ends_the_command_and_not_the_script_alone(tmp_path):
    script = tmp_path / "lesson.py"
    script.write_text(f"{HEAD}raise KeyboardInterrupt\n")
    with pytest.raises(KeyboardInterrupt):
        record_script(script)
