"""The trained pipelines that ship inside the package."""

import sys
from pathlib import Path
from typing import Any, Iterable, List, Union

import spacy
from spacy.language import Language

from ..errors import Errors
from ..pipeline.restorer import Restorer, restorer_names

_FOLDER = Path(__file__).parent


def list_models() -> List[str]:
    """Names of the pipelines inside the package.

    RETURNS (List[str]): The names, each of which `load` takes.
    """
    return sorted(meta.parent.name for meta in _FOLDER.glob("*/meta.json"))


def load(name: str = "en", **kwargs: Any) -> Language:
    """Load a trained pipeline: punctuator and truecaser. Where it has nothing but restorers, a text
    may be of any length (`nlp.max_length`).

    name (str): Name of a pipeline inside the package (see `list_models`), or whatever
        `spacy.load` takes.
    **kwargs: Passed on to `spacy.load`.
    RETURNS (Language): The pipeline.
    RAISES (ValueError): If there is no such pipeline.
    """
    try:
        nlp = spacy.load(_FOLDER / name if name in list_models() else name, **kwargs)
    except OSError as error:
        available = ", ".join(list_models()) or "none"
        raise ValueError(Errors.P012.format(name=str(name), available=available)) from error
    if restorer_names(nlp) == nlp.pipe_names:
        # The limit guards parser and NER; the restorers read long text window by window.
        nlp.max_length = sys.maxsize
    return nlp


def add_pipes(
    nlp: Language, model: str = "en", *, exclude: Union[str, Iterable[str]] = ()
) -> Language:
    """Put trained restorers in front of all components of a pipeline, in place.

    nlp (Language): The pipeline; its other components work on the restored text from now on.
    model (str): What `load` takes.
    exclude (Union[str, Iterable[str]]): Names of components to leave out: "truecaser" for marks
        only, "punctuator" for case only.
    RETURNS (Language): The same pipeline.
    RAISES (ValueError): If there is no such model, or a name is taken.
    """
    source = load(model, exclude=exclude)
    for index, (name, trained) in enumerate(source.pipeline):
        config = dict(source.get_pipe_config(name))
        position = {"first": True} if index == 0 else {"after": source.pipe_names[index - 1]}
        component: Any = nlp.add_pipe(config.pop("factory"), name=name, config=config, **position)
        if isinstance(trained, Restorer):
            component.take_over(trained)
        elif hasattr(component, "from_bytes"):
            component.from_bytes(trained.to_bytes())  # type: ignore[attr-defined]
    return nlp
