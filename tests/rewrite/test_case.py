from spacy_punctcase.rewrite.case import set_case


def test_set_case() -> None:
    assert set_case("hi GITHUB you", [0, 3]) == "Hi GITHUB you"
    assert set_case("hi GITHUB, you", [3, 6], lower_first=lambda word: True) == "hi GitHub, you"
    protected = set_case("see GitHub.COM", [], lower_first=lambda word: not word.protected)
    assert protected == "see GitHub.COM"


def test_length_never_changes() -> None:
    text = "straße ﬁ İ ŉ ß"
    changed = set_case(text, range(len(text)), lower_first=lambda word: True)
    assert changed == "STRAßE ﬁ İ ŉ ß"
