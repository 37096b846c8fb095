"""The viewer, as the README shows it."""

from pathlib import Path

import minitape as tf
from minitape import viz

x = tf.constant(2.0)
w, b = tf.Variable(3.0), tf.Variable(1.0)
with viz.recording(), tf.GradientTape(persistent=True) as tape:
    error = w * x + b - 5.0
    loss = error * error

player: viz.Player = viz.step(tape, loss, [w, b])
player.save("lesson.html")
print(player.trace.steps[9].sentence, [float(gradient) for gradient in tape.gradient(loss, [w, b])])
trace: viz.Trace = player.trace
print(trace.nodes[0].name, viz.explain(tape, loss, x))
picture: viz.Picture = viz.draw(tape, loss, [w, b])
picture.save("tape.svg")
print(Path("tape.svg").stat().st_size > 0, viz.memory(tape))


@tf.function
def cube(t: tf.Tensor) -> tf.Tensor:
    """For a graph."""
    return t * t * t


print(
    viz.graph(cube, tf.constant(1.0)), viz.curve(cube, (-1.0, 1.0)), viz.jacobian(tape, loss, [w])
)
