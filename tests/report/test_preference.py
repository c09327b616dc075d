import base64
import json
from pathlib import Path
from typing import Any, Callable, Dict

import pytest
from pytest import approx

from spacy_punctcase.report.preference import (
    Votes,
    rater_agreement,
    read_votes,
    render_study,
    score_votes,
    sign_test,
    wilson_interval,
)

Browse = Callable[..., str]
A = [f"this is item {number}" for number in range(12)] + ["same in both."]
B = [f"This is item {number}." for number in range(12)] + ["same in both."]


def data_of(page: str) -> Dict[str, Any]:
    start = page.index('<script id="study" type="application/json">')
    return json.loads(page[page.index(">", start) + 1 : page.index("</script>", start)])


def text_of(runs: Any) -> str:
    return "".join(text for text, _ in runs)


def votes(choices: str, rater: str = "", study: str = "s", start: int = 0) -> Votes:
    """Votes written as a letter for each item; "-" for none."""
    names = {"a": "a", "b": "b", "t": "tie"}
    found = {item: names[c] for item, c in enumerate(choices, start) if c != "-"}
    return Votes(Path(f"{rater or 'votes'}.json"), study, ("Old", "New"), rater, found)


def votes_file(**changes: Any) -> Dict[str, Any]:
    data: Dict[str, Any] = {
        "study": "s",
        "names": {"a": "Old", "b": "New"},
        "rater": "",
        "votes": [{"item": 0, "choice": "a"}, {"item": 3, "choice": "tie"}],
    }
    return {**data, **changes}


def test_study() -> None:
    data = data_of(render_study(A, B, B, names=("Old", "New")))
    assert data["names"] == ["Old", "New"]
    assert len(data["items"]) == 12
    sides = base64.b64decode(data["key"]).decode()
    # As often left as right, in random order.
    assert (sides.count("a"), sides.count("b")) == (6, 6)
    assert sides not in ("ab" * 6, "ba" * 6)
    for item, side in zip(data["items"], sides, strict=True):
        left, right = text_of(item["left"]), text_of(item["right"])
        assert (left if side == "a" else right) in A
        assert (right if side == "a" else left) == item["gold"]
    differing = [text for text, differs in data["items"][0]["left"] if differs]
    assert len(differing) == 2
    numbers = [item["gold"] for item in data["items"]]
    assert sorted(numbers) == sorted(B[:12]) and numbers != B[:12]


def test_study_depends_on_the_seed_alone() -> None:
    page = render_study(A, B, limit=5, seed=1)
    assert page == render_study(A, B, limit=5, seed=1)
    data, other = data_of(page), data_of(render_study(A, B, limit=5, seed=2))
    assert len(data["items"]) == len(other["items"]) == 5
    assert data["study"] != other["study"]
    assert data["items"][0]["gold"] is None


def test_nothing_differs() -> None:
    with pytest.raises(ValueError, match="Old and New do not differ"):
        render_study(["a b."], ["a  b."], names=("Old", "New"))


def test_markup_in_texts_stays_text() -> None:
    page = render_study(["so</script><script>x"], ["so</script><script>y"])
    assert "</script><script>x" not in page
    found = data_of(page)["items"][0]
    assert {text_of(found["left"])[-1], text_of(found["right"])[-1]} == {"x", "y"}
    for loading in ("http://", "https://", "src=", "@import", "url("):
        assert loading not in page


VOTE = """
const press = (key) => dispatchEvent(new KeyboardEvent("keydown", {key, cancelable: true}));
URL.createObjectURL = (blob) => {
  blob.text().then((text) => { document.documentElement.dataset.saved = text; });
  return "#";
};
if (!sessionStorage.voted) {
  sessionStorage.voted = "yes";
  for (const key of ["1", "2", "0", "ArrowLeft", "ArrowLeft", "2", "ArrowRight", "1"]) press(key);
  document.getElementById("rater").value = "Ann";
  document.getElementById("rater").dispatchEvent(new Event("input"));
  location.reload();
} else {
  document.getElementById("download").click();
}
"""


def test_votes_outlast_a_reload_and_are_decoded_when_saved(
    browse: Browse, elements: Callable, tmp_path: Path
) -> None:
    page = render_study(A, B, names=("Old", "New"), limit=6)
    ((root, _),) = elements("html", browse(page, script=VOTE))
    assert "data-error" not in root and root["data-ready"] == "true"
    path = tmp_path / "votes.json"
    path.write_text(root["data-saved"], "utf8")
    found = read_votes(path)
    data = data_of(page)
    sides = base64.b64decode(data["key"]).decode()
    other = {"a": "b", "b": "a"}
    # Left, right changed to right again, none; then the fourth is left.
    assert found.choices == {0: sides[0], 1: other[sides[1]], 2: "tie", 3: sides[3]}
    assert found[1:4] == (data["study"], ("Old", "New"), "Ann")
    saved = json.loads(root["data-saved"])
    assert saved["items"] == 6 and all(vote["time"][:2] == "20" for vote in saved["votes"])


CHOOSE = """
document.querySelector('[data-choice="tie"]').click();
document.getElementById("back").click();
document.getElementById("rater").focus();
document.getElementById("rater").dispatchEvent(
  new KeyboardEvent("keydown", {key: "1", bubbles: true}));
document.getElementById("underline").click();
dispatchEvent(new KeyboardEvent("keydown", {key: "?"}));
"""


def test_buttons(browse: Browse, elements: Callable) -> None:
    found = browse(render_study(A, B, B), "theme=dark", CHOOSE)
    ((root, _),) = elements("html", found)
    assert (root["data-theme"], root.get("data-error")) == ("dark", None)
    pressed = [
        attributes["data-choice"]
        for attributes, _ in elements("button", found)
        if attributes.get("aria-pressed") == "true"
    ]
    assert pressed == ["tie"]  # and the digit in the name is no vote
    assert ">1 of 12<" in found and ">1 voted<" in found
    assert "open" in elements("dialog", found)[0][0]
    assert elements("body", found)[0][0]["class"] == ""


def test_all_done(browse: Browse) -> None:
    found = browse(
        render_study(A[:1], B[:1]),
        script="dispatchEvent(" + "new KeyboardEvent('keydown', {key: '2'}))",
    )
    assert "All done, thank you." in found


def test_read_votes(tmp_path: Path) -> None:
    path = tmp_path / "votes.json"
    path.write_text(json.dumps(votes_file(rater=" Ann ", more=1)), "utf8")
    assert read_votes(path) == Votes(path, "s", ("Old", "New"), "Ann", {0: "a", 3: "tie"})


@pytest.mark.parametrize(
    "content, problem",
    [
        ("{", "is not JSON"),
        ("[]", "is not a JSON object"),
        (votes_file(study=None), "'study' must be the id"),
        (votes_file(names=["a", "b"]), "'names' must give a name"),
        (votes_file(names={"a": "Old"}), "'names' must give a name"),
        (votes_file(rater=None), "'rater' must be a name"),
        (votes_file(votes={}), "'votes' must be a list"),
        (votes_file(votes=[1]), "'item' of vote 1 must be"),
        (votes_file(votes=[{"item": True, "choice": "a"}]), "'item' of vote 1 must be"),
        (votes_file(votes=[{"item": -1, "choice": "a"}]), "'item' of vote 1 must be"),
        (votes_file(votes=[{"item": 0, "choice": "left"}]), "'choice' of vote 1 must be 'a', 'b'"),
        (votes_file(votes=[{"item": 0, "choice": ["a"]}]), "'choice' of vote 1 must be 'a', 'b'"),
        (votes_file(votes=[{"item": 0, "choice": "a"}] * 2), "there are two votes on item 0"),
    ],
)
def test_malformed_votes(content: Any, problem: str, tmp_path: Path) -> None:
    path = tmp_path / "votes.json"
    path.write_text(content if isinstance(content, str) else json.dumps(content), "utf8")
    with pytest.raises(ValueError, match=problem) as caught:
        read_votes(path)
    assert str(path) in str(caught.value)


def test_votes_that_cannot_be_read(tmp_path: Path) -> None:
    with pytest.raises(ValueError, match="cannot be read"):
        read_votes(tmp_path / "none.json")
    path = tmp_path / "votes.json"
    path.write_bytes(b"\xff\xfe{")
    with pytest.raises(ValueError, match="is not JSON"):
        read_votes(path)


def test_score_votes() -> None:
    scores = score_votes([votes("abbbbbbbbt"), votes("b--------t", rater="Ann")])
    assert scores["names"] == {"a": "Old", "b": "New"}
    assert (scores["raters"], scores["votes"]) == (2, 12)
    assert (scores["wins_a"], scores["wins_b"], scores["ties"]) == (1, 9, 2)
    assert scores["share_b"]["value"] == approx(10 / 12)
    assert scores["share_b_without_ties"]["value"] == approx(0.9)
    assert scores["share_b_without_ties"]["low"] == approx(0.5958, abs=1e-4)
    assert scores["share_b_without_ties"]["high"] == approx(0.9821, abs=1e-4)
    assert scores["p_value"] == approx(2 * 11 / 1024)
    assert scores["agreement"] == 0.5


def test_no_votes() -> None:
    scores = score_votes([votes("")])
    assert scores["votes"] == 0
    nothing = {"value": None, "low": None, "high": None}
    assert scores["share_b"] == scores["share_b_without_ties"] == nothing
    assert scores["p_value"] is scores["agreement"] is scores["alpha"] is None
    ties = score_votes([votes("tt")])
    assert (ties["share_b"]["value"], ties["p_value"]) == (0.5, None)


def test_votes_that_do_not_go_together() -> None:
    with pytest.raises(ValueError, match="Bob.json: has votes on study t, but Ann.json on s"):
        score_votes([votes("a", "Ann"), votes("a", "Bob", study="t")])
    with pytest.raises(ValueError, match="has votes of Ann, and so has Ann.json"):
        score_votes([votes("a", "Ann"), votes("a"), votes("b"), votes("b", "Ann")])


def test_wilson_interval() -> None:
    assert wilson_interval(7, 10) == (approx(0.3968, abs=1e-4), approx(0.8922, abs=1e-4))
    assert wilson_interval(0, 10) == (0.0, approx(0.2775, abs=1e-4))
    assert wilson_interval(10, 10) == (approx(0.7225, abs=1e-4), approx(1.0))


@pytest.mark.parametrize(
    "wins_a, wins_b, expected",
    [(2, 8, 2 * 56 / 1024), (8, 2, 2 * 56 / 1024), (5, 5, 1.0), (0, 6, 2 / 64), (1, 0, 1.0)],
)
def test_sign_test(wins_a: int, wins_b: int, expected: float) -> None:
    assert sign_test(wins_a, wins_b) == approx(expected)


def test_agreement() -> None:
    # Four items, eight votes: 3 a, 5 b; one item of two unequal votes.
    # Observed 2/8, expected 2*3*5/(8*7).
    raters = [votes("aabb-").choices, votes("abbba").choices]
    assert rater_agreement(raters) == (0.75, approx(1 - (2 / 8) / (30 / 56)))
    assert rater_agreement([votes("bb").choices] * 3) == (1.0, None)
    assert rater_agreement([votes("ab").choices, votes("ab", start=2).choices]) == (None, None)
