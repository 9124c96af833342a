"""Answers of Spark that stay true for the life of a process."""

from __future__ import annotations

from typing import Generic, TypeVar

Question = TypeVar("Question")
Answer = TypeVar("Answer")

MOST_ANSWERS = 1_000
LONGEST = 10_000
"""Longer statements are rarely sent again, and a thousand of them would fill the memory."""


class Known(Generic[Question, Answer]):
    """The answers that came last. Threads share them."""

    def __init__(self) -> None:
        self._answers: dict[Question, Answer] = {}

    def get(self, question: Question) -> Answer | None:
        return self._answers.get(question)

    def keep(self, question: Question, answer: Answer, *, length: int = 0) -> Answer:
        """``length``: how many characters the question has."""
        if length > LONGEST:
            return answer
        if len(self._answers) >= MOST_ANSWERS:
            self._answers = {}
        self._answers[question] = answer
        return answer
