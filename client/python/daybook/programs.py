"""The programs `daybook tune` and `npm run quality`, called from Python."""

from __future__ import annotations

import json
import os
import re
import shlex
import subprocess
import tempfile
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any, Dict, List, Mapping, Optional, Sequence, Union

from . import frames
from .errors import ProgramError
from .frames import Values

if TYPE_CHECKING:
    import pandas as pd


@dataclass(frozen=True)
class TuneResult:
    """Results of `daybook tune`."""

    #: One row a setting: setting, modelCount, loss, hitRate, and so on.
    settings: "pd.DataFrame"
    #: Name of the recommended setting.
    recommended: str
    #: Each day under each setting.
    days: "pd.DataFrame"
    #: The models of the recommended or picked setting, a body for `replaceModels`.
    models: Dict[str, Any]
    #: All that the program printed.
    report: Dict[str, Any]
    #: The folder with report.html and bundle.json, when one was given.
    folder: Optional[Path]
    #: Messages of the program, among them the preview of apply_to.
    messages: str


#: Runs the package of the folder. npx would else install one of that name from the registry, whoever owns it.
_NPX = ["npx", "--no", "--", "daybook"]
_MISSING = "\nSet DAYBOOK_COMMAND to the command line of Daybook, or work in a folder of its checkout."


def _run(command: Sequence[str], env: Optional[Mapping[str, str]] = None, cwd: Optional[str] = None) -> Any:
    done = subprocess.run(
        list(command),
        capture_output=True,
        text=True,
        encoding="utf-8",
        stdin=subprocess.DEVNULL,
        env={**os.environ, **(env or {})},
        cwd=cwd,
        check=False,
    )
    if done.returncode != 0:
        is_missing = list(command[: len(_NPX)]) == _NPX and re.search(r"^npm (error|ERR!)", done.stderr, re.M)
        raise ProgramError(list(command), done.returncode, done.stderr + (_MISSING if is_missing else ""))
    return done


#: Options of `daybook tune` whose values are options of their own; those of others are joined with commas.
_REPEATED = ("explained_by",)

#: Options of `daybook tune` that the function sets, or that give no settings; and what to use instead.
_REFUSED = {
    "days": "the frame days of the result",
    "json": "the frame settings of the result, or its report",
    "csv": "the frame settings of the result",
    "out": "folder=",
    "replay": "the program on the command line",
}


def _option(name: str, value: Any) -> List[str]:
    flag = "--" + name.replace("_", "-")
    if value is None or value is False:
        return []
    if value is True:
        return [flag]
    if isinstance(value, (list, tuple)):
        if name in _REPEATED:
            return [f"{flag}={one}" for one in value]
        value = ",".join(str(one) for one in value)
    return [f"{flag}={value}"]


def program() -> List[str]:
    """The command line of Daybook: the environment variable DAYBOOK_COMMAND, else `npx` without an installation."""
    given = os.environ.get("DAYBOOK_COMMAND")
    return _NPX if given is None else shlex.split(given)


def tune(
    reference: Union[Values, str, Path],
    recent: Union[Values, str, Path, None] = None,
    *,
    folder: Union[str, Path, None] = None,
    command: Optional[Sequence[str]] = None,
    env: Optional[Mapping[str, str]] = None,
    **options: Any,
) -> TuneResult:
    """Compares settings offline, and applies one with `apply_to`.

    :param reference: the reference year and, as `recent`, recent days: series or frames of pandas, or paths of files
    :param folder: where the files of the program stay; they are removed without it
    :param command: the command line of Daybook; default: ``program()``
    :param options: options of the program: models=[4, 6], coverage=0.95, cross=True, calendar="FR", pick="6@0.95",
        apply_to=12 (a service of DAYBOOK_URL and DAYBOOK_TOKEN learns the setting, without a question),
        explained_by=["Temperature=outside.csv", "Rain=rain.csv"], …
    :raises ProgramError: with what the program said
    :raises ValueError: for an option that the function sets itself: days, json, csv, out, replay; for local times that
        have a zone
    """
    for name in options:
        if name in _REFUSED:
            raise ValueError(f"tune: got {name}=, expected {_REFUSED[name]}")
    pd = frames.pandas()
    with tempfile.TemporaryDirectory(prefix="daybook-tune-") as scratch:
        place = Path(scratch)
        local = options.get("clock") == "local"
        files = [
            str(one) if isinstance(one, (str, Path)) else _written(place / f"{name}.csv", one, local)
            for name, one in (("reference", reference), ("recent", recent))
            if one is not None
        ]
        out = Path(folder) if folder is not None else place / "out"
        if options.get("apply_to") is not None:
            options["yes"] = True
        flags = [flag for name, value in options.items() for flag in _option(name, value)]
        line = [*(command or program()), "tune", *files, "--json", f"--out={out}", *flags]
        done = _run(line, env)
        report = json.loads(done.stdout)
        return TuneResult(
            settings=pd.DataFrame(report["settings"]),
            recommended=report["recommended"],
            days=pd.read_csv(
                out / "days.csv", parse_dates=["date"], dtype={"setting": str}, float_precision="round_trip"
            ),
            models=json.loads((out / "models.json").read_text("utf-8")),
            report=report,
            folder=out if folder is not None else None,
            messages=done.stderr,
        )


def _written(path: Path, values: Values, local: bool) -> str:
    series = frames.series_of(values, local=local)
    frames.clock_of(series, local)
    path.write_bytes(frames.csv_of(series))
    return str(path)


def quality(
    *options: str,
    checkout: Union[str, Path] = ".",
    command: Sequence[str] = ("npm", "run", "-s", "quality", "--"),
) -> Dict[str, Any]:
    """Scores the engine on the public benchmark: `npm run quality` of a checkout of the repository.

    :param options: of the program, such as ``"--shipped"`` or ``"--only=name"``
    :param checkout: the folder of the repository
    """
    return json.loads(_run([*command, *options, "--json"], cwd=str(checkout)).stdout)
