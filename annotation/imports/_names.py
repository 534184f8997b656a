"""What columns are usually called. Pure, and without anything that reads files.

Readers of files know a header by these names.
"""

from __future__ import annotations

import re
import unicodedata

IGNORE = "ignore"  # the role of a column that nothing is read from
LONGEST = 60  # characters
MOST_WORDS = 4  # of a name in which one says what it is
_WORDS = re.compile(r"[^\W_]+")

# Who rates, in other languages than English; "rater 1" and "rater id" follow.
_RATERS_ELSEWHERE = (
    *("bewerter", "bewerterin", "annotatorin", "beurteiler", "beurteilerin"),
    *("kodierer", "kodiererin", "gutachter", "gutachterin", "juror", "jurorin"),
    *("teilnehmer", "teilnehmerin", "proband", "probandin", "versuchsperson"),
    *("annotateur", "annotatrice", "évaluateur", "évaluatrice", "evaluateur", "juge"),
    *("codeur", "codeuse", "anotador", "anotadora", "evaluador", "evaluadora", "juez"),
    *("codificador", "codificadora", "participante", "avaliador", "avaliadora"),
    *("valutatore", "valutatrice", "annotatore", "annotatrice", "giudice"),
    *("beoordelaar", "annoteerder", "оценщик", "аннотатор", "разметчик"),
    *(
        "评分者",
        "评分员",
        "评委",
        "评价者",
        "标注者",
        "标注员",
        "评审",
        "评审员",
        "評分者",
    ),
    *("評価者", "評定者", "アノテーター", "평가자", "주석자", "참가자"),
)
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
        *("respondent id", "evaluator id", "coder id", "assessor", "rater name"),
        *("annotator name", "annotator in", "bewerter in", "kodierer in"),
        *_RATERS_ELSEWHERE,
        *(f"{name} id" for name in _RATERS_ELSEWHERE),
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
    " correctness conciseness diversity rating score ratings scores"
    " understandable natural engaging interesting coherent consistent fluent relevant"
    " informative specific correct helpful harmless honest readable grammatical"
    " factual faithful adequate complete completeness clarity clear simplicity"
    " usefulness useful appropriateness appropriate sensibleness sensible safety"
    " plausibility plausible humor humour originality"
    # German, French, Spanish, Portuguese, Italian, Dutch, Russian
    " kohärenz kohaerenz konsistenz flüssigkeit fluessigkeit relevanz informativität"
    " qualität qualitaet gesamtqualität gesamteindruck grammatikalität natürlichkeit"
    " lesbarkeit verständlichkeit korrektheit kreativität angemessenheit bewertung"
    " cohérence fluidité pertinence qualité grammaticalité lisibilité exactitude"
    " coherencia fluidez relevancia pertinencia calidad gramaticalidad naturalidad"
    " legibilidad adecuación puntuación coerência fluência relevância qualidade"
    " coerenza fluidità rilevanza qualità grammaticalità naturalezza leggibilità"
    " coherentie vloeiendheid relevantie kwaliteit связность беглость релевантность"
    " грамматичность качество оценка"
    # Chinese, Japanese, Korean
    " 流畅度 流畅性 连贯性 连贯度 相关性 一致性 信息量 信息性 质量 整体质量"
    " 总体质量 语法性 可读性 自然度 准确性 忠实度 评分 流暢度 連貫性 流暢性 流暢さ"
    " 一貫性 関連性 自然さ 品質 文法性 유창성 일관성 관련성 자연스러움 품질"
    " 점수".split()
)
# Beside the name of an aspect: a part of it, and nobody who has rated it.
SUBSCALES = frozenset(
    "grammar content style flow language structure organization organisation spelling"
    " punctuation clarity tone vocabulary accuracy logic logical depth detail details"
    " format formatting general global local linguistic semantic syntactic lexical"
    " factual final human textual summary story text output translation answer dialogue"
    " prompt source topic emotional narrative sentence word words of the for in and"
    " grammatik inhalt stil sprache struktur rechtschreibung ausdruck gesamt"
    " grammaire contenu langue style gramática contenido estilo lengua"
    " 语法 内容 风格 语言 结构".split()
)
METRICS = frozenset(
    "bleu rouge meteor chrf ter bertscore bleurt comet moverscore bartscore cider"
    " perplexity ppl mauve blanc supert unieval ctrleval ctrlevalscore geval"
    " loss nll entropy wer cer distance toxicity sacrebleu selfbleu nist sari"
    " questeval factcc qags yisi gptscore cometkiwi xcomet".split()
)
# The same with what stands around them: rougeLsum, comet22, bart_score, distinct-2.
_METRIC = re.compile(
    r"\b(?:rouge\w{1,8}|\w{0,8}bleu\d{0,2}|(?:bert|bart|mover|gpt) ?score\w{0,4}"
    r"|chrf\w{1,2}|x?comet\w{1,8}|bleurt\w{1,4}|cider\w{1,2}|summac\w{0,4}"
    r"|(?:distinct|dist) ?[1-4]|g eval|geval\w{0,4}|ppl\w{1,4})\b"
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
    "output outputs generated candidate simplified simplification paraphrase rewrite"
    " rewritten reply antwort ausgabe sortie salida"
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
    r"|version|parts?|seed|split|fold|batch|page|position|order|rank|line|row|sample"
    r"|inner|cancelled|excluded|submitted|consent|agreed|native|duplicates?|bot|is|has"
    r"|unnamed|trials?|block|rt|attention|check|education|round)\b"
)
# How a text was written, or who a person is.
OF_SETTINGS = re.compile(
    r"\b(?:temperature|top [pk]|max tokens?|penalty|beams?|unnamed|price|cost|latency"
    r"|gender|sex|country|language|locale|latitude|longitude|zip|phone|email|e mail|ip"
    r"|url|link|path|file|hash|sha|license|education|occupation|nationality)\b"
)
# The name or number of a person, however it is kept secret.
OF_RATER_ID = re.compile(
    r"(?:anon\w{0,9} |hashed )?(?:crowd ?)?(?:worker|turker|annotator|rater|coder|judge"
    r"|participant|respondent|evaluator|assessor|subject|reviewer|labeler|labeller)"
    r"(?: (?:ids?|names?|numbers?|no|nr|codes?|anon\w{0,9}|hash(?:ed)?|key|pid))*+"
)
OF_CHOICES = re.compile(
    r"\b(?:winner|preference|preferred|better|best|chosen|choice|vote|favou?rite|which)\b"
)
_ELSEWHERE = "|".join(_RATERS_ELSEWHERE)
RATER_HEAD = re.compile(
    r"\d{1,3}|[ar]\d{1,3}|(?:rater|annotator|coder|judge|worker|person|expert|user"
    rf"|{_ELSEWHERE}) ?\w{{1,20}}"
)
# "style rater 1"; of which a column with the name of an aspect needs no more.
OF_RATER = re.compile(
    r"(.{1,50}) ((?:rater|annotator|coder|judge|worker"
    rf"|{_ELSEWHERE})(?: (?!(?:ids?|names?|numbers?|codes?)$)\w{{1,20}}|\d{{1,3}}))"
)
_USUAL = frozenset(name for names in USUAL.values() for name in names)
_PARTS = ASPECTS | METRICS


def is_known(name: str) -> bool:
    if len(name) > LONGEST:
        return False
    words = words_of(name)
    parts = words.split() if words.count(" ") < MOST_WORDS else []
    known = words in _USUAL or not _PARTS.isdisjoint(parts)
    return known or (bool(parts) and names_metric(words))


def names_metric(words: str) -> bool:
    """Whether these words of a column's name are those of a metric."""
    return not METRICS.isdisjoint(words.split()) or bool(_METRIC.search(words))


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
    words = words_of(name[:LONGEST])
    return bool(SYSTEMS.search(words) or NOT_PEOPLE.search(words))


def _words_of(name: str) -> str:
    return words_of(name[:LONGEST])


def words_of(name: str) -> str:
    """Of a name, in small letters; an accent is one sign with its letter."""
    return " ".join(_WORDS.findall(unicodedata.normalize("NFC", name))).lower()
