"""Callbacks for the config of a pipeline."""

from pathlib import Path
from typing import Any, Callable

from spacy.language import Language


def create_portable_config() -> Callable[[Language], Language]:
    """Create the callback `spacy_punctcase.portable_config.v1` for `training.before_to_disk`: no
    absolute path of the machine that trained a pipeline stays in its config. Only the last part
    of each path does; a trained pipeline has its weights and needs none of them."""
    return _make_portable


def _make_portable(nlp: Language) -> Language:
    _shorten_paths(nlp.config)
    return nlp


def _shorten_paths(section: Any) -> None:
    items = section.items() if isinstance(section, dict) else enumerate(section)
    for key, value in list(items):
        if isinstance(value, (dict, list)):
            _shorten_paths(value)
        elif isinstance(value, (str, Path)) and Path(value).is_absolute():
            section[key] = Path(value).name
