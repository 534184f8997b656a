"""Asks released programs how close the sample texts are to their references.

    PYTHONPATH=. python tests/golden/make_references.py sacrebleu

prints sacrebleu.json; so for rouge-score, nltk and bert-score. Tests read the numbers
alone.
"""

import json
import sys
import tempfile
from collections.abc import Iterator
from importlib import import_module
from importlib.metadata import version

from annotation import sentences
from scoring.metrics import meteor, rouge
from scoring.metrics._engine import models
from tests.scoring.metrics import sample

ENCODER = "bundled:encoder-small"
IMPORTED = {
    "sacrebleu": "sacrebleu",
    "rouge-score": "rouge_score.rouge_scorer",
    "nltk": "nltk.translate.meteor_score",
    "bert-score": "bert_score",
}
# What is asked: the program's words, as Python. t is a text, r its references.
BLEU = "[sacrebleu.sentence_bleu(t, r{}).score for t, r in pairs]"
CHRF = "[sacrebleu.sentence_chrf(t, r{}).score for t, r in pairs]"
TER = "[sacrebleu.sentence_ter(t, r{}).score for t, r in pairs]"
ROUGE = (
    "[rouge_scorer.RougeScorer(['{0}'], use_stemmer={1})"
    ".score_multi(list(map({2}, r)), {2}(t))['{0}'].fmeasure for t, r in pairs]"
)
METEOR = (
    "[meteor_score.meteor_score([words(one) for one in r], words(t),"
    " wordnet=none{}) for t, r in pairs]"
)
BERT = (
    "bert_score.score(*zip(*pairs), model_type=folder, num_layers={}, idf={})[{}]"
    ".tolist()"
)
NOTES = {
    "rouge-score": {
        "lines": "a text with each sentence on a line of its own: metrics/rouge.py"
    },
    "nltk": {
        "words": "those of NLTKWordTokenizer, of each sentence of annotation.sentences",
        "none": "a WordNet without a word: no package brings WordNet",
    },
    "bert-score": {
        "with": f"torch {version('torch')}, transformers {version('transformers')}",
        "folder": f"{ENCODER} saved as float32: the program would load float16",
    },
}

Case = tuple[str, dict[str, object], dict[str, str]]


def cases(program: str) -> Iterator[Case]:
    """A metric here, its options, and by output what the program is asked."""
    if program == "sacrebleu":
        joint: dict[str, object] = {"aggregate": "joint"}
        yield "bleu", joint, {"bleu": BLEU.format("")}
        floor = {"smooth_method": "floor", "tokenize": "intl", "lowercase": True}
        named = "".join(f", {name}={value!r}" for name, value in floor.items())
        yield "bleu", joint | floor, {"bleu": BLEU.format(named)}
        yield "chrf", {}, {"chrf": CHRF.format("")}
        yield "chrf", {"word_order": 2}, {"chrf": CHRF.format(", word_order=2")}
        yield "ter", joint, {"ter": TER.format("")}
        marks = joint | {"normalized": True, "no_punct": True}
        yield "ter", marks, {"ter": TER.format(", normalized=True, no_punct=True")}
    elif program == "rouge-score":
        for stem in (False, True):
            asked = {
                key: ROUGE.format(kind, stem, "lines" if kind == "rougeLsum" else "str")
                for key, kind in rouge.KINDS.items()
            }
            yield "rouge", {"stem": stem}, asked
    elif program == "nltk":
        yield "meteor", {"synonyms": False}, {"meteor": METEOR.format("")}
        other = {"alpha": 0.5, "beta": 1.0, "gamma": 0.2}
        asked = METEOR.format(", alpha=0.5, beta=1.0, gamma=0.2")
        yield "meteor", {"synonyms": False} | other, {"meteor": asked}
    elif program == "bert-score":
        keys = ("precision", "recall", "f1")
        for layer, idf in ((4, ""), (2, ""), (4, "references.txt")):
            options = {"model": ENCODER, "layer": layer, "idf": idf}
            asked = {k: BERT.format(layer, bool(idf), n) for n, k in enumerate(keys)}
            yield "bertscore", options, asked


def words(text: str) -> list[str]:
    from nltk.tokenize import NLTKWordTokenizer

    split = NLTKWordTokenizer().tokenize
    return [word for one in sentences.split(text) for word in split(one)]


def float32(target: str) -> str:
    """A copy of the bundled encoder that programs load in full precision."""
    from transformers import AutoModel, AutoTokenizer

    folder = models.find(ENCODER)
    AutoModel.from_pretrained(folder).float().save_pretrained(target)
    AutoTokenizer.from_pretrained(folder).save_pretrained(target)
    return target


def asked(program: str, folder: str) -> Iterator[dict[str, object]]:
    name = IMPORTED[program]
    known = {
        name.rpartition(".")[2]: import_module(name),
        "pairs": sample.pairs(),
        "folder": float32(folder),
        "words": words,
        "lines": rouge.lines,
        "none": meteor.NoWordNet(),
    }
    for metric, options, questions in cases(program):
        for key, question in questions.items():
            scores = [round(score, 9) for score in eval(question, known)]
            yield {
                "metric": metric,
                "options": options,
                "output": key,
                "asked": question,
                "scores": scores,
            }


def main(program: str) -> None:
    made_by = {
        "program": f"{program} {version(program)}",
        "command": f"PYTHONPATH=. python {sys.argv[0]} {program}",
        "pairs": "72 texts of the sample study, each with the two by 'plain'",
        **NOTES.get(program, {}),
    }
    with tempfile.TemporaryDirectory() as folder:
        found = ",\n  ".join(map(json.dumps, asked(program, folder)))
    print(f'{{\n "made_by": {json.dumps(made_by)},\n "cases": [\n  {found}\n ]\n}}')


if __name__ == "__main__":
    main(sys.argv[1])
