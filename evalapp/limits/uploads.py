from __future__ import annotations

from django.conf import settings
from django.core.files.uploadhandler import FileUploadHandler, StopUpload


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
            self.request.upload_refused = True
            raise StopUpload(connection_reset=False)
        return raw_data

    def file_complete(self, file_size: int) -> None:
        return None  # the handlers after this one keep the file
