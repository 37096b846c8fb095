"""The fast layer: what plain code does, done sooner, and nothing that it does not do.

`hooks` switches it on; MINITAPE_PLAIN=1, or deleting this folder, leaves the plain code, with the
same values and the same errors. Read `call`, `record` and `backward` first. Then here:

`calls` has the calls of the commonest shapes of ops, each written out as one closure (`arguments`
converts for it); `choice` picks between them, and has how rules call ops on plain arrays. `pulls`
has the calls of rules by the sweep, `in_place` what it writes to arrays that only it refers to,
`requests` seeds and results of the commonest questions, and `kernels` quicker functions of arrays.
"""

from minitape.fast.choice import call
from minitape.fast.in_place import add, combination
from minitape.fast.kernels import kernels
from minitape.fast.pulls import pull
from minitape.fast.requests import request

__all__ = ["add", "call", "combination", "kernels", "pull", "request"]
