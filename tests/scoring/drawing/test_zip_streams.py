from __future__ import annotations

import io
import zipfile

from scoring.drawing import zip_streams


def folder(tmp_path):
    (tmp_path / "inner").mkdir()
    (tmp_path / "config.json").write_text("{}")
    (tmp_path / "inner" / "weights").write_bytes(b"0123456789" * 100)
    return tmp_path


def test_all_files_are_in_a_folder_of_the_name(tmp_path):
    found = b"".join(zip_streams.pieces(folder(tmp_path), "mine"))
    with zipfile.ZipFile(io.BytesIO(found)) as archive:
        assert archive.testzip() is None
        assert archive.namelist() == ["mine/config.json", "mine/inner/weights"]
        assert archive.read("mine/inner/weights") == b"0123456789" * 100


def test_no_piece_is_large(tmp_path, monkeypatch):
    monkeypatch.setattr(zip_streams, "PIECE", 100)
    found = list(zip_streams.pieces(folder(tmp_path), "mine"))
    assert len(found) > 10
    assert max(len(piece) for piece in found[:-1]) < 300


def test_the_same_folder_gives_the_same_bytes(tmp_path):
    at = folder(tmp_path)
    assert b"".join(zip_streams.pieces(at, "a")) == b"".join(
        zip_streams.pieces(at, "a")
    )
