"""What is tried by thirds is tried whole in three days."""

from __future__ import annotations

from datetime import date

import pytest

import everyday


@pytest.mark.parametrize("count", [1, 2, 3, 17])
def test_three_days_try_all(monkeypatch, count):
    monkeypatch.setattr(everyday, "ALL", False)
    days = [date(2024, 2, day) for day in (28, 29)] + [date(2024, 3, 1)]
    tried = [each for day in days for each in everyday.of_today(range(count), day)]
    assert sorted(tried) == list(range(count))


def test_all_are_tried_where_that_is_asked_for(monkeypatch):
    monkeypatch.setattr(everyday, "ALL", True)
    assert list(everyday.of_today(range(7))) == list(range(7))
