"""Sends requests with urllib: token, Idempotency-Key, retries."""

from __future__ import annotations

import email.utils
import json
import random
import time
import urllib.error
import urllib.parse
import urllib.request
import uuid
from http.client import HTTPException
from typing import Any, Callable, Dict, Mapping, NamedTuple, Optional, Union

from .errors import ProblemError

#: Statuses that end by themselves: overload, an unreachable store, a proxy without a service behind it.
PASSING = frozenset({429, 502, 503, 504})

#: Parameters that are repeated for each value; values of others are joined with commas.
REPEATED = frozenset({"label", "feedTag"})


class Answer(NamedTuple):
    """An answer of the service."""

    status: int
    headers: Mapping[str, str]
    body: bytes

    def json(self) -> Any:
        """The body as JSON; None for an empty one."""
        return json.loads(self.body) if self.body else None


class _NoRedirects(urllib.request.HTTPRedirectHandler):
    """A redirect would carry the token to another address."""

    def redirect_request(self, *_: Any) -> None:
        return None


def _retry_after(value: Optional[str]) -> float:
    """Seconds of a header Retry-After, which has seconds or a date; 0 without one."""
    if not value:
        return 0.0
    if value.strip().isdigit():
        return float(value)
    try:
        return max(0.0, email.utils.parsedate_to_datetime(value).timestamp() - time.time())
    except (TypeError, ValueError):
        return 0.0


def query_of(query: Mapping[str, Any]) -> str:
    """Parameters of a query: None is left out, a boolean in lower case; values of a list have commas or are repeated."""
    pairs = []
    for name, value in query.items():
        values = [_text(one) for one in (value if isinstance(value, (list, tuple)) else [value]) if one is not None]
        if name in REPEATED or not values:
            pairs += [(name, one) for one in values]
        else:
            pairs.append((name, ",".join(values)))
    return urllib.parse.urlencode(pairs)


def _text(value: Any) -> str:
    return str(value).lower() if isinstance(value, bool) else str(value)


class Connection:
    """Address and token of a service, and how often a request is sent."""

    def __init__(
        self,
        url: str,
        token: Union[str, Callable[[], str]],
        *,
        attempts_max: int = 5,
        delay: float = 0.5,
        delay_max: float = 30.0,
        timeout: float = 300.0,
        language: Optional[str] = None,
    ) -> None:
        # Errors of requests name the address.
        if "@" in url:
            raise ValueError("url: got credentials in the address, expected http://host:port")
        if urllib.parse.urlsplit(url).scheme not in ("http", "https"):
            raise ValueError(f"url: got {url!r}, expected http://host:port")
        self.url = url.rstrip("/")
        self._token = token
        self._attempts_max = attempts_max
        self._delay = delay
        self._delay_max = delay_max
        self._timeout = timeout
        self._language = language
        self._opener = urllib.request.build_opener(_NoRedirects())

    def send(
        self,
        method: str,
        path: str,
        *,
        query: Optional[Mapping[str, Any]] = None,
        body: Optional[bytes] = None,
        content_type: Optional[str] = None,
        accept: str = "application/json",
    ) -> Answer:
        """Sends a request until it has a lasting answer.

        :raises ProblemError: when the service refuses it, or cannot be reached
        """
        text = query_of(query or {})
        address = f"{self.url}{path}{'?' + text if text else ''}"
        headers: Dict[str, str] = {"Accept": accept}
        if self._language:
            headers["Accept-Language"] = self._language
        if content_type:
            headers["Content-Type"] = content_type
        if method != "GET":
            headers["Idempotency-Key"] = str(uuid.uuid4())
        for attempt in range(1, self._attempts_max + 1):
            token = self._token() if callable(self._token) else self._token
            request = urllib.request.Request(
                address, data=body, method=method, headers={**headers, "Authorization": f"Bearer {token}"}
            )
            answer = self._once(request)
            refused = isinstance(answer, ProblemError)
            wait = min(self._delay_max, self._delay * 2 ** (attempt - 1)) * (0.5 + random.random() / 2)
            if not refused:
                passing = answer.status in PASSING or (answer.status == 409 and "retry-after" in answer.headers)
                wait = max(wait, _retry_after(answer.headers.get("retry-after")))
            if (refused or passing) and attempt < self._attempts_max and wait <= self._delay_max:
                time.sleep(wait)
                continue
            if refused:
                raise answer
            if answer.status >= 300:
                raise ProblemError(answer.status, _problem(answer))
            return answer
        raise AssertionError("unreachable")

    def _once(self, request: urllib.request.Request) -> Union[Answer, ProblemError]:
        try:
            try:
                response = self._opener.open(request, timeout=self._timeout)
            except urllib.error.HTTPError as error:
                response = error
            with response:
                return _answer(response.status, response.headers, response.read())
        except (urllib.error.URLError, HTTPException, OSError) as error:
            return ProblemError(0, {"code": "unreachable", "detail": f"{self.url} cannot be reached: {error}"})


def _answer(status: int, headers: Any, body: bytes) -> Answer:
    return Answer(status, {name.lower(): value for name, value in headers.items()}, body)


def _problem(answer: Answer) -> Mapping[str, Any]:
    try:
        problem = answer.json()
    except ValueError:
        problem = None
    return problem if isinstance(problem, dict) else {"detail": answer.body[:200].decode("utf-8", "replace")}
