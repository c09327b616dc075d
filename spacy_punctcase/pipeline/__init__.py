from .gold_aligner import GoldAligner
from .punctuator import Punctuator
from .truecaser import Truecaser

__all__ = ["GoldAligner", "Punctuator", "Truecaser"]
