"""Messages of the errors that this package raises, each saying how to fix what went wrong."""


class Errors:
    P001 = (
        "The component '{name}' ({factory}) has no trained weights. Load a trained pipeline "
        "(spacy_punctcase.load() or spacy.load), put the trained components in front of this "
        "pipeline (spacy_punctcase.add_pipes(nlp)), or train the component "
        "(nlp.initialize() and spacy train; see configs/)."
    )
    P002 = (
        "The mark {mark!r} (word {word!r}) is neither a label {labels} of the component '{name}' "
        "nor mapped to one. Add it to `marks`, or map it in `mark_map`, for example "
        "[[{mark!r}, '.']] (map it to '' to drop it)."
    )
    P003 = (
        "The gold text has different words than the text to restore: word {index} is {source!r} "
        "in the one and {gold!r} in the other. Only punctuation marks and case may differ. "
        "Gold text: {excerpt!r}"
    )
    P004 = (
        "The mark {mark!r} is not one of the characters that count as a punctuation mark: {known}. "
        "`marks` takes e.g. [',', '.', '?']."
    )
    P005 = (
        "mark_map sends {mark!r} to {target!r}, which is not one of the marks {marks}. Map it to "
        'one of them, or to "" to drop it.'
    )
    P006 = "The setting '{setting}' of '{name}' must be {expected}, but is {value!r}."
    P007 = "{path}: byte {byte} is not valid UTF-8 ({reason}). Convert the file to UTF-8 first."
    P008 = "{path}: cannot be read ({reason})."
    P009 = (
        "No text file found in {path}. Give a .txt or .txt.xz file, a folder with such files, or a "
        "list of either."
    )
    P010 = "{path}, line {line}: {problem}"
    P011 = (
        "Cannot load the encoder from {source!r}: {reason}. Give the name of a model on the "
        "Hugging Face hub, or a folder with config.json and model.safetensors."
    )
    P012 = (
        "There is no model {name!r}: neither an installed package, nor a folder with a pipeline, "
        "nor one of those that ship with spacy_punctcase ({available})."
    )
    P013 = (
        "The architecture of '{name}' reads windows of at most {maximum} characters, but `window` "
        "is {value}. Lower `window`, or raise `max_position_embeddings` in the model's config."
    )
    P014 = "The labels of '{name}' are fixed once it is initialized; {label!r} came too late."
    P015 = "Unknown name {given!r} for {what}. Available: {available}."
    P016 = (
        "The text reader has no path. Give one in the config, or on the command line "
        "(`--paths.train FILE_OR_FOLDER`)."
    )
    P017 = (
        "{path}: cannot tell what format it is ({problem}). Name it (`--from`, or `format` of "
        "`read_transcript`): {available}."
    )
    P018 = (
        "{path}, line {line}, column {column}: not valid JSON ({reason}). If the file was cut off, "
        "get it again."
    )
    P019 = "{path}: {field}: expected {expected}, but found {found}. Is it really {format}?"
    P020 = "{path}: cannot be written ({reason})."
    P021 = (
        "The pipeline {model!r} has no component that restores text (its components: {found}). "
        "Give one with a punctuator or a truecaser."
    )
    P022 = (
        "expected one word, a tab and one of the labels {labels}, but found {found!r}. Convert "
        "other files with --format text or jsonl."
    )
    P023 = (
        "expected a JSON object with a string 'text' and, if its entities are known, a list "
        "'entities' of [start, end, label]; {problem}."
    )
    P024 = (
        "the entity {entity} {problem}. Entities are [start, end, label], the offsets in "
        "characters."
    )
    P025 = (
        "{path}: the last argument is the file to write, and must end in .spacy, or in .tsv for "
        "the three columns of ViCapPunc."
    )
    P026 = "Nothing to convert in {paths}: there is no running text."
    P027 = (
        "Both JSON lines and other files are given. Convert each kind on its own, or name the one "
        "that all are with --format."
    )
    P028 = (
        "The numbers of {what} differ ({first} and {second}), so they cannot be compared one to "
        "one. Give both in the same order, and as many of them."
    )
    P029 = (
        "{path} has {number} documents, but {other} has {other_number}, so they cannot be compared "
        "one to one. Give files of the same documents in the same order."
    )
    P030 = "expected a JSON object with a string 'text'."
    P031 = (
        "{path}: there are no entities in it. With --ner, GOLD must be a .spacy file or JSON lines "
        "with entities (see `punctcase convert`)."
    )
    P032 = (
        "CanineLoader loads the encoder of a model with @architectures = "
        '"spacy_punctcase.CanineTruecaser.v1", but this one is {model!r}. Remove the '
        "`encoder_loader`, or change the architecture."
    )
    P033 = (
        '{path}: expected weights of text files by name, like {{"podcasts": 6, "books": 0.5}} '
        "({problem})."
    )
    P034 = (
        "{path}, line {line}: has a null byte, so it is no text in UTF-8 (perhaps UTF-16, or a "
        "binary file). Convert the file to UTF-8 first."
    )
    P035 = "{a} and {b} do not differ in any word or mark: there is nothing to prefer."
    P036 = (
        "{path}: {problem}. Give files that the page of `punctcase preference make` saved, as they "
        "are."
    )
    P037 = "{path}: {problem}. Score the votes of one study at a time, with one file a rater."
    P038 = "Plots need matplotlib. Install it with `pip install 'spacy-punctcase[plots]'`."
    P039 = (
        "{format} needs times, but the transcript has none. Write text or json, or start from a "
        "file with times."
    )
    P040 = (
        "The target has {count} windows, too few to compare with (at least {minimum}). Give more "
        "clean text, or a smaller --window."
    )
    P041 = "The share of the target to keep must be more than 0 and at most 1, but is {value}."
    P042 = "The threshold must be more than 0, but is {value}."
    P043 = "Nothing to filter in {paths}: there is no text."
    P044 = "{path}: text is written to files that end in .txt or .txt.xz."
    P045 = (
        "`mark_bias` of '{name}' has {mark!r}, which is not one of its marks {marks}. Name marks "
        "only; to get more or fewer words without a mark, give all marks the same bias."
    )
    P046 = (
        "{path}: its gold text has neither a mark nor a capital, so there is nothing to tune on. "
        "Give transcripts with gold text, as `punctcase convert` makes of well-formed text "
        "(DocBin(store_user_data=True) keeps it)."
    )
    P047 = "{path}: is there already. Give another name, or replace it with --force."
    P048 = (
        "The truecasing model has no sub-word encoder. Give it one when it is initialized: in "
        "[initialize.components.truecaser.encoder_loader] set "
        '@model_loaders = "spacy_punctcase.SubwordLoader.v1" and name to a name on the Hugging '
        "Face hub or a folder."
    )
    P049 = (
        "The model '{model}' reads no sub-words, so no sub-word encoder can be loaded into it. Use "
        'the architecture "spacy_punctcase.SubwordTruecaser.v1".'
    )
    P050 = "{path}: is there already and no pipeline, so --force does not replace it."
    P051 = (
        "The pipeline {model!r} has no component to tune (its components: {found}). Give one with "
        "a punctuator, a truecaser or a joint_restorer."
    )
    P052 = (
        "{format} can only be written from a {format} file, whose other content stays as it is. "
        "Write one of: {available}."
    )
    P053 = (
        "{path}: {field}: half of a character (a lone surrogate, \\u{code:04x}). Repair the escape "
        "in the file first."
    )
    P054 = (
        "The encoder is not loaded yet. Initialize the pipeline (`nlp.initialize`; `spacy train` "
        "does it), or load one that was trained."
    )
    P055 = (
        "expected an evaluation as spaCy's ConsoleLogger.v3 writes it, with 'epoch', 'step', "
        "'losses', 'scores' and 'score'; {problem}. Where a training was killed the last line may "
        "be cut off: delete that line."
    )
    P056 = (
        "{path}: there is no evaluation in it yet. The logger writes many at a time, and the rest "
        "when training ends; wait for that."
    )
    P057 = (
        "step {step} does not come after step {before}. Give each training a log of its own "
        "(`--paths.log`)."
    )
    P058 = (
        "word {index} of the transcript (counted from 0) {problem}. Leave it out, or give None for "
        "a time that is not known."
    )
    P070 = (
        "A StreamingRestorer takes text (str), or an iterable of words (str or TimedWord), but "
        "found {found}. Decode bytes first; to end the text call flush()."
    )
    P071 = (
        "The setting '{setting}' of StreamingRestorer must be at least 1, but is {value}. "
        "Without a word that follows, every word would end a sentence."
    )
    P072 = (
        "The transcript has {length} characters, more than `nlp.max_length` ({maximum}). Give it "
        "in parts (a turn or paragraph each) to `nlp.pipe`; or, where nothing but restorers is in "
        "the pipeline, which read window by window, raise `nlp.max_length`."
    )
    P075 = (
        "{what} must be a list of texts, but is the text {value!r}: its characters would be taken "
        "one by one. Put it in a list, [{value!r}]."
    )
    P076 = (
        "{path}: the suffix of a glossary says what it is: .txt (a spelling a line), .jsonl, .csv "
        "or .tsv."
    )
    P077 = (
        "expected a spelling, or an object with a string 'spelling' or 'text', but found {found}."
    )
    P078 = (
        "there is no word in the spelling {spelling!r}. Write the spelling itself, like "
        '"AssemblyAI", or take the line out.'
    )
    P079 = "Entry {index} of '{name}' (counted from 0) {problem}."
    P080 = (
        "has a lone surrogate ({char!r}) at character {offset}, which is half of a character. "
        "Decode the text anew, or replace it "
        "(text.encode('utf8', 'replace').decode())"
    )
    P081 = "The component '{name}' failed on the document that begins {excerpt!r}."
    P085 = (
        "{format} holds one recording, but these are several: {recordings}. Write a file for each, "
        "or ctm, stm or json."
    )
    P086 = (
        "{path}: several transcripts in one {format} file would not be one any more. Give a folder "
        "for the output (`-o FOLDER/`)."
    )
    P087 = (
        "{path}: would be the output of {name}, but is an input or the output of another one. Give "
        "a folder of its own, or files of different names."
    )
    P088 = "{format} has no place for entities. Write json or text (--to json), or leave out --ner."
    P089 = (
        "Doc {index} (counted from 0) is not made of the turn in its place. Give all Docs that "
        "`nlp.pipe` made of `make_docs`, in order, and none with an altered source."
    )
    P100 = (
        "The encoder has a tokenizer of the kind {kind}. Only Unigram ones, as multilingual E5 and "
        "XLM-RoBERTa have, can be pruned; use the encoder as it is."
    )
    P101 = "{path}: is there already. Give another name for the new encoder's folder (`-o`)."
    P102 = "{path}: there is no running text. Give text of the languages that the encoder is for."
    P103 = (
        "Nothing to count for: no component of the pipeline ({names}) has a layer "
        '@architectures = "spacy_punctcase.NgramTok2Vec.v1". Leave out `counted`.'
    )

    P090 = (
        "The architecture of '{name}' reads one vector a word, but its tok2vec is a listener, "
        "which has one for each token of the tokenizer. Give it a tok2vec of its own, for example "
        '@architectures = "spacy_punctcase.SubwordTok2Vec.v1".'
    )
    P091 = (
        "The model of '{name}' has no transitions to show. Train one with `use_crf = true` "
        '(@architectures = "spacy_punctcase.JointCapPunc.v1"), or load one that was trained.'
    )
    P092 = (
        "SingleTask copies its tok2vec, but the layer {layer!r} cannot be copied. Use "
        '@architectures = "spacy_punctcase.SubwordTok2Vec.v1" or "spacy.HashEmbedCNN.v2".'
    )
    P093 = (
        "expected a word, its case (0 lower, 1 Capital, 2 UPPER) and the mark that follows (O for "
        "none), with tabs between them, but found {found!r}."
    )
    P094 = (
        "{path}: only plain text is turned into the three columns of ViCapPunc. Give .txt or "
        ".txt.xz files, or write a file that ends in .spacy."
    )
    P095 = (
        "Nothing to convert in {paths}: no document has a sentence of at most {max_words} words "
        "that ends with one of {ends}."
    )


class Warnings:
    W001 = (
        "{path}: {count} word(s) end before they begin (first: {first}). Their times are taken "
        "from the words around them."
    )


class TranscriptWarning(UserWarning):
    """Something in a transcript is wrong, but nothing is lost."""


def check_no_text(what: str, value: object) -> None:
    """Raise a ValueError where a list of texts is expected and one text was given."""
    if isinstance(value, str):
        raise ValueError(Errors.P075.format(what=what, value=value))
