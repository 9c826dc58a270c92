"""A client of the API: any operation, imports of pandas, lists as frames, learned models."""

from __future__ import annotations

import json
import os
import re
import time
import urllib.parse
from datetime import datetime
from typing import TYPE_CHECKING, Any, Callable, Dict, Iterator, List, Mapping, Optional, Union, cast

from . import frames, types
from .connection import Connection
from .errors import ProblemError, UnfinishedError
from .frames import Values
from .models import Day, LearnedModels, date_text, numpy
from .types import OPERATIONS, PAGED

if TYPE_CHECKING:
    import numpy as np
    import pandas as pd

    from .types import DayDetails, ModelList, Source

#: Times that a list is begun again after the service has forgotten its order.
BEGINNINGS_MAX = 10

#: The id of an attempt is that of its message, the same at every attempt.
_REPEATED_IDS = ("listDeliveries",)

#: All states: an incident whose change was accepted has no alert left, so it is invalidated.
_INCIDENT_STATES = "open,acknowledged,resolved,ended,merged,invalidated"


def _camel(name: str) -> str:
    """A parameter in the case of the API: time_zone becomes timeZone."""
    head, *rest = name.split("_")
    return head + "".join(part[:1].upper() + part[1:] for part in rest)


def _parameters(options: Mapping[str, Any]) -> Dict[str, Any]:
    return {_camel(name): value for name, value in options.items()}


class Daybook:
    """A service.

    :param url: its address; default: the environment variable DAYBOOK_URL, else http://127.0.0.1:8080
    :param token: a token, or a function that gives the present one; default: DAYBOOK_TOKEN
    :param options: of ``Connection``: language of sentences, such as fr; attempts_max, delay, delay_max, timeout
    """

    def __init__(
        self,
        url: Optional[str] = None,
        token: Union[str, Callable[[], str], None] = None,
        **options: Any,
    ) -> None:
        token = token or os.environ.get("DAYBOOK_TOKEN")
        if not token:
            raise ValueError("token: got none, expected one, or the environment variable DAYBOOK_TOKEN")
        url = url or os.environ.get("DAYBOOK_URL") or "http://127.0.0.1:8080"
        self.connection = Connection(url, token, **options)

    # Any operation.

    def call(self, operation: str, *, body: Any = None, **parameters: Any) -> Any:
        """One operation by its id in the description of the API: ``call("listModels", source_id=12)``.

        Parameters that the path has go there, others into the query. `body` becomes JSON.

        :raises ProblemError: when the service refuses it
        :raises KeyError: for an unknown operation
        """
        if operation not in OPERATIONS:
            raise KeyError(f"operation: got {operation!r}, expected one of {', '.join(OPERATIONS)}")
        method, path = OPERATIONS[operation]
        names = re.findall(r"\{(\w+)\}", path)
        missing = [name for name in names if parameters.get(name) is None]
        if missing:
            raise ValueError(f"{operation}: got no {', '.join(missing)}, expected it as in {path}")
        for name in names:
            path = path.replace("{" + name + "}", urllib.parse.quote(str(parameters.pop(name)), safe=""))
        content = None if body is None else json.dumps(body, allow_nan=False).encode()
        answer = self.connection.send(
            method,
            path,
            query=_parameters(parameters),
            body=content,
            content_type=None if content is None else "application/json",
        )
        return answer.json()

    def records(self, operation: str, name: str, **query: Any) -> Iterator[Dict[str, Any]]:
        """All records of a list, page by page. A list whose order the service has forgotten is begun again."""
        given = set()
        pages = {"limit": PAGED[operation]} if operation in PAGED else {}
        beginnings = 1
        cursor = None
        while True:
            try:
                page = self.call(operation, **{**pages, **query, "cursor": cursor})
            except ProblemError as error:
                if error.code != "cursorExpired" or beginnings == BEGINNINGS_MAX:
                    raise
                beginnings, cursor = beginnings + 1, None
                continue
            for record in page[name]:
                key = None if operation in _REPEATED_IDS else record.get("id")
                if key is None or key not in given:
                    given.add(key)
                    yield record
            cursor = page.get("nextCursor")
            if cursor is None:
                return

    # Data in.

    def create_source(
        self, values: Values, name: str, *, column: Optional[str] = None, local: bool = False, **options: Any
    ) -> "Source":
        """Creates a source from its reference year, and waits until its models are learned.

        :param values: a series with a DatetimeIndex, or a frame; see ``frames.series_of``
        :param local: times without a zone are those of `time_zone`; else they are UTC
        :param options: choices of a source: time_zone, calendar, unit, aggregation, activity_size, …
        """
        series = frames.series_of(values, column, local)
        query = {"name": name, "clock": frames.clock_of(series, local), **_parameters(options)}
        answer = self._upload("createSourceFromCsv", series, query)
        return self.analysed(answer["source"]["id"])

    def import_days(
        self, source_id: int, values: Values, *, column: Optional[str] = None, local: bool = False, **options: Any
    ) -> "pd.DataFrame":
        """Imports recent days, whole, and waits until each is checked. One row a day: date, status, and so on."""
        series = frames.series_of(values, column, local)
        query = {"source_id": source_id, "clock": frames.clock_of(series, local), **_parameters(options)}
        answer = self._upload("importDaysFromCsv", series, query)
        import_id = answer["import"]["id"]
        pending = lambda: any(day["status"] == "pending" for day in answer["days"])  # noqa: E731
        for _ in self._waiting("the check"):
            if not pending():
                return frames.frame_of(answer["days"], types.ImportedDay, ["date"])
            answer = self.call("getImport", import_id=import_id)
        raise AssertionError("unreachable")

    def import_points(
        self, source_id: int, values: Values, *, column: Optional[str] = None, local: bool = False, **options: Any
    ) -> Dict[str, Any]:
        """Imports points: each changes its slice only. Missing values are left out."""
        series = frames.series_of(values, column, local).dropna()
        query = {"source_id": source_id, "clock": frames.clock_of(series, local), **_parameters(options)}
        return self._upload("importPointsFromCsv", series, query)

    def _upload(self, operation: str, series: "pd.Series", query: Dict[str, Any]) -> Any:
        method, path = OPERATIONS[operation]
        path = path.replace("{source_id}", str(query.pop("source_id", "")))
        answer = self.connection.send(
            method, path, query=query, body=frames.csv_of(series), content_type="text/csv"
        )
        return answer.json()

    def analysed(self, source_id: int) -> "Source":
        """The source, when its models are learned.

        :raises UnfinishedError: when the analysis fails, did not begin as the source collects its reference, or takes
            longer than 15 minutes
        """
        for _ in self._waiting("the analysis"):
            source = self.call("getSource", source_id=source_id)
            analysis = source["analysis"]
            if analysis["status"] == "completed":
                return cast("Source", source)
            if analysis["status"] == "collecting":
                learns = analysis.get("learnsAt")
                raise UnfinishedError(
                    f"the source collects its reference: it has {analysis.get('usableDays', 0)} usable days"
                    + (f" and learns on {learns} at the earliest" if learns else "")
                )
            if analysis["status"] == "failed":
                raise UnfinishedError(f"the analysis failed: {analysis.get('detail') or analysis.get('code')}")
        raise AssertionError("unreachable")

    @staticmethod
    def _waiting(work: str, longest: float = 900.0) -> Iterator[None]:
        begun = time.monotonic()
        pause = 0.01
        while time.monotonic() - begun < longest:
            yield
            time.sleep(pause)
            pause = min(0.5, 1.5 * pause)
        raise UnfinishedError(f"{work} did not end within {longest:.0f} s")

    # Results out.

    def sources(self, **query: Any) -> "pd.DataFrame":
        """All sources of a list with its query, such as ``label="site:Lyon"``."""
        return frames.frame_of(self.records("listSources", "sources", **query), types.Source, [])

    def alerts(self, **query: Any) -> "pd.DataFrame":
        """All alerts of a list with its query: source_id, from_, to, state, kind, year."""
        return frames.frame_of(self.records("listAlerts", "alerts", **_from(query)), types.Alert, ["date"])

    def incidents(self, **query: Any) -> "pd.DataFrame":
        """All incidents of a list with its query."""
        found = self.records("listIncidents", "incidents", **_from(query))
        return frames.frame_of(found, types.Incident, ["since", "until"])

    def table(self, source_id: int, name: str, **query: Any) -> "pd.DataFrame":
        """A table of a source: days, checks, alerts, models or residuals; query: from_, to, as_of."""
        path = f"/v1/table/{int(source_id)}/{urllib.parse.quote(name, safe='')}"
        query = {**_parameters(_from(query)), "format": "csv"}
        return frames.table_of(self.connection.send("GET", path, query=query, accept="text/csv").body)

    # Models.

    def models(self, source_id: int, as_of: Optional[str] = None) -> LearnedModels:
        """The models of a source as arrays. Plans are read by year, when a date of it is asked for.

        :param as_of: the moment whose knowledge counts: a date, an instant or a position. Accepted changes that were
            withdrawn since, or ended with newer models, are not known: ``expected`` knows them
        """
        listed: "ModelList" = self.call("listModels", source_id=source_id, as_of=as_of)
        source: "Source" = self.call("getSource", source_id=source_id, as_of=as_of)
        years: Dict[str, Dict[str, Optional[int]]] = {}
        changed: List[Optional[str]] = []
        unexplained: List[str] = []

        def planned(date: str) -> Optional[int]:
            year = date[:4]
            if year not in years:
                plan = self.call("listPlanning", source_id=source_id, year=year, as_of=as_of)
                years[year] = {day["date"]: day["modelId"] for day in plan["days"]}
            return years[year][date]

        def effect(date: str) -> float:
            # The description may name other covariates than the present models have: a day says what they have.
            if unexplained:
                return 0.0
            details: "DayDetails" = self.call("getDay", source_id=source_id, date=date, as_of=as_of)
            facts, model = details.get("explainedBy"), details["plannedModel"]
            if facts is None and model is not None and model.get("limits"):
                unexplained.append(date)
            return facts["effect"] if facts else 0.0

        def changed_from() -> Optional[str]:
            if not changed:
                found = self.records("listIncidents", "incidents", source_id=source_id, state=_INCIDENT_STATES)
                dates = [
                    one["from"]
                    for incident in found
                    for one in incident.get("accepted", [])
                    if one["sourceId"] == source_id and not _is_after(one["at"], as_of)
                ]
                changed.append(min(dates, default=None))
            return changed[0]

        return LearnedModels.of(listed["models"], planned, effect, changed_from, source["activitySize"])

    def expected(self, source_id: int, day: Day, as_of: Optional[str] = None) -> "np.ndarray":
        """The expected curve of a date as the service answers it, accepted changes included; NaN without a plan.

        :param as_of: as of ``models``
        """
        np = numpy()
        details: "DayDetails" = self.call("getDay", source_id=source_id, date=date_text(day), as_of=as_of)
        model = details["plannedModel"]
        if model is not None:
            return np.array(model["activity"], dtype="float64")
        size = self.call("getSource", source_id=source_id)["activitySize"]
        return np.full(size, float("nan"))


def _is_after(at: str, as_of: Optional[str]) -> bool:
    """Whether an instant is after a date or an instant. That of a position is not known: no instant is after it."""
    if as_of is None or as_of.isdigit():
        return False
    if len(as_of) == len("2026-01-31"):
        return at[: len(as_of)] > as_of
    return datetime.fromisoformat(at) > datetime.fromisoformat(as_of)


def _from(query: Mapping[str, Any]) -> Dict[str, Any]:
    """A query with `from_` as `from`, which is a word of Python."""
    return {("from" if name == "from_" else name): value for name, value in query.items()}
