"""A data set as one file to download: the folder, packed."""

from __future__ import annotations

import tempfile
from datetime import datetime
from pathlib import Path
from zipfile import ZIP_DEFLATED, ZIP_STORED, ZipFile

from annotation.models import Study
from scoring.publishing import writing

# Packed already.
STORED = frozenset({".parquet", ".npz"})


def write(*, study: Study, path: Path, now: datetime) -> None:
    """Write it to `path`. Who reads meanwhile sees the old file, or none."""
    path.parent.mkdir(mode=0o700, parents=True, exist_ok=True)
    unfinished = path.with_name(f".{path.name}.part")
    try:
        with (
            tempfile.TemporaryDirectory() as work,
            ZipFile(unfinished, "w", ZIP_DEFLATED) as pack,
        ):
            home = Path(work)
            writing.fill(study=study, folder=home, now=now)
            for file in sorted(home.rglob("*")):
                if file.is_file():
                    kind = ZIP_STORED if file.suffix in STORED else ZIP_DEFLATED
                    name = f"{study.name}/{file.relative_to(home).as_posix()}"
                    pack.write(file, name, compress_type=kind)
        unfinished.replace(path)
    finally:
        unfinished.unlink(missing_ok=True)
