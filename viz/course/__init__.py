"""The course and the demo: the commands `minitape tutorials` and `minitape demo`.

`course` finds and copies the lessons, `pages` makes offline pages of them and
`deck` their slides (`slides` says what is on one); `guide` has the
examples of the autodiff guide, `demo` runs and shows them.
"""
