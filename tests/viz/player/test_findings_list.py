"""The player's list of what is suspicious: marks lead to it, and it leads to nodes."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING

from browser import expect
from minitape.viz.player.page import fragment, page as page_of
from minitape.viz.player.payload import payload
from minitape.viz.trace.trace import Break, Line, Trace
from viz_traces import chain, diamond, unconnected

if TYPE_CHECKING:
    from playwright.sync_api import Locator, Page


def suspicious(trace: Trace) -> Trace:
    """A trace with two findings and a break that is none."""
    line = Line("lesson.py", 7, "y = x")
    found = (
        Break(0, None, "beside"),
        Break(1, None, "nan", "The first NaN comes from `log`.", "", line),
        Break(3, None, "zero", "It is <flat>.", "y = 1 < 2"),
    )
    return replace(trace, breaks=found)


def opened(page: Page, tmp_path: Path, trace: Trace) -> Locator:
    file = tmp_path / "page.html"
    file.write_text(page_of(trace), encoding="utf-8")
    page.goto(file.as_uri())
    host = page.locator(".minitape-player")
    expect(host).to_have_attribute("data-ready", "yes")
    return host


def test_the_player_gets_a_row_for_each_break_with_a_cause() -> None:
    rows = payload(suspicious(diamond()))["findings"]
    assert [(row["mark"], row["node"], row["kind"]) for row in rows] == [
        (1, 1, "nan"),
        (2, 3, "zero"),
    ]
    assert rows[0]["line"] == 7
    assert rows[1]["correction"] == "y = 1 < 2"


def test_without_findings_there_is_no_list() -> None:
    assert "findings" not in payload(unconnected())
    assert "<ol>" not in fragment(unconnected())


def test_without_scripts_the_list_stands_above_the_picture() -> None:
    text = fragment(suspicious(diamond()))
    assert "<b>nan</b> line 7: The first NaN comes from <code>log</code>." in text
    assert "It is &lt;flat&gt;.<pre>y = 1 &lt; 2</pre>" in text
    assert text.index("<ol>") < text.index("<img")


def test_a_click_on_a_mark_leads_to_its_finding(page: Page, tmp_path: Path) -> None:
    host = opened(page, tmp_path, suspicious(diamond()))
    host.locator('.break[data-break="2"] text').click()
    expect(host.locator(".findings li.chosen")).to_contain_text("It is <flat>.")
    expect(host.locator(".findings li.chosen button")).to_be_focused()


def test_a_finding_leads_to_the_step_that_made_its_node(page: Page, tmp_path: Path) -> None:
    trace = suspicious(diamond())
    host = opened(page, tmp_path, trace)
    host.locator(".findings button").nth(1).click()
    at = int(host.locator("input").input_value())
    assert (trace.steps[at].kind, trace.steps[at].node) == ("forward", 3)
    expect(host.locator('.break[data-break="2"]')).to_have_class("break leads chosen")


def test_a_finding_inside_of_a_closed_group_leads_there(page: Page, tmp_path: Path) -> None:
    trace = chain(200)
    inner = Break(150, None, "zero", "It is flat.")
    host = opened(page, tmp_path, replace(trace, breaks=(inner,)))
    host.locator(".findings button").click()
    at = int(host.locator("input").input_value())
    assert trace.steps[at].node == 150


def test_a_closed_group_that_holds_a_finding_is_marked_and_a_click_opens_it(
    page: Page, tmp_path: Path
) -> None:
    found = (Break(40, None, "zero", "It is flat."), Break(150, None, "nan", "It is log(0)."))
    host = opened(page, tmp_path, replace(chain(200), breaks=found))
    expect(host.locator(".break title")).to_have_text(
        ["zero: inside of this group", "nan: inside of this group"]
    )
    mark = host.locator('.overview .break[data-break="0"]')
    box = mark.get_attribute("data-box")
    name = host.locator(f'.overview .group[data-node="{box}"] .t').text_content()
    assert name
    start, stop = (int(each) for each in name.split()[-1].split("–"))
    assert start <= 40 <= stop
    mark.click()
    expect(host.locator(".findings li.chosen")).to_contain_text("It is flat.")
    inner = host.locator('.graph .break[data-break="0"] title')
    expect(inner).to_have_text("zero")  # on the op itself


def test_a_finding_in_the_list_opens_all_groups_around_its_node(page: Page, tmp_path: Path) -> None:
    trace = replace(chain(2_000), breaks=(Break(1_500, None, "zero", "It is flat."),))
    host = opened(page, tmp_path, trace)
    host.locator(".findings button").click()
    expect(host.locator('.graph .break.chosen[data-break="0"] title')).to_have_text("zero")
    assert trace.steps[int(host.locator("input").input_value())].node == 1_500


def test_a_long_list_gets_the_room_that_nothing_else_needs(page: Page, tmp_path: Path) -> None:
    page.set_viewport_size({"width": 1400, "height": 900})
    found = tuple(Break(1, None, "nan", f"Reason {i}. " + "It is long. " * 12) for i in range(5))
    host = opened(page, tmp_path, replace(diamond(), breaks=found))
    heights = host.locator(".findings").evaluate("list => [list.scrollHeight, list.clientHeight]")
    assert heights[0] <= heights[1] + 1
    panes = host.locator(".panes").evaluate("pane => [pane.scrollHeight, pane.clientHeight]")
    assert panes[0] <= panes[1]
