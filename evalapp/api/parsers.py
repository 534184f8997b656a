"""What the API takes: nothing that could not be stored or sent back."""

from __future__ import annotations

import json
from typing import Any

from django.http import QueryDict
from rest_framework import parsers
from rest_framework.exceptions import ParseError

from annotation import storable


class JSONParser(parsers.JSONParser):
    """Django REST framework's own, which also refuses what Python reads as JSON.

    An array in an array a thousand times over, half of a surrogate pair and 1e999 would
    each be answered with "something broke", some only by the page that shows them.
    """

    def parse(self, stream: Any, *args: Any, **kwargs: Any) -> Any:
        try:
            data = super().parse(stream, *args, **kwargs)
            json.dumps(data, allow_nan=False)
        except RecursionError as error:
            raise ParseError("JSON parse error - nested too deeply") from error
        except ValueError as error:
            raise ParseError("JSON parse error - a number is too large") from error
        _refuse(data)
        return data


class FormParser(parsers.FormParser):
    def parse(self, *args: Any, **kwargs: Any) -> QueryDict:
        data: QueryDict = super().parse(*args, **kwargs)
        _refuse(dict(data.lists()))
        return data


class MultiPartParser(parsers.MultiPartParser):
    def parse(self, *args: Any, **kwargs: Any) -> parsers.DataAndFiles:
        found = super().parse(*args, **kwargs)
        _refuse(dict(found.data.lists()))
        return found


def _refuse(data: object) -> None:
    if said := storable.problem_in(data):
        raise ParseError(f"The request {said}: take it out.")
