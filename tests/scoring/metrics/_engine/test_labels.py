from scoring.metrics._engine.labels import place_of

KNOWN = ["US", "us", "Computers "]


def test_the_same_spelling_comes_first():
    assert [place_of(label, KNOWN) for label in ("US", "us")] == [0, 1]


def test_case_and_white_space_do_not_count():
    assert place_of(" computers", KNOWN) == 2
    assert place_of("Us", KNOWN) == 0


def test_an_unknown_label_has_no_place():
    assert place_of("politics", KNOWN) is None
