"""Series and frames of pandas as bodies of imports, and records as frames. pandas is imported when it is needed."""

from __future__ import annotations

import io
from decimal import Decimal
from typing import TYPE_CHECKING, Any, Iterable, List, Mapping, Optional, Union

if TYPE_CHECKING:
    import pandas as pd

    Values = Union["pd.Series", "pd.DataFrame"]
else:
    Values = Any


def pandas() -> Any:
    """The module pandas.

    :raises ImportError: with what to install
    """
    try:
        import pandas as module
    except ImportError as error:
        raise ImportError("pandas: got none, expected it: install pandas") from error
    return module


def series_of(values: Values, column: Optional[str] = None, local: bool = False) -> "pd.Series":
    """The values as one series by time, in order; local times keep theirs, which tells the two times of an hour that
    the clock repeats.

    :param values: a series with a DatetimeIndex, or a frame with one and one column of numbers, or with `column`; a
        frame without a DatetimeIndex has one column of times
    :raises ValueError: with what was got and expected
    """
    pd = pandas()
    if isinstance(values, pd.DataFrame):
        frame = values
        if not isinstance(frame.index, pd.DatetimeIndex):
            times = [name for name in frame.columns if pd.api.types.is_datetime64_any_dtype(frame[name])]
            if len(times) != 1:
                raise ValueError(f"frame: got {len(times)} columns of times, expected a DatetimeIndex or one such column")
            frame = frame.set_index(times[0])
        if column is None:
            numbers = [name for name in frame.columns if pd.api.types.is_numeric_dtype(frame[name])]
            if len(numbers) != 1:
                raise ValueError(f"frame: got {len(numbers)} columns of numbers, expected one, or column=")
            column = numbers[0]
        if column not in frame.columns:
            raise ValueError(f"column: got {column!r}, expected one of {list(frame.columns)}")
        series = frame[column]
    elif isinstance(values, pd.Series):
        series = values
    else:
        raise ValueError(f"values: got {type(values).__name__}, expected a Series or a DataFrame of pandas")
    if not isinstance(series.index, pd.DatetimeIndex):
        raise ValueError(f"index: got {type(series.index).__name__}, expected a DatetimeIndex")
    if not pd.api.types.is_numeric_dtype(series):
        raise ValueError(f"values: got {series.dtype}, expected numbers")
    if series.index.hasnans:
        raise ValueError("index: got NaT, expected a time for each value")
    # Local times keep the order of their rows where only the repeated hour of autumn goes back.
    steps = series.index[:-1] - series.index[1:]
    if local and len(steps) > 0 and steps.max() <= pd.Timedelta(hours=1):
        return series
    return series.sort_index(kind="stable")


def _stamps(index: "pd.DatetimeIndex") -> List[str]:
    """Stamps of an index: instants in UTC with a zone, as they are without one."""
    if index.tz is not None:
        index = index.tz_convert("UTC").tz_localize(None)
    return [stamp.isoformat(timespec="microseconds" if stamp.microsecond else "seconds") for stamp in index]


def _number(value: float) -> str:
    """A number of CSV with all digits; empty for a missing one."""
    if value != value:
        return ""
    if value in (float("inf"), float("-inf")):
        raise ValueError(f"values: got {value}, expected finite numbers")
    text = repr(float(value))
    return (format(Decimal(text), "f") if "e" in text else text).replace(".", ",")


def csv_of(series: "pd.Series") -> bytes:
    """A series as CSV in the form that every import takes."""
    stamps = _stamps(series.index)
    values = series.to_numpy(dtype="float64", na_value=float("nan"))
    lines = [f"{stamp};{_number(value)}" for stamp, value in zip(stamps, values)]
    return ("date;value\n" + "\n".join(lines) + "\n").encode()


def clock_of(series: "pd.Series", local: bool) -> Optional[str]:
    """The parameter `clock` of an import. Times with a zone are instants.

    :raises ValueError: for local times that have a zone
    """
    if local and series.index.tz is not None:
        raise ValueError(f"local: got times of {series.index.tz}, expected times without a zone")
    return "local" if local else None


def _instant_columns(frame: "pd.DataFrame") -> List[str]:
    return [name for name in frame.columns if name.endswith("At") or name == "mutedUntil"]


def _with_times(frame: "pd.DataFrame", dates: Iterable[str]) -> "pd.DataFrame":
    pd = pandas()
    instants = {name: pd.to_datetime(frame[name], utc=True) for name in _instant_columns(frame)}
    return frame.assign(**instants, **{name: pd.to_datetime(frame[name]) for name in dates if name in frame})


def frame_of(records: Iterable[Mapping[str, Any]], fields: Any, dates: Iterable[str]) -> "pd.DataFrame":
    """Records as a frame: instants and dates become times; nested values stay as they are.

    :param fields: the ``TypedDict`` of a record: its fields are the columns when there is none
    """
    rows = list(records)
    columns = None if rows else list(fields.__annotations__)
    return _with_times(pandas().DataFrame(rows, columns=columns), dates)


def table_of(csv: bytes) -> "pd.DataFrame":
    """A table of the service: instants and dates become times, empty fields are missing values."""
    # The usual parser of pandas loses the last digit, and takes a model with the name None for a missing value.
    options = {"float_precision": "round_trip", "keep_default_na": False, "na_values": [""]}
    return _with_times(pandas().read_csv(io.BytesIO(csv), **options), ["date"])
