"""The ops: each in one contiguous block of one module, forward, rules, batching, formula.

How to declare one (the reasons are in `op` and `record`):

- The forward is a plain function on NumPy arrays, typed: inputs are annotated `Array`
  (differentiable, all of one dtype), `Indices` (integers or bools of their own dtype, never
  differentiated) or `Arrays` (any number of inputs, as one list); what follows them are attributes,
  static values such as an axis. A return type that starts with `tuple` declares several outputs.
  Rank 0 comes and goes as a NumPy scalar (`x[()]` makes one of a 0-d array). `kernel=` names a C
  function that computes the same; the body is then just the docstring.
- `@op.vjp("x")` takes `g` (for several outputs a tuple of them) and whatever it names of the
  inputs, `out`, the attributes and, for `Arrays`, `index`. The annotation is the memory plan:
  `Tensor` keeps the value, `Spec` shape and dtype, `Shape` the shape (`Tensors`, `Specs` for a
  list of inputs). It is written with operators and other primitives only, never NumPy on tensors
  and never a branch on values, so that it runs on arrays, tensors, batches and formulas alike.
  Rules are plain derivatives (no conjugates), and broadcasting is undone by the declaration. Bools
  are not numbers between tensors: use `gate(g, mask)`.
- `prepare` brings attributes into their canonical form (axes counted from the left, a tuple) from
  the inputs' shapes; it runs once per call, before forward, rules and batching see them.
- `batch(values, stacked, attributes, size)` computes the op on stacks: `values[i]` has a leading
  batch axis where `stacked[i]`; the result has one. Elementwise ops need none; without one the op
  runs example by example. Families of such rules are in `families`.
- `@op.product` takes the inputs and gives the two factors of a product of matrices, whatever the op
  is called; a jacobian whose seeds are still diagonal then scales rows (see `diagonal`).
- `@op.jvp` takes `(tangents, inputs, out, attributes)`, tensors and None for constant inputs, and
  gives the tangent of `out`. It is rarely needed: see `transposition`.
- `infer(specs, *attributes)` gives the spec of the result (a tuple for several) where the forward
  has none for ones, as an inverse; graphs need it. A forward whose shape depends on values is found
  out.
- `refuses="bc"`: kinds of dtypes (NumPy's letters) that are an error although NumPy computes
  something, as an order of complex numbers.
- `differentiable=False`: registered as not differentiable (gradients are None). An op without any
  rule raises LookupError when its gradient is needed.
- Public functions that are made of ops are ordinary functions under `@export("math.name", "name")`;
  they take TensorFlow's argument names, convert with `operand`, and check what users get wrong.
"""
