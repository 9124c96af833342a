"""Documents are written in short sentences and in the words of docs/glossary.md."""

from __future__ import annotations

import re
from pathlib import Path
from statistics import mean

import pytest

from tests.docs.pages import GENERATED, PAGES, name, sentences, texts, words

LONGEST, MEAN = 32, 18
"""Words of a sentence."""

FORBIDDEN = (
    "told", "heard", "hears", "sight", "sights", "spared", "nobody", "nobody's", "half known", "goes on",
    "brought back", "passes on", "party", "take it back",
)  # fmt: skip
"""Metaphors for a mechanism, and words of lakeui's own for what the field has a word for."""

_FORBIDDEN = re.compile(rf"\b({'|'.join(FORBIDDEN)})\b", re.IGNORECASE)
_SENTENCE = 4
"""Shorter ones are headings, cells and labels: they do not count in the mean."""


@pytest.mark.parametrize("page", PAGES, ids=name)
def test_sentences_are_short(page: Path) -> None:
    if name(page) in GENERATED:
        return
    lengths = {(line, sentence): len(words(sentence)) for line, sentence in sentences(page)}
    long = [f"{name(page)}:{line}: {count} words: {text}" for (line, text), count in lengths.items() if count > LONGEST]
    assert not long, "\n".join(long)
    counted = [count for count in lengths.values() if count >= _SENTENCE]
    assert not counted or mean(counted) <= MEAN


@pytest.mark.parametrize("page", PAGES, ids=name)
def test_words_are_those_of_the_field(page: Path) -> None:
    found = [f"{name(page)}:{line}: {match}" for line, text in texts(page) for match in _FORBIDDEN.findall(text)]
    if name(page) != "docs/glossary.md":
        assert not found, "\n".join(found)
