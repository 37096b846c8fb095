"""The player's data as a script element: small ones readable, large ones deflated.

The browser inflates them itself, so nothing is needed beside the page.
"""

from __future__ import annotations

import base64
import json
import zlib
from typing import Any

from ..base.files import encodable

PACK_ABOVE = 6_000
LEVEL = 7  # 9 takes twice the time, for 4 % of a long tape's page


def packed(text: str, level: int = LEVEL) -> str:
    """Deflate a text and write it in base64."""
    return base64.b64encode(zlib.compress(encodable(text).encode(), level)).decode()


def data_script(data: dict[str, Any]) -> str:
    r"""Put the data into a script element that no content can end early.

    A large one is deflated and in base64 (the browser inflates it itself), a small one stays
    readable. Inside JSON the characters that HTML or old JavaScript would read are written as
    escapes, which JSON gives back unchanged.

    Example:
        >>> data_script({"title": "</script>"})
        '<script type="application/json">{"title":"\\u003c/script>"}</script>'
    """
    text = json.dumps(data, ensure_ascii=False, separators=(",", ":"))
    if len(text) > PACK_ABOVE:
        return f'<script type="application/json" data-packed="deflate">{packed(text)}</script>'
    for character in "<\u2028\u2029":
        text = text.replace(character, f"\\u{ord(character):04x}")
    return f'<script type="application/json">{text}</script>'
