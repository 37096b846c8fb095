"""What is shown of a diagnosis: in a terminal, on a page, in a notebook, in the step player.

`explanation` is `viz.explain` and `check` is `viz.check`; `command` writes what `minitape explain`
says, and `page` its page.
"""
