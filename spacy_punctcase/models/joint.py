"""Networks that predict marks and case at once."""

from functools import partial
from typing import Any, Callable, Dict, List, Optional, Sequence, Tuple, cast

import torch
from spacy.ml.models.tagger import build_tagger_model
from spacy.tokens import Doc
from thinc.api import ArgsKwargs, Model, Shim, chain, concatenate, torch2xp, xp2torch
from thinc.types import Floats2d
from torch import Tensor, nn
from torch.nn.functional import cross_entropy
from torch.nn.utils.rnn import pad_sequence
from torchcrf import CRF

from ..errors import Errors
from ..text.word_case import CASES
from .arrays import Array2d, ArrayXd
from .crf import log_likelihood, marginals
from .saved import SavedNetwork
from .wrapper import wrap_network


class JointNetwork(SavedNetwork):
    """Base class of networks with a head for the mark and one for the case of each word.

    width (int): Width of the word vectors.
    num_marks (int): Number of marks, none among them.
    hidden_size (int): Width of the hidden layer of each head.
    use_crf (bool): Whether a linear-chain CRF is on top of the head for the marks.
    dropout (float): Dropout in front of the last layer of each head.
    """

    mark_head: nn.Sequential
    case_head: nn.Sequential

    def __init__(
        self,
        *,
        hidden_size: int,
        use_crf: bool,
        dropout: float,
        width: int = 2,
        num_marks: int = 1,
    ):
        super().__init__()
        self.width = width
        self.num_marks = num_marks
        self.hidden_size = hidden_size
        self.dropout = dropout
        self.crf = CRF(num_marks, batch_first=True) if use_crf else None

    def make_head(self, width: int, num_labels: int) -> nn.Sequential:
        """A feed-forward network from vectors to scores of labels."""
        return nn.Sequential(
            nn.Linear(width, self.hidden_size),
            nn.ReLU(),
            nn.Dropout(self.dropout),
            nn.Linear(self.hidden_size, num_labels),
        )

    def read(self, vectors: Tensor, mask: Tensor) -> Tuple[Tensor, Tensor]:
        """Scores of the marks, (batch, length, marks), and of CASES, (batch, length, cases)."""
        raise NotImplementedError

    def forward(self, vectors: Tensor, mask: Tensor) -> Tensor:
        """vectors (Tensor): Vectors of the words, (batch, length, width).
        mask (Tensor): True for all but the padding, (batch, length).
        RETURNS (Tensor): While training the scores of the marks and, behind them, of the cases, for
            `loss`; otherwise the probabilities of all combinations of a mark and a case, in the
            order of their labels, (batch, length, marks * cases)."""
        marks, cases = self.read(vectors, mask)
        if self.training:
            return torch.cat([marks, cases], dim=2).float()
        # The heads are independent given the words, so a combination's probability is a product.
        probabilities = self.mark_probabilities(marks, mask).unsqueeze(3)
        return (probabilities * cases.float().softmax(dim=2).unsqueeze(2)).flatten(start_dim=2)

    def mark_probabilities(self, scores: Tensor, mask: Tensor) -> Tensor:
        """Probabilities of the marks from their scores, (batch, length, marks)."""
        scores = scores.float()
        return scores.softmax(dim=2) if self.crf is None else marginals(self.crf, scores, mask)

    def loss(
        self, scores: Tensor, gold: Tensor, mask: Tensor, mark_weight: float, case_weight: float
    ) -> Tensor:
        """The weighted sum of the losses of marks and case, a mean over the words.

        scores (Tensor): Scores of marks and cases, (batch, length, marks + cases).
        gold (Tensor): 1 at the label of each word, all 0 where it is not known, (batch, length,
            marks * cases).
        mask (Tensor): True for all but the padding, (batch, length).
        mark_weight, case_weight (float): Weights of the two.
        RETURNS (Tensor): The loss.
        """
        gold = gold.unflatten(2, (self.num_marks, len(CASES)))
        known = gold.sum(dim=(2, 3)) > 0
        marks, cases = gold.sum(dim=3).argmax(dim=2), gold.sum(dim=2).argmax(dim=2)
        mark_scores, case_scores = scores[..., : self.num_marks], scores[..., self.num_marks :]
        case_loss = cross_entropy(case_scores[known], cases[known], reduction="sum")
        if self.crf is None:
            mark_loss = cross_entropy(mark_scores[known], marks[known], reduction="sum")
        else:
            mark_loss = -log_likelihood(self.crf, mark_scores, marks, known, mask).sum()
        return (mark_weight * mark_loss + case_weight * case_loss) / known.sum().clamp(min=1)

    @torch.no_grad()
    def start_from(self, gold: Tensor) -> None:
        """Let the heads begin with the frequencies of their labels, and the CRF with how much more
        frequent a mark is behind another than it is anywhere: training would spend its first steps
        on the former, and would hardly come to the latter at the rate that an encoder needs.

        gold (Tensor): One-hot labels of a sample, (batch, length, marks, cases).
        """
        marks, cases = gold.sum(dim=3), gold.sum(dim=2)
        of_marks, of_cases = (_frequencies(labels.sum(dim=(0, 1))) for labels in (marks, cases))
        cast(nn.Linear, self.mark_head[-1]).bias.copy_(of_marks.log())
        cast(nn.Linear, self.case_head[-1]).bias.copy_(of_cases.log())
        if self.crf is not None:
            pairs = torch.einsum("bti,btj->ij", marks[:, :-1], marks[:, 1:])
            # Behind a mark that was not seen all are as frequent as anywhere.
            ratios = (pairs / of_marks + len(pairs)) / (pairs.sum(dim=1, keepdim=True) + len(pairs))
            self.crf.transitions.copy_(ratios.log())

    @property
    def settings(self) -> Dict[str, Any]:
        return {
            "width": self.width,
            "num_marks": self.num_marks,
            "hidden_size": self.hidden_size,
            "use_crf": self.crf is not None,
            "dropout": self.dropout,
        }


class SingleTaskNetwork(JointNetwork):
    """Two heads that have nothing in common: the first half of the vectors is for the marks, the
    second for the case."""

    def __init__(self, **settings: Any):
        super().__init__(**settings)
        half = self.width // 2
        self.mark_head = self.make_head(half, self.num_marks)
        self.case_head = self.make_head(self.width - half, len(CASES))

    def read(self, vectors: Tensor, mask: Tensor) -> Tuple[Tensor, Tensor]:
        half = self.width // 2
        return self.mark_head(vectors[..., :half]), self.case_head(vectors[..., half:])


class CaseFirstNetwork(JointNetwork):
    """The head for the marks reads what the other one says of the case, as a soft embedding: the
    probabilities of the cases times a learnt matrix."""

    def __init__(self, **settings: Any):
        super().__init__(**settings)
        # Since a linear layer reads the embedding, its width makes no difference.
        self.case_embedding = nn.Linear(len(CASES), self.hidden_size, bias=False)
        self.mark_head = self.make_head(self.width + self.hidden_size, self.num_marks)
        self.case_head = self.make_head(self.width, len(CASES))

    def read(self, vectors: Tensor, mask: Tensor) -> Tuple[Tensor, Tensor]:
        cases = self.case_head(vectors)
        embedded = self.case_embedding(cases.softmax(dim=2))
        return self.mark_head(torch.cat([vectors, embedded], dim=2)), cases


class MarksFirstNetwork(JointNetwork):
    """The head for the case reads the probabilities of the marks."""

    def __init__(self, **settings: Any):
        super().__init__(**settings)
        self.mark_head = self.make_head(self.width, self.num_marks)
        self.case_head = self.make_head(self.width + self.num_marks, len(CASES))

    def read(self, vectors: Tensor, mask: Tensor) -> Tuple[Tensor, Tensor]:
        marks = self.mark_head(vectors)
        probabilities = self.mark_probabilities(marks, mask)
        return marks, self.case_head(torch.cat([vectors, probabilities], dim=2))


def build_product_tag_model(
    tok2vec: Model[List[Doc], List[Floats2d]],
) -> Model[List[Doc], List[Floats2d]]:
    """Build the model `spacy_punctcase.ProductTag.v1`: one softmax over all combinations of a
    mark and a case. Before models had an output for each of the two this was the usual one.

    tok2vec (Model[List[Doc], List[Floats2d]]): One vector for each word.
    RETURNS (Model[List[Doc], List[Floats2d]]): Probabilities of the tags, one row a word.
    """
    return build_tagger_model(tok2vec, normalize=True)


def build_joint_cap_punc_model(
    tok2vec: Model[List[Doc], List[Floats2d]],
    hidden_size: int = 128,
    use_crf: bool = True,
    dropout: float = 0.1,
    mark_weight: float = 1.0,
    case_weight: float = 1.0,
) -> Model[List[Doc], List[Floats2d]]:
    """Build the model `spacy_punctcase.JointCapPunc.v1` ("Vietnamese Capitalization and
    Punctuation Recovery Models", 2022, arXiv:2207.01312): case by a softmax; its probabilities
    times a learnt matrix, beside the word vector, are what the marks are read from; and a CRF over
    these.

    tok2vec (Model[List[Doc], List[Floats2d]]): One vector for each word; in the paper the sum of
        those of its sub-words.
    hidden_size (int): Width of the hidden layer of each head, and of the case embedding.
    use_crf (bool): Whether the marks have a linear-chain CRF; otherwise a softmax.
    dropout (float): Dropout in front of the last layer of each head.
    mark_weight, case_weight (float): Weights of the two losses.
    RETURNS (Model[List[Doc], List[Floats2d]]): Probabilities of the tags, one row a word.
    """
    return _build(
        CaseFirstNetwork(hidden_size=hidden_size, use_crf=use_crf, dropout=dropout),
        tok2vec,
        mark_weight,
        case_weight,
    )


def build_punctuation_first_model(
    tok2vec: Model[List[Doc], List[Floats2d]],
    hidden_size: int = 128,
    use_crf: bool = True,
    dropout: float = 0.1,
    mark_weight: float = 1.0,
    case_weight: float = 1.0,
) -> Model[List[Doc], List[Floats2d]]:
    """Build the model `spacy_punctcase.PunctuationFirst.v1` (Sunkara et al. 2020, "Robust
    Prediction of Punctuation and Truecasing for Medical ASR"): the probabilities of the marks,
    beside the word vector, are what the case is read from. See
    `build_joint_cap_punc_model` for the arguments.
    """
    return _build(
        MarksFirstNetwork(hidden_size=hidden_size, use_crf=use_crf, dropout=dropout),
        tok2vec,
        mark_weight,
        case_weight,
    )


def build_single_task_model(
    tok2vec: Model[List[Doc], List[Floats2d]],
    hidden_size: int = 128,
    use_crf: bool = True,
    dropout: float = 0.1,
    mark_weight: float = 1.0,
    case_weight: float = 1.0,
) -> Model[List[Doc], List[Floats2d]]:
    """Build the model `spacy_punctcase.SingleTask.v1`: marks and case each alone, with an encoder
    of its own. What the coupled ones are compared with; see `build_joint_cap_punc_model` for the
    arguments.

    RAISES (ValueError): If `tok2vec`, of which the second encoder is a copy, cannot be copied.
    """
    return _build(
        SingleTaskNetwork(hidden_size=hidden_size, use_crf=use_crf, dropout=dropout),
        concatenate(tok2vec, _copy(tok2vec)),
        mark_weight,
        case_weight,
    )


def _copy(tok2vec: Model) -> Model:
    for node in tok2vec.walk():
        if type(node) is not Model:
            raise ValueError(Errors.P092.format(layer=node.name))
    copied = tok2vec.copy()
    for node in copied.walk():
        for shim in node.shims:
            # thinc copies the id too, by which an optimizer knows the weights.
            shim.id = Shim(None).id
    return copied


def _build(
    network: JointNetwork,
    tok2vec: Model[List[Doc], List[Floats2d]],
    mark_weight: float,
    case_weight: float,
) -> Model[List[Doc], List[Floats2d]]:
    wrapped = wrap_network(network, convert_inputs=_pad_inputs, convert_outputs=_unpad_outputs)
    heads: Model = Model("joint_heads", _forward, init=_init, layers=[wrapped], dims={"nO": None})
    model: Model[List[Doc], List[Floats2d]] = chain(tok2vec, heads)
    model.set_ref("tok2vec", tok2vec)
    model.set_ref("joint_heads", heads)
    # Functions are not saved with a model, so the weights are always those of the config.
    model.attrs["get_loss"] = partial(
        get_joint_loss, mark_weight=mark_weight, case_weight=case_weight
    )
    return model


def get_network(model: Model) -> Optional[JointNetwork]:
    """The torch network with the heads of a model; None for a model without."""
    if "joint_heads" not in model.ref_names:
        return None
    return model.get_ref("joint_heads").layers[0].shims[0]._model


def get_joint_loss(
    model: Model,
    targets: Sequence[Array2d],
    scores: Sequence[Array2d],
    *,
    mark_weight: float,
    case_weight: float,
) -> Tuple[float, List[Array2d]]:
    """The loss of a model with two heads; the gradients of the CRF's transitions are left at its
    parameters.

    model (Model): The model.
    targets (Sequence[Array2d]): One-hot labels, shape (words, marks * cases); rows of zeros get no
        gradient.
    scores (Sequence[Array2d]): What the model returned in training, (words, marks + cases).
    mark_weight, case_weight (float): Weights of the losses of marks and case.
    RETURNS (Tuple[float, List[Array2d]]): The mean loss of a word, and the gradient of it with
        respect to the scores.
    """
    network = cast(JointNetwork, get_network(model))
    lengths = [len(rows) for rows in scores]
    padded, mask = _pad(scores, _device(network))
    padded.requires_grad_()
    gold, _ = _pad([model.ops.asarray(rows) for rows in targets], padded.device)
    # A CRF has no place for a sequence without a word.
    has_words = mask[:, 0]
    loss = network.loss(
        padded[has_words], gold[has_words], mask[has_words], mark_weight, case_weight
    )
    loss.backward()
    return loss.item(), _unpad(torch2xp(cast(Tensor, padded.grad)), lengths)


def _init(
    model: Model, X: Optional[List[Floats2d]] = None, Y: Optional[List[Floats2d]] = None
) -> None:
    if not X:
        return
    shim = model.layers[0].shims[0]
    settings = {**shim._model.settings, "width": X[0].shape[1]}
    if Y:  # thinc only gives it where the number of labels is not known yet
        settings["num_marks"] = Y[0].shape[1] // len(CASES)
    network = shim._model.from_settings(settings).to(_device(shim._model))
    if Y:
        padded, _ = _pad(Y, _device(network))
        network.start_from(padded.unflatten(2, (-1, len(CASES))))
        model.set_dim("nO", Y[0].shape[1])
    shim._model = network


def _forward(
    model: Model, vectors: List[Floats2d], is_train: bool
) -> Tuple[List[Floats2d], Callable]:
    return model.layers[0](vectors, is_train)


def _pad_inputs(
    model: Model, vectors: List[Floats2d], is_train: bool
) -> Tuple[ArgsKwargs, Callable[[ArgsKwargs], List[Floats2d]]]:
    padded, mask = _pad(vectors, _device(model.shims[0]._model))
    padded.requires_grad_(is_train)
    lengths = [len(rows) for rows in vectors]

    def backprop(gradients: ArgsKwargs) -> List[Floats2d]:
        return _unpad(torch2xp(gradients.args[0]), lengths)

    return ArgsKwargs(args=(padded, mask), kwargs={}), backprop


def _unpad_outputs(
    model: Model, inputs_outputs: Tuple[List[Floats2d], Tensor], is_train: bool
) -> Tuple[List[Floats2d], Callable[[List[Floats2d]], ArgsKwargs]]:
    vectors, output = inputs_outputs

    def backprop(gradients: List[Floats2d]) -> ArgsKwargs:
        padded, _ = _pad(gradients, output.device)
        return ArgsKwargs(args=((output,),), kwargs={"grad_tensors": (padded,)})

    return _unpad(torch2xp(output), [len(rows) for rows in vectors]), backprop


def _frequencies(counts: Tensor) -> Tensor:
    """How frequent each label is; none is 0."""
    return (counts + 1) / (counts + 1).sum()


def _device(network: nn.Module) -> torch.device:
    return next(network.parameters()).device


def _pad(arrays: Sequence[Array2d], device: torch.device) -> Tuple[Tensor, Tensor]:
    """Arrays as one tensor, (batch, length, width), and the mask of what is no padding."""
    tensors = [xp2torch(array, device=device) for array in arrays]
    lengths = torch.tensor([len(tensor) for tensor in tensors], device=device)
    padded = pad_sequence(tensors, batch_first=True)
    return padded, torch.arange(padded.shape[1], device=device) < lengths.unsqueeze(1)


def _unpad(padded: ArrayXd, lengths: Sequence[int]) -> List[Array2d]:
    return [rows[:length] for rows, length in zip(padded, lengths)]
