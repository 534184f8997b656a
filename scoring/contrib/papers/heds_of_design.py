"""Answers to sections 1, 2, 3 and 5 of the Human Evaluation Datasheet. Pure.

What was not asked for is "N/A" where HEDS takes that for an answer; what may have been
done elsewhere is left out.
"""

from __future__ import annotations

from collections import Counter

from scoring.publishing.facts import Facts

LANGUAGES = {
    "ar": "Arabic",
    "de": "German",
    "en": "English",
    "es": "Spanish, Castilian",
    "fr": "French",
    "hi": "Hindi",
    "it": "Italian",
    "ja": "Japanese",
    "pl": "Polish",
    "pt": "Portuguese",
    "zh": "Chinese",
}


def answers(facts: Facts) -> dict[str, str]:
    """By number; those that are not known are left out."""
    told = {
        **_resources(facts),
        **_systems(facts),
        **_sample(facts),
        **_evaluators(facts),
        **_design(facts),
        **_checks(facts),
        **_conditions(facts),
        **_ethics(facts),
    }
    return {number: text for number, text in told.items() if text}


def _resources(facts: Facts) -> dict[str, str]:
    said = facts.published
    first = said.authors[0] if said.authors else ""
    return {
        "1.1.1": said.paper,
        "1.1.2": f"The study “{facts.heading}” ({facts.name}), as a whole.",
        "1.2": "In this data set: texts, questions, answers, scores, results and code.",
        # Until someone has checked it, no person has completed the sheet.
        "1.3.1.1": f"EvalApp {facts.version}, from what it knows of the study",
        "1.3.1.2": "N/A: a program",
        "1.3.1.3": "N/A: a program",
        "1.3.2.1": first,
        "1.3.2.2": said.affiliation,
        "1.3.2.3": facts.contact,
    }


def _systems(facts: Facts) -> dict[str, str]:
    has, language = facts.has, facts.language.partition("-")[0]
    name = LANGUAGES.get(language, facts.language)
    inputs = [
        *(["Text: the opening that a system continues"] if has.prefix else []),
        *(["Text: dialogue"] if has.dialogues else []),
        *(["Text: a prompt or document"] if has.source else []),
        *(["Control feature: an attribute label"] if has.label else []),
    ]
    return {
        "2.1": "; ".join(inputs) or "No input is known.",
        "2.2": "Text: dialogue" if has.dialogues else "Text: multiple sentences",
        "2.3": _task(facts),
        "2.4": name if inputs else "N/A: no input is known.",
        "2.5": name,
    }


def _task(facts: Facts) -> str:
    has = facts.has
    if has.dialogues:
        return "Dialogue turn generation"
    if has.label:
        return "Feature-controlled text generation"
    if has.prefix or has.source:
        return "Other: a text is generated for a given text (continuation or answer)"
    return ""


def _sample(facts: Facts) -> dict[str, str]:
    sizes = Counter(one.n_texts for one in facts.systems)
    told = "; ".join(f"{one.name}: {one.n_texts}" for one in facts.systems)
    same = f"{next(iter(sizes))} of each system" if len(sizes) == 1 else told
    answered = {"3.1.1": same or str(facts.counts.texts), "3.1.2": ""}
    if facts.simulated:
        nobody = "N/A: raters are simulated, so no sample was planned."
        answered |= dict.fromkeys(("3.1.3.1", "3.1.3.2", "3.1.3.3"), nobody)
    if "random" in facts.protocol.sampling:
        answered["3.1.2"] = f"By an automatic random process. {facts.protocol.sampling}"
    return answered


def _evaluators(facts: Facts) -> dict[str, str]:
    how, n = facts.protocol, facts.counts
    paid = {True: "Paid (monetary compensation).", False: "Not paid.", None: ""}
    told = {"3.2.1": str(n.raters) if n.raters else ""}
    if how.collected:
        told |= {
            "3.2.2.2": " ".join(filter(None, (paid[how.paid], how.pay))),
            "3.2.3": how.recruiting,
            "3.2.4": _training(facts),
            "3.2.5": "None were asked for.",
        }
    if facts.simulated:
        nobody = "N/A: raters are simulated, so there are no people."
        told |= dict.fromkeys(("3.2.2.1", "3.2.2.3", "3.2.2.4", "3.2.5"), nobody)
    return told


def _training(facts: Facts) -> str:
    practice = facts.protocol.practice or "There was no practice page."
    return f"Instructions before the first page (see the card). {practice}"


def _design(facts: Facts) -> dict[str, str]:
    how = facts.protocol
    if not how.collected:
        return {}
    told = {
        "3.3.2": f"Web pages of EvalApp {facts.version}, reached by {how.platform}.",
        "3.3.4.1": (
            "The questions, labels and instructions are in this data set, word by word;"
            " EvalApp shows the form of any study."
        ),
        "3.3.4.2": how.pages,
    }
    if how.plan:
        told["3.3.1"] = f"In EvalApp, and not in a public registry. {how.plan}"
    elif facts.simulated:
        told["3.3.1"] = "No: raters are simulated."
    return told


def _checks(facts: Facts) -> dict[str, str]:
    how, n = facts.protocol, facts.counts
    if not how.collected:
        return {}
    kinds = [
        "Automatic quality checking methods are used during and after evaluation",
        "Some evaluations are excluded because of failed quality checks",
    ]
    kinds += ["Evaluators are excluded if they fail checks"] * bool(n.raters_excluded)
    found = (
        f"{n.pages_discarded} pages were discarded and {n.pages} count;"
        f" {n.raters_excluded} raters have no page that counts."
    )
    methods = [how.damaged, *how.quality, found]
    return {
        "3.3.3.1": "; ".join(kinds) + ".",
        "3.3.3.2": " ".join(filter(None, methods)),
    }


def _conditions(facts: Facts) -> dict[str, str]:
    how = facts.protocol
    if not how.collected:
        return {}
    if facts.simulated:
        nobody = "N/A: raters are simulated."
        return {
            "3.3.5": how.timing,
            **dict.fromkeys(("3.3.6", "3.3.7", "3.3.8"), nobody),
        }
    return {
        "3.3.5": f"None of the above. {how.timing}",
        "3.3.6": (
            "They are told whom to write to on every page, and can report a problem"
            " with a text and leave a comment."
        ),
        "3.3.7": "They carry out assessments at a place of their own choosing.",
        "3.3.8": "Place, device and time of day are those that a rater chooses.",
    }


def _ethics(facts: Facts) -> dict[str, str]:
    if facts.simulated:
        nobody = "N/A: raters are simulated, so no people took part."
        return {"5.1": facts.published.ethics or nobody, "5.4": nobody}
    told = {"5.1": facts.published.ethics}
    if facts.protocol.collected:
        told["5.2"] = (
            "Yes, personal data was collected: each rater's account or link, kept"
            " apart from the ratings. It is not in this data set. Whether the texts"
            " themselves hold personal data is for the authors to say."
        )
    return told
