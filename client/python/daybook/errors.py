"""Errors of the client."""

from __future__ import annotations

from typing import Any, List, Mapping, Optional


class ProblemError(Exception):
    """The service refused a request, or cannot be reached (status 0, code ``unreachable``)."""

    def __init__(self, status: int, problem: Mapping[str, Any]) -> None:
        self.status = status
        self.code: Optional[str] = problem.get("code")
        self.detail: str = problem.get("detail") or problem.get("title") or "no reason was given"
        #: Each place that is wrong: code, detail, and a pointer or a line.
        self.errors: List[Mapping[str, Any]] = list(problem.get("errors") or [])
        places = "".join(f"\n  {_place(one)}: {one.get('detail')}" for one in self.errors[:10])
        super().__init__(f"{status} {self.code}: {self.detail}{places}")


def _place(error: Mapping[str, Any]) -> str:
    if "line" in error:
        return f"line {error['line']}"
    return str(error.get("pointer") or error.get("code"))


class UnfinishedError(Exception):
    """The service did not finish its work: an analysis failed, or the wait was too long."""


class ProgramError(Exception):
    """A program ended with another exit code than 0."""

    def __init__(self, command: List[str], code: int, stderr: str) -> None:
        self.code = code
        self.stderr = stderr
        super().__init__(f"{' '.join(command)} ended with {code}: {stderr.strip()[-2000:]}")
