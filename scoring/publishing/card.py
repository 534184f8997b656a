"""The card of a data set: README.md, with the header that dataset hubs read. Pure."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence

from annotation.archive.columns import DATASET
from scoring.archive.tables import BY_NAME
from scoring.publishing.companions import Companion
from scoring.publishing.facts import Aspect, Facts
from scoring.publishing.markdown import number, plain, quoted, table, yaml
from scoring.stats.estimates import Estimate

# Sizes as hubs sort by them: fewer rows than this.
SIZES = ((1_000, "n<1K"), (10_000, "1K<n<10K"), (100_000, "10K<n<100K"))
LARGER = "100K<n<1M"
WORDS = {
    "all": "It has every single rating, with codes in place of raters.",
    "some": (
        "It has the single ratings of raters who agreed to that, with codes in their"
        " place. The ratings of others are in means only."
    ),
    "none": (
        "It has means only. Raters did not agree to the publication of single ratings,"
        " or it is not known whether they did."
    ),
}


def write(
    facts: Facts, rows: Mapping[str, int], companions: Sequence[Companion] = ()
) -> str:
    """The whole card.

    Args:
        facts: Of the study.
        rows: How many rows each table has; tables without a row are left out.
        companions: What else is in the folder.
    """
    header = _header(facts, rows, companions)
    parts = [*header, "", *_body(facts, rows, companions)]
    return "\n".join(parts) + "\n"


def _header(
    facts: Facts, rows: Mapping[str, int], companions: Sequence[Companion]
) -> Iterator[str]:
    """As the hub of Hugging Face documents it."""
    yield "---"
    yield f"pretty_name: {yaml(facts.heading)}"
    yield f"language:\n- {yaml(facts.language.partition('-')[0])}"
    yield f"license: {yaml(_licence(facts))}"
    yield f"size_categories:\n- {yaml(_size(rows.get('texts', 0)))}"
    yield "annotations_creators:"
    yield f"- {'machine-generated' if facts.simulated else _creators(facts)}"
    yield "task_categories:\n- text-generation"
    yield "tags:"
    more = [tag for companion in companions for tag in companion.tags]
    for tag in ("human-evaluation", "ratings", "evalapp", *more):
        yield f"- {tag}"
    yield "configs:"
    for name in rows:
        yield f"- config_name: {name}"
        yield f"  data_files: {BY_NAME[name].file}"
        if name == "texts":
            yield "  default: true"
    yield "---"


def _licence(facts: Facts) -> str:
    return facts.published.licence.lower() or "unknown"


def _creators(facts: Facts) -> str:
    return "crowdsourced" if facts.protocol.collected else "found"


def _size(n: int) -> str:
    return next((name for limit, name in SIZES if n < limit), LARGER)


def _body(
    facts: Facts, rows: Mapping[str, int], companions: Sequence[Companion]
) -> Iterator[str]:
    yield f"# {plain(facts.heading)}\n"
    if facts.simulated:
        yield "**The ratings are simulated, not from people.**\n"
    yield _summary(facts) + "\n"
    if facts.warning:
        yield f"**Please note:** {plain(facts.warning)}\n"
    yield "## Load it\n"
    yield f"```python\n{_example()}\n```\n"
    yield "Each table below is a configuration of its own.\n"
    yield "## Tables\n"
    yield from _tables(rows)
    yield "## Numbers\n"
    yield _numbers(facts) + "\n"
    yield "## Questions and agreement\n"
    yield from _questions(facts)
    yield "## Systems\n"
    yield _systems(facts) + "\n"
    yield "## How ratings were collected\n"
    yield from _protocol(facts)
    yield "## Consent and privacy\n"
    yield from _consent(facts)
    yield "## Licence\n"
    yield _of_licence(facts) + "\n"
    yield "## Compute the numbers again\n"
    yield from _again()
    for companion in companions:
        yield f"{companion.card}\n"
    if sentences := list(_cite(facts, companions)):
        yield "## Cite it\n"
        yield " ".join(sentences)


def _example() -> str:
    return (
        "from datasets import load_dataset\n\n"
        'texts = load_dataset("path/to/this/folder", "texts")["train"]'
    )


def _summary(facts: Facts) -> str:
    n = facts.counts
    systems = len(facts.systems)
    return (
        f"{n.texts:,} texts by {systems} systems for {n.prompts:,} prompts, with"
        f" answers of people to {len(facts.aspects)} questions about them and the"
        f" scores of {len({o.metric for o in facts.outputs})} metrics. Made with"
        f" EvalApp {facts.version} on {facts.made_at[:10]}. {WORDS[facts.level]}"
    )


def _tables(rows: Mapping[str, int]) -> Iterator[str]:
    for name, n in rows.items():
        one = BY_NAME[name]
        yield f"### {name}\n"
        yield f"{one.help} {n:,} rows, in `{one.file}`.\n"
        cells = [[f"`{f.name}`", f.type, f.help] for f in one.at(DATASET)]
        yield table(["Column", "Type", "Meaning"], cells) + "\n"


def _numbers(facts: Facts) -> str:
    n = facts.counts
    told = [
        ("Texts", n.texts),
        ("Prompts", n.prompts),
        ("Ratings that count", n.ratings),
        ("Raters whose ratings count", n.raters),
        ("Pages that count", n.pages),
        ("Pages that were discarded", n.pages_discarded),
        ("Choices between two systems", n.votes),
        ("Texts damaged on purpose", n.damaged),
        ("Texts excluded from statistics", n.excluded),
    ]
    return table(["What", "Number"], [[k, f"{v:,}"] for k, v in told])


def _questions(facts: Facts) -> Iterator[str]:
    header = ["Key", "Question", "Answers", "Krippendorff's alpha", "95 % interval"]
    yield table(header, [_question(one) for one in facts.aspects]) + "\n"
    if reasons := {one.alpha.reason for one in facts.aspects if one.alpha.reason}:
        yield "No alpha: " + "; ".join(plain(one) for one in sorted(reasons)) + ".\n"


def _question(one: Aspect) -> list[str]:
    better = "higher is better" if one.higher_is_better else "lower is better"
    ends = [f"{at} = {plain(words)}" for at, words in one.labels.items()]
    scale = f"{one.low} to {one.high}, {one.level}, {better}"
    answers = "; ".join([scale, *ends])
    return [
        f"`{one.key}`",
        plain(one.question),
        answers,
        number(one.alpha.value),
        interval(one.alpha),
    ]


def interval(one: Estimate) -> str:
    if one.low is None or one.high is None:
        return "—"
    return f"{number(one.low)} to {number(one.high)}"


def _systems(facts: Facts) -> str:
    header = ["System", "Kind", "Model", "Texts", *(a.title for a in facts.aspects)]
    rows = [
        [
            *(plain(one.name), one.kind, plain(one.model) or "—", one.n_texts),
            *(number(mean.value) for mean in one.means),
        ]
        for one in facts.systems
    ]
    return table([plain(name) for name in header], rows)


def _protocol(facts: Facts) -> Iterator[str]:
    how = facts.protocol
    if not how.collected:
        yield "The ratings came in files: how they were collected is not known here.\n"
    told = [
        *(how.recruiting, how.pay, how.practice, how.pages, how.order, how.sampling),
        *(how.timing, how.damaged, *how.quality, how.plan),
    ]
    yield "\n".join(f"- {plain(one)}" for one in told if one) + "\n"
    if how.first:
        yield f"Pages were handed in from {how.first} to {how.last}.\n"
    if how.collected and facts.instructions:
        yield "Raters read these instructions:\n"
        yield quoted(facts.instructions) + "\n"


def _consent(facts: Facts) -> Iterator[str]:
    yield WORDS[facts.level] + "\n"
    yield (
        "Codes of raters hold within this data set only. No account of a platform, no"
        " address and no time of a rating is in it. The texts themselves are as they"
        " were given to raters.\n"
    )
    for words in facts.consent:
        yield "Raters agreed to this:\n"
        yield quoted(words) + "\n"


def _of_licence(facts: Facts) -> str:
    if not facts.published.licence:
        return (
            "The authors have not named a licence. Ask them before you use the texts"
            " or ratings. The program in `replication/` is under the licence beside it."
        )
    return (
        f"Texts and ratings: `{facts.published.licence}`. The program in"
        " `replication/` is under the licence beside it."
    )


def _again() -> Iterator[str]:
    yield (
        "`replication/` has the numbers and tables of the study, what they are computed"
        " from, and a script that computes each of them again without EvalApp:\n"
    )
    yield (
        "```\npython -m pip install -r replication/requirements.txt\n"
        "python replication/recompute.py\n```\n"
    )


def _cite(facts: Facts, companions: Sequence[Companion]) -> Iterator[str]:
    if facts.published.paper:
        yield f"Cite the paper: <{facts.published.paper}>."
    yield from (companion.cite for companion in companions)
