"""What writes restored Docs in a format."""

from typing import Any, Dict, List, Optional

from spacy.tokens import Doc

from .words import RestoredWord, fill_times, recording_of, restored_words


class Writer:
    """Writes Docs, one after the other."""

    def write(self, doc: Doc) -> str:
        """Write a Doc.

        doc (Doc): The Doc.
        RETURNS (str): What can be written by now.
        """
        raise NotImplementedError

    def finish(self) -> str:
        """RETURNS (str): The rest, when there are no more Docs."""
        return ""


class RecordingWriter(Writer):
    """Writes Docs a recording at a time, since a time that is missing in one Doc lies between those
    of its neighbours. Subclasses define `write_recording`."""

    #: Name of the format.
    format = ""

    def __init__(self) -> None:
        self._docs: List[Doc] = []

    def write(self, doc: Doc) -> str:
        done = ""
        if self._docs and recording_of(self._docs[0]) != recording_of(doc):
            done = self.finish()
        self._docs.append(doc)
        return done

    def finish(self) -> str:
        docs, self._docs = self._docs, []
        if not docs:
            return ""
        found = list(map(restored_words, docs))
        filled = iter(fill_times([word for words in found for word in words], self.format))
        timed = [[next(filled) for _ in words] for words in found]
        return self.write_recording(docs, timed)

    def write_recording(self, docs: List[Doc], words: List[List[RestoredWord]]) -> str:
        """Write a recording.

        docs (List[Doc]): Its Docs.
        words (List[List[RestoredWord]]): The words of each, all with times.
        RETURNS (str): The recording.
        """
        raise NotImplementedError


def without_none(record: Dict[str, Optional[Any]]) -> Dict[str, Any]:
    """A record without what is not known."""
    return {key: value for key, value in record.items() if value is not None}
