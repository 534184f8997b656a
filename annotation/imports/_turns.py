"""Tables of dialogues -> rows: all turns in one cell, or a row for each turn. Pure."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Iterator
from itertools import groupby
from typing import Any

from annotation.imports import _dialogues, _draws
from annotation.imports._account import (
    IN_THE_STUDY,
    NOT_OF_DIALOGUES,
    NOT_OF_MESSAGES,
    Account,
)
from annotation.imports._cells import whole
from annotation.imports._dialogues import Message
from annotation.imports._json import JSONError, loads
from annotation.imports._problems import Problems, shown
from annotation.imports._rows import Row
from annotation.imports._rows_of import Reader
from annotation.imports._source import Source
from annotation.imports.files import Record
from annotation.turns import Turn

# What a dialogue has not, and what a table with a row for each turn cannot say of it.
# What is known of a text that the study has.
OF_TEXT = (
    *("system", "prompt", "prefix", "source", "label", "reference", "edited"),
    *("sample", "pair", "log_probability", *_draws.NAMES),
)
NOT_OF_WHOLE = ("reference", "sample", "log_probability")
NOT_OF_TURN = ("edited", "key", "sample", "log_probability", "score", *_draws.NAMES)


def rows(
    reader: Reader, records: Iterable[Record], source: Source, problems: Problems
) -> Iterator[Row]:
    """The rows of a table, of whichever kind its mapping says.

    Args:
        reader: Knows the mapping.
        records: Of the table.
        source: For the most characters of one text, and the account of its cells.
        problems: Where to note what is wrong.
    """
    most, account = source.limits.characters, source.account
    if reader.has("messages"):
        _refuse(reader, NOT_OF_WHOLE, account)
        for record in records:
            yield from _of_cell(reader, record, most, account)
    elif reader.has("dialogue"):
        _refuse(reader, NOT_OF_TURN, account)
        yield from _of_turns(reader, records, source, problems)
    else:
        if reader.is_by_id:
            for kind in OF_TEXT:
                for column, _ in reader.columns(kind):
                    account.refuse(column, IN_THE_STUDY)
        yield from map(reader.row, records)


def _refuse(reader: Reader, kinds: Iterable[str], account: Account) -> None:
    for kind in kinds:
        for column, _ in reader.columns(kind):
            account.refuse(column, NOT_OF_DIALOGUES)


def _of_cell(
    reader: Reader, record: Record, most: int, account: Account
) -> Iterator[Row]:
    given, cells = reader.cell("messages", record), reader.cells(record)
    if isinstance(given, str):
        try:
            given = loads(given)
        except JSONError as error:
            cells.wrong(f"the messages are not valid JSON: {error}")
            return

    def unused(field: str) -> None:
        account.set_aside(f"messages: {field}", words=NOT_OF_MESSAGES)

    messages = _dialogues.messages_of(given, cells, unused)
    made = _bare(reader, record)
    _name_rater(messages, reader.rater(record))
    yield from _dialogues.rows_of(made, messages, most=most, wrong=cells.wrong)


def _name_rater(messages: Iterable[Message], rater: str) -> None:
    """Who rated the row has given the one rating of a turn that names nobody."""
    for message in messages:
        alone = Counter(rating.aspect for rating in message.ratings)
        message.ratings = [
            one._replace(rater=one.rater or rater) if alone[one.aspect] == 1 else one
            for one in message.ratings
        ]


def _bare(reader: Reader, record: Record) -> Row:
    """What is said of the whole: it has no prompt and no references."""
    made = reader.bare(record)
    for name in ("prefix", "source", "pair"):
        if getattr(made, name):
            reader.cells(record).wrong(f"{name} cannot be given with a dialogue")
    made.references, made.sample, made.log_probability = [], None, None
    return made


# A row for each turn ------------------------------------------------------------------


def _of_turns(
    reader: Reader, records: Iterable[Record], source: Source, problems: Problems
) -> Iterator[Row]:
    """Rows of one dialogue stand together."""
    begun: dict[str, int] = {}  # line
    for name, some in groupby(records, lambda record: _name(reader, record)):
        made = _Dialogue(reader, name)
        for record in some:
            made.add(record)
        if name and begun.setdefault(name, made.line) != made.line:
            problems.add(
                f"dialogue {shown(name)} began on line {begun[name]} and other rows"
                " follow: put its turns together",
                made.line,
            )
        found = list(made.rows(source.limits.characters, problems))
        if problems.bad_lines & made.lines:
            source.account.leave_out(made.lines)
        else:
            yield from found


def _name(reader: Reader, record: Record) -> str:
    value = reader.cell("dialogue", record)
    return "" if value is None else str(value).strip()


class _Dialogue:
    """The rows of one, as they come."""

    def __init__(self, reader: Reader, name: str) -> None:
        self._reader, self._name = reader, name
        self._whole: Row | None = None
        self._messages: dict[int, Message] = {}
        self.line, self.lines = 0, set[int]()

    def add(self, record: Record) -> None:
        """A turn; or, where nobody speaks and nothing is said, ratings of the whole."""
        reader, cells = self._reader, self._reader.cells(record)
        made = reader.bare(record)
        self.lines.add(record.line)
        self.line = self.line or record.line
        if not self._name:
            cells.wrong("nothing says to which dialogue the turn belongs")
        self._tell(made, cells.wrong)
        who = reader.cell("role", record)
        if not made.text.strip() and who in (None, ""):
            assert self._whole is not None  # it is told
            self._whole.ratings += made.ratings
            self._whole.means += made.means
            return
        if not made.text.strip():
            cells.wrong("the turn has no text")
        turn = Turn(_dialogues.role(who, cells.wrong), made.text)
        marked = _dialogues.is_marked(reader.cell("marked", record), cells.wrong)
        number = self._number(reader.cell("turn", record), cells.wrong)
        told = Message(turn, marked, made.ratings, made.means, made.references)
        self._put(number, told, cells.wrong)

    def _tell(self, made: Row, wrong: _dialogues.Wrong) -> None:
        """Facts of the dialogue, which each row may repeat."""
        if made.prefix or made.source or made.pair:
            wrong("a turn has no prompt, source, opening or pair of its own")
        if self._whole is None:
            self._whole = Row(line=made.line, text="", key=self._name)
        for fact in ("system", "label"):
            said, known = getattr(made, fact), getattr(self._whole, fact)
            if said and known and said != known:
                wrong(f"{fact} is {shown(said)} here, but was {shown(known)} before")
            setattr(self._whole, fact, known or said)

    def _number(self, value: Any, wrong: _dialogues.Wrong) -> int:
        """Its place; as the rows stand where nothing is said."""
        if value is None or not str(value).strip():
            return len(self._messages) + 1
        found = whole(value)
        if found is None or not 0 <= found < 2**31:
            wrong(f"the number of a turn is 1, 2, 3 ..., not {shown(value)}")
            return len(self._messages) + 1
        return found

    def _put(self, number: int, told: Message, wrong: _dialogues.Wrong) -> None:
        known = self._messages.setdefault(number, told)
        if known is told:
            return
        if known.turn != told.turn:
            wrong(f"turn {number} is there already, with another text or role")
        known.marked = told.marked if known.marked is None else known.marked
        known.ratings += told.ratings
        known.means += told.means
        known.references += told.references

    def rows(self, most: int, problems: Problems) -> Iterator[Row]:
        assert self._whole is not None  # a group has a row
        messages = [self._messages[number] for number in sorted(self._messages)]

        def wrong(message: str) -> None:
            problems.add(message, self.line)

        yield from _dialogues.rows_of(self._whole, messages, most=most, wrong=wrong)
