"""Texts with the errors that generators make, for UNION to tell from human ones.

Guan & Huang (2020): one to four types of error, each applied to what the last has left,
so that all of them are in the text. The first sentence is never altered: it is the one
that a story has to continue.

- repeat: more than half of the sentences say the same (or the only one that may change
  says the first again), or runs of one to four words stand twice;
- replace: sentences are of another text, or up to 15 % of the content words are other
  ones: an antonym where one is known, else one with the same tag, drawn by frequency;
- shuffle: two or more sentences in another order;
- negation: some of the sentences that can be turned into their opposite are.

How often each number and type of error is drawn is the authors' choice (their
repository thu-coai/UNION, `gen_train_data.py`). OpenMEVA (Guan et al. 2021), which
released UNION once more, drew other numbers, with hardly a repetition, and applied each
type to the unaltered text, so that only the last one was left; of that, only the
numbers are offered here.

How many sentences each alters is drawn as in the released code; a negation only among
those that can be negated. English only, where it comes to words.
"""

from __future__ import annotations

import re
from collections import Counter, defaultdict
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import NamedTuple

import numpy as np

from annotation import sentences
from annotation.perturbations import _inflection, _text, negate

TYPES = ("repeat", "replace", "shuffle", "negation")
LONGEST_RUN = 4  # words said twice in a row
MOST_TEXTS = 2000  # that words are counted in

# All sentences of some other text; none where there is no other.
Others = Callable[[np.random.Generator], Sequence[str]]

_WORD = re.compile(r"[^\W_]+(?:['’-][^\W_]+)*")
_TAGS = _inflection.OPEN_TAGS - {"NNP", "NNPS"}  # a name has neither antonym nor kin
_HELPING = frozenset(
    "are was were been being has had have having does did done doing not will would"
    " can could shall should may might must n't".split()
)
_PAIRS = (
    "good bad|hot cold|big small|large small|large little|long short|tall short"
    "|high low|old new|old young|fast slow|quick slow|early late|easy hard"
    "|easy difficult|simple complex|strong weak|rich poor|happy sad|happy unhappy"
    "|right wrong|right left|true false|real fake|full empty|open closed|light dark"
    "|light heavy|bright dark|bright dull|clean dirty|dry wet|deep shallow|wide narrow"
    "|thick thin|fat thin|soft hard|soft loud|loud quiet|rough smooth|sharp blunt"
    "|sweet sour|sweet bitter|beautiful ugly|pretty ugly|kind cruel|nice nasty"
    "|brave cowardly|clever stupid|smart dumb|wise foolish|honest dishonest|polite rude"
    "|calm nervous|safe dangerous|healthy sick|alive dead|near far|close distant"
    "|first last|next previous|possible impossible|likely unlikely|able unable"
    "|fair unfair|usual unusual|common rare|normal strange|famous unknown"
    "|public private|interesting boring|exciting boring|funny serious"
    "|original derivative|fresh stale|cheap expensive|busy idle|lucky unlucky"
    "|important unimportant|necessary unnecessary|perfect flawed|positive negative"
    "|male female|modern ancient|natural artificial|guilty innocent|visible invisible"
    "|convincing unconvincing|memorable forgettable|brilliant terrible|excellent awful"
    "|wonderful horrible|great terrible|best worst|believable unbelievable"
    "|whole partial|final initial|major minor|superior inferior|love hate|like dislike"
    "|win lose|find lose|buy sell|give take|give receive|push pull|come go|arrive leave"
    "|enter leave|start stop|start finish|begin end|open close|rise fall|raise lower"
    "|increase decrease|live die|laugh cry|smile frown|remember forget|ask answer"
    "|teach learn|lend borrow|build destroy|create destroy|break fix|break repair"
    "|accept refuse|accept reject|agree disagree|allow forbid|appear disappear"
    "|attack defend|catch throw|succeed fail|pass fail|improve worsen|hide show"
    "|hide reveal|save waste|save spend|help hinder|praise criticize|sit stand"
    "|sleep wake|speed slow|trust doubt|believe doubt|join separate|keep discard"
    "|entertain bore|enjoy endure|avoid seek|include exclude|exist vanish|work rest"
    "|man woman|boy girl|father mother|brother sister|son daughter|husband wife"
    "|uncle aunt|king queen|prince princess|hero villain|friend enemy|day night"
    "|morning evening|summer winter|north south|east west|top bottom|front back"
    "|inside outside|beginning end|start end|birth death|life death|war peace"
    "|love hatred|joy sorrow|happiness sadness|hope despair|success failure|truth lie"
    "|question answer|problem solution|strength weakness|heaven hell|angel devil"
    "|victory defeat|profit loss|question reply|guest host|teacher student|parent child"
    "|buyer seller|winner loser|beauty ugliness|wealth poverty|child adult|city village"
    "|always never|often rarely|often seldom|sometimes never|usually rarely|up down"
    "|in out|here there|now then|soon late|together apart|forward backward|well badly"
    "|quickly slowly|easily hardly|happily sadly|luckily unfortunately|more less"
    "|fortunately unfortunately|quietly loudly|before after|above below|away back"
    "|completely partly|carefully carelessly|nearly exactly|already yet|mostly hardly"
)


@dataclass(frozen=True, slots=True)
class NegativeOptions:
    """How errors are drawn; the shares of either tuple sum to 1."""

    numbers: tuple[float, ...] = (0.5, 0.2, 0.2, 0.1)  # of one, two, ... types
    weights: tuple[float, ...] = (0.1, 0.3, 0.4, 0.2)  # in the order of TYPES
    whole_repeated: float = 0.7  # share of repetitions that are of sentences
    whole_replaced: float = 0.5  # share of replacements that are of sentences
    most_words: float = 0.15  # of the content words, where words are replaced


OPENMEVA = NegativeOptions((0.2, 0.3, 0.45, 0.05), (0.01, 0.45, 0.44, 0.1))


class Negative(NamedTuple):
    text: str
    types: tuple[str, ...]  # in the order they were applied


def negative(
    text: str,
    others: Others,
    vocabulary: Vocabulary,
    rng: np.random.Generator,
    options: NegativeOptions | None = None,
) -> Negative | None:
    """A text with errors, or None where no type can be applied.

    Types are drawn without replacement, by their weights. One that cannot be applied
    (a second sentence alone has no other order) gives way to the next that is drawn.

    Args:
        text: Written by a person.
        others: Gives the sentences of another text: see `elsewhere`.
        vocabulary: Words to put in for others.
        rng: All chance.
        options: Those of the paper's authors, where none are given.
    """
    options = options or NegativeOptions()
    apply = {
        "repeat": lambda found: _repeat(found, rng, options),
        "replace": lambda found: _replace(found, others, vocabulary, rng, options),
        "shuffle": lambda found: _shuffle(found, rng),
        "negation": lambda found: _negate(found, rng),
    }
    found, gaps = _text.split(text)
    n_wanted = 1 + int(rng.choice(len(options.numbers), p=options.numbers))
    types: list[str] = []
    for name in _drawn_types(rng, options) if len(found) > 1 else ():
        after = apply[name](found)
        if after != found:
            found = after
            types.append(name)
        if len(types) == n_wanted:
            break
    damaged = _text.changed(text, _text.join(found, gaps))
    return None if damaged is None else Negative(damaged, tuple(types))


def _drawn_types(rng: np.random.Generator, options: NegativeOptions) -> list[str]:
    n_possible = sum(weight > 0 for weight in options.weights)
    return rng.choice(TYPES, n_possible, replace=False, p=options.weights).tolist()


def elsewhere(texts: Sequence[str], index: int) -> Others:
    """What gives the sentences of any of these texts but the one at `index`."""

    def sentences_of_another(rng: np.random.Generator) -> list[str]:
        if len(texts) < 2:
            return []
        other = int(rng.integers(len(texts) - 1))
        return sentences.split(texts[other + (other >= index)])

    return sentences_of_another


# The types of error. Each takes two sentences or more, and gives as many back: the same
# ones where it cannot be applied.


def _some(n_places: int, n: int, rng: np.random.Generator) -> list[int]:
    """Of the sentences behind the first, the places of n, in order."""
    return sorted((1 + rng.choice(n_places - 1, n, replace=False)).tolist())


def _repeat(
    found: list[str], rng: np.random.Generator, options: NegativeOptions
) -> list[str]:
    if rng.random() < options.whole_repeated:
        return _repeat_sentence(found, rng)
    after = list(found)
    for _ in range(max(1, len(found) // 2)):
        place = int(rng.integers(1, len(found)))
        after[place] = _stuttered(after[place], rng)
    return after


def _repeat_sentence(found: list[str], rng: np.random.Generator) -> list[str]:
    n = len(found)
    places = _some(n, min(n // 2 + 1, n - 1), rng)
    said = found[places[0] if n > 2 else 0]
    return [said if i in places else sentence for i, sentence in enumerate(found)]


def _stuttered(sentence: str, rng: np.random.Generator) -> str:
    """With a run of words said twice; as it was where there is no word."""
    words = [match.span() for match in _WORD.finditer(sentence)]
    if not words:
        return sentence
    n = min(int(rng.integers(1, LONGEST_RUN + 1)), len(words))
    first = int(rng.integers(len(words) - n + 1))
    start, end = words[first][0], words[first + n - 1][1]
    return f"{sentence[:end]} {sentence[start:]}"


def _replace(
    found: list[str],
    others: Others,
    vocabulary: Vocabulary,
    rng: np.random.Generator,
    options: NegativeOptions,
) -> list[str]:
    if rng.random() >= options.whole_replaced:
        return _replace_words(found, vocabulary, rng, options.most_words)
    theirs = others(rng)
    if not theirs:
        return found
    after = list(found)
    for place in _some(len(found), int(rng.integers(1, len(found))), rng):
        after[place] = theirs[int(rng.integers(len(theirs)))]
    return after


def _replace_words(
    found: list[str], vocabulary: Vocabulary, rng: np.random.Generator, most: float
) -> list[str]:
    tokens = [_inflection.tokenized(sentence) for sentence in found[1:]]
    words = [
        (i, j, tag) for i, one in enumerate(tokens) for j, tag in _content(one.words)
    ]
    if not words:
        return found
    n = int(rng.integers(1, max(1, int(most * len(words))) + 1))
    new: dict[int, dict[int, str]] = defaultdict(dict)
    for k in rng.choice(len(words), n, replace=False):
        i, j, tag = words[k]
        word = tokens[i].words[j]
        other = _antonym(word.lower(), tag, rng) or vocabulary.draw(tag, rng, word)
        new[i][j] = _inflection.like(word, other or word)
    return [found[0], *(one.with_words(new[i]).text for i, one in enumerate(tokens))]


def _content(words: Sequence[str]) -> list[tuple[int, str]]:
    """Positions and tags of telling nouns, verbs, adjectives and adverbs."""
    return [
        (i, tag)
        for i, (word, tag) in enumerate(
            zip(words, _inflection.tags(words), strict=True)
        )
        if tag in _TAGS and len(word) > 2 and word.isalpha()
        if word.lower() not in _HELPING
    ]


def _antonym(word: str, tag: str, rng: np.random.Generator) -> str | None:
    """In the same form; None where none is known."""
    lemma = _inflection.lemma(word, _inflection.kind_of(tag))
    forms = [_inflection.inflected(one, tag) for one in ANTONYMS.get(lemma, ())]
    known = [form.lower() for form in forms if form and form.lower() != word]
    return known[int(rng.integers(len(known)))] if known else None


def _shuffle(found: list[str], rng: np.random.Generator) -> list[str]:
    """The last sentence stays where it is cut off: that would show anywhere else."""
    n = _text.n_finished(found)
    if n < 3:
        return found
    places = _some(n, int(rng.integers(2, n)), rng)
    for _ in range(20):
        after = list(found)
        for place, source in zip(places, rng.permutation(places), strict=True):
            after[place] = found[source]
        if after != found:
            return after
    return found


def _negate(found: list[str], rng: np.random.Generator) -> list[str]:
    turned = {
        i: opposite
        for i, sentence in enumerate(found)
        if i > 0 and (opposite := negate.apply(sentence, rng))
    }
    if not turned:
        return found
    n = int(rng.integers(1, len(turned) + 1))
    chosen = rng.choice(list(turned), n, replace=False).tolist()
    return [turned[i] if i in chosen else s for i, s in enumerate(found)]


def _both_ways(pairs: str) -> dict[str, tuple[str, ...]]:
    found: dict[str, list[str]] = defaultdict(list)
    for pair in pairs.split("|"):
        one, other = pair.split()
        found[one].append(other)
        found[other].append(one)
    return {word: tuple(dict.fromkeys(others)) for word, others in found.items()}


ANTONYMS = _both_ways(_PAIRS)


class Vocabulary:
    """The content words of a corpus by tag, to be drawn as often as they occur there.

    By the tag of the Penn Treebank, not only by part of speech: a plural is followed by
    a plural, and the sentence stays a sentence.
    """

    def __init__(self, counts: Mapping[str, Mapping[str, int]]) -> None:
        self._words = {tag: sorted(found) for tag, found in counts.items()}
        self._sums = {
            tag: np.cumsum([counts[tag][word] for word in words])
            for tag, words in self._words.items()
        }

    @classmethod
    def of(cls, texts: Sequence[str], most: int = MOST_TEXTS) -> Vocabulary:
        """Count the words of at most so many texts, which lie evenly in the corpus."""
        counts: dict[str, Counter[str]] = defaultdict(Counter)
        for text in texts[:: max(1, -(-len(texts) // most))]:
            words = _inflection.tokenized(text).words
            for i, tag in _content(words):
                counts[tag][words[i].lower()] += 1
        return cls(counts)

    def draw(self, tag: str, rng: np.random.Generator, unlike: str) -> str | None:
        """A word with this tag, in small letters; None where there is no other one."""
        words = self._words.get(tag, [])
        if not words or words == [unlike.lower()]:
            return None
        while True:
            number = rng.integers(self._sums[tag][-1])
            word = words[int(np.searchsorted(self._sums[tag], number, side="right"))]
            if word != unlike.lower():
                return word
