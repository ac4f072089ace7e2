"""What passes, decisions and reasons of compilers mean, in a sentence each, and what one can do about them.

The words are data, in a file for each compiler; `*` in a name stands for anything.
"""

from sonde.instruments.decisions.glossary.glossary import Glossary, Meaning, Subject, glossary_of

__all__ = ["Glossary", "Meaning", "Subject", "glossary_of"]
