"""What is measured of a text: lengths of sentences, and words that are not those of docs/glossary.md."""

from __future__ import annotations

import re
from collections.abc import Sequence
from statistics import mean

from tests.docs.pages import sentences_of, words

LONGEST, MEAN = 32, 18
"""Words of a sentence."""
_COUNTED = 4
"""Shorter ones are headings, cells and labels: they do not count in the mean."""

FORBIDDEN = (
    "told", "heard", "hears", "sight", "sights", "spared", "nobody", "nobody's", "half known", "goes on",
    "brought back", "passes on", "party", "take it back", "takes it back",
)  # fmt: skip
"""Metaphors for a mechanism, and words of lakeui's own for what the field has a word for."""

MISSPELLED = {
    "merge-request": "merge request",
    "merge-base": "merge base",
    "mergebase": "merge base",
    "datafile": "data file",
    "row-id": "row id",
    "un-drop": "undrop",
    "changeset": "commit",
    "change set": "commit",
    "the destination": "the target",
    "destination's": "target's",
}
"""Other spellings of words of the glossary, and what is written instead."""

_FORBIDDEN = re.compile(rf"\b({'|'.join(FORBIDDEN)})\b", re.IGNORECASE)
_MISSPELLED = re.compile(rf"\b({'|'.join(MISSPELLED)})\b", re.IGNORECASE)
_PARAGRAPH = re.compile(r"\n\s*\n|\n\s*[-*] |\n\s*\d\. ")


def all_sentences(text: str) -> list[str]:
    """The sentences of all paragraphs and list items."""
    paragraphs = (re.sub(r"\s+", " ", paragraph) for paragraph in _PARAGRAPH.split(text))
    return [sentence for paragraph in paragraphs for sentence in sentences_of(paragraph)]


def too_long(sentences: Sequence[str]) -> list[str]:
    return [f"{len(words(text))} words: {text}" for text in sentences if len(words(text)) > LONGEST]


def is_short_on_average(sentences: Sequence[str]) -> bool:
    counted = [len(words(text)) for text in sentences if len(words(text)) >= _COUNTED]
    return not counted or mean(counted) <= MEAN


def wrong_words(text: str) -> list[str]:
    return [f"{found}: not a word of the glossary" for found in _FORBIDDEN.findall(text)]


def misspelled(text: str) -> list[str]:
    return [f"{found}: write {MISSPELLED[found.lower()]}" for found in _MISSPELLED.findall(text)]


def reading_ease(sentences: Sequence[str]) -> float:
    """Flesch's formula, with syllables counted by groups of vowels."""
    counted = [words(text) for text in sentences if len(words(text)) >= _COUNTED]
    all_words = [word for found in counted for word in found]
    return 206.835 - 1.015 * len(all_words) / len(counted) - 84.6 * sum(map(_syllables, all_words)) / len(all_words)


def _syllables(word: str) -> int:
    letters = re.sub(r"[^a-z]", "", word.lower())
    count = len(re.findall(r"[aeiouy]+", letters))
    is_silent = letters.endswith("e") and not letters.endswith(("le", "ee"))
    return max(count - (is_silent and count > 1), 1)
