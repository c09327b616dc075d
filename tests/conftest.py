"""Real components with tiny models, trained for a moment on the sample text."""

import lzma
import random
from pathlib import Path
from typing import Any, Dict, List

import numpy
import pytest
import spacy
import torch
from hypothesis import strategies as st
from spacy.language import Language
from spacy.training import Example
from thinc.api import fix_random_seed
from tokenizers import Tokenizer, models, normalizers, pre_tokenizers, processors, trainers
from transformers import BertConfig, BertModel, BertTokenizerFast, PreTrainedTokenizerFast

from spacy_punctcase.gold.align import GOLD
from spacy_punctcase.gold.readers import TextCorpus

ROOT = Path(__file__).parent.parent
ASSETS = ROOT / "assets"

TINY_TAGGER: Dict[str, Any] = {
    "@architectures": "spacy.Tagger.v2",
    "nO": None,
    "normalize": True,
    "tok2vec": {
        "@architectures": "spacy.HashEmbedCNN.v2",
        "pretrained_vectors": None,
        "width": 32,
        "depth": 2,
        "embed_size": 1000,
        "window_size": 1,
        "maxout_pieces": 2,
        "subword_features": True,
    },
}
TINY_CANINE: Dict[str, Any] = {
    "@architectures": "spacy_punctcase.CanineTruecaser.v1",
    "hidden_size": 64,
    "num_layers": 1,
    "num_heads": 2,
    "intermediate_size": 64,
    "num_hash_buckets": 512,
    "max_length": 512,
    "dropout": 0.0,
}


#: Texts in which something is out of the ordinary.
TEXTS = [
    "good morning maria garcia how are you today",
    "",
    " ",
    "i bought an iphone on ebay last week\nand the payment through paypal failed twice",
    "...",
    "\t\n",
    "is nasa in chicago or in denver [noise] i can't say",
    "see example.com/help or mail a.b@example.org #MeToo 3.50 10:30 $43,000. 1,000 u.s. market",
    "hello , how are you ?",
    "Dr. O'Brien said: hello!",
    "x" * 700,
    "well\u00a0you  know\r\n\u2003yes",
    "ἡ ΟΔΟΣ ΤΟΥ İstanbul straße ﬁne",
]

#: Words to make texts of.
WORDS = st.sampled_from(
    [
        "hi",
        "nasa",
        "how",
        "are",
        "you",
        "i",
        "don't",
        "3.50",
        "10:30",
        "$43,000.",
        "1,000",
        "u.s.",
        "a@b.org",
        "www.x.com/y?",
        "#Tag",
        "[noise]",
        "hello,",
        "world.",
        "really?",
        "ok!",
        "(see",
        "above)",
        '"quoted"',
        "--",
        "-",
        ",",
        ".",
        "?",
        "iPhone",
        "O'Brien",
        "ΣΑΣ",
        "İ",
        "ß",
        "...",
        "co-op",
    ]
)


def transcript(nlp: Language, gold: str, **annotations: Any) -> Example:
    """An Example of format A from its gold text."""
    from spacy_punctcase.text.words import normal_form, split_words

    words = [normal_form(gold, word) for word in split_words(gold)]
    example = Example.from_dict(nlp.make_doc(" ".join(words)), {"words": words, **annotations})
    example.reference.user_data[GOLD] = gold
    return example


def make_tiny_nlp(**punctuator: Any) -> Language:
    nlp = spacy.blank("en")
    nlp.add_pipe("punctuator", config={"model": TINY_TAGGER, **punctuator})
    nlp.add_pipe("truecaser", config={"model": TINY_CANINE, "window": 128, "stride": 96})
    return nlp


def make_subword_pipeline(encoder: Path) -> Language:
    """A pipeline whose models read a pretrained encoder; what is on top of it is not trained."""
    tagger = {**TINY_TAGGER, "tok2vec": {"@architectures": "spacy_punctcase.SubwordTok2Vec.v1"}}
    tagger["tok2vec"]["name"] = str(encoder)
    reader = {"@architectures": "spacy_punctcase.SubwordTruecaser.v1", "width": 16}
    loader = {"@model_loaders": "spacy_punctcase.SubwordLoader.v1", "name": str(encoder)}
    nlp = spacy.blank("xx")
    nlp.add_pipe("punctuator", config={"model": tagger})
    nlp.add_pipe("truecaser", config={"model": reader, "window": 128, "stride": 96})
    nlp.config["initialize"]["components"]["truecaser"] = {"encoder_loader": loader}
    nlp.initialize(lambda: [transcript(nlp, "Hi, how are you? Fine.")])
    return nlp


def train(nlp: Language, examples: List[Example], steps: int, batch: int = 32) -> Dict[str, float]:
    fix_random_seed(0)
    torch.manual_seed(0)
    rng = random.Random(0)
    optimizer = nlp.initialize(lambda: examples)
    optimizer.learn_rate = 0.003
    losses: Dict[str, float] = {}
    for _ in range(steps):
        losses = nlp.update(rng.sample(examples, min(batch, len(examples))), sgd=optimizer)
    return losses


@pytest.fixture(scope="session")
def train_examples() -> List[Example]:
    corpus = TextCorpus(ASSETS / "text" / "train.txt", min_words=12, max_words=40, seed=0)
    return list(corpus(spacy.blank("en")))


@pytest.fixture(scope="session")
def dev_examples() -> List[Example]:
    corpus = TextCorpus(ASSETS / "text" / "dev.txt", min_words=12, max_words=40, seed=0)
    return list(corpus(spacy.blank("en")))


@pytest.fixture(scope="session")
def tiny_nlp(train_examples: List[Example]) -> Language:
    """A pipeline of both restorers that learnt enough to insert marks and capitals."""
    nlp = make_tiny_nlp()
    train(nlp, train_examples, steps=120)
    return nlp


@pytest.fixture(scope="session")
def tiny_path(tiny_nlp: Language, tmp_path_factory: pytest.TempPathFactory) -> Path:
    path = tmp_path_factory.mktemp("tiny") / "model"
    tiny_nlp.to_disk(path)
    return path


#: Sentences with each kind of capitals, for truecasers that learn them by heart.
CASED_SENTENCES = [
    "Maria works for NASA in Houston.",
    "Does McDonald live in New York?",
    "We met at the BBC, near the river.",
    "I saw the GitHub page of Anna.",
]

#: The text whose words the tiny transformer has in its vocabulary.
ENCODER_GOLD = "Hi Maria, how are you? I live in Chicago, and she lives in Denver."


@pytest.fixture(scope="session")
def encoder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A folder with a tiny BERT and its tokenizer, as a hub would give."""
    folder = tmp_path_factory.mktemp("bert")
    words = ENCODER_GOLD.lower().replace(",", "").replace("?", "").replace(".", "").split()
    letters = [chr(code) for code in range(97, 123)]
    vocab = ["[PAD]", "[UNK]", "[CLS]", "[SEP]", "[MASK]", *dict.fromkeys(words + letters)]
    vocab += ["##" + letter for letter in letters]
    (folder / "vocab.txt").write_text("\n".join(vocab), encoding="utf8")
    BertTokenizerFast(str(folder / "vocab.txt")).save_pretrained(folder)
    config = BertConfig(
        vocab_size=len(vocab),
        hidden_size=32,
        num_hidden_layers=2,
        num_attention_heads=2,
        intermediate_size=64,
        max_position_embeddings=1024,
    )
    BertModel(config).save_pretrained(folder)
    return folder


#: Words are syllables, most letters may be written as one character or as several.
VIETNAMESE = [
    "Xin chào Uyên, bạn có khoẻ không?",
    "Tôi sống ở Hà Nội, và chị Thuỷ sống ở Huế.",
    "Anh Đức đang làm việc ở đâu?",
    "Hôm nay trời đẹp, nên chúng tôi đi chơi.",
    "Bạn Uyên đã ăn cơm chưa?",
    "Ông Ái học ở Cần Thơ.",
]


@pytest.fixture(scope="session")
def multilingual_encoder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A folder with a tiny BERT and a Unigram tokenizer, as XLM-RoBERTa has."""
    folder = tmp_path_factory.mktemp("multilingual")
    files = [ASSETS / name / "train.txt" for name in ("text", "text_de")]
    lines = [line for file in files for line in file.read_text(encoding="utf8").splitlines()]
    special = ["<s>", "<pad>", "</s>", "<unk>"]
    backend = Tokenizer(models.Unigram())
    backend.normalizer = normalizers.NFKC()  # type: ignore[assignment]
    backend.pre_tokenizer = pre_tokenizers.Sequence(  # type: ignore[assignment]
        [pre_tokenizers.WhitespaceSplit(), pre_tokenizers.Metaspace()]
    )
    trainer = trainers.UnigramTrainer(vocab_size=1500, special_tokens=special, unk_token="<unk>")
    backend.train_from_iterator([line.lower() for line in [*lines, *VIETNAMESE * 3]], trainer)
    backend.post_processor = processors.TemplateProcessing(  # type: ignore[assignment]
        single="<s> $A </s>", special_tokens=[("<s>", 0), ("</s>", 2)]
    )
    PreTrainedTokenizerFast(
        tokenizer_object=backend,
        bos_token="<s>",
        pad_token="<pad>",
        eos_token="</s>",
        unk_token="<unk>",
        mask_token="<mask>",
    ).save_pretrained(folder)
    config = BertConfig(
        vocab_size=backend.get_vocab_size() + 5,
        pad_token_id=1,
        hidden_size=32,
        num_hidden_layers=3,
        num_attention_heads=2,
        intermediate_size=64,
        max_position_embeddings=512,
    )
    BertModel(config).save_pretrained(folder)
    return folder


@pytest.fixture(scope="session")
def benchmark_data(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Evaluation sets and training text in the formats of the benchmarks, all of it sample text."""
    folder = tmp_path_factory.mktemp("data")
    gold = (ASSETS / "text" / "test.txt").read_text(encoding="utf8")
    lines = [line for line in gold.splitlines() if line][:12]
    for name in ("dev", "train", "iwslt2011", "librispeech_pc_subset"):
        (folder / name).mkdir()
    for name in ("changelog", "whitehouse_2009_2015", "digitalgov"):
        for part in ("dev", "train"):
            path = folder / part / f"{name}.txt.xz"
            path.write_bytes(lzma.compress("\n".join(lines).encode()))
    utterances = "".join(f"{index}\t{line}\n" for index, line in enumerate(lines))
    (folder / "librispeech_pc_subset" / "utterances.tsv").write_text(utterances, encoding="utf8")
    labels = "so\tO\nyes\tCOMMA\nwe\tO\ndo\tPERIOD\nwhy\tQUESTION\n" * 30
    for name in ("test2011", "test2011asr"):
        (folder / "iwslt2011" / name).write_text(labels, encoding="utf8")
    return folder


@pytest.fixture(autouse=True)
def _fixed_seeds() -> None:
    random.seed(0)
    numpy.random.seed(0)
    torch.manual_seed(0)
