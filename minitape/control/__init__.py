"""Control flow: branches, loops and folds on tensors, eagerly and in graphs.

Start with `branching`: what a branch or a loop means, in any interpreter. `programs` makes each
of them one op in a graph, and has the derivatives of both. What users call stands in `conditions`
(`tf.cond`, `case`, `switch_case`; `branch_results` keeps their results alike), `loops`
(`tf.while_loop`) and `folding` (`foldl`, `scan`). `tensor_array` with its `array_storage` is what
loops fill; `python_function` lets a graph call Python.
"""
