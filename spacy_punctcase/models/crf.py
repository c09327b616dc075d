"""What pytorch-crf leaves out: probabilities of single labels, and gold that is not known."""

import torch
from torch import Tensor
from torch.nn.functional import one_hot
from torchcrf import CRF

# The score of what must not be. It is finite, so that gradients are.
_IMPOSSIBLE = -1e4


def marginals(crf: CRF, emissions: Tensor, mask: Tensor) -> Tensor:
    """The probability of each label at each place, by the forward-backward algorithm.

    crf (CRF): The CRF, whose transitions count.
    emissions (Tensor): Scores of the labels, (batch, length, labels).
    mask (Tensor): True for all but the padding, which is behind the sequences, (batch, length).
    RETURNS (Tensor): Probabilities, (batch, length, labels); those of the padding mean nothing.
    """
    length = emissions.shape[1]
    # Both passes are normalised at each step: sums over a whole text would lose digits.
    left = [crf.start_transitions + emissions[:, 0]]
    for place in range(1, length):
        step = left[-1].log_softmax(dim=1).unsqueeze(2) + crf.transitions
        left.append(step.logsumexp(dim=1) + emissions[:, place])
    right = [crf.end_transitions.expand_as(left[0])]
    for place in range(length - 1, 0, -1):
        step = crf.transitions + (emissions[:, place] + right[-1]).unsqueeze(1)
        before = step.logsumexp(dim=2).log_softmax(dim=1)
        # What stands in front of padding is the last of its sequence.
        right.append(torch.where(mask[:, place, None], before, crf.end_transitions))
    return (torch.stack(left, dim=1) + torch.stack(right[::-1], dim=1)).softmax(dim=2)


def log_likelihood(
    crf: CRF, emissions: Tensor, labels: Tensor, known: Tensor, mask: Tensor
) -> Tensor:
    """The log probability of the known labels of each sequence, summed over all that the others may
    be.

    crf (CRF): The CRF, with `batch_first`.
    emissions (Tensor): Scores of the labels, (batch, length, labels). Those of words whose label is
        not known get no gradient: what the labels around them make likely is no evidence.
    labels (Tensor): The labels; any where they are not known, (batch, length).
    known (Tensor): True where the label is known, (batch, length).
    mask (Tensor): True for all but the padding, which is behind the sequences, (batch, length).
    RETURNS (Tensor): Log probabilities, (batch,).
    """
    is_known = known.unsqueeze(2)
    emissions = torch.where(is_known, emissions, emissions.detach())
    is_allowed = one_hot(labels, crf.num_tags).bool() | ~is_known
    allowed = emissions.masked_fill(~is_allowed, _IMPOSSIBLE)
    # p(known) = p(all labels) / p(all labels | known). The second is 1 where all of them are known.
    whole = crf(emissions, labels, mask, reduction="none")
    return whole - crf(allowed, labels, mask, reduction="none")
