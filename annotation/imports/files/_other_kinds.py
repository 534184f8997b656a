"""Files that are no tables, and what to do instead. Pure.

A web page or a PDF begins with text, so its lines were taken for texts.
"""

from __future__ import annotations

SAVE = "save it there as csv or Excel, and choose that file."
# By how a file begins, in small letters, after spaces.
PAGES = (b"<!doctype html", b"<html", b"<table", b"<head", b"<body", b"<!--")
_KINDS = (
    (PAGES, f"This is a web page, not a table. Open it in a spreadsheet, {SAVE}"),
    ((b"<?xml",), f"This is an XML file. Open it in a spreadsheet, {SAVE}"),
    ((b"%pdf",), "This is a PDF. Copy its table into a spreadsheet, and save that."),
    ((b"{\\rtf",), "This is a text document. Copy its table into a spreadsheet."),
    ((b"$fl2", b"$fl3"), f"This is a file of SPSS. Open it in SPSS, {SAVE}"),
    ((b"<stata_dta",), f"This is a file of Stata. Open it in Stata, {SAVE}"),
    ((b"rdx", b"x\n\0\0\0"), f"This is a file of R. Open it in R, {SAVE}"),
    ((b"sqlite format 3",), "This is a database. Save the table in it as csv."),
)


def why_not(head: bytes) -> str:
    """Why a file that begins so cannot be a table; empty: it may be one."""
    begin = head[:100].lstrip().lower()
    return next((words for marks, words in _KINDS if begin.startswith(marks)), "")
