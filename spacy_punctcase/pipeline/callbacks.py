"""Callbacks for the config of a pipeline."""

from functools import partial
from pathlib import Path
from typing import Any, Callable, List, Optional, Union

from spacy.language import Language
from thinc.api import Model

from ..errors import Errors
from ..gold.ngrams import count_ngrams
from ..gold.readers import PathLike, Weights
from ..models.ngrams import NGRAM_TOK2VEC


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


def create_ngram_counter(
    path: Optional[Union[PathLike, List[PathLike]]] = None,
    weights: Weights = {},
    min_count: int = 5,
) -> Callable[[Language], Language]:
    """Create the callback `spacy_punctcase.count_ngrams.v1` for `initialize.after_init`: a trained
    pipeline that goes on learning gets counts of other text in its `NgramTok2Vec` layers. Their
    weights fit, since the values mean the same.

    path (Optional[Union[str, Path, List]]): Well-formed text to count, other text than is trained
        on; see TextCorpus. None keeps the counts.
    weights (Union[Dict[str, float], str, Path]): Weights of the files as in training; those of
        weight 0 are left out.
    min_count (int): How often a run must occur.
    RETURNS (Callable[[Language], Language]): The callback. It raises a ValueError if no component
        has such a layer.
    """
    return partial(_count_anew, path=path, weights=weights, min_count=min_count)


def _count_anew(
    nlp: Language,
    *,
    path: Optional[Union[PathLike, List[PathLike]]],
    weights: Weights,
    min_count: int,
) -> Language:
    if path is None:
        return nlp
    models = [getattr(component, "model", None) for _, component in nlp.components]
    nodes = [node for model in models if isinstance(model, Model) for node in model.walk()]
    layers = [node for node in nodes if node.name == NGRAM_TOK2VEC]
    if not layers:
        raise ValueError(Errors.P103.format(names=", ".join(nlp.component_names)))
    counts = count_ngrams(path, weights, min_count=min_count)
    for layer in layers:
        layer.attrs["counts"] = counts
    return nlp
