"""The step player: a trace as a page that one can step through.

`payload` is what the page is given, `page` the HTML around it, the modules in `src` the program in
it, of which `build.mjs` makes what `program` reads from `bundles`. `notebook` is the object that a
notebook shows, `widget` the live one, `still` a picture that does not move.
"""

from ..guesses import explain_calls

explain_calls(__name__)  # `viz.player(...)` is a guess
