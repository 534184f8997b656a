"""JSON as the API takes it: nothing that could not be stored or sent back."""

from __future__ import annotations

import json
from typing import Any

from rest_framework import parsers
from rest_framework.exceptions import ParseError


class JSONParser(parsers.JSONParser):
    """Django REST framework's own, which also refuses what Python reads as JSON.

    An array in an array a thousand times over, half of a surrogate pair and 1e999 would
    each be answered with "something broke", some only by the page that shows them.
    """

    def parse(self, stream: Any, *args: Any, **kwargs: Any) -> Any:
        try:
            data = super().parse(stream, *args, **kwargs)
            json.dumps(data, ensure_ascii=False, allow_nan=False).encode()
        except RecursionError as error:
            raise ParseError("JSON parse error - nested too deeply") from error
        except UnicodeEncodeError as error:
            raise ParseError("JSON parse error - half of a character") from error
        except ValueError as error:
            raise ParseError("JSON parse error - a number is too large") from error
        return data
