"""What columns are usually called. Pure, and without anything that reads files.

Readers of files know a header by these names.
"""

from __future__ import annotations

import re

IGNORE = "ignore"  # the role of a column that nothing is read from
LONGEST = 60  # characters
MOST_WORDS = 4  # of a name in which one says what it is
_WORDS = re.compile(r"[^\W_]+")

# Names in their usual order: the first that a file has wins.
USUAL: dict[str, tuple[str, ...]] = {
    "text": (
        *("text", "output", "generated text", "generation", "generated", "response"),
        *("completion", "continuation", "model output", "system output", "story"),
        *("summary", "system summary", "translation", "hypothesis", "mt", "decoded"),
        *("prediction", "candidate", "answer", "displayed text", "target", "content"),
    ),
    "system": (
        *("system", "model", "model name", "system name", "generator", "model id"),
        *("system id", "source model", "llm", "engine", "sys"),
    ),
    "messages": ("messages", "conversation", "conversations", "turns"),
    "dialogue": ("dialogue", "dialogue id", "dialog id", "conversation id"),
    "prompt": (
        *("prompt", "instruction", "question", "query", "input", "request"),
        *("prompts", "instructions"),
    ),
    "prefix": ("prefix", "beginning", "opening", "text beginning", "lead"),
    "source": (
        *("source", "article", "document", "context", "dialogue", "src", "passage"),
        *("article text", "source text", "fact"),
    ),
    "label": ("label", "attribute", "topic", "sentiment", "category", "style"),
    "reference": (
        *("reference", "references", "ref", "gold", "gold response", "ground truth"),
        *("human text", "reference text", "human reference", "human", "reference 2"),
        *("reference 3", "ref a", "ref b"),
    ),
    "edited": (
        *("edited", "edited text", "post edit", "post edited", "postedit", "pe"),
        *("targeted reference", "human edit", "corrected", "corrected text"),
        *("correction", "edited 2", "edited 3"),
    ),
    "key": (
        *("key", "id", "text id", "item id", "example id", "uid", "uuid", "index"),
        *("instance id", "sample id", "segment id", "external id"),
    ),
    "role": ("role", "speaker"),
    "turn": ("turn", "turn id", "turn number"),
    "marked": ("marked",),
    "sample": ("sample", "sample number"),
    "rater": (
        *("rater", "annotator", "worker", "worker id", "rater id", "annotator id"),
        *("judge", "user", "coder", "evaluator", "workerid", "completed by"),
        *("user id", "participant", "participant id", "prolific id", "respondent"),
        *("respondent id", "evaluator id", "coder id", "assessor"),
    ),
    "pair": ("pair", "pair id"),
    "log_probability": ("log probability", "logprob", "log prob"),
    "asked": ("asked",),
    "probability": ("probability",),
    "stratum": ("stratum",),
}
ASPECTS = frozenset(
    "coherence consistency fluency relevance informativeness overall quality"
    " grammaticality naturalness engagement engagingness complexity surprise empathy"
    " adequacy likability interestingness specificity factuality faithfulness"
    " creativity helpfulness harmlessness honesty readability novelty understandability"
    " correctness conciseness diversity rating score ratings scores".split()
)
METRICS = frozenset(
    "bleu rouge meteor chrf ter bertscore bleurt comet moverscore bartscore cider"
    " perplexity ppl mauve blanc supert unieval ctrleval ctrlevalscore geval"
    " loss nll entropy wer cer distance toxicity".split()
)
ERROR_RATE = frozenset(("error", "rate"))
# Numbers of programs, whatever they are about: they are nobody's ratings.
NOT_PEOPLE = re.compile(
    r"\b(?:suggest\w*|predict\w*|pred|model|(?:chat)?gpt\w*|llm\w*|auto|automatic"
    r"|machine|claude\w*|gemini\w*|llama\w*|mi[sx]tral\w*|qwen\w*|deepseek\w*"
    r"|judge(?! \d))\b"
)
# Words by which a name is a system's.
SYSTEMS = re.compile(
    r"\b(?:ours|baselines?|proposed|human|gold|bart|t5|flan\w*|pegasus|opus|falcon"
    r"|phi\d*|gemma\w*|vicuna\w*|alpaca\w*|bloom\w*|(?:system|model|method)\w*)\b"
)
# What is worked out of ratings, or stands beside them: no answer of anybody.
BESIDE_RATINGS = re.compile(
    r"\b(?:sd|std|stdev|stderr|var|variance|se|sem|ci|median|min"
    r"|max|total|sum|majority|gold|expected|z|rt|order|rank|n|counts?|ids?|index|time"
    r"|seconds?|lexical)\b"
)
MEANS = frozenset(("mean", "avg", "average"))
# Texts by words in the names of their columns; what they answer; what people add.
OF_TEXTS = frozenset(
    "output outputs generated candidate simplified reply antwort ausgabe sortie salida"
    " respuesta sentence satz 回答 译文 输出".split()
)
OF_PROMPTS = frozenset(
    "input original history news aufgabe frage prompt question 题目 问题".split()
)
OF_COMMENTS = re.compile(
    r"\b(?:comments?|explanations?|rationales?|reasons?|justification|feedback|notes?"
    r"|begr[uü]ndung|anmerkung|kommentar|remarque|commentaire|comentario)\b|备注|理由"
)
# Whole numbers that are no answers of people.
COUNTS = re.compile(
    r"\b(?:i?ds?|index|turns?|numbers?|no|nr|n|num|counts?|total\w*|len|length|words?"
    r"|tokens?|year|age|time|duration|seconds?|minutes?|progress|finished|status"
    r"|version|parts?|seed|split|fold|batch|page|position|order|rank|line|row|sample|label"
    r"|inner|cancelled|is|has|trials?|block|rt|attention|check|education|round)\b"
)
RATER_HEAD = re.compile(
    r"\d{1,3}|[ar]\d{1,3}|(?:rater|annotator|coder|judge|worker|person|expert|user)"
    r" ?\w{1,20}"
)
# "style rater 1"; of which a column with the name of an aspect needs no more.
OF_RATER = re.compile(r"(.{1,50}) ((?:rater|annotator|coder|judge|worker) \w{1,20})")
_USUAL = frozenset(name for names in USUAL.values() for name in names)
_PARTS = ASPECTS | METRICS


def is_known(name: str) -> bool:
    if len(name) > LONGEST:
        return False
    words = words_of(name)
    parts = words.split() if words.count(" ") < MOST_WORDS else []
    return words in _USUAL or not _PARTS.isdisjoint(parts)


def is_of_ids(name: str) -> bool:
    return words_of(name) in USUAL["key"]


def is_of_messages(name: str) -> bool:
    return words_of(name) in USUAL["messages"]


def is_of_texts(name: str) -> bool:
    return words_of(name) in USUAL["text"]


def known_names() -> frozenset[str]:
    """Of columns, in small letters."""
    return _USUAL | _PARTS


def is_of_comments(name: str) -> bool:
    return bool(OF_COMMENTS.search(words_of(name)))


def numbered(name: str) -> tuple[str, str]:
    """coherence1, coherence_1 -> coherence, and the number; empty: there is none."""
    name = name.strip()
    stem = name.rstrip("0123456789")
    return stem.rstrip(" _-.#:"), name[len(stem) :]


def looks_like_system(name: str) -> bool:
    words = words_of(name)
    return bool(SYSTEMS.search(words) or NOT_PEOPLE.search(words))


def words_of(name: str) -> str:
    return " ".join(_WORDS.findall(name[:LONGEST])).lower()
