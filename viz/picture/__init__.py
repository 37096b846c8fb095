"""Still pictures: a trace and a layout drawn as SVG, or as text.

`theme` has the colours and `svg` the picture; `svg_text` and `marks` are its parts.
`text_graphs` writes DOT and Mermaid. `viz.export` reads an SVG for every other format. `canvas` and
`axes` are for plots, `counts` for the queue of pending counts.
"""

from ..guesses import explain_calls

explain_calls(__name__)  # `viz.picture(...)` is a guess
