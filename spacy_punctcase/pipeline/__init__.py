from .casing_ruler import CasingRuler
from .gold_aligner import GoldAligner
from .joint_restorer import JointRestorer
from .punctuator import Punctuator
from .truecaser import Truecaser

__all__ = ["CasingRuler", "GoldAligner", "JointRestorer", "Punctuator", "Truecaser"]
