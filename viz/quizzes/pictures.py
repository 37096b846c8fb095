"""The picture of a quiz, as every notebook shows it."""

from __future__ import annotations

import base64


def picture_html(picture: str) -> str:
    """An SVG as an image that every notebook shows."""
    data = base64.b64encode(picture.encode()).decode()
    looks = 'style="max-width:100%;height:auto;background:#fff"'
    return f'<img src="data:image/svg+xml;base64,{data}" alt="Graph of the tape" {looks}>'
