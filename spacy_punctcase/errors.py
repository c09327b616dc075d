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
    P004 = "The mark {mark!r} is not a single punctuation character; `marks` takes e.g. [',', '.', '?']."
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
        "Cannot load the encoder from {source!r}: {reason}. Give the name of a CANINE model on the "
        "Hugging Face hub, or a folder with config.json and model.safetensors."
    )
    P012 = "There is no shipped model named {name!r}. Available: {available}."
    P013 = (
        "The architecture of '{name}' reads windows of at most {maximum} characters, but `window` "
        "is {value}. Lower `window`, or raise `max_position_embeddings` in the model's config."
    )
    P014 = "The labels of '{name}' are fixed once it is initialized; {label!r} came too late."
    P015 = "Unknown name {given!r} for {what}. Available: {available}."
