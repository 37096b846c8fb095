"""Batches and jacobians: one op on a stack of examples instead of one op per example.

`batching` is the interpreter that pushes an op through a stack, by the op's batching rule or one
by one. `jacobian` feeds the one backward sweep with a stack of seeds, which `diagonal` keeps in
short as long as most of it is zero; `jacobians` has the methods of a tape. `mapping` has what
users call: `vectorized_map`, `map_fn`. Read them in this order.
"""
