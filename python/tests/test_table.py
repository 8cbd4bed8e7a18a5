"""What a result's tables are to those who read them."""

import sidestep


def test_a_build_says_what_it_was_made_of() -> None:
    info = sidestep.build_info()
    assert set(info) == {"version", "commit", "code", "json_schema"}
