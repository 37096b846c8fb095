"""Ops of `tf.keras.ops` that are other than those of `tf` with their name.

Keras follows NumPy: `take` counts from the end, `split` takes places and not sizes, sums of small
integers do not overflow. Read `dtypes` first, which says how dtypes are converted.
"""
