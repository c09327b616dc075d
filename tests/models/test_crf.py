"""Marginals and likelihoods of a CRF, compared with the sum over all sequences."""

from itertools import product
from typing import Dict, List, Tuple

import pytest
import torch
from hypothesis import given, settings
from hypothesis import strategies as st
from torch import Tensor
from torchcrf import CRF

from spacy_punctcase.models.crf import log_likelihood, marginals


def make_crf(num_labels: int, scale: float = 2.0) -> CRF:
    crf = CRF(num_labels, batch_first=True)
    for parameter in crf.parameters():
        torch.nn.init.normal_(parameter, std=scale)
    return crf


def score(crf: CRF, emissions: Tensor, labels: Tuple[int, ...]) -> Tensor:
    total = crf.start_transitions[labels[0]] + crf.end_transitions[labels[-1]]
    for place, label in enumerate(labels):
        total = total + emissions[place, label]
    for before, behind in zip(labels, labels[1:]):
        total = total + crf.transitions[before, behind]
    return total


def all_scores(crf: CRF, emissions: Tensor) -> Dict[Tuple[int, ...], Tensor]:
    sequences = product(range(crf.num_tags), repeat=len(emissions))
    return {labels: score(crf, emissions, labels) for labels in sequences}


def make_batch(lengths: List[int], num_labels: int) -> Tuple[Tensor, Tensor]:
    emissions = torch.randn(len(lengths), max(lengths), num_labels) * 2
    return emissions, torch.arange(max(lengths)) < torch.tensor(lengths).unsqueeze(1)


@settings(deadline=None, max_examples=40)
@given(st.lists(st.integers(1, 5), min_size=1, max_size=4), st.integers(1, 4), st.integers(0, 99))
def test_marginals_are_sums_over_all_sequences(
    lengths: List[int], num_labels: int, seed: int
) -> None:
    torch.manual_seed(seed)
    crf = make_crf(num_labels)
    emissions, mask = make_batch(lengths, num_labels)
    found = marginals(crf, emissions, mask)
    for row, length in enumerate(lengths):
        scores = all_scores(crf, emissions[row, :length])
        total = torch.stack(list(scores.values())).logsumexp(dim=0)
        expected = torch.zeros(length, num_labels)
        for labels, value in scores.items():
            expected[range(length), labels] += (value - total).exp()
        torch.testing.assert_close(found[row, :length], expected, atol=1e-5, rtol=1e-4)


def test_marginals_are_the_gradient_of_the_likelihood() -> None:
    """The gradient of the log likelihood of any labels is those labels less the marginals."""
    crf = make_crf(4)
    emissions, mask = make_batch([7, 3, 1], 4)
    emissions.requires_grad_()
    crf(emissions, torch.zeros(3, 7, dtype=torch.long), mask).backward()
    assert emissions.grad is not None
    expected = torch.zeros(3, 7, 4)
    expected[..., 0] = 1
    found = marginals(crf, emissions.detach(), mask)
    torch.testing.assert_close(found[mask], (expected - emissions.grad)[mask])


def test_long_sequences_lose_no_digits() -> None:
    crf = make_crf(4)
    emissions, mask = make_batch([3000], 4)
    found = marginals(crf, emissions * 10, mask)
    double = marginals(crf.double(), (emissions * 10).double(), mask)
    torch.testing.assert_close(found.double(), double, atol=1e-4, rtol=1e-3)


@settings(deadline=None, max_examples=40)
@given(st.lists(st.booleans(), min_size=1, max_size=5), st.integers(1, 3), st.integers(0, 99))
def test_likelihood_sums_over_labels_that_are_not_known(
    known: List[bool], num_labels: int, seed: int
) -> None:
    torch.manual_seed(seed)
    crf = make_crf(num_labels)
    emissions, _ = make_batch([len(known)], num_labels)
    labels = torch.randint(num_labels, (1, len(known)))
    scores = all_scores(crf, emissions[0])
    fitting = [
        value
        for sequence, value in scores.items()
        if all(
            not is_known or sequence[place] == labels[0, place]
            for place, is_known in enumerate(known)
        )
    ]
    total = torch.stack(list(scores.values())).logsumexp(dim=0)
    expected = torch.stack(fitting).logsumexp(dim=0) - total
    is_known = torch.tensor([known])
    found = log_likelihood(crf, emissions, labels, is_known, torch.ones_like(is_known))
    torch.testing.assert_close(found[0], expected, atol=1e-4, rtol=1e-4)


def test_what_is_not_known_gets_no_gradient() -> None:
    crf = make_crf(3)
    emissions, mask = make_batch([5, 2], 3)
    emissions.requires_grad_()
    known = mask.clone()
    known[0, 2] = False
    labels = torch.randint(3, (2, 5))
    log_likelihood(crf, emissions, labels, known, mask).sum().backward()
    assert emissions.grad is not None
    has_gradient = emissions.grad.abs().sum(dim=2) > 0
    assert has_gradient.equal(known)
    other = labels.clone()
    other[~known] = 0
    first, second = (
        log_likelihood(crf, emissions, given, known, mask) for given in (labels, other)
    )
    torch.testing.assert_close(first, second, atol=1e-4, rtol=1e-4)


def test_all_known_is_the_likelihood_of_pytorch_crf() -> None:
    crf = make_crf(4)
    emissions, mask = make_batch([6, 4], 4)
    labels = torch.randint(4, (2, 6))
    found = log_likelihood(crf, emissions, labels, mask, mask)
    torch.testing.assert_close(found, crf(emissions, labels, mask, reduction="none"))


def test_most_probable_marks_of_a_sure_crf_are_its_best_sequence() -> None:
    crf = make_crf(4)
    emissions, mask = make_batch([9], 4)
    found = marginals(crf, emissions * 20, mask).argmax(dim=2)
    assert found[0].tolist() == crf.decode(emissions * 20, mask)[0]


@pytest.mark.parametrize("length", [1, 4])
def test_batch_of_other_lengths_changes_nothing(length: int) -> None:
    crf = make_crf(4)
    emissions, mask = make_batch([length, 12], 4)
    together = marginals(crf, emissions, mask)[0, :length]
    alone = marginals(crf, emissions[:1, :length], mask[:1, :length])[0]
    torch.testing.assert_close(together, alone)
