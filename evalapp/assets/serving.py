"""WhiteNoise with hashed addresses, and with compressed copies from DATA_DIR."""

from __future__ import annotations

import os
from wsgiref.headers import Headers

from whitenoise.middleware import WhiteNoiseMiddleware
from whitenoise.responders import StaticFile

from evalapp.assets.hashing import with_hash
from evalapp.assets.packing import all_files, packed


class Assets(WhiteNoiseMiddleware):
    """Each file under both of its addresses; the hashed one may be kept for a year."""

    def add_files_from_finders(self) -> None:
        self.hashed: set[str] = set()
        for name, path in all_files():
            hashed = with_hash(name, path)
            self.hashed.add(f"{self.static_prefix}{hashed}")
            for known in (name, hashed):
                self.add_file_to_dictionary(f"{self.static_prefix}{known}", path)

    def immutable_file_test(self, path: str, url: str) -> bool:
        return url in getattr(self, "hashed", ())

    def get_static_file(
        self, path: str, url: str, stat_cache: dict[str, os.stat_result] | None = None
    ) -> StaticFile:
        """As WhiteNoise's own, which looks for the copies beside the file."""
        headers = Headers([])
        self.add_mime_headers(headers, path, url)
        self.add_cache_headers(headers, path, url)
        if self.allow_all_origins:
            headers["Access-Control-Allow-Origin"] = "*"
        return StaticFile(path, headers.items(), encodings=packed(path))
