"""Still pictures: a trace and a layout drawn as SVG, by matplotlib, or as text.

`theme` has the colours and `svg` the picture; `svg_text`, `marks` and `frames` are its parts.
`figure` and its parts draw the same for PNG and PDF; `text_graphs` writes DOT and Mermaid, `export`
keeps any of them in a file. `canvas` and `axes` are for plots, `counts` for the queue of pending
counts.
"""

from ..guesses import explain_calls

explain_calls(__name__)  # `viz.picture(...)` is a guess
