"""Learned models as arrays of NumPy, and the expected curve of a date from them."""

from __future__ import annotations

import datetime
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, Callable, Dict, Iterable, List, Mapping, Optional, Tuple, Union

if TYPE_CHECKING:
    import numpy as np

#: A date: text YYYY-MM-DD, a date, or a time whose date counts.
Day = Union[str, datetime.date, Any]

#: From this offset on a log scale is practically straight: an effect moves every slice alike.
STRAIGHT_OFFSET = 1.0


def numpy() -> Any:
    """The module NumPy.

    :raises ImportError: with what to install
    """
    try:
        import numpy as module
    except ImportError as error:
        raise ImportError("numpy: got none, expected it: install numpy") from error
    return module


def date_text(day: Day) -> str:
    """A date as YYYY-MM-DD.

    :raises ValueError: for another text
    """
    if isinstance(day, datetime.datetime):
        day = day.date()
    if isinstance(day, datetime.date):
        return day.isoformat()
    return datetime.date.fromisoformat(str(day)[:10]).isoformat()


def to_scale(values: "np.ndarray", limits: Mapping[str, float]) -> "np.ndarray":
    """Values on the log scale of a model: ln(x / unit + offset), and its tangent below 0."""
    np = numpy()
    unit, offset = limits["unit"], limits["offset"]
    values = np.asarray(values, dtype="float64")
    straight = np.log(offset) + values / unit / offset
    return np.where(values >= 0, np.log(np.maximum(values, 0) / unit + offset), straight)


def from_scale(scaled: "np.ndarray", limits: Mapping[str, float]) -> "np.ndarray":
    """Values of the log scale of a model in the unit of the source."""
    np = numpy()
    unit, offset = limits["unit"], limits["offset"]
    low = np.log(offset)
    return np.where(scaled >= low, np.maximum(0, np.exp(scaled) - offset) * unit, (scaled - low) * offset * unit)


def moved(values: "np.ndarray", profile: "np.ndarray", limits: Mapping[str, float], effect: float) -> "np.ndarray":
    """Values around a profile, moved by an effect of covariates on the log scale. A slice at 0 stays at 0."""
    np = numpy()
    if effect == 0:
        return values
    if limits["offset"] >= STRAIGHT_OFFSET:
        share = np.ones_like(profile)
    else:
        multiples = np.maximum(0, profile) / limits["unit"]
        share = multiples / (multiples + limits["offset"])
    return from_scale(to_scale(values, limits) + effect * share, limits)


@dataclass(frozen=True)
class LearnedModels:
    """The models of a source: k models of m slices, in the order of their ids."""

    ids: "np.ndarray"
    names: List[str]
    colors: List[str]
    #: Whether each describes abnormal days; such a model is never planned automatically.
    anomalies: "np.ndarray"
    #: Number of reference days planned to follow each; by engines up to 8, of those nearest to it.
    days: "np.ndarray"
    #: k × m typical values, upper bounds and lower bounds, in the unit of the source.
    profiles: "np.ndarray"
    upper: "np.ndarray"
    lower: "np.ndarray"
    #: Limits of each besides its bounds; None for a model of a person's own.
    limits: List[Optional[Dict[str, float]]]
    #: The id of the model that is planned for a date, or None.
    planned: Callable[[str], Optional[int]]
    #: The effect of covariates on a date, on the log scale.
    effect: Callable[[str], float]
    #: The first date that an accepted change moves, or None.
    changed_from: Callable[[], Optional[str]]

    @classmethod
    def of(
        cls,
        models: Iterable[Mapping[str, Any]],
        planned: Callable[[str], Optional[int]],
        effect: Callable[[str], float] = lambda _: 0.0,
        changed_from: Callable[[], Optional[str]] = lambda: None,
        slices: int = 0,
    ) -> "LearnedModels":
        """Models as the API answers them.

        :param slices: m of a source without models
        """
        np = numpy()
        records = list(models)
        size = len(records[0]["activity"]) if records else slices

        def matrix(part: str) -> "np.ndarray":
            return np.array([model[part] for model in records], dtype="float64").reshape(len(records), size)

        return cls(
            ids=np.array([model["id"] for model in records], dtype="int64"),
            names=[model["name"] for model in records],
            colors=[model["color"] for model in records],
            anomalies=np.array([model["anomaly"] for model in records], dtype=bool),
            days=np.array([model["days"] for model in records], dtype="int64"),
            profiles=matrix("activity"),
            upper=matrix("topTolerance"),
            lower=matrix("bottomTolerance"),
            limits=[model.get("limits") for model in records],
            planned=planned,
            effect=effect,
            changed_from=changed_from,
        )

    def index(self, model_id: int) -> int:
        """The row of a model in the arrays.

        :raises KeyError: when there is no such model
        """
        found = numpy().flatnonzero(self.ids == model_id)
        if len(found) == 0:
            raise KeyError(f"model: got {model_id}, expected one of {self.ids.tolist()}")
        return int(found[0])

    def predict(self, day: Day) -> "np.ndarray":
        """The expected curve of a date: m values, NaN when no model is planned.

        It is the profile of the planned model, moved by covariates: what the service compares the day with.

        :raises ValueError: for a date that an accepted change moves: ``Daybook.expected`` asks the service
        """
        return self._expected(day, [self.profiles])[0]

    def bounds(self, day: Day) -> Tuple["np.ndarray", "np.ndarray"]:
        """Lower and upper bounds of a date, as ``predict``."""
        lower, upper = self._expected(day, [self.lower, self.upper])
        return lower, upper

    def predict_many(self, days: Iterable[Day]) -> "np.ndarray":
        """The expected curves of dates: n × m values."""
        return numpy().array([self.predict(day) for day in days]).reshape(-1, self.profiles.shape[1])

    def _expected(self, day: Day, matrices: List["np.ndarray"]) -> List["np.ndarray"]:
        date = date_text(day)
        changed = self.changed_from()
        if changed is not None and date >= changed:
            raise ValueError(
                f"day: got {date}, expected a date before {changed}, from which an accepted change moves the models; "
                "Daybook.expected asks the service"
            )
        model_id = self.planned(date)
        if model_id is None:
            return [numpy().full(matrix.shape[1], float("nan")) for matrix in matrices]
        row = self.index(model_id)
        limits = self.limits[row]
        effect = self.effect(date) if limits else 0.0
        return [
            moved(matrix[row], self.profiles[row], limits, effect) if limits else matrix[row].copy()
            for matrix in matrices
        ]
