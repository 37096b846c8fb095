"""What is tried by thirds is tried whole in three days."""

from __future__ import annotations

from datetime import date
from types import SimpleNamespace

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


def test_of_many_parameters_of_a_test_three_days_try_all_and_few_are_tried_each_day(monkeypatch):
    monkeypatch.setattr(everyday, "ALL", False)
    few, many = [f"few[{n}]" for n in range(5)], [f"many[{n}]" for n in range(20)]
    tried = []
    for day in range(3):
        monkeypatch.setattr(
            everyday, "date", SimpleNamespace(today=lambda n=day: date(2024, 3, 1 + n))
        )
        today, left = everyday.split(few + many, lambda item: item.partition("[")[0])
        assert sorted(today + left) == sorted(few + many)
        assert today[: len(few)] == few
        tried += today[len(few) :]
    assert sorted(tried) == sorted(many)
