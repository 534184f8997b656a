"""CTRLEval: an unsupervised reference-free metric for controlled text generation.

Ke, Zhou, Lin, Li, Zhou, Zhu & Huang (2022), https://aclanthology.org/2022.acl-long.164.
A model that was pre-trained to fill gaps scores each text by filling gaps in it:
sentences from the other sentences (coherence), the text from its prefix and the prefix
from the text (consistency), words for the label in prompts about the text (attribute
relevance). Each gap is an evaluator with a score s_j and a weight w_j:

    S = sum_j w_j s_j / sum_j w_j                                           (eq. 1)

Coherence and consistency (eq. 2-11): s_j = log P(what fills the gap | the text with the
gap), in nats, and w_j the largest inverse word frequency of the tokens that fill it.
Attribute relevance (eq. 12-17): s_j = P(v_j(a)) / sum_a' P(v_j(a')), from 0 to 1, for
the words v_j(a') of all labels a' and the text's own label a; w_j = sum_a' P(v_j(a')),
kept as its share of the text's largest. A label is found in any case: "Positive" is
"positive".

Where the authors' released code differs from the paper's formulas, EvalApp follows the
code: log-probabilities are means over tokens, not sums (average=sum gives the paper's);
P(v) is e to the power of that mean; the end token counts in coherence only; the plain
mean is used where all weights are 0.

With baseline=gap, s_j of coherence and consistency is what the rest of the text adds:
log P(what fills the gap | the text with the gap) - log P(the same | the gap alone), in
nats, from minus to plus infinity. A sentence that is probable anywhere gains nothing
by it. This is not in the paper; benchmarks/conditional_gain.md compares both. A text of
one sentence has no such coherence: NaN, with a reason. Without a baseline its coherence
is, as in the released code, the log-probability of the sentence by itself; a note says
so.

The model may be PEGASUS, BART or T5. BART and T5 are asked in the form in which they
were pre-trained to fill gaps or, with form=plain, in the same form as PEGASUS. The
options weighting and pattern reproduce table 5 of the paper: patterns change what the
model is asked, never the weights of coherence and consistency. Put prompts and words
for labels that are not in the paper into tables.

Your own tables may instead hold pairs of patterns, f with a gap and g that fills it,
which take the text, its prefix, its source and the value of a control such as keywords,
a plot or a persona. Each such table NAME is an output of its own, control_NAME, with
s_j = log P(g_j | f_j) and the weights of coherence. A label may name several
attributes, "positive; sports": attribute relevance is then their weighted mean, in
which each counts the same.

A text gets NaN, with a reason, in each aspect that cannot be computed: it has no
prefix, no label with verbalizers, is longer than the model's limit or contains the
model's own gap token. Nothing is cut to fit. Sentences given with a text are used as
they are.
"""

from __future__ import annotations

import dataclasses
from pathlib import Path

import numpy as np

from annotation import sentences
from scoring.metrics._ctrleval import word_list
from scoring.metrics._ctrleval.aspects import (
    Aspect,
    Coherence,
    Consistency,
    Control,
    Relevance,
    Undefined,
)
from scoring.metrics._ctrleval.both_sides import Patterns, output_of
from scoring.metrics._ctrleval.iwf import read_iwf
from scoring.metrics._ctrleval.patterns import PATTERNS, written
from scoring.metrics._ctrleval.scorer import CTRLEvalScorer, Way
from scoring.metrics._ctrleval.tables import (
    TABLES,
    Table,
    tables_from_json,
)
from scoring.metrics._engine import backbones, likelihood, models
from scoring.metrics._engine.backbones import Backbone
from scoring.metrics._engine.base import (
    GAP,
    Evaluator,
    Example,
    Metric,
    OptionError,
    Output,
    option,
)

# A table made for a model, beside its weights.
IWF = "iwf.txt"


@dataclasses.dataclass(frozen=True)
class Options:
    """Everything that changes the number."""

    model: str = option(
        "google/pegasus-large",
        "gap-filling model, PEGASUS, BART or T5",
        path="model",
        typed=models.INFILL_HELP,
        label="Model that fills gaps",
        takes=("infill",),
    )
    iwf: str = option(
        "",
        "file of inverse word frequencies, one number per token id. If left empty: the"
        " table in the model's folder (bundled models include theirs), or else one made"
        " from the bundled list of English words. `python -m scoring.metrics iwf` makes"
        " one from other texts",
        path="file",
        label="Word frequencies (IWF file)",
    )
    weighting: str = option(
        "nisf",
        "how evaluators are combined: weighted by how rare the words they predict are,"
        " as a plain mean, or by taking the highest score",
        ("nisf", "mean", "max", "min"),
        label="Weighting of evaluators",
        titles=(
            "by rarity of their words (NISF)",
            "plain mean",
            "highest score",
            "lowest score",
        ),
    )
    pattern: str = option(
        "ctrleval",
        "what the model is asked: to fill gaps, or to predict without gaps as BARTScore"
        " and PPL-GPT do (table 5)",
        PATTERNS,
        label="What the model is asked",
        titles=(
            "to fill gaps (CTRLEval)",
            "to predict one part from the other (BARTScore)",
            "to predict the text (PPL-GPT)",
        ),
    )
    form: str = option(
        "pretraining",
        "how BART and T5 are asked to fill a gap: as in their pre-training, or in the"
        " same way as PEGASUS",
        ("pretraining", "plain"),
        label="How gaps are written",
        titles=("as in the model’s pre-training", "plainly, as for PEGASUS"),
    )
    average: str = option(
        "mean",
        "log-probability of a gap: the mean over its tokens as in the released code, or"
        " their sum as in the paper",
        ("mean", "sum"),
        label="Log-probability of a gap",
        titles=("mean over tokens (released code)", "sum over tokens (paper)"),
    )
    baseline: str = option(
        "none",
        "coherence and consistency: use the log-probability of what fills the gap, as"
        " in the paper, or subtract its log-probability without the rest of the text",
        ("none", "gap"),
        label="Baseline of a gap",
        titles=("none (paper)", "the gap alone"),
    )
    evaluators: str = option(
        "auto",
        "which prompts and verbalizers to use: automatic, sentiment, topic or the name"
        " of one of your own; automatic takes those that have the text's label, yours"
        " first",
        label="Prompts and verbalizers",
    )
    tables: str = option(
        "",
        'your own prompts and verbalizers, as JSON: {"NAME": {"labels": [...], '
        '"prompts": ["<gen_result> It was <mask_token>."], "words": [["one word per '
        'label"]]}}, or {"NAME": {"control": "keywords", "patterns": [["Keywords: '
        '<mask_token>. <gen_result>", "<control>"]]}}',
        fill="evaluators",
        label="Your own prompts and verbalizers (JSON)",
    )
    dtype: str = models.dtype_option()


class CTRLEval(Metric):
    """Coherence, consistency and attribute relevance, by filling gaps in the text."""

    title = "CTRLEval"
    source = "Ke et al. (2022), eq. 1-17"
    link = "https://aclanthology.org/2022.acl-long.164"
    Options = Options
    needs = frozenset({"prefix", "label"})
    version = 3

    @property
    def outputs(self) -> tuple[Output, ...]:
        per_token = " per token" if self.options.average == "mean" else ""
        top = "0]" if self.options.baseline == "none" else "inf)"
        nats = f"nats{per_token}, (-inf, {top}"
        share = "probability of the label, [0, 1]"
        return (
            Output("coherence", "Coherence", nats, True, "coherence"),
            Output("consistency", "Consistency", nats, True, "consistency"),
            Output(
                *("attribute_relevance", "Attribute relevance", share, True),
                measures="attribute-relevance",
            ),
            *(self._output(name, nats) for name in self._patterns()),
        )

    def explain(self, example: Example) -> dict[str, list[Evaluator]]:
        found = {}
        for aspect in self._aspects():
            try:
                blanks = aspect.evaluators(example)
            except Undefined:
                blanks = []
            patterns = (written(one, self.options.pattern, GAP) for one in blanks)
            found[aspect.key] = [Evaluator(*pattern) for pattern in patterns]
        return found

    def check(self) -> None:
        self._tables()
        if self.options.baseline == "gap" and self.options.pattern != "ctrleval":
            raise OptionError(
                f"baseline=gap: pattern={self.options.pattern} has no gap; expected"
                " pattern=ctrleval"
            )

    def load(self, device: str = "cpu") -> CTRLEvalScorer:
        self.check()
        options, device = self.options, models.device(device)
        folder = models.find(options.model)
        backbone = backbones.load(folder)
        # Not only for nisf: storing the weights as parts lets pages compare weightings.
        iwf, known = self._iwf(folder, backbone)
        listed = options.weighting == "nisf" and known.startswith(word_list.LISTED)
        gaps = options.pattern == "ctrleval"
        used = self._tables()
        signature = self.signature(
            model=models.content_hash(folder),
            iwf=known,
            form=options.form if backbone.two_forms and gaps else "none",
            tables=",".join(f"{name}:{found.hash()}" for name, found in used.items()),
            splitter=sentences.NAME,
            baseline="gap.2" if options.baseline == "gap" else options.baseline,
        )
        model = models.seq2seq(folder, device=device, dtype=options.dtype)
        plain = options.form == "plain"
        way = Way(
            *(options.weighting, options.pattern, plain, options.average),
            baseline=options.baseline,
        )
        engine = likelihood.seq2seq(model)
        aspects = self._aspects()
        notes = (word_list.NOTE,) if listed else ()
        return CTRLEvalScorer(signature, engine, backbone, aspects, iwf, way, notes)

    def _aspects(self) -> tuple[Aspect, ...]:
        used = self._tables().values()
        words = tuple(table for table in used if isinstance(table, Table))
        controls = (Control(*pair) for pair in self._patterns().items())
        return Coherence(), Consistency(), Relevance(words), *controls

    def _output(self, name: str, unit: str) -> Output:
        """Of a table of patterns. Compared with the aspect of the same name, if any."""
        title = f"Control: {name}"
        return Output(output_of(name), title, unit, True, name.lower())

    def _patterns(self) -> dict[str, Patterns]:
        """Those in use; none where the tables are wrong, which `check` says."""
        try:
            used = self._tables()
        except OptionError:
            return {}
        return {name: one for name, one in used.items() if isinstance(one, Patterns)}

    def _iwf(self, folder: Path, backbone: Backbone) -> tuple[np.ndarray, str]:
        """Word frequencies (as given, the model's, or ours) and what they are."""
        given = self.options.iwf
        table = Path(given).expanduser() if given else folder / IWF
        if given or table.is_file():
            return read_iwf(table, backbone.vocabulary), models.hash_of(table)
        return word_list.frequencies(backbone), word_list.content()

    def _tables(self) -> dict[str, Table | Patterns]:
        """The evaluators in use, those of the study first."""
        own = tables_from_json(self.options.tables) if self.options.tables else {}
        known = {**own, **TABLES}
        chosen = self.options.evaluators
        if chosen == "auto":
            return known
        if chosen not in known:
            raise OptionError(
                f"evaluators={chosen}: expected one of {', '.join(['auto', *known])}"
            )
        return {chosen: known[chosen]}
