"""Custom gradients: functions that bring their own derivative.

`gradient` is `tf.custom_gradient`, `op` the op that stands for such a call on a tape; `recompute`
has the ready-made ones, `recompute_grad` and `grad_pass_through`.
"""
