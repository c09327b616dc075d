"""JSON files whose strings are replaced in place, with errors that name the field."""

import json
import re
from typing import Any, Callable, Dict, List, NoReturn, Optional

from ..errors import Errors
from .transcript import Layout, Whole

_LONE_SURROGATE = re.compile("[\ud800-\udfff]")
_INDENT = re.compile(r"\A\s*[\[{]\s*?\n([ \t]*)")


class Field:
    """A value in a JSON file, and the way to it.

    value (Any): The value.
    path (str): The way to it, as in "results.channels[0]"; "" for the whole file.
    file (str): Name of the file.
    format (str): Name of the format that the file should have.
    """

    def __init__(self, value: Any, path: str, file: str, format: str):
        self.value = value
        self.path = path
        self._file = file
        self._format = format

    def fail(self, expected: str) -> NoReturn:
        """RAISES (ValueError): That something else was expected here."""
        found = "nothing" if self.value is None else repr(self.value)
        raise ValueError(
            Errors.P019.format(
                path=self._file,
                field=self.path or "the whole file",
                expected=expected,
                found=found if len(found) <= 60 else found[:57] + "...",
                format=self._format,
            )
        )

    def _child(self, value: Any, step: str) -> "Field":
        return Field(value, f"{self.path}{step}".lstrip("."), self._file, self._format)

    def get(self, *keys: str) -> "Field":
        """The first of some keys that an object has; a Field of None if it has none of them."""
        if not isinstance(self.value, dict):
            self.fail("an object")
        found = next((key for key in keys if self.value.get(key) is not None), keys[0])
        return self._child(self.value.get(found), f".{found}")

    def has(self, *keys: str) -> bool:
        return any(self.get(key).value is not None for key in keys)

    def items(self) -> List["Field"]:
        """The elements of a list; none where there is no list."""
        if self.value is None:
            return []
        if not isinstance(self.value, list):
            self.fail("a list")
        return [self._child(value, f"[{index}]") for index, value in enumerate(self.value)]

    @property
    def text(self) -> str:
        if not isinstance(self.value, str):
            self.fail("a string")
        lone = _LONE_SURROGATE.search(self.value)
        if lone is not None:
            code = ord(lone.group())
            raise ValueError(Errors.P053.format(path=self._file, field=self.path, code=code))
        return self.value

    def number(self, scale: float = 1.0) -> Optional[float]:
        """A number, None where there is none.

        scale (float): How many of its units are one.
        """
        value = self.value
        if value is None:
            return None
        if isinstance(value, str):
            try:
                value = float(value)
            except ValueError:
                self.fail("a number")
        if isinstance(value, bool) or not isinstance(value, (int, float)):
            self.fail("a number")
        return value / scale

    def name(self) -> Optional[str]:
        """A string or number that names somebody or something, as a string; None for none."""
        if self.value is None or isinstance(self.value, str):
            return self.value or None
        if isinstance(self.value, bool) or not isinstance(self.value, (int, float)):
            self.fail("a name or number")
        return str(self.value)

    def put(self, key: str) -> Callable[[str], None]:
        """What puts a text into an object under a key."""
        if not isinstance(self.value, dict):
            self.fail("an object")
        content: Dict[str, Any] = self.value
        return lambda text: content.__setitem__(key, text)


class JsonLayout(Layout):
    """The layout of a JSON file, written once all its strings are replaced.

    source (str): The file's text, whose indentation is kept.
    data (Any): Its content.
    """

    def __init__(self, source: str, data: Any):
        self._data = data
        indent = _INDENT.match(source)
        self._style: Dict[str, Any] = {
            "ensure_ascii": source.isascii() and "\\u" in source,
            "indent": indent.group(1) if indent else None,
        }
        if not indent and '": ' not in source:
            self._style["separators"] = (",", ":")
        self._end = source[len(source.rstrip()) :]
        self._fills: List[Callable[[], None]] = []

    def add_fill(self, fill: Callable[[], None]) -> None:
        """Add what is to be done when all turns are complete."""
        self._fills.append(fill)

    def whole(self, field: Field, key: str) -> Whole:
        """A text of the file that repeats pieces of others.

        field (Field): The object that has it.
        key (str): Its key.
        RETURNS (Whole): What the pieces are added to.
        """
        value = field.get(key).value
        whole = Whole(value if isinstance(value, str) else "", field.put(key))
        self.add_fill(whole.fill)
        return whole

    def finish(self) -> str:
        for fill in self._fills:
            fill()
        return json.dumps(self._data, **self._style) + self._end


def parse_json(source: str, name: str, line: int = 0) -> Any:
    """Parse JSON.

    source (str): The text.
    name (str): Name of the file.
    line (int): Number of lines in front of the text.
    RETURNS (Any): The content.
    RAISES (ValueError): If it is no JSON, naming the place.
    """
    try:
        return json.loads(source)
    except (json.JSONDecodeError, RecursionError) as error:
        reason = getattr(error, "msg", "nested too deep")
        raise ValueError(
            Errors.P018.format(
                path=name,
                line=line + getattr(error, "lineno", 1),
                column=getattr(error, "colno", 1),
                reason=reason,
            )
        ) from None
