"""CTRLEval: an unsupervised reference-free metric for controlled text generation.

Ke, Zhou, Lin, Li, Zhou, Zhu & Huang (2022), https://aclanthology.org/2022.acl-long.164.
A model that was pre-trained to fill gaps scores each text by filling gaps in it:
sentences from the other sentences (coherence), text from prefix and back (consistency),
words for the label into prompts about the text (attribute relevance). Each gap is an
evaluator with a score s_j and a weight w_j:

    S = sum_j w_j s_j / sum_j w_j                                           (eq. 1)

Coherence and consistency (eq. 2-11): s_j = log P(what fills the gap | the text with the
gap), in nats, and w_j the largest inverse word frequency of the tokens that fill it.
Attribute relevance (eq. 12-17): s_j = P(v_j(a)) / sum_a' P(v_j(a')), from 0 to 1, for
the words v_j(a') of all labels a' and the text's own label a; w_j = sum_a' P(v_j(a')).

Where the authors' released code differs from the paper's formulas, its numbers are
computed here: log-probabilities are means over tokens, not sums (average=sum is the
paper's); P(v) is e to that mean; the end token counts in coherence only; the plain mean
is taken where all weights are 0.

The model may be PEGASUS, BART or T5. The two latter are asked in the form in which they
were pre-trained to fill gaps, or with form=plain as PEGASUS is. Table 5 of the paper is
weighting and pattern: patterns change what is asked, never the weights of coherence and
consistency. Prompts and words for other labels than the paper's go into tables.

A text gets NaN, with a reason, in the aspects that do not exist for it: no prefix, no
label with verbalizers, longer than the model's limit, with the model's own gap token in
it. Nothing is cut to fit. Sentences given with a text are used as they are.
"""

from __future__ import annotations

import dataclasses
from pathlib import Path

from annotation import sentences
from scoring.metrics._ctrleval.aspects import (
    Aspect,
    Coherence,
    Consistency,
    Relevance,
    Undefined,
)
from scoring.metrics._ctrleval.iwf import read_iwf
from scoring.metrics._ctrleval.patterns import PATTERNS, written
from scoring.metrics._ctrleval.scorer import CTRLEvalScorer, Way
from scoring.metrics._ctrleval.tables import TABLES, Table, tables_from_json
from scoring.metrics._engine import backbones, likelihood, models
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
        "file of inverse word frequencies, one number per token id; needed by nisf;"
        " bundled models bring theirs; `python -m scoring.metrics iwf` makes one",
        path="file",
        label="Word frequencies (IWF file)",
    )
    weighting: str = option(
        "nisf",
        "how evaluators are combined: by rarity of what they predict, or plainly",
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
        "what the model is asked: to fill gaps, or without gaps as BARTScore and "
        "PPL-GPT ask (table 5)",
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
        "how BART and T5 are asked to fill a gap: as in their pre-training, or plainly "
        "as PEGASUS is",
        ("pretraining", "plain"),
        label="How gaps are written",
        titles=("as in the model’s pre-training", "plainly, as for PEGASUS"),
    )
    average: str = option(
        "mean",
        "log-probability of a target: mean over its tokens as in the released code, or "
        "their sum as in the paper",
        ("mean", "sum"),
        label="Log-probability of a gap",
        titles=("mean over tokens (released code)", "sum over tokens (paper)"),
    )
    evaluators: str = option(
        "auto",
        "prompts and verbalizers: auto, sentiment, topic or the name of one in tables; "
        "auto takes those that have the text's label, yours first",
        label="Prompts and verbalizers",
    )
    tables: str = option(
        "",
        'prompts and verbalizers of your own, as JSON: {"NAME": {"labels": [...], '
        '"prompts": ["<gen_result> It was <mask_token>."], "words": [["one word per '
        'label"]]}}',
        fill="evaluators",
        label="Your own prompts and verbalizers (JSON)",
    )
    dtype: str = option(
        "float32",
        models.DTYPE_HELP,
        models.DTYPES,
        label="Arithmetic",
        titles=("32-bit floats", "bfloat16"),
    )


class CTRLEval(Metric):
    """Coherence, consistency and attribute relevance, by filling gaps in the text."""

    title = "CTRLEval"
    source = "Ke et al. (2022), eq. 1-17"
    link = "https://aclanthology.org/2022.acl-long.164"
    Options = Options
    needs = frozenset({"prefix", "label"})

    @property
    def outputs(self) -> tuple[Output, ...]:
        per_token = " per token" if self.options.average == "mean" else ""
        nats = f"nats{per_token}, (-inf, 0]"
        share = "probability of the label, [0, 1]"
        return (
            Output("coherence", "Coherence", nats, True, "coherence"),
            Output("consistency", "Consistency", nats, True, "consistency"),
            Output(
                *("attribute_relevance", "Attribute relevance", share, True),
                measures="attribute-relevance",
            ),
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
        if self.options.weighting == "nisf" and self._iwf() is None:
            raise OptionError(
                "weighting=nisf needs inverse word frequencies: set the option iwf to "
                "a file with one number per token id, which `python -m scoring.metrics "
                "iwf` makes from any texts, or choose weighting=mean"
            )

    def load(self, device: str = "cpu") -> CTRLEvalScorer:
        self.check()
        options, device = self.options, models.device(device)
        folder = models.find(options.model)
        backbone = backbones.load(folder)
        # Not only for nisf: with the weights in the parts, weightings can be compared.
        table = self._iwf()
        iwf = read_iwf(table, backbone.vocabulary) if table else None
        gaps = options.pattern == "ctrleval"
        used = self._tables()
        signature = self.signature(
            model=models.content_hash(folder),
            iwf=models.hash_of(table) if table else "none",
            form=options.form if backbone.two_forms and gaps else "none",
            tables=",".join(f"{name}:{found.hash()}" for name, found in used.items()),
            splitter=sentences.NAME,
        )
        model = models.seq2seq(folder, device=device, dtype=options.dtype)
        plain = options.form == "plain"
        way = Way(options.weighting, options.pattern, plain, options.average)
        engine = likelihood.seq2seq(model)
        return CTRLEvalScorer(signature, engine, backbone, self._aspects(), iwf, way)

    def _aspects(self) -> tuple[Aspect, ...]:
        return Coherence(), Consistency(), Relevance(tuple(self._tables().values()))

    def _iwf(self) -> Path | None:
        """The table of frequencies: as given, else the one in the model's folder."""
        if self.options.iwf:
            return Path(self.options.iwf).expanduser()
        folder = models.local(self.options.model)
        table = folder / IWF if folder else None
        return table if table and table.is_file() else None

    def _tables(self) -> dict[str, Table]:
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
