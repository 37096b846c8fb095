"""Graphs in pictures: what `tf.function` wrote down, and pending counts.

`graph` is `viz.graph`: `written` traces the function with the learner's names, `unfolding` opens
its branches and loops. `pending` is `viz.pending`: `counted` runs sweeps in different orders,
`queue_words` says what happens.
"""
