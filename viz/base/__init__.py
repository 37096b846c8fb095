"""What everything in viz stands on: files, numbers, MathML.

None of it knows of traces; `numbers` is the one way to write a number.
"""
