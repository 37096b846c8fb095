"""A classroom without installing: the commands `minitape site` and `minitape live`.

`runtime` reads a folder with Pyodide, which is Python for browsers, and `wheels` packs minitape
for it. `bytecode` has what a lesson starts with compiled (`compile.mjs` and `compiling` run in
Node). `site` makes a folder for a web server: JupyterLite with the course, a start page (`start`)
and a check that names each file that is missing. `live` makes one page with an editor, in which a
worker runs the program after each edit (`program` is what runs there). Read them in this order.
"""
