"""Large tapes in small pictures: which nodes are drawn as one box.

`groups` decides, `views` makes the smaller trace, `of_tapes` has all the pictures
that a player can open. `folds` makes an overview and the fold beside it, both of which can be read.
`strips` and `of_strips` set rounds and layers side by side.
"""
