"""One HTML file that works offline: what every saved page of the viewer stands in.

The policy of the page forbids it to fetch anything, whatever stands in it.
"""

from __future__ import annotations

import html

from ..layout.labels import printable
from ..picture.theme import with_palette

POLICY = "default-src 'none'; img-src data:; style-src 'unsafe-inline'; script-src 'unsafe-inline'"
PAGE_STYLE = with_palette("""
:root { color-scheme: light dark; font: 17px/1.5 system-ui, sans-serif; }
:root { --palette: here; color: var(--ink); background: var(--paper); }
body { max-width: 1680px; margin: 0 auto; padding: 16px 20px 48px; }
body:has([data-alone]) { padding: 6px; }
:root:has([data-alone]) { overscroll-behavior-x: none; }
h1 { font-size: 1.5em; margin: .2em 0 .6em; overflow-wrap: anywhere; }
section { margin: 28px 0; scroll-margin-top: 12px; }
section[data-alone] { margin: 0; }
section > p { margin: 0 0 8px; max-width: 60em; }
nav ol { columns: 20em; column-gap: 3em; padding: 0; list-style: none; }
nav li { break-inside: avoid; overflow-wrap: anywhere; }
.alone { position: absolute; width: 1px; height: 1px; overflow: hidden; clip-path: inset(50%); }
""")
ARTICLE = """
main { max-width: 72em; margin: 0 auto; }
img { background: #fff; }
table { border-collapse: collapse; }
td, th { padding: 3px 12px 3px 0; text-align: left; vertical-align: top; overflow-wrap: anywhere; }
pre, code { white-space: pre-wrap; overflow-wrap: anywhere; }
pre { background: var(--soft); padding: 10px 14px; border-radius: 8px; }
"""


def document(title: str, body: str, style: str = "") -> str:
    """Give a whole page.

    Args:
        title: What the window is called; text.
        body: The HTML of its main part, which is ours alone.
        style: More rules of style.

    Example:
        >>> text = document("a < b", "<p>one</p>")
        >>> "<title>a &lt; b</title>" in text, "default-src 'none'" in text
        (True, True)
    """
    return (
        '<!doctype html>\n<html lang="en">\n<head>\n<meta charset="utf-8">\n'
        f'<meta http-equiv="Content-Security-Policy" content="{POLICY}">\n'
        '<meta name="viewport" content="width=device-width, initial-scale=1">\n'
        f"<title>{html.escape(printable(title))}</title>\n"
        f"<style>{PAGE_STYLE}{style}</style>\n</head>\n<body>\n"
        f"<main>\n{body}\n</main>\n</body>\n</html>\n"
    )


def article(title: str, body: str) -> str:
    """Give a page of text and pictures below its heading."""
    return document(title, f"<h1>{html.escape(printable(title))}</h1>\n{body}", ARTICLE)
