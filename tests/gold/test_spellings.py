import pytest

from spacy_punctcase.gold.spellings import count_spellings, create_counted_spellings


def test_classes_and_counts() -> None:
    texts = ["We use GitHub's API. Anna too; see GitHub.com or GitHub API? Api"] * 3
    assert count_spellings(texts) == ["API", "GitHub"]
    assert count_spellings(texts, classes=["mixed"]) == ["GitHub"]
    assert count_spellings(texts, classes=["capital"]) == []  # Anna begins a sentence
    assert count_spellings(texts, min_count=7) == []


def test_the_first_word_of_a_sentence_says_nothing() -> None:
    texts = ["Apple. APPLE! Apple? I ate an apple."] * 3
    assert count_spellings(texts, classes=["capital", "acronym", "lower"]) == ["an", "apple", "ate"]


def test_share_of_all_spellings() -> None:
    texts = ["the US, the US, the us, let us, for us"] * 3
    assert count_spellings(texts) == []
    assert count_spellings(texts, min_share=0.4) == []  # not the most frequent one
    assert count_spellings(["the US, the US, let us"] * 3, min_share=0.6) == ["US"]


def test_reader_counts_as_many_words_as_asked(tmp_path) -> None:
    path = tmp_path / "text.txt"
    early, late = "so we like NASA very much. ", "then we like GitHub very much. "
    path.write_text((early * 100 + "\n") + (late * 100), encoding="utf8")
    assert create_counted_spellings(path) == ["GitHub", "NASA"]
    assert create_counted_spellings(path, words=200) == ["NASA"]
    with pytest.raises(ValueError, match="has no path"):
        create_counted_spellings(None)
