"""What engines that learners write call their numbers and gradients, the commonest first."""

NUMBERS = (
    "data", "value", "array", "_data", "values", "v", "val", "x", "numpy", "to_numpy",
    "toarray", "tolist", "item",
)  # fmt: skip
GRADIENTS = ("grad", "g", "gradient", "derivative", "_grad", "adjoint", "grads")
