"""`viz.quiz`: the learner's own tape with its numbers hidden.

`questions` are made of a trace, `numbers` reads answers, `hints` knows the usual mistakes; `quiz`
and `widget` show it.
"""
