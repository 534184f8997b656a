"""The site's static files, looked up once for all clients of a test process."""

from __future__ import annotations

from typing import ClassVar

from whitenoise.responders import StaticFile

from evalapp.assets.serving import Assets


class AssetsOnce(Assets):
    """Each client of a test loads all middleware; this one reads hundreds of files."""

    found: ClassVar[tuple[dict[str, StaticFile], set[str]] | None] = None

    def add_files_from_finders(self) -> None:
        if AssetsOnce.found is None:
            super().add_files_from_finders()
            AssetsOnce.found = self.files, self.hashed
        self.files, self.hashed = AssetsOnce.found
