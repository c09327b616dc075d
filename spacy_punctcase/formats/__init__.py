from .times import TimedWord, make_timed_doc

__all__ = ["TimedWord", "make_timed_doc"]
