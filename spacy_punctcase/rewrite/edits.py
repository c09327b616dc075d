"""A new text from an old one, with the origin of each of its characters."""

from typing import List, Sequence, Tuple

#: Origin of a character that was not in the old text.
INSERTED = -1


class TextBuilder:
    """Builds a text from pieces of an old one and insertions, keeping the character map.

    source (str): The old text. `position` says how much of it is dealt with, `origins[i]` the
        offset in it of character i of the new text, or INSERTED.
    """

    def __init__(self, source: str):
        self._source = source
        self._pieces: List[str] = []
        self.position = 0
        self.origins: List[int] = []

    def copy_to(self, end: int) -> None:
        """Take over the old text up to an offset."""
        if end > self.position:
            self._pieces.append(self._source[self.position : end])
            self.origins.extend(range(self.position, end))
            self.position = end

    def skip_to(self, end: int) -> None:
        """Leave out the old text up to an offset."""
        self.position = max(self.position, end)

    def insert(self, text: str) -> None:
        self._pieces.append(text)
        self.origins.extend([INSERTED] * len(text))

    def finish(self) -> Tuple[str, List[int]]:
        """Take over the rest. RETURNS (Tuple[str, List[int]]): The new text and its map."""
        self.copy_to(len(self._source))
        return "".join(self._pieces), self.origins


def compose(outer: Sequence[int], inner: Sequence[int]) -> List[int]:
    """The map of two rewrites after one another.

    outer (Sequence[int]): Map of the second rewrite, into the text between.
    inner (Sequence[int]): Map of the first one, into the source.
    RETURNS (List[int]): Map of the second rewrite's text into the source.
    """
    return [inner[origin] if origin >= 0 else INSERTED for origin in outer]
