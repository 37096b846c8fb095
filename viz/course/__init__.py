"""The course and the demo: the commands `minitape tutorials` and `minitape demo`.

`course` finds and copies the lessons, `pages` makes offline pages of them; `guide` has the
examples of the autodiff guide, `demo` runs and shows them.
"""
