"""How many words a second the pipeline and its peers restore, and where the pipeline's time goes.

The weights of the peers are on a hub, and the time that a network takes does not depend on what it
has learnt. So they get random weights in networks of the published shape; all the rest (splitting
into sub-words, windows, putting the text together) is their packages' own code. The marks and
capitals that they set are nonsense.
"""

import json
import sys
import warnings
from collections import defaultdict
from contextlib import ExitStack, contextmanager
from importlib.metadata import version
from pathlib import Path
from tempfile import TemporaryDirectory
from time import perf_counter
from typing import Any, Callable, Dict, Iterator, List, NamedTuple, Optional, Sequence, Tuple

import torch
from spacy.language import Language
from torch import Tensor, nn

import spacy_punctcase
from spacy_punctcase.models.runtime import cpu_has_bfloat16
from spacy_punctcase.pipeline.restorer import Restorer
from spacy_punctcase.text.case import lower

from .systems import make_truecase

#: Words of a paragraph, where the text is not one Doc, and words to warm up with.
PARAGRAPH_WORDS = 200
WARM_UP_WORDS = 500


class Shape(NamedTuple):
    """The shape of a transformer.

    layers: Number of layers.
    width: Size of their output.
    heads: Number of attention heads.
    inner: Size of the feed-forward layers.
    vocabulary: Rows of the embedding table.
    subwords: Sub-words that the tokenizer learns, if the text has as many.
    """

    layers: int
    width: int
    heads: int
    inner: int
    vocabulary: int
    subwords: int


class Peer(NamedTuple):
    """A system to be timed.

    restore: Restores one text.
    about: What the results say of it.
    """

    restore: Callable[[str], str]
    about: Dict[str, Any]


#: Names of the peers.
PCS_EN = "pcs_en shape"
DEEP_MULTILINGUAL = "deepmultilingualpunctuation shape"
TRUECASE = "truecase"

# Learnt from no more than the text that is timed, few sub-words cut it as finely as the many of a
# published vocabulary: into 1.15 a word, as the 30,000 of the shipped punctuator do.
PCS_EN_SHAPE = Shape(layers=6, width=512, heads=8, inner=2048, vocabulary=32_000, subwords=3_500)
# Without the 250,000 rows of its table: they are only looked up, which takes no time, and 1 GB.
XLM_R_LARGE = Shape(layers=24, width=1024, heads=16, inner=4096, vocabulary=1_500, subwords=1_500)


def measure_speed(
    text: str,
    model: str,
    name: str,
    *,
    threads: int = 2,
    repeats: int = 3,
    pcs_en: Shape = PCS_EN_SHAPE,
    xlm_r: Shape = XLM_R_LARGE,
) -> Dict[str, Any]:
    """Time a pipeline and its peers on one text, all in this process.

    text (str): Bare words.
    model (str): What `spacy_punctcase.load` takes.
    name (str): How the results call the pipeline.
    threads (int): Threads of torch and of onnxruntime.
    repeats (int): Number of runs, behind one to warm up. The best one counts.
    pcs_en (Shape): Shape of the network of `punctuators`.
    xlm_r (Shape): Shape of the network of `deepmultilingualpunctuation`.
    RETURNS (Dict[str, Any]): "systems" with the times of each, "pipeline" with what else there is
        to know of the pipeline, and "left_out" with the peers whose packages are missing.
    """
    words = text.split()
    systems: Dict[str, Any] = {}
    left_out: Dict[str, str] = {}
    with torch_threads(threads), TemporaryDirectory() as folder:
        pipeline, marked = _time_pipeline(words, model, name, repeats, systems)
        some = words[:DEEP_MULTILINGUAL_WORDS]
        peers: List[Tuple[str, Callable[[], Peer], Sequence[str]]] = [
            (PCS_EN, lambda: make_pcs_en(words, pcs_en, threads, Path(folder)), words),
            (DEEP_MULTILINGUAL, lambda: make_deep_multilingual(some, words, xlm_r), some),
            (TRUECASE, _make_truecase, marked),
        ]
        for peer_name, make, peer_words in peers:
            try:
                peer = make()
            except ModuleNotFoundError as error:
                left_out[peer_name] = str(error)
            else:
                systems[peer_name] = _time_peer(peer, peer_words, repeats)
    return {
        "words": len(words),
        "threads": threads,
        "repeats": repeats,
        "systems": systems,
        "left_out": left_out,
        "pipeline": pipeline,
    }


def make_paragraphs(words: Sequence[str]) -> List[str]:
    """The words in texts of PARAGRAPH_WORDS."""
    starts = range(0, len(words), PARAGRAPH_WORDS)
    return [" ".join(words[start : start + PARAGRAPH_WORDS]) for start in starts]


@contextmanager
def torch_threads(count: int) -> Iterator[None]:
    """Let torch use a number of threads meanwhile."""
    before = torch.get_num_threads()
    torch.set_num_threads(count)
    try:
        yield
    finally:
        torch.set_num_threads(before)


def time_runs(run: Callable[[], Any], words: int, repeats: int) -> Dict[str, Any]:
    """Time a call several times.

    run (Callable[[], Any]): What to time.
    words (int): Number of words that it works on.
    repeats (int): How often to call it.
    RETURNS (Dict[str, Any]): "seconds" of each run, and "words_per_second" of the best.
    """
    seconds = []
    for _ in range(repeats):
        start = perf_counter()
        run()
        seconds.append(perf_counter() - start)
    return {"words": words, "seconds": seconds, "words_per_second": words / min(seconds)}


def _time_peer(peer: Peer, words: Sequence[str], repeats: int) -> Dict[str, Any]:
    text = " ".join(words)
    peer.restore(" ".join(words[:WARM_UP_WORDS]))
    return {**peer.about, **time_runs(lambda: peer.restore(text), len(words), repeats)}


def _time_pipeline(
    words: Sequence[str], model: str, name: str, repeats: int, systems: Dict[str, Any]
) -> Tuple[Dict[str, Any], List[str]]:
    """Add the times of a pipeline to `systems`.

    RETURNS (Tuple[Dict[str, Any], List[str]]): What else there is to know of the pipeline, and the
        words with the marks that it sets, in lower case.
    """
    one_doc = [" ".join(words)]
    nlp, first = _load(model)
    systems[f"{name}, one Doc"] = time_pipeline(nlp, one_doc, repeats)
    systems[f"{name}, paragraphs"] = time_pipeline(nlp, make_paragraphs(words), repeats)
    # Now: what comes after needs more memory.
    size, peak = _size(nlp.path), peak_memory()
    marked = lower(nlp(one_doc[0]).text).split()
    is_float32 = number_format(nlp) == "float32"
    # The number format of the peers.
    overrides = {f"components.{pipe}.precision": "float32" for pipe, _ in _restorers(nlp)}
    nlp, again = _load(model, config=overrides)
    if not is_float32:
        systems[f"{name}, one Doc, float32"] = time_pipeline(nlp, one_doc, repeats)
    return {"load_seconds": [first, again], "size_mb": size, "peak_memory_mb": peak}, marked


def _load(model: str, **kwargs: Any) -> Tuple[Language, float]:
    """Load a pipeline. RETURNS (Tuple[Language, float]): The pipeline, and the seconds it took."""
    start = perf_counter()
    return spacy_punctcase.load(model, **kwargs), perf_counter() - start


def _restorers(nlp: Language) -> List[Tuple[str, Restorer]]:
    return [(name, pipe) for name, pipe in nlp.pipeline if isinstance(pipe, Restorer)]


def number_format(nlp: Language) -> str:
    """The number format that the restorers of a pipeline calculate in, here."""
    settings = {nlp.get_pipe_config(name)["precision"] for name, _ in _restorers(nlp)}
    auto = "bfloat16" if cpu_has_bfloat16() else "float32"
    return ", ".join(sorted({auto if setting == "auto" else setting for setting in settings}))


def time_pipeline(nlp: Language, texts: Sequence[str], repeats: int) -> Dict[str, Any]:
    """Time a pipeline, and within the same runs its stages.

    nlp (Language): The pipeline.
    texts (Sequence[str]): The texts, each of them a Doc.
    repeats (int): Number of runs, behind one to warm up.
    RETURNS (Dict[str, Any]): What `time_runs` does, and "stages": for each its seconds in the best
        run, and its share.
    """
    words = [word for text in texts for word in text.split()]
    runs: List[Dict[str, float]] = []

    def restore(texts: Sequence[str]) -> None:
        runs.append(defaultdict(float))
        with watch_stages(nlp, runs[-1]):
            for doc in nlp.pipe(texts):
                assert doc.text

    restore(make_paragraphs(words[:WARM_UP_WORDS]))
    runs.clear()
    found = time_runs(lambda: restore(texts), len(words), repeats)
    best = min(found["seconds"])
    stages = {
        stage: {"seconds": seconds, "share": seconds / best}
        for stage, seconds in runs[found["seconds"].index(best)].items()
    }
    about = {
        "documents": len(texts),
        "restores": "marks, case",
        "number_format": number_format(nlp),
    }
    return {**about, **found, "stages": stages}


@contextmanager
def watch_stages(nlp: Language, seconds: Dict[str, float]) -> Iterator[None]:
    """Meanwhile add up the time of each stage of a pipeline: "tokenise", and for each restorer
    what it takes to predict and to rewrite (to decide, and make the new text and its Doc)."""
    watched: List[Tuple[Any, str, str]] = [(nlp, "make_doc", "tokenise")]
    for name, restorer in _restorers(nlp):
        watched.append((restorer, "predict", f"{name} predict"))
        watched.append((restorer, "_annotate", f"{name} rewrite"))
        watched.append((restorer, "_rewrite", f"{name} rewrite"))
    with ExitStack() as stack:
        for owner, method, stage in watched:
            stack.enter_context(_watch(owner, method, stage, seconds))
        yield


@contextmanager
def _watch(owner: Any, method: str, stage: str, seconds: Dict[str, float]) -> Iterator[None]:
    """Meanwhile add up the time of one method of an object."""
    original = getattr(owner, method)

    def timed(*args: Any, **kwargs: Any) -> Any:
        start = perf_counter()
        try:
            return original(*args, **kwargs)
        finally:
            seconds[stage] += perf_counter() - start

    setattr(owner, method, timed)
    try:
        yield
    finally:
        delattr(owner, method)


def peak_memory() -> Optional[float]:
    """The most memory that this process had so far, in MB; None on Windows, which does not say."""
    try:
        import resource
    except ImportError:
        return None
    peak = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss
    return peak / 1e6 if sys.platform == "darwin" else peak * 1024 / 1e6


def _size(folder: Path) -> float:
    """Size of a folder, in MB."""
    return sum(path.stat().st_size for path in folder.rglob("*") if path.is_file()) / 1e6


def _make_truecase() -> Peer:
    """The package `truecase`, case alone: it is given the marks of the pipeline."""
    truecaser = make_truecase()
    return Peer(
        lambda text: truecaser.restore([text])[0],
        {"packages": _versions("truecase"), "restores": "case"},
    )


def _versions(*packages: str) -> Dict[str, str]:
    return {package: version(package) for package in packages}


#: Sub-words that pcs_en reads at a time, most characters in one, and the marks that it knows. Its
#: label for acronyms is left out: at random, it would put periods between letters.
PCS_EN_LENGTH = 256
PCS_EN_CHARACTERS = 16
PCS_EN_LABELS = {"pre_labels": ["<NULL>"], "post_labels": ["<NULL>", ".", ",", "?"]}
#: Words for each mark in running text, about.
WORDS_PER_MARK = 8


def make_pcs_en(words: Sequence[str], shape: Shape, threads: int, folder: Path) -> Peer:
    """The package `punctuators` with a network of the shape of its model "pcs_en".

    The package makes its session without options, so it is exchanged for one with that number of
    threads. Of the heads of the published network some are fed what others found; here they are
    side by side, which can only be faster.

    words (Sequence[str]): The text, to learn sub-words of.
    shape (Shape): Shape of the network.
    threads (int): Threads of onnxruntime.
    folder (Path): Where the model is kept as long as it is used.
    RETURNS (Peer): The system.
    """
    import onnxruntime
    from punctuators.models.punc_cap_seg_model import PunctCapSegConfigONNX, PunctCapSegModelONNX

    subwords = _train_sentencepiece(words, folder / "sp.model", shape.subwords, threads)
    network = PunctCapSeg(shape, pad=subwords.pad_id())
    ids = subwords.EncodeAsIds(" ".join(words))
    network.set_biases(_make_batch(ids), len(words) / len(ids) / WORDS_PER_MARK)
    _export(network, folder / "model.onnx")
    config = {"max_length": PCS_EN_LENGTH, "languages": ["en"], **PCS_EN_LABELS}
    # What is JSON is YAML, too.
    (folder / "config.yaml").write_text(json.dumps(config), encoding="utf8")
    providers = ["CPUExecutionProvider"]
    model = PunctCapSegModelONNX(PunctCapSegConfigONNX(directory=str(folder)), providers)
    options = onnxruntime.SessionOptions()
    options.intra_op_num_threads = threads
    model._ort_session = onnxruntime.InferenceSession(
        str(folder / "model.onnx"), options, providers=providers
    )
    about = {
        "packages": _versions("punctuators", "onnxruntime", "sentencepiece"),
        "restores": "marks, case",
        "number_format": "float32",
        "subwords_per_word": len(ids) / len(words),
    }
    return Peer(lambda text: " ".join(model.infer([text])[0]), about)


def _train_sentencepiece(words: Sequence[str], path: Path, count: int, threads: int) -> Any:
    """Learn a number of sub-words, and save and return the model."""
    from sentencepiece import SentencePieceProcessor, SentencePieceTrainer

    with path.open("wb") as file:
        SentencePieceTrainer.train(
            # A line that is too long would be left out.
            sentence_iterator=iter(make_paragraphs(words)),
            model_writer=file,
            # "unigram" cannot learn enough of them from so little text.
            model_type="bpe",
            vocab_size=count,
            hard_vocab_limit=False,
            character_coverage=1.0,
            max_sentencepiece_length=PCS_EN_CHARACTERS,
            # The words must come out as they went in.
            normalization_rule_name="identity",
            # By default there is no padding, which the package needs.
            pad_id=3,
            num_threads=threads,
            minloglevel=2,
        )
    return SentencePieceProcessor(str(path))


def _make_batch(ids: Sequence[int], count: int = 8) -> Tensor:
    """Full windows from the start of a text; one that is not full if there is no other."""
    length = min(PCS_EN_LENGTH, len(ids))
    count = min(count, len(ids) // length)
    return torch.tensor(ids[: count * length]).reshape(count, length)


class PunctCapSeg(nn.Module):
    """A network with the inputs and outputs of the models of `punctuators`, at random.

    shape (Shape): Shape of the transformer.
    pad (int): The id that stands for no sub-word.
    """

    def __init__(self, shape: Shape, pad: int) -> None:
        from transformers import BertConfig, BertModel

        super().__init__()
        torch.manual_seed(0)
        config = BertConfig(
            vocab_size=shape.vocabulary,
            hidden_size=shape.width,
            num_hidden_layers=shape.layers,
            num_attention_heads=shape.heads,
            intermediate_size=shape.inner,
            max_position_embeddings=PCS_EN_LENGTH,
            pad_token_id=pad,
        )
        self.pad = pad
        self.encoder = BertModel(config, add_pooling_layer=False)
        self.pre = nn.Linear(shape.width, len(PCS_EN_LABELS["pre_labels"]))
        self.post = nn.Linear(shape.width, len(PCS_EN_LABELS["post_labels"]))
        self.case = nn.Linear(shape.width, PCS_EN_CHARACTERS)
        self.boundary = nn.Linear(shape.width, 2)
        self.eval()

    def forward(self, input_ids: Tensor) -> Tuple[Tensor, Tensor, Tensor, Tensor]:
        """For each sub-word the mark before it and behind it, whether each of its characters is
        upper case, and whether a sentence ends."""
        hidden = self._encode(input_ids)
        return (
            self.pre(hidden).argmax(-1),
            self.post(hidden).argmax(-1),
            self.case(hidden) > 0,
            self.boundary(hidden).argmax(-1),
        )

    def _encode(self, input_ids: Tensor) -> Tensor:
        mask = (input_ids != self.pad).long()
        return self.encoder(input_ids, attention_mask=mask).last_hidden_state

    @torch.no_grad()
    def set_biases(self, input_ids: Tensor, share: float) -> None:
        """Let a share of sub-words have a mark behind them, about as many a capital, and half as
        many end a sentence. Without, it could be each of them.

        input_ids (Tensor): Sub-words to find the biases with.
        share (float): The share.
        """
        hidden = self._encode(input_ids)
        post, boundary = self.post(hidden), self.boundary(hidden)
        margins = post[..., 1:].amax(-1) - post[..., 0]
        self.post.bias[0] += torch.quantile(margins, 1 - share)
        margins = boundary[..., 1] - boundary[..., 0]
        self.boundary.bias[0] += torch.quantile(margins, 1 - share / 2)
        # A sub-word has some four letters.
        self.case.bias.sub_(torch.quantile(self.case(hidden), 1 - share / 4))


def _export(network: PunctCapSeg, path: Path) -> None:
    """Save a network for onnxruntime, for any number and length of texts."""
    outputs = ["pre_preds", "post_preds", "cap_preds", "seg_preds"]
    with warnings.catch_warnings():
        # The exporter is not the newest, and has its doubts about the network of transformers.
        warnings.simplefilter("ignore")
        torch.onnx.export(
            network,
            (torch.full((2, 8), network.pad + 1),),
            str(path),
            input_names=["input_ids"],
            output_names=outputs,
            dynamic_axes={key: {0: "batch", 1: "length"} for key in ["input_ids", *outputs]},
            opset_version=17,
            # The newest one needs one more package.
            dynamo=False,
        )


#: Words that `deepmultilingualpunctuation` is timed on, two of its chunks of 230 words that overlap
#: by 5. The whole text would take an hour.
DEEP_MULTILINGUAL_WORDS = 455
DEEP_MULTILINGUAL_LABELS = ["0", ".", ",", "?", "-", ":"]


def make_deep_multilingual(timed: Sequence[str], words: Sequence[str], shape: Shape) -> Peer:
    """The package `deepmultilingualpunctuation` with a network of the shape of XLM-R large.

    timed (Sequence[str]): What it is timed on.
    words (Sequence[str]): The whole text, to learn sub-words of.
    shape (Shape): Shape of the network.
    RETURNS (Peer): The system.
    """
    from deepmultilingualpunctuation import PunctuationModel
    from transformers import (
        TokenClassificationPipeline,
        XLMRobertaConfig,
        XLMRobertaForTokenClassification,
    )

    tokenizer = _train_tokenizer(words, shape.subwords)
    count = sum(len(tokenizer.tokenize(text)) for text in make_paragraphs(timed))
    torch.manual_seed(0)
    config = XLMRobertaConfig(
        vocab_size=shape.vocabulary,
        hidden_size=shape.width,
        num_hidden_layers=shape.layers,
        num_attention_heads=shape.heads,
        intermediate_size=shape.inner,
        # The first two are never used.
        max_position_embeddings=tokenizer.model_max_length + 2,
        id2label=dict(enumerate(DEEP_MULTILINGUAL_LABELS)),
    )
    network = XLMRobertaForTokenClassification(config).eval()
    # Its __init__ does nothing but make this from a name on a hub.
    model = PunctuationModel.__new__(PunctuationModel)
    model.pipe = TokenClassificationPipeline(
        model=network, tokenizer=tokenizer, device=torch.device("cpu")
    )
    about = {
        "packages": _versions("deepmultilingualpunctuation", "transformers", "torch"),
        "restores": "marks",
        "number_format": "float32",
        "subwords_per_word": count / len(timed),
    }
    return Peer(model.restore_punctuation, about)


def _train_tokenizer(words: Sequence[str], count: int) -> Any:
    """A tokenizer that puts out what XLM-R's does, with a number of sub-words of the text."""
    from tokenizers import Tokenizer
    from tokenizers.models import BPE
    from tokenizers.pre_tokenizers import Metaspace
    from tokenizers.processors import TemplateProcessing
    from tokenizers.trainers import BpeTrainer
    from transformers import PreTrainedTokenizerFast

    special = ["<s>", "<pad>", "</s>", "<unk>"]
    tokenizer = Tokenizer(BPE(unk_token="<unk>"))
    tokenizer.pre_tokenizer = Metaspace()
    tokenizer.train_from_iterator(
        words, BpeTrainer(vocab_size=count, special_tokens=special, show_progress=False)
    )
    tokenizer.post_processor = TemplateProcessing(
        single="<s> $A </s>", special_tokens=[("<s>", 0), ("</s>", 2)]
    )
    return PreTrainedTokenizerFast(
        tokenizer_object=tokenizer,
        bos_token="<s>",
        pad_token="<pad>",
        eos_token="</s>",
        unk_token="<unk>",
        model_max_length=512,
    )
