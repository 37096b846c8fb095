"""A tape of thousands of ops is folded without a layout of what cannot be read anyway."""

from minitape.viz.trace.trace import Node, Trace
from minitape.viz.views import folds
from minitape.viz.views.folding import by_number


def test_nothing_is_laid_out_that_has_more_boxes_than_a_pane_shows(monkeypatch):
    nodes = [Node(0, "source", (), "float64", ())]
    nodes += [Node(i, "op", (i - 1,), "float64", (), op="sin") for i in range(1, 3_000)]
    sizes = []

    def noted(graph):
        sizes.append(len(graph.sizes))
        return layered(graph)

    layered = folds.layered_layout
    monkeypatch.setattr(folds, "layered_layout", noted)
    folds._laid_out.cache_clear()
    found = folds.Folding(Trace(tuple(nodes)))
    assert sizes and max(sizes) <= 2 * folds.MOST_BOXES  # with what stands beside them
    assert len(sizes) < 2 * len(found.groups)


def test_two_ops_are_cut_into_no_part_of_both_so_that_folding_comes_to_an_end():
    nodes = [Node(0, "source", (), "float64", ())]
    nodes += [Node(i, "op", (i - 1,), "float64", (), op="sin") for i in range(1, 5)]
    assert by_number([1, 2], nodes, 12) == by_number([1, 2], nodes, 1) == [1, 2]
    assert [part.items for part in by_number([1, 2, 3, 4], nodes, 2)] == [[1, 2], [3, 4]]
