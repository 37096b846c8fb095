"""Forward mode: tangents instead of cotangents.

`accumulator` is `tf.autodiff.ForwardAccumulator`, which pushes tangents while a program runs;
`transposition` finds an op's JVP from its VJP rules, so that no op needs a second rule; `pushing`
sends tangents through what a tape recorded.
"""
