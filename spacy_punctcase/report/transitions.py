"""What the CRF of a joint_restorer has learnt about marks that follow one another."""

from typing import cast

from torchcrf import CRF

from ..errors import Errors
from ..models.joint import get_network
from ..pipeline.joint_restorer import JointRestorer
from ..text.marks import NO_MARK


def transition_table(restorer: JointRestorer) -> str:
    """The transitions of a CRF as a table in Markdown: what is added to the log score of a text
    where the mark of a row is followed, behind the next word, by that of a column.

    restorer (JointRestorer): The component.
    RETURNS (str): The table.
    RAISES (ValueError): If its model has no CRF, or has not seen marks yet.
    """
    network = get_network(restorer.model)
    if network is None or network.crf is None or not restorer.cfg["initialized"]:
        raise ValueError(Errors.P091.format(name=restorer.name))
    crf = cast(CRF, network.crf)
    labels = [NO_MARK, *restorer.marks]
    rows = [["(start)", *map(_format, crf.start_transitions.tolist()), ""]]
    for label, scores, end in zip(labels, crf.transitions.tolist(), crf.end_transitions.tolist()):
        rows.append([f"`{label}`", *map(_format, scores), _format(end)])
    head = ["", *(f"`{label}`" for label in labels), "(end)"]
    lines = [head, ["---", *["---:"] * (len(head) - 1)], *rows]
    return "\n".join(f"| {' | '.join(cells)} |" for cells in lines)


def _format(score: float) -> str:
    return f"{score:+.2f}"
