"""The data that a page carries for its scripts, as a browser reads them: readable or deflated."""

import base64
import json
import re
import zlib

SCRIPT = re.compile(
    r'<script type="application/json"( data-packed="deflate")?>(.*?)</script>', re.DOTALL
)


def embedded(page):
    """Read back the data of the first player, film or quiz of a page."""
    packed, content = SCRIPT.search(page).groups()
    return json.loads(zlib.decompress(base64.b64decode(content)) if packed else content)
