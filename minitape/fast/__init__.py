"""The fast layer: the same calls as the plain ones, written out for speed.

`calls` has the closures for the commonest shapes of ops; `rule_calls` is how rules call ops on
plain arrays.
"""
