"""A file that is added to a study: what it is, and what it brings beside texts."""

from __future__ import annotations

from annotation.assistant import keeping
from annotation.assistant.choices import KINDS, OF
from annotation.assistant.locks import alone
from annotation.imports import UploadError, intakes
from annotation.models import Upload


def recognise(upload: Upload, *, takes_texts: bool) -> list[str]:
    """Note what the file is, and return all that it may be.

    Of a study without texts, a file that has some makes sense only as texts; of one
    that takes none now, only as the rest.

    Raises:
        Busy: See `alone`. Nothing was noted.
    """
    assert upload.study is not None  # a new study is made of texts alone
    with alone(upload.user), keeping.opened(upload) as file:
        kinds = intakes.kinds_of(intakes.profile_of(file, upload.file_name))
    if intakes.TEXTS in kinds and not upload.study.generations.exists():
        kinds = [intakes.TEXTS]
    if not takes_texts and len(kinds) > 1:
        kinds = [kind for kind in kinds if kind != intakes.TEXTS]
    if len(kinds) == 1:
        choose_kind(upload, kinds[0])
    else:
        _note(upload, {KINDS: kinds})
    return kinds


def choose_kind(upload: Upload, kind: str) -> None:
    """What was chosen about its columns is forgotten."""
    _note(upload, {} if kind == intakes.TEXTS else {OF: kind})


def _note(upload: Upload, choices: dict[str, object]) -> None:
    upload.choices, upload.report = choices, None
    upload.save(update_fields=["choices", "report"])


def read(upload: Upload) -> intakes.Brought:
    """What the file would bring, as it says itself.

    Raises:
        UploadError: With everything that is wrong.
        Busy: See `alone`.
        FileNotFoundError: It was deleted.
    """
    with alone(upload.user):
        return _read(upload, intakes.Answers())


def store(upload: Upload, answers: intakes.Answers) -> intakes.Added:
    """Add it, and forget the file. A second click adds nothing more.

    Raises:
        UploadError: With everything that is wrong. Nothing was written.
        Busy: See `alone`.
    """
    with alone(upload.user):
        if not Upload.objects.filter(pk=upload.pk).exists():
            raise UploadError(["This file is added already."])
        added = _read(upload, answers).store(upload.user)
        keeping.discard(upload)
    return added


def _read(upload: Upload, answers: intakes.Answers) -> intakes.Brought:
    assert upload.study is not None
    intake = intakes.get(upload.choices[OF])
    with keeping.opened(upload) as file:
        profile = intakes.profile_of(file, upload.file_name)
        return intake.read(upload.study, profile, answers)
