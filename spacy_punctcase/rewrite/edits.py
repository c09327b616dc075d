"""A new text from an old one, with the origin of each of its characters."""

from typing import List, Sequence, Tuple

#: Origin of a character that was not in the old text.
INSERTED = -1


class TextBuilder:
    """Builds a text from pieces of an old one and insertions, keeping the character map.

    DOCS: `text` is the new text so far, `origins[i]` the offset in the old text of its
    character i, or INSERTED.
    """

    def __init__(self, source: str):
        self._source = source
        self._pieces: List[str] = []
        self._position = 0
        self.origins: List[int] = []

    def copy_to(self, end: int) -> None:
        """Take over the old text up to an offset."""
        if end > self._position:
            self._pieces.append(self._source[self._position : end])
            self.origins.extend(range(self._position, end))
            self._position = end

    def skip_to(self, end: int) -> None:
        """Leave out the old text up to an offset."""
        self._position = max(self._position, end)

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
