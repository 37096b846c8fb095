"""A doctor for engines that learners write: the first rule that is wrong, and how.

The engine is tested from outside, as it stands: `subject` finds what a file brings, `values` and
`layers` say how each style is asked, `cases` what is asked of it, `numbers` has the differences
that are right, `mistakes` names what is wrong, `examination` puts the questions in order, and
`report` says the answers to a learner or a grader.
"""
