"""A film in words: for the whole of it, for one kept step, and as a table."""

from __future__ import annotations

from collections.abc import Sequence

from ..base.numbers import short
from ..plots.exhibit import Table
from ..plots.flow_words import verdicts
from .run import Run
from .shots import Shot
from .stage import called, shot_at, steps_of


def film_words(runs: Sequence[Run]) -> str:
    """A line for each run, and what its gradients do wrong."""
    if not any(run.shots for run in runs):
        return "No step is noted yet: call note(tape, loss) in the loop, before tape.gradient."
    lines = []
    for number, run in enumerate(runs):
        name = f"{called(run, number)}: the" if len(runs) > 1 else "The"
        if not run.shots:
            lines.append(f"{name} film has no step.")
            continue
        count = len(run.losses)
        ends = f"from {short(run.losses[0])} to {short(run.losses[-1])}"
        kept = f"{len(run.shots)} of them kept with values and gradients"
        steps = f"{count} step{'s'[: count != 1]}"
        lines.append(f"{name} loss goes {ends} in {steps}, {kept}.")
        sizes = [[None if g is None else g.size for g in shot.gradients] for shot in run.shots]
        lines += verdicts(run.names, sizes)
    return "\n".join(lines)


def shot_words(runs: Sequence[Run], step: int) -> str:
    """What there is at a step: where least and most arrives; of a single run its loss, too.

    Of several runs the losses stand above their pictures.
    """
    shown = [(called(run, i), run, shot_at(run, step)) for i, run in enumerate(runs) if run.shots]
    said = [f"{name}: {gradients_words(run, shot)}" for name, run, shot in shown]
    if len(runs) == 1:
        said = [f"loss {short(shot.loss)}, {gradients_words(run, shot)}" for _, run, shot in shown]
    more = [each.replace("least arrives at", "least at") for each in said[1:]]
    return f"After {step} step{'s'[: step != 1]}: {' '.join([*said[:1], *more])}"


def gradients_words(run: Run, shot: Shot) -> str:
    """Where least and most arrives at a kept step."""
    sizes = [(g.size, name) for g, name in zip(shot.gradients, run.names, strict=True) if g]
    missing = sum(g is None for g in shot.gradients)
    none = f"; {missing} without a gradient" if missing else ""
    if not sizes:
        return "no gradient arrives."
    (low, least), (high, most) = min(sizes), max(sizes)
    if len(sizes) == 1:
        return f"`{most}` gets {short(high)}{none}."
    return f"least arrives at `{least}` ({short(low)}), most at `{most}` ({short(high)}){none}."


def head(run: Run, shot: Shot) -> str:
    """What stands above the pictures of a run: loss and, with classes, accuracy."""
    loss = f"loss {short(shot.loss)}"
    if run.plane is None or shot.says is None or not run.plane.has_classes:
        return loss
    return f"{loss}, accuracy {short(run.plane.accuracy(shot.says))}"


def numbers_table(runs: Sequence[Run]) -> Table:
    """Loss and sizes of the gradients at the kept steps, a row for each run and step."""
    names = list(dict.fromkeys(name for run in runs for name in run.names))
    rows = []
    for step in steps_of(runs):
        for number, run in enumerate(runs):
            shot = next((each for each in run.shots if each.step == step), None)
            if shot is not None:
                sizes = {
                    name: "None" if g is None else short(g.size)
                    for name, g in zip(run.names, shot.gradients, strict=True)
                }
                first = [str(step), *([called(run, number)] if len(runs) > 1 else [])]
                rows.append([*first, short(shot.loss), *(sizes.get(name, "") for name in names)])
    heads = ["step", *(["run"] if len(runs) > 1 else []), "loss", *(f"∂ {n}" for n in names)]
    return Table("Loss and root mean square of each gradient", heads, rows)
