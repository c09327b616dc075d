import re
from pathlib import Path
from typing import Any, Callable, Dict, List

import pytest

from spacy_punctcase.report.compare import render_comparison

Browse = Callable[..., str]
ASSETS = Path(__file__).parent.parent.parent / "assets"
A = ["hi uyen how are you", "the api is on github", "same words"]
B = ["Hi Uyen, how are you.", "The API, is on Github.", "same words"]
GOLD = ["Hi Uyen, how are you?", "The API is on GitHub.", "same words"]


def page(**options: Any) -> str:
    return render_comparison(A, B, GOLD, names=("Before", "After"), **options)


def marks_of(found: List[Any]) -> List[Dict[str, Any]]:
    """The differences among the elements, without the examples in the help."""
    return [{**attributes, "text": text} for attributes, text in found if "title" in attributes]


def shown(marks: List[Dict[str, Any]]) -> List[str]:
    return [mark["text"] for mark in marks if "off" not in mark["class"].split()]


def test_differences(elements: Callable) -> None:
    marks = marks_of(elements("mark", page()))
    assert [(mark["data-number"], mark["text"], mark["class"]) for mark in marks] == [
        ("1", "hi", "wrong"),
        ("2", "uyen", "wrong"),
        ("3", "you", "wrong"),
        ("1", "Hi", "right"),
        ("2", "Uyen,", "right"),
        ("3", "you.", "wrong"),
        ("4", "the", "wrong"),
        ("5", "api", "wrong"),
        ("6", "github", "wrong"),
        ("4", "The", "right"),
        ("5", "API,", "wrong"),
        ("6", "Github.", "wrong"),
    ]
    assert marks[1]["title"] == "wrong, gold: Uyen,"
    assert marks[4]["title"] == "right, gold: Uyen,"
    assert (marks[1]["data-marks"], marks[1]["data-cases"]) == (",", "capital lower")
    assert (marks[5]["data-marks"], marks[5]["data-cases"]) == (". ?", "")
    assert [mark["data-verdict"] for mark in marks[:3]] == ["b", "b", "neither"]


def test_without_gold(elements: Callable) -> None:
    found = render_comparison(["hi there"], ["Hi"], names=("Before", "After"))
    marks = marks_of(elements("mark", found))
    assert [(mark["text"], mark["class"], mark["title"]) for mark in marks] == [
        ("hi", "wrong", "After: Hi"),
        ("there", "wrong", "After: no word"),
        ("Hi", "right", "Before: hi"),
        ("", "right", "Before: there"),
    ]
    assert "Both wrong" not in found and 'name="verdict"' not in found


def test_summary() -> None:
    text = re.sub(r"<[^>]*>|\s", " ", page())
    text = re.sub(" +", " ", text)
    assert "Words, Before 12 Words, After 12 Words, gold 12 Documents 3 Words that differ 6" in text
    assert "Before right 0 After right 3 Both wrong 3" in text
    # , . ? other, acronym capital lower mixed: right, missed, extra
    assert "Before 0 −1 +0 0 −1 +0 0 −1 +0 0 −0 +0 0 −1 +0 0 −3 +0 7 −0 +5 0 −1 +0" in text
    assert "After 1 −0 +1 1 −0 +1 0 −1 +0 0 −0 +0 1 −0 +0 3 −0 +1 7 −0 +0 0 −1 +0" in text


def test_markup_in_texts_and_names_stays_text(elements: Callable) -> None:
    evil = "<script>alert(\"1\")</script></p> &amp; 'x'"
    found = render_comparison(
        [evil], [evil.upper() + "."], [evil], names=("<b>A</b>", "</script><i>"), title="<i>&"
    )
    assert "<script>alert" not in found and "<SCRIPT>" not in found
    assert "<b>A" not in found and "</script><i>" not in found and "<i>&" not in found
    rows = [text for attributes, text in elements("p", found) if "aria-label" in attributes]
    assert rows == [evil, evil.upper() + "."]


def test_one_file() -> None:
    for found in (page(), render_comparison(A, B)):
        for loading in ("http://", "https://", "src=", "@import", "url(", "<link"):
            assert loading not in found
        assert "default-src 'none'" in found


def test_numbers_of_documents_differ() -> None:
    with pytest.raises(ValueError, match="numbers of documents differ"):
        render_comparison(A, B[:2])
    with pytest.raises(ValueError, match="numbers of documents differ"):
        render_comparison(A, B, GOLD[:1])


def test_no_documents() -> None:
    assert "Words that differ" in render_comparison([], [], [])


def luminance(colour: str) -> float:
    channels = [int(colour[index : index + 2], 16) / 255 for index in (1, 3, 5)]
    linear = [c / 12.92 if c <= 0.04045 else ((c + 0.055) / 1.055) ** 2.4 for c in channels]
    return 0.2126 * linear[0] + 0.7152 * linear[1] + 0.0722 * linear[2]


@pytest.mark.parametrize("theme", [0, 1])
def test_contrast_of_text_is_enough(theme: int) -> None:
    found = re.findall(r"--([\w-]+): light-dark\((#\w{6}), (#\w{6})\)", page())
    colours = {name: pair[theme] for name, *pair in found}
    pairs = [(text, ground) for text in ("text", "soft", "accent") for ground in ("page", "card")]
    pairs += [("right", "right-fill"), ("wrong", "wrong-fill"), ("on-accent", "accent")]
    for text, ground in pairs:
        light, dark = sorted((luminance(colours[text]), luminance(colours[ground])), reverse=True)
        assert (light + 0.05) / (dark + 0.05) >= 4.5, (text, ground)


def test_script_runs(browse: Browse, elements: Callable) -> None:
    found = browse(page())
    ((root, _),) = elements("html", found)
    assert root["data-ready"] == "true"
    assert "data-error" not in root
    assert elements("output", found)[0][1] == "6 differences shown, rows: 3"


def test_filters_in_the_address(browse: Browse, elements: Callable) -> None:
    found = browse(page(), "mark=,&verdict=b&at=2&theme=dark")
    ((root, _),) = elements("html", found)
    assert root["data-theme"] == "dark"
    marks = marks_of(elements("mark", found))
    assert shown(marks) == ["uyen", "Uyen,"]
    assert [mark["text"] for mark in marks if "current" in mark["class"]] == ["uyen", "Uyen,"]
    assert elements("output", found)[0][1] == "1 / 1 of 6 differences shown, rows: 1"
    assert ["hidden" in attributes for attributes, _ in elements("article", found)] == [
        False,
        True,
        True,
    ]
    assert "gold: <b>Uyen,</b>" in found


def test_filters_of_one_kind_add_up(browse: Browse, elements: Callable) -> None:
    found = browse(page(), "case=acronym&case=mixed&verdict=neither&at=1")
    marks = marks_of(elements("mark", found))
    assert shown(marks) == ["api", "github", "API,", "Github."]
    # The first one that is shown stands for the one that is not.
    assert [mark["data-number"] for mark in marks if "current" in mark["class"]] == ["5", "5"]


def test_nothing_passes_the_filters(browse: Browse, elements: Callable) -> None:
    found = browse(page(), "mark=other")
    assert shown(marks_of(elements("mark", found))) == []
    assert "0 of 6 differences shown, rows: 0" in found
    assert re.search(r'<p id="none">', found)


KEYS = """
const seen = [];
const press = (key) => dispatchEvent(new KeyboardEvent("keydown", {key, cancelable: true}));
const number = () => document.querySelector(".row .current")?.dataset.number ?? "none";
for (const key of ["j", "n", "n", "k", "p", "p"]) { press(key); seen.push(number()); }
seen.push(document.activeElement.dataset.number);
press("f"); seen.push(document.activeElement.value);
press("?"); seen.push(document.getElementById("help").open);
press("j"); seen.push(number());
press("Escape"); seen.push(document.getElementById("help").open);
document.querySelector('[name=verdict][value=b]').click(); seen.push(number());
press("j"); seen.push(number());
seen.push(location.hash);
document.getElementById("clear").click();
document.querySelector(".row mark.right").click(); seen.push(number());
document.getElementById("theme").click(); seen.push(document.documentElement.dataset.theme);
document.documentElement.dataset.seen = JSON.stringify(seen);
"""


def test_keys_and_buttons(browse: Browse, elements: Callable) -> None:
    ((root, _),) = elements("html", browse(page(), script=KEYS))
    assert "data-error" not in root
    assert root["data-seen"] == (
        '["1","2","3","2","1","6","6",",",true,"6",false,"none","1","#verdict=b&at=1","1","dark"]'
    )


def test_screenshot_of_a_long_page(browse: Browse, tmp_path: Path) -> None:
    gold = (ASSETS / "text" / "test.txt").read_text("utf8").splitlines() * 5
    found = render_comparison([line.lower() for line in gold], gold, gold)
    image = tmp_path / "page.png"
    browse(found, options=(f"--screenshot={image}", "--window-size=1280,900"))
    assert image.read_bytes().startswith(b"\x89PNG")
    assert image.stat().st_size > 50_000
