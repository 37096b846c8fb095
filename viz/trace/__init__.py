"""The trace: plain, versioned data that every picture is a pure function of.

`trace` has the types, `arrays` what is kept of an array, `checks` what types cannot say. `plain`
and `array_json` read and write JSON strictly; `progress` is what is known after the first k
steps.
"""
