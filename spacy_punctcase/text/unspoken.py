"""What transcribers write in brackets though nobody said it: "laughs", "background music"."""

#: A time as transcribers write it, "00:12" or "1:02:03.5".
TIME = r"\d{1,3}:\d\d(?::\d\d)?(?:[.,]\d{1,3})?"
# Sounds that hardly anybody speaks of within brackets, with up to three words more: "loud
# applause", "laughter and cheers", "inaudible 00:12". With a pronoun they are asides: "(she laughs
# at it)".
_SOUNDS = r"""(?:applause|aplausos|applau(?:ds|ding)|beeps|beeping|cries|crying|barks|barking|boos|
    booing|cheers|cheering|chuckl(?:e|es|ing)|claps|clapping|coughs?|coughing|cross-?talk|garbled|
    gasps?|gasping|giggles|giggling|groans|groaning|illegible|inaudible|indecipherable|
    indiscernible|inhales|exhales|laughs?|laughing|laughter|missing\stext|mumbles|mumbling|no\saudio|
    risas|sighs?|sighing|sings|singing|snorts|sobs|unintelligible|whispers|whispering|yawns|yawning)"""
_MORE = r"(?!(?:i|you|he|she|we|they|it|my|your|our)\b)[\w'-]+"
_AS_WORDS = r"""(?:(?:a|another|audience|background|begin|brief|dramatic|end|intro|long|loud|outro|
    short|start|theme|unidentifiable)\s)*(?:music|noise|silence|pause|interruption)
    (?:\s(?:plays|playing|continues|stops|ends|in|the|background))*"""
#: Pattern of it, for `re.I | re.X`.
UNSPOKEN = rf"""(?:(?:{_MORE}[\s,]+){{0,3}}{_SOUNDS}(?:[\s,:]+(?:{TIME}|{_MORE})){{0,3}}
    |{_AS_WORDS}
    |as\s(?:interpreted|translated)|speak(?:s|ing)(?:\s(?:in|a))?\s\w+(?:\slanguage)?
    |(?:the|a)\s(?:[\w-]+\s){{1,3}}is\s(?:awarded|offered|presented|shown|signed))[.!]?"""
