"""The step player: a trace as a page that one can step through.

`payload` is what the page is given, `page` the HTML around it, `player.js` and its parts the
program in it. `notebook` is the object that a notebook shows, `widget` the live one, `still` a
picture that does not move.
"""

from ..guesses import explain_calls

explain_calls(__name__)  # `viz.player(...)` is a guess
