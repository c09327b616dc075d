from spacy.util import registry

if not hasattr(registry, "model_loaders"):
    # Functions that load pretrained weights when a component is initialized. The registry is
    # thinc's; spacy-curated-transformers makes it in the same way.
    registry.create("model_loaders", entry_points=True)
