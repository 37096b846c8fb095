"""Runs scripts and candidates, and judges what comes out.

`process` starts a process of its own, which `guard` keeps from doing harm: `engine_child`, `child`
(PyTorch) and `jax_child` run and look at a script there. `engine_trial` and `frameworks` (PyTorch
and JAX) compare the run of a candidate with the first run, `sound` with the exact function
(`truth`, `exact`), and `report` goes through all that was found in a script.
"""
