"""Punctuation restoration and truecasing of speech transcripts inside a spaCy pipeline."""
