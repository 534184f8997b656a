"""What is drawn together in replicates: texts of one prompt, turns of one dialogue."""

from __future__ import annotations

from django.db.models import Exists, OuterRef

from annotation.models import Generation, Prompt, Study


class Units:
    """Places of prompts, of their prefixes, and of dialogues; in their order.

    Every turn has a prompt of its own, the turns before it. Turns of one dialogue are
    no independent observations: they and the whole of it share its place.
    """

    def __init__(self, study: Study) -> None:
        dialogues = study.dialogues.order_by("pk").values_list("pk", flat=True)
        found = list(dialogues)
        self.has_dialogues = bool(found)
        prompts = Prompt.objects.filter(study=study).order_by("position", "pk")
        if self.has_dialogues:
            alone = Generation.objects.filter(prompt=OuterRef("pk"), dialogue=None)
            prompts = prompts.filter(Exists(alone))
        self._prompts: dict[int, int] = {}
        self._prefix_of: dict[int, int] = {}
        prefixes: dict[str, int] = {"": 0} if self.has_dialogues else {}
        for place, (pk, prefix) in enumerate(prompts.values_list("pk", "prefix")):
            self._prompts[pk] = place
            self._prefix_of[pk] = prefixes.setdefault(prefix, len(prefixes))
        n = len(self._prompts)
        self._dialogues = {pk: n + place for place, pk in enumerate(found)}

    def unit(self, prompt: int, dialogue: int | None) -> int:
        if dialogue is not None:
            return self._dialogues[dialogue]
        return self._prompts[prompt]

    def prefix(self, prompt: int) -> int:
        """Of a turn the empty one."""
        return self._prefix_of.get(prompt, 0)
