"""The commands `minitape site` and `minitape live`: their options, and what they say."""

from __future__ import annotations

import argparse
from pathlib import Path

from ..base.terminal import say
from ..errors import ClassroomError
from .output import Commands

CDN = "cdn"


def add_classroom(commands: Commands) -> None:
    """Adds both commands to the command line."""
    add = commands.add_parser(
        "site",
        help="write the course for a web server: every lesson runs in the browser",
        epilog="Pyodide is Python for browsers. With `cdn`, each browser downloads it from its "
        "official site. With the folder of a downloaded distribution, your site sends "
        "no requests to other servers.",
    )
    add.set_defaults(run=site)
    add.add_argument("out", type=Path, metavar="OUT", help="the folder to write")
    add.add_argument(
        "--pyodide", default=CDN, metavar="FOLDER", help="a folder with Pyodide, or `cdn` (cdn)"
    )

    add = commands.add_parser(
        "live",
        help="write a page with an editor, which runs the program after each edit",
        epilog="The page contains Python itself, so it opens without a network, for example "
        "from a memory stick. If you give several programs, the page has a list to "
        "choose from.",
    )
    add.set_defaults(run=live)
    add.add_argument("files", type=Path, nargs="*", metavar="FILE.py", help="the programs")
    add.add_argument(
        "-o", "--out", type=Path, metavar="PAGE", help="where to write (FILE-live.html)"
    )
    add.add_argument("--pyodide", type=Path, metavar="FOLDER", help="a folder with Pyodide")
    add.add_argument("--guide", action="store_true", help="add the examples of the autodiff guide")
    add.add_argument("--title", default="", help="the page's heading (the first program's name)")


def site(options: argparse.Namespace) -> int:
    """Makes a site and says how to look at it."""
    # Only now: this needs JupyterLite, which a reader of the other commands need not have.
    from ..classroom.site import write_site

    try:
        made = write_site(options.out, options.pyodide)
    except OSError as error:
        raise ClassroomError(str(error)) from error
    from_cdn = options.pyodide == CDN
    where = "takes Pyodide from its official place" if from_cdn else "asks nobody else"
    say(
        f"{options.out}: {made.lessons} lessons in {made.files} files, {made.size / 1e6:.0f} MB; "
        f"the site {where}.\nTo look at it: python -m http.server -d {str(options.out)!r} 8000, "
        "then http://localhost:8000 in a browser. To publish it, copy the folder to any web server."
    )
    if made.slow:
        say(f"Python will start about twice as slowly in it as it could: {made.slow}.")
    return 0


def live(options: argparse.Namespace) -> int:
    """Writes a live page and says what is in it."""
    from ..base.files import check_place, write_whole
    from ..classroom.live import guide, live_page, programs_of
    from ..classroom.runtime import HOW_TO_GET_IT, opened

    if options.pyodide is None:
        raise ClassroomError(f"a live page holds Python itself: {HOW_TO_GET_IT}")
    programs = [*programs_of(options.files), *(guide() if options.guide else [])]
    if not programs:
        raise ClassroomError("name a program, such as lesson.py, or ask for the guide's: --guide")
    first = options.files[0].stem if options.files else "guide"
    place = options.out or Path(f"{first}-live.html")
    try:
        check_place(place, tuple(options.files))
        page = live_page(programs, opened(options.pyodide), options.title)
        write_whole(place, page)
    except (OSError, ValueError) as error:
        raise ClassroomError(str(error)) from error
    count = f"{len(programs)} program{'s'[: len(programs) != 1]}"
    say(f"{place}: {count}, {len(page) / 1e6:.1f} MB; open it in any browser, offline too.")
    return 0
