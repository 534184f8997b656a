"""Human texts that systems are compared with."""

from scoring.corpora.keeping import (
    CHANGED,
    GONE,
    NAME,
    READ_AT_ONCE,
    CorpusError,
    about_words,
    add,
    check_there,
    described,
    find,
    frequent_values,
    from_system,
    hold,
    remove,
    signed,
    texts,
)

__all__ = [
    "CHANGED",
    "CorpusError",
    "GONE",
    "NAME",
    "READ_AT_ONCE",
    "about_words",
    "add",
    "check_there",
    "described",
    "find",
    "frequent_values",
    "from_system",
    "hold",
    "remove",
    "signed",
    "texts",
]
