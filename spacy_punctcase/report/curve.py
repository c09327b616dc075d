"""Learning curves from the logs of trainings, as spaCy's logger writes them."""

import json
from itertools import count, cycle
from math import nan
from pathlib import Path
from typing import (
    TYPE_CHECKING,
    Any,
    Dict,
    Iterable,
    Iterator,
    List,
    Mapping,
    NamedTuple,
    Optional,
    Sequence,
)

from ..errors import Errors
from ..gold.readers import PathLike, read_lines
from .plots import COLOURS, GRID, LINES, add_axes, empty_figure

if TYPE_CHECKING:
    from matplotlib.figure import Figure

#: Share of the value before that a smoothed loss has.
SMOOTHING = 0.5
#: A score that spaCy logs beside the others, in words per second.
SPEED = "speed"


class Evaluation(NamedTuple):
    """A line of a log.

    epoch: Number of passes over the training text before.
    step: Number of updates before the last one.
    losses: Loss of each component, summed over the updates since the evaluation before.
    scores: The scores on dev text by name, in percent.
    score: What they come to, from 0 to 1; the best model is the one where it is highest.
    """

    epoch: int
    step: int
    losses: Dict[str, float]
    scores: Dict[str, float]
    score: float


def read_log(path: PathLike) -> List[Evaluation]:
    """Read a log that `spacy.ConsoleLogger.v3` wrote to its `output_file`.

    path (Union[str, Path]): The file.
    RETURNS (List[Evaluation]): The evaluations, at least one.
    RAISES (ValueError): If the file has none or is malformed, naming the line.
    """
    log: List[Evaluation] = []
    for number, line in enumerate(read_lines(path), start=1):
        if not line.strip():
            continue
        try:
            evaluation = parse_evaluation(line)
            if log and evaluation.step <= log[-1].step:
                raise ValueError(Errors.P057.format(step=evaluation.step, before=log[-1].step))
        except ValueError as error:
            raise ValueError(Errors.P010.format(path=path, line=number, problem=error)) from None
        log.append(evaluation)
    if not log:
        raise ValueError(Errors.P056.format(path=path))
    return log


def parse_evaluation(line: str) -> Evaluation:
    """Read a line of a log.

    RAISES (ValueError): If it is no such line.
    """
    try:
        data = json.loads(line)
    except json.JSONDecodeError:
        raise ValueError(Errors.P055.format(problem="this is no JSON")) from None
    if not isinstance(data, dict):
        raise ValueError(Errors.P055.format(problem="this is no object"))
    kinds = {"epoch": _is_count, "step": _is_count, "score": _is_number}
    kinds.update(losses=_is_by_name, scores=_is_by_name)
    for key, is_right in kinds.items():
        if not is_right(data.get(key)):
            problem = f"{key!r} is {data[key]!r}" if key in data else f"{key!r} is missing"
            raise ValueError(Errors.P055.format(problem=problem))
    return Evaluation(**{key: data[key] for key in Evaluation._fields})


def _is_number(value: Any) -> bool:
    return isinstance(value, (int, float)) and not isinstance(value, bool)


def _is_count(value: Any) -> bool:
    return isinstance(value, int) and _is_number(value) and value >= 0


def _is_by_name(value: Any) -> bool:
    return isinstance(value, dict) and all(map(_is_number, value.values()))


def count_updates(log: Sequence[Evaluation]) -> List[int]:
    """Number of updates since the evaluation before; the first one comes after the update with
    number 0."""
    steps = [evaluation.step for evaluation in log]
    return [after - before for before, after in zip([-1, *steps], steps)]


def losses_per_step(log: Sequence[Evaluation]) -> Dict[str, List[float]]:
    """The loss of an update by component, for each evaluation the mean since the one before."""
    return {
        name: [
            evaluation.losses.get(name, nan) / updates
            for evaluation, updates in zip(log, count_updates(log))
        ]
        for name in log[0].losses
    }


def smooth(values: Iterable[float], weights: Iterable[float], smoothing: float) -> Iterator[float]:
    """Smooth values by an exponential moving average in which each has a weight.

    values (Iterable[float]): The values.
    weights (Iterable[float]): How many values each stands for: the first loss is that of a single
        update, and must not weigh as much as the mean of a hundred.
    smoothing (float): Share of what came before, from 0 to less than 1.
    YIELDS (float): The smoothed values.
    """
    total = weight = 0.0
    for value, number in zip(values, weights):
        total = smoothing * total + (1 - smoothing) * number * value
        weight = smoothing * weight + (1 - smoothing) * number
        yield total / weight


def best_evaluation(log: Sequence[Evaluation]) -> Evaluation:
    """The evaluation whose model is the best one; the first of several that are."""
    return max(log, key=lambda evaluation: evaluation.score)


def shown_scores(log: Sequence[Evaluation]) -> List[str]:
    """Names of the scores that are in percent."""
    return [name for name in log[0].scores if name != SPEED]


def find_places(log: Sequence[Evaluation], words_per_step: int = 0) -> List[int]:
    """Where on the axis evaluations are: at steps or, given words per step, at the words read."""
    if words_per_step:
        return [(evaluation.step + 1) * words_per_step for evaluation in log]
    return [evaluation.step for evaluation in log]


def plot_curves(
    logs: Mapping[str, Sequence[Evaluation]],
    words_per_step: Mapping[str, int] = {},
    smoothing: float = SMOOTHING,
) -> "Figure":
    """Draw the scores on dev text and, below, the smoothed loss of trainings.

    logs (Mapping[str, Sequence[Evaluation]]): The evaluations of each training, by its name.
    words_per_step (Mapping[str, int]): The words that an update reads, by name of the training.
        With them curves are drawn over words on a logarithmic axis, without them over steps.
    smoothing (float): See `smooth`.
    RETURNS (Figure): The figure.
    """
    figure = empty_figure(9, 6)
    scores, losses = (add_axes(figure, 2, 1, place) for place in (1, 2))
    for index, (name, log) in enumerate(logs.items()):
        colour = COLOURS[index % len(COLOURS)]
        places = find_places(log, words_per_step.get(name, 0))
        best = log.index(best_evaluation(log))
        for score, line in zip(shown_scores(log), cycle(LINES)):
            values = [evaluation.scores.get(score, nan) for evaluation in log]
            scores.plot(places, values, line, color=colour, label=f"{name}, {score}")
            scores.plot(places[best], values[best], "o", color=colour)
        for (component, found), line in zip(losses_per_step(log).items(), cycle(LINES)):
            losses.plot(places, found, line, color=colour, alpha=0.25)
            smoothed = list(smooth(found, count_updates(log), smoothing))
            losses.plot(places, smoothed, line, color=colour, label=f"{name}, {component}")
    for axes in (scores, losses):
        axes.set_xscale("log" if words_per_step else "linear")
        axes.grid(color=GRID, linewidth=0.6)
        # A training may have no score with a weight, or no component that learns.
        if axes.lines:
            axes.legend(fontsize="small", frameon=False, loc="upper left", bbox_to_anchor=(1, 1))
    scores.set_ylabel("dev score (%)")
    scores.set_title("Dots: the best model", fontsize="medium")
    losses.set_yscale("log")
    losses.set_ylabel("loss per step, smoothed")
    losses.set_xlabel("words" if words_per_step else "steps")
    return figure


def set_aside(path: PathLike) -> Optional[Path]:
    """Rename a log, so that the next training can write one: spaCy's logger writes none where a
    file is.

    path (Union[str, Path]): The log; nothing is done if there is none.
    RETURNS (Optional[Path]): What it is called now: "name.1.jsonl" or, where that is taken,
        "name.2.jsonl" and so on.
    """
    path = Path(path)
    if not path.exists():
        return None
    names = (path.with_suffix(f".{number}{path.suffix}") for number in count(1))
    free = next(name for name in names if not name.exists())
    return path.rename(free)
