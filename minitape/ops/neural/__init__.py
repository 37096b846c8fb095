"""Ops of neural networks: convolution, pooling, softmax, normalisation, dropout.

Each family is a module of primitives (`convolution`, `pooling`, `softmax`) and, beside it, one
with TensorFlow's arguments for users (`convolution_functions`, `pooling_functions`,
`cross_entropy`); `windows` has the geometry that convolution and pooling share, `statistics` the
moments that are taken in two stages.
"""
