"""Files that people send: bounded while they are read, and what a form says then."""

from __future__ import annotations

from typing import Any, TypeVar

from django.conf import settings
from django.core.exceptions import ValidationError
from django.core.files.uploadedfile import UploadedFile
from django.core.files.uploadhandler import FileUploadHandler, StopUpload

from evalapp.limits import forms as storable_forms

View = TypeVar("View", bound=Any)


def takes_files(view: View) -> View:
    """Mark a view, or a class of the API, whose requests may be as large as a file.

    All others end at `request_bodies.SMALL`.
    """
    view.takes_files = True
    return view


class Bounded(FileUploadHandler):
    """Stop reading an upload that is larger than UPLOAD_MAX_BYTES.

    Django bounds forms but not files: without this one request could fill the disk.
    The request is marked, so that the form can say what happened.
    """

    chunk_size = 64 * 1024
    received = 0

    def receive_data_chunk(self, raw_data: bytes, start: int) -> bytes:
        self.received += len(raw_data)  # of all files of the request together
        if self.received > settings.UPLOAD_MAX_BYTES:
            self.request.upload_refused = True  # type: ignore[union-attr]
            raise StopUpload(connection_reset=False)
        return raw_data

    def file_complete(self, file_size: int) -> None:
        return None  # the handlers after this one keep the file


class UploadForm(storable_forms.Form):
    """A form with a `file`, which may have been larger than the limit.

    Declare the file last where it can be: when it is too large, nothing that comes
    after it is read.
    """

    def __init__(self, *args: Any, upload_refused: bool = False, **kwargs: Any) -> None:
        super().__init__(*args, **kwargs)
        self.upload_refused = upload_refused
        if upload_refused:  # else it would look forgotten
            self.fields["file"].error_messages["required"] = too_large()

    def clean_file(self) -> UploadedFile | None:
        if self.upload_refused:
            raise ValidationError(too_large())
        file: UploadedFile | None = self.cleaned_data["file"]
        return file


def too_large() -> str:
    megabytes = settings.UPLOAD_MAX_BYTES / 2**20
    return (
        f"The file is larger than {megabytes:.3g} MB, the maximum. Split it into parts."
    )
