"""Checks: are these derivatives right, are these values what they should be?

`compare` has a function's derivatives three ways, as matrices; `rule_check` asks the same of a
single op's rules; `report` makes the sentences of `check_gradients` of both. `assertions` and
`shape_assertions` are `tf.debugging`, `printing` is `tf.print` and `formatting`
`tf.strings.format`; `configuration` is `tf.config`.
"""
