"""Croissant 1.1 metadata of a data set, with its vocabulary for responsible AI. Pure.

https://docs.mlcommons.org/croissant/docs/croissant-spec-1.1.html and
https://docs.mlcommons.org/croissant/docs/croissant-rai-spec.html
"""

from __future__ import annotations

import json
from collections.abc import Iterator, Mapping
from typing import Any

from annotation.archive.columns import DATASET, Column, Table
from scoring.archive.tables import BY_NAME
from scoring.publishing.facts import Facts
from scoring.publishing.markdown import number

VERSIONS = (
    "http://mlcommons.org/croissant/1.1",
    "http://mlcommons.org/croissant/RAI/1.0",
)
TYPES = {
    "string": "sc:Text",
    "strings": "sc:Text",
    "int": "sc:Integer",
    "float": "sc:Float",
    "bool": "sc:Boolean",
}
PARQUET = "application/x-parquet"
# Terms whose name is that of the vocabulary, as the specification lists them.
TERMS = (
    "annotation arrayShape citeAs column containedIn equivalentProperty excludes"
    " extract field fileProperty fileObject fileSet format includes isArray"
    " isLiveDataset jsonPath key md5 parentField path recordSet references regex"
    " readLines repeated replace samplingRate sdVersion separator source subField"
    " transform unArchive value"
).split()
CONTEXT: dict[str, Any] = {
    "@language": "en",
    "@vocab": "https://schema.org/",
    "sc": "https://schema.org/",
    "cr": "http://mlcommons.org/croissant/",
    "rai": "http://mlcommons.org/croissant/RAI/",
    "dct": "http://purl.org/dc/terms/",
    "conformsTo": "dct:conformsTo",
    "data": {"@id": "cr:data", "@type": "@json"},
    "dataType": {"@id": "cr:dataType", "@type": "@vocab"},
    "examples": {"@id": "cr:examples", "@type": "@json"},
    **{term: f"cr:{term}" for term in TERMS},
}


def write(facts: Facts, digests: Mapping[str, str], cite: str) -> str:
    """The metadata as JSON.

    Args:
        facts: Of the study.
        digests: SHA-256 of the file of each table that is there.
        cite: How to cite it, as BibTeX.
    """
    tables = [BY_NAME[name] for name in digests]
    found = {
        "@context": CONTEXT,
        "@type": "sc:Dataset",
        "name": facts.name,
        "alternateName": facts.heading,
        "description": _description(facts),
        "conformsTo": list(VERSIONS),
        "version": "1.0.0",
        "datePublished": facts.made_at[:10],
        "inLanguage": facts.language,
        "license": facts.published.licence or "unknown",
        "creator": _creators(facts),
        "citeAs": cite,
        **({"url": facts.published.paper} if facts.published.paper else {}),
        "isLiveDataset": False,
        **dict(_rai(facts)),
        "distribution": [_file(one, digests[one.name]) for one in tables],
        "recordSet": [_record_set(one) for one in tables],
    }
    return json.dumps(found, ensure_ascii=False, indent=1) + "\n"


def _description(facts: Facts) -> str:
    simulated = (
        " The ratings are simulated, not from people." if facts.simulated else ""
    )
    n = facts.counts
    return (
        f"{n.texts:,} generated texts, rated by people on {len(facts.aspects)}"
        f" questions and scored by metrics.{simulated}"
    )


def _creators(facts: Facts) -> list[dict[str, str]]:
    people = facts.published.authors or ("unknown",)
    return [{"@type": "sc:Person", "name": name} for name in people]


def _file(table: Table, digest: str) -> dict[str, object]:
    return {
        "@type": "cr:FileObject",
        "@id": table.file,
        "name": table.file,
        "description": table.help,
        "contentUrl": table.file,
        "encodingFormat": PARQUET,
        "sha256": digest,
    }


def _record_set(table: Table) -> dict[str, object]:
    key = {"key": {"@id": f"{table.name}/{table.key}"}} if table.key else {}
    return {
        "@type": "cr:RecordSet",
        "@id": table.name,
        "name": table.name,
        "description": table.help,
        **key,
        "field": [_field(table, one) for one in table.at(DATASET)],
    }


def _field(table: Table, one: Column) -> dict[str, object]:
    many = {"isArray": True, "arrayShape": "-1"} if one.type == "strings" else {}
    return {
        "@type": "cr:Field",
        "@id": f"{table.name}/{one.name}",
        "name": one.name,
        "description": one.help,
        "dataType": TYPES[one.type],
        **many,
        "source": {"fileObject": {"@id": table.file}, "extract": {"column": one.name}},
    }


# Responsible AI -----------------------------------------------------------------------


def _rai(facts: Facts) -> Iterator[tuple[str, object]]:
    how, n = facts.protocol, facts.counts
    yield "rai:dataCollection", _collection(facts)
    yield "rai:dataCollectionType", ["Surveys" if how.collected else "Others"]
    yield (
        "rai:dataCollectionMissingData",
        "A missing value is null: an answer that a rater could not give, or a score"
        " that a metric does not define, with the reason beside it.",
    )
    yield "rai:dataCollectionRawData", how.sampling
    if how.first:
        yield "rai:dataCollectionTimeframe", [how.first, how.last]
    if how.damaged:
        yield "rai:dataManipulationProtocol", how.damaged
    yield "rai:dataPreprocessingProtocol", _kept(facts)
    yield "rai:dataAnnotationProtocol", f"{how.pages} {how.order} {_scales(facts)}"
    yield "rai:dataAnnotationPlatform", [how.platform or "unknown", "EvalApp"]
    yield "rai:dataAnnotationAnalysis", [_agreed(facts)]
    yield "rai:annotationsPerItem", _per_item(facts)
    yield "rai:annotatorDemographics", ["Not collected."]
    if tools := sorted({one.signature for one in facts.outputs}):
        yield "rai:machineAnnotationTools", tools
    yield (
        "rai:personalSensitiveInformation",
        "None was asked of raters. Codes stand in their place. Whether the texts"
        " themselves name people is for the authors to say.",
    )
    yield "rai:dataUseCases", ["Validation of metrics against the judgement of people."]
    yield "rai:dataLimitations", list(_limits(facts))
    if n.pages_discarded:
        yield (
            "rai:dataBiases",
            "Quality control discards pages: raters who answer unusually, and mean it,"
            " are rarer in what counts.",
        )


def _collection(facts: Facts) -> str:
    how = facts.protocol
    if not how.collected:
        return "Ratings came in files: how they were collected is not known here."
    return " ".join(filter(None, (how.recruiting, how.pay, how.practice, how.timing)))


def _kept(facts: Facts) -> list[str]:
    n = facts.counts
    told = list(facts.protocol.quality)
    told.append(
        f"{n.pages_discarded} pages were discarded, {n.pages} count; {n.excluded} texts"
        " were excluded by a researcher."
    )
    return told


def _scales(facts: Facts) -> str:
    return " ".join(
        f"{one.title}: {one.question} ({one.low} to {one.high})"
        for one in facts.aspects
    )


def _agreed(facts: Facts) -> str:
    told = (
        f"{one.title} {number(one.alpha.value)}"
        for one in facts.aspects
        if one.alpha.value is not None
    )
    return "Krippendorff's alpha: " + (
        ", ".join(told) or "none, as ratings are missing"
    )


def _per_item(facts: Facts) -> str:
    if facts.protocol.collected:
        return str(facts.protocol.ratings_per_text)
    n, rated = facts.counts.ratings, facts.counts.texts * len(facts.aspects)
    return f"{n / rated:.3g} on average" if rated else "0"


def _limits(facts: Facts) -> Iterator[str]:
    yield f"The texts are in one language: {facts.language}."
    if facts.simulated:
        yield "The ratings are simulated: use them to try programs, not as evidence."
    if facts.level != "all":
        yield "Not all single ratings are published, so agreement cannot be recomputed."
