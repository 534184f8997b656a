"""LLM judge: a causal language model is asked for a rating; its probabilities are read.

    s = sum_i p_i i / sum_i p_i

after G-Eval (Liu et al. 2023, eq. 1), where i runs over the numbers of the scale and
p_i is the probability that this number follows the prompt, as "4" or as " 4". Some
tokenizers write " 4" as a space and a digit: after a plain prompt, which ends in
"Number:", the probability of both tokens in a row then counts as well. In a chat the
answer begins a turn, and only spellings of one token count. G-Eval estimates p_i from
samples; here it is read from the model. The score lies in [low, high] of the aspect's
scale.

There is one output for each aspect, and one pass of the model for each text and aspect.
Parts: KEY.p, the p_i, shape (n, numbers of the scale).

Below the question may stand the words of the scale, in JSON "words", and evaluation
steps, the option `steps`: G-Eval has the model write them (`python -m scoring.metrics
steps`), and whoever asks may edit them. Before it may stand rated texts, the option
`examples`: never of the prompt of the text that is scored. All of it is part of the
signature.

The question goes into a prompt (`judge/prompts.py`; the option `prompt` replaces it),
and the prompt into the tokenizer's chat template, if it has one. The prompt shows what
the text was written for: its source, its label and its opening, where it has them. A
question, its words, its steps and a prompt of one's own may name {text}, {prefix},
{label}, {source} and {reference}; each stands for that of the text. Of a prompt of
one's own, lines and paragraphs are left out that only name what a text lacks. What
names anything else is refused.

The model reads the text as it is, so it may follow instructions that the text contains.
Control tokens in it, such as </s>, are split into plain tokens, and a note says so. If
the numbers together get less than 1 % of the probability, a note says so: such a model
has not understood the question.

NaN, with a reason, for an empty text, for one that lacks what its question names, for a
prompt that is longer than the model's
limit (nothing is cut), and if the numbers get no probability at all.

Raises MetricError at loading if the tokenizer has no single token for a number. What
numbers are in a model behind an address is not known: there, above 9, probabilities are
refused, and the other modes read whole numbers up to 100.

The model may also be one over the network, `endpoint:NAME/MODEL`, that the operator
set up in the file JUDGES_FILE. Its answers are read in one of four modes:

- `logprobs`: the equation above, where the answer stands, from the 20 likeliest tokens,
  or as many as the server gives.
  If the numbers get less than half of the probability, there is no score.
- `samples`: the mean of n answers at temperature 1, as in G-Eval. KEY.p is the share of
  each number. Answers without a number are left out, and KEY.n says how many have one;
  if fewer than half have, there is no score. (The released code of G-Eval draws at
  temperature 2 and counts such an answer as 0.)
- `answer`: the number of one answer at temperature 0.
- `form`: the number of an answer in JSON, which has a reason, too.
- `spans`: no number is asked for. The judge marks errors by quoting them, of the
  categories and severities of `scheme`; the score is what they cost
  (`judge/error_scheme.py`), and quotes without a place are counted
  (`judge/error_quotes.py`).

None falls back to another. NaN, with a reason, also for: a refusal, an answer that is
cut off, blocked, empty or not one number of the scale, a server without
log-probabilities, and one that failed five times. A test question at the start of a run
finds out how the server wants to be asked, and says what it cannot do before any text
is sent. Answers of another model or fingerprint than that of the test question are
scored, and a note says so, unless the operator wants them apart. The texts of the
prompts and of the questions are the same in all modes, but `form` asks for JSON in the
end.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, NamedTuple

import numpy as np

from scoring.endpoints import configuration
from scoring.metrics._engine import likelihood, models
from scoring.metrics._engine.base import (
    Example,
    Metric,
    Output,
    Progress,
    Scores,
    Series,
)
from scoring.metrics._engine.batches import SLAB, Meter
from scoring.metrics._engine.likelihood import Causal, Ids, Text
from scoring.metrics.judge import (
    error_quotes,
    error_scheme,
    option_checks,
    prompts,
    questions,
    rubric,
)
from scoring.metrics.judge.judge_options import Options
from scoring.metrics.judge.questions import Question
from scoring.metrics.judge.rubric import Rubric
from scoring.metrics.judge.writer import Writer, spellings

if TYPE_CHECKING:
    from scoring.metrics.judge.marking_scorer import MarkingScorer
    from scoring.metrics.judge.scorer import EndpointScorer, Setup

CONTROL = (
    "A text, or what it was written for, holds control tokens of the model, such as"
    " {}. The judge read them as plain text."
)
LEAST_SHARE = 0.01  # of the probability, for numbers that are an answer


class LLMJudge(Metric):
    """The rating that a language model gives the text when asked."""

    title = "LLM judge"
    source = "Liu et al. (2023), G-Eval, eq. 1"
    link = "https://aclanthology.org/2023.emnlp-main.153"
    Options = Options
    version = 4

    @property
    def outputs(self) -> tuple[Output, ...]:
        if self._marks:
            return error_quotes.OUTPUTS
        return tuple(
            Output(
                asked.output,
                asked.output.replace("_", " ").capitalize(),
                f"{self._gives}, [{asked.low}, {asked.high}]",
                asked.higher_is_better,
                asked.key,
            )
            for asked in self._questions()
        )

    @property
    def _gives(self) -> str:
        return (
            "rating" if self.options.mode in ("answer", "form") else "expected rating"
        )

    @property
    def series(self) -> tuple[Series, ...]:
        if self.options.mode not in ("logprobs", "samples"):
            return ()
        return tuple(
            Series(
                f"{asked.output}.p",
                f"{output.title}: probability of each number",
                "probability",
                "How likely the model is to answer with each number of the scale."
                " What is missing to 1 goes to other answers.",
                names=tuple(map(str, asked.numbers)),
            )
            for asked, output in zip(self._questions(), self.outputs, strict=True)
        )

    def check(self) -> None:
        self._questions()
        if self.options.prompt:
            prompts.check(self.options.prompt)
        option_checks.check(self.options, Options())
        if self._is_remote and self.options.mode == "logprobs":
            questions.check_one_token(self._questions())
        self._rubric()
        error_scheme.parse(self.options.scheme)

    @property
    def _marks(self) -> bool:
        """Whether it marks errors, and rates nothing."""
        return self.options.mode == error_quotes.MODE

    @property
    def _is_remote(self) -> bool:
        return self.options.model.startswith(configuration.PREFIX)

    def prompts(self, example: Example) -> dict[str, str]:
        """What the judge is asked about a text, by output; without what it is not."""
        beside, template = self._rubric(), self.options.prompt
        if self._marks:
            scheme = error_scheme.parse(self.options.scheme)
            request = error_quotes.request(example, scheme, template)
            return {error_quotes.OUTPUTS[0].key: request.message}
        return beside.prompts(example, self._questions(), template)

    def load(
        self, device: str = "cpu"
    ) -> LLMJudgeScorer | EndpointScorer | MarkingScorer:
        """The scorer; of a model behind an address, once it answered a question."""
        self.check()
        if self._is_remote:
            # Only here: nothing else needs the network.
            from scoring.metrics.judge import scorer

            return scorer.load(self._setup(), self.version)
        options, device = self.options, models.device(device)
        folder = models.find(options.model)
        tokenizer = models.tokenizer(folder)
        all_questions = self._questions()
        beside = self._rubric()
        writer = Writer(tokenizer, options.prompt, beside, chat=options.chat)
        spelled = spellings(tokenizer, all_questions, chat=writer.chat)
        model = models.causal(folder, device=device, dtype=options.dtype)
        keys = ",".join(asked.key for asked in all_questions)
        signature = self.signature(
            model=models.content_hash(folder),
            aspects=f"{keys}:{questions.digest(all_questions)}",
            prompt=questions.digest([options.prompt or prompts.OWN]),
            **beside.contents(all_questions),
        )
        engine = likelihood.causal(model)
        return LLMJudgeScorer(signature, engine, writer, all_questions, spelled)

    def _questions(self) -> tuple[Question, ...]:
        default = Options.aspects
        return questions.parse_questions(self.options.aspects or default)

    def _setup(self) -> Setup:
        from scoring.metrics.judge.scorer import Setup

        given = self.options
        return Setup(
            given.model,
            given.mode,
            given.samples,
            self._questions(),
            given.prompt,
            self._rubric(),
            error_scheme.parse(given.scheme),
        )

    def _rubric(self) -> Rubric:
        return rubric.of(self.options, self._questions())


class _Answers(NamedTuple):
    """Of one question, for some texts."""

    shares: np.ndarray  # (n, numbers), NaN where there is a reason
    reasons: list[str | None]


class LLMJudgeScorer:
    """A loaded LLM judge."""

    def __init__(
        self,
        signature: str,
        engine: Causal,
        writer: Writer,
        questions: Sequence[Question],
        spellings: dict[int, list[Ids]],
    ) -> None:
        """`spellings` are the tokens of each number."""
        self.signature = signature
        self.engine = engine
        self.questions = questions
        self._writer = writer
        self._spellings = spellings

    def __call__(
        self, examples: Sequence[Example], progress: Progress | None = None
    ) -> Scores:
        """Score texts."""
        meter = Meter(progress)
        slabs = [examples[k : k + SLAB] for k in range(0, len(examples), SLAB)]
        self._writer.held = ""
        found = [self._slab(slab, meter) for slab in slabs]
        values, reasons, parts, notes = {}, {}, {}, []
        if held := self._writer.held:
            notes.append(CONTROL.format(held))
        for k, asked in enumerate(self.questions):
            empty = np.empty((0, len(asked.numbers)))
            shares = np.concatenate([empty, *(slab[k].shares for slab in found)])
            total = shares.sum(-1)
            values[asked.output] = shares @ np.array(asked.numbers) / total
            reasons[asked.output] = [one for slab in found for one in slab[k].reasons]
            parts[f"{asked.output}.p"] = shares
            if (known := total[np.isfinite(total)]).size and known.mean() < LEAST_SHARE:
                notes.append(_misunderstood(asked))
        return Scores(values, reasons, parts, tuple(notes))

    def _slab(self, examples: Sequence[Example], meter: Meter) -> list[_Answers]:
        """Ask every question about some texts; the answers by question."""
        asked = [(one, question) for question in self.questions for one in examples]
        prompts = self._writer(asked)
        texts = [
            [Text((*ids, *one), len(ids)) for one in self._spelled(question)]
            for ids, (_, question) in zip(prompts, asked, strict=True)
        ]
        flat = [text for one in texts for text in one]
        meter.begin(texts=len(examples), work=self.engine.work(flat))
        logs = iter(self.engine.logprobs(flat, meter))
        meter.end()
        # By prompt, one number for each spelling.
        found = [np.array([next(logs).sum() for _ in one]) for one in texts]
        n = len(examples)
        return [
            self._answers(
                question, examples, texts[k * n : k * n + n], found[k * n : k * n + n]
            )
            for k, question in enumerate(self.questions)
        ]

    def _answers(
        self,
        question: Question,
        examples: Sequence[Example],
        texts: Sequence[Sequence[Text]],
        logs: Sequence[np.ndarray],
    ) -> _Answers:
        spelled = [len(self._spellings[number]) for number in question.numbers]
        starts = np.cumsum([0, *spelled[:-1]])
        shares = np.full((len(examples), len(spelled)), np.nan)
        reasons: list[str | None] = []
        for row, example, asked, values in zip(
            shares, examples, texts, logs, strict=True
        ):
            longest = max(asked, key=lambda one: len(one.ids))
            reason = self._reason(example, question, longest)
            if reason is None:
                row[:] = np.add.reduceat(np.exp(values), starts)
                if not row.sum() > 0:
                    row[:] = np.nan
                    reason = "the model gives the numbers no probability"
            reasons.append(reason)
        return _Answers(shares, reasons)

    def _reason(self, example: Example, question: Question, asked: Text) -> str | None:
        if lacks := self._writer.rubric.lacks(example, question):
            return lacks
        reason = self.engine.reason(asked)
        return reason and reason.replace("the text", "the prompt with the text", 1)

    def _spelled(self, question: Question) -> list[Ids]:
        return [one for number in question.numbers for one in self._spellings[number]]


def _misunderstood(asked: Question) -> str:
    return (
        f"For {asked.key}, the model gives less than {LEAST_SHARE:.0%} of its"
        f" probability to the numbers {asked.low} to {asked.high}: it has probably not"
        " understood the question. Try another model or prompt."
    )
