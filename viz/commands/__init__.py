"""The commands of `minitape`: each module has the options of one or a few, and what they do.

What a command needs is loaded when it runs: `minitape show` should not wait for the course.
"""
