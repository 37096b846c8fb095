"""docs/ops.md is what the ops say of themselves now."""

import ops_page


def test_the_page_of_ops_is_up_to_date():
    missing = ops_page.without_samples()
    assert not missing, f"the page needs samples of these ops, in tests/op_samples: {missing}"
    written = ops_page.PAGE.read_text(encoding="utf-8")
    assert written == ops_page.page(), "run `python tests/ops_page.py` and look at what changed"
