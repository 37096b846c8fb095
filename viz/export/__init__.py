"""What one sees as what one prints: a scene becomes a sheet, a sheet a file."""

from ..guesses import explain_calls

explain_calls(__name__)  # `viz.export(...)` is a guess
