"""Two traces of one program beside each other: another framework's, or before and after a change.

`pairs` finds which tensor of one is which of the other, `moments` what can be compared and the
first difference, `page` shows both players, which step together (`beside.js`).
"""
