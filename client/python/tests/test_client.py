"""Tests of the package: `python3 -m unittest discover client/python/tests` with PYTHONPATH=client/python.

The service is in DAYBOOK_URL with a token in DAYBOOK_TOKEN, HEATED is a source of it that another one explains,
DAYBOOK_COMMAND its command line and QUALITY_COMMAND its benchmark; without them the tests of a service are skipped.
"""

from __future__ import annotations

import json
import os
import shlex
import sys
import tempfile
import threading
import time
import unittest
from datetime import datetime, timezone
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path
from typing import List, Tuple
from unittest import mock

import numpy as np
import pandas as pd

from daybook import Daybook, LearnedModels, ProblemError, ProgramError, UnfinishedError, quality, tune, types
from daybook import frames, models
from daybook.connection import query_of
from daybook.frames import csv_of, frame_of, series_of, table_of

SEED = 7


def hours(first: str, days: int, seed: int = SEED) -> pd.Series:
    """Hourly values: working days with a plateau, weekends low, and noise."""
    index = pd.date_range(first, periods=24 * days, freq="h", tz="UTC")
    busy = (index.dayofweek < 5) & (index.hour >= 8) & (index.hour < 18)
    noise = np.random.default_rng(seed).normal(0, 3, len(index))
    return pd.Series(np.where(busy, 120.0, 30.0) + noise, index=index, name="power")


class Frames(unittest.TestCase):
    def test_a_series_becomes_csv_with_all_digits(self) -> None:
        index = pd.DatetimeIndex(["2026-01-01 01:00", "2026-01-01 00:00", "2026-01-01 02:00:00.5"])
        text = csv_of(series_of(pd.Series([0.1 + 0.2, 1e-9, float("nan")], index=index))).decode()
        self.assertEqual(
            text,
            "date;value\n2026-01-01T00:00:00;0,000000001\n2026-01-01T01:00:00;0,30000000000000004\n"
            "2026-01-01T02:00:00.500000;\n",
        )
        zoned = pd.Series([1], index=pd.DatetimeIndex(["2026-07-01 02:00"], tz="Europe/Paris"))
        self.assertEqual(csv_of(series_of(zoned)), b"date;value\n2026-07-01T00:00:00;1,0\n")

    def test_local_times_keep_the_order_of_a_repeated_hour(self) -> None:
        index = pd.DatetimeIndex([f"2026-10-25 {time}" for time in ("02:00", "02:30", "02:00", "02:30", "03:00")])
        series = series_of(pd.Series([1, 2, 3, 4, 5], index=index), local=True)
        self.assertEqual(series.tolist(), [1, 2, 3, 4, 5])

    def test_a_frame_has_one_column_of_times_and_of_numbers(self) -> None:
        times = pd.date_range("2026-01-01", periods=2, freq="h")
        frame = pd.DataFrame({"at": times, "kWh": [1.0, 2.0], "note": ["a", "b"]})
        self.assertEqual(series_of(frame).tolist(), [1.0, 2.0])
        both = frame.assign(other=[3, 4])
        self.assertEqual(series_of(both, "other").tolist(), [3, 4])
        for wrong, message in (
            (both, "got 2 columns of numbers, expected one, or column="),
            (frame.drop(columns="at"), "got 0 columns of times"),
            (pd.Series([1.0]), "expected a DatetimeIndex"),
            ([1.0], "got list, expected a Series"),
        ):
            with self.assertRaisesRegex(ValueError, message):
                series_of(wrong)
        with self.assertRaisesRegex(ValueError, "got 'x', expected one of"):
            series_of(frame, "x")
        with self.assertRaisesRegex(ValueError, "got inf, expected finite"):
            csv_of(series_of(pd.Series([float("inf")], index=times[:1])))

    def test_queries(self) -> None:
        query = {"a": None, "label": ["b:1", "b:2"], "c": True, "d": "x y", "state": ["open", "ended"], "e": []}
        self.assertEqual(query_of(query), "label=b%3A1&label=b%3A2&c=true&d=x+y&state=open%2Cended")

    def test_missing_values_of_nullable_numbers_are_empty(self) -> None:
        index = pd.date_range("2026-01-01", periods=2, freq="h")
        for dtype in ("Float64", "Int64"):
            text = csv_of(series_of(pd.Series([1, None], index=index, dtype=dtype))).decode()
            self.assertEqual(text, "date;value\n2026-01-01T00:00:00;1,0\n2026-01-01T01:00:00;\n")

    def test_frames_have_times_and_columns(self) -> None:
        record = {"openedAt": "2026-01-01T00:00:00.000Z", "since": "2026-01-01", "mutedUntil": None}
        frame = frame_of([record], types.Incident, ["since"])
        self.assertEqual(str(frame["openedAt"].dtype), "datetime64[ns, UTC]")
        self.assertEqual(str(frame["mutedUntil"].dtype), "datetime64[ns, UTC]")
        self.assertEqual(frame["since"].tolist(), [pd.Timestamp("2026-01-01")])
        empty = frame_of([], types.Incident, ["since"])
        self.assertEqual(str(empty["openedAt"].dtype), "datetime64[ns, UTC]")
        self.assertEqual(len(empty[empty["state"] == "open"]), 0)

    def test_tables_have_times_and_texts_that_look_missing(self) -> None:
        table = table_of(b"date,model,raisedAt\n2026-01-01,NA,2026-01-01T01:00:00.000Z\n2026-01-02,,\n")
        self.assertEqual(table["raisedAt"][0], pd.Timestamp("2026-01-01T01:00", tz="UTC"))
        self.assertEqual(table["model"].isna().tolist(), [False, True])
        self.assertEqual(table["date"][1], pd.Timestamp("2026-01-02"))


class Arrays(unittest.TestCase):
    models = [
        {
            "id": 3,
            "name": "Monday–Friday",
            "color": "#0072B2",
            "anomaly": False,
            "days": 5,
            "activity": [0.0, 10.0, -2.0],
            "topTolerance": [1.0, 12.0, 0.0],
            "bottomTolerance": [-1.0, 8.0, -3.0],
            "limits": {"unit": 10.0, "offset": 0.5},
        }
    ]

    def test_the_effect_of_covariates_moves_a_profile_by_the_share_of_each_slice(self) -> None:
        found = LearnedModels.of(self.models, lambda _: 3, lambda _: 0.1)
        curve = found.predict("2026-01-01")
        # ln(10 / 10 + 0.5) moves by 0.1 · 1 / (1 + 0.5); a slice at 0 or below it stays.
        expected = 10 * (np.exp(np.log(1.5) + 0.1 / 1.5) - 0.5)
        np.testing.assert_allclose(curve, [0, expected, -2], rtol=1e-14, atol=1e-14)
        self.assertEqual(LearnedModels.of(self.models, lambda _: 3).predict("2026-01-01").tolist(), [0, 10, -2])

    def test_dates_without_a_plan_are_nan_and_accepted_changes_are_refused(self) -> None:
        none = LearnedModels.of(self.models, lambda _: None)
        self.assertTrue(np.isnan(none.predict(pd.Timestamp("2026-01-01 12:00"))).all())
        unlearned = LearnedModels.of([], lambda _: None, slices=3)
        self.assertTrue(np.isnan(unlearned.predict("2026-01-01")).all())
        self.assertEqual(unlearned.predict_many(["2026-01-01"]).shape, (1, 3))
        changed = LearnedModels.of(self.models, lambda _: 3, changed_from=lambda: "2026-02-01")
        self.assertEqual(changed.predict("2026-01-31")[1], 10)
        with self.assertRaisesRegex(ValueError, "expected a date before 2026-02-01"):
            changed.predict("2026-02-01")
        with self.assertRaisesRegex(KeyError, "got 4, expected one of"):
            changed.index(4)


class Extras(unittest.TestCase):
    def test_a_package_that_is_missing_is_named_and_not_one_of_ours(self) -> None:
        for name, wanted in (("pandas", frames.pandas), ("numpy", models.numpy)):
            with mock.patch.dict(sys.modules, {name: None}), self.assertRaises(ImportError) as missing:
                wanted()
            self.assertEqual(f"{name}: got none, expected it: install {name}", str(missing.exception))


class Requests(unittest.TestCase):
    def daybook_of(self, *answers: Tuple[int, str, int]) -> Tuple[Daybook, List[str]]:
        """A client of a server that gives these answers in turn: status, body, and bytes that it promises more."""
        asked: List[str] = []

        class Handler(BaseHTTPRequestHandler):
            def do_GET(self) -> None:
                status, body, missing = answers[min(len(asked), len(answers) - 1)]
                asked.append(self.path)
                self.send_response(status)
                self.send_header("Content-Length", str(len(body) + missing))
                self.end_headers()
                self.wfile.write(body.encode())

            def log_message(self, *_: object) -> None:
                pass

        server = ThreadingHTTPServer(("127.0.0.1", 0), Handler)
        threading.Thread(target=server.serve_forever, daemon=True).start()
        self.addCleanup(server.server_close)
        self.addCleanup(server.shutdown)
        return Daybook(f"http://127.0.0.1:{server.server_port}", "x", attempts_max=2, delay=0.01), asked

    def test_an_address_has_no_credentials(self) -> None:
        with self.assertRaises(ValueError) as refused:
            Daybook(url="http://user:hunter2@127.0.0.1:1", token="x")
        self.assertNotIn("hunter2", str(refused.exception))

    def test_answers_that_are_cut_are_repeated(self) -> None:
        for status in (200, 404):
            daybook, asked = self.daybook_of((status, "{", 9))
            with self.assertRaises(ProblemError) as lost:
                daybook.call("getSource", source_id=1)
            self.assertEqual((lost.exception.code, len(asked)), ("unreachable", 2))

    def test_records_without_ids_and_lists_without_pages(self) -> None:
        versions = {"versions": [{"modelsVersion": 2}, {"modelsVersion": 1}]}
        daybook, asked = self.daybook_of((200, json.dumps(versions), 0))
        self.assertEqual(list(daybook.records("listModelsVersions", "versions", source_id=1)), versions["versions"])
        self.assertIn("limit=500", asked[0])
        daybook, asked = self.daybook_of((200, '{"mutes": [{"id": "a"}]}', 0))
        self.assertEqual(list(daybook.records("listMutes", "mutes")), [{"id": "a"}])
        self.assertNotIn("limit", asked[0])
        daybook, asked = self.daybook_of((200, '{"deliveries": [{}, {}]}', 0))
        self.assertEqual(list(daybook.records("listDeliveries", "deliveries", webhook_id="a")), [{}, {}])
        self.assertIn("limit=1000", asked[0], "it has one page")

    def test_all_attempts_of_a_message_are_records(self) -> None:
        attempts = [{"id": "a", "attempt": 2}, {"id": "a", "attempt": 1}]
        daybook, _ = self.daybook_of((200, json.dumps({"deliveries": attempts}), 0))
        self.assertEqual(list(daybook.records("listDeliveries", "deliveries", webhook_id="w")), attempts)
        daybook, _ = self.daybook_of((200, '{"alerts": [{"id": "a"}, {"id": "a"}]}', 0))
        self.assertEqual(list(daybook.records("listAlerts", "alerts")), [{"id": "a"}])

    def test_a_source_that_collects_its_reference_is_not_waited_for(self) -> None:
        analysis = {"status": "collecting", "usableDays": 12, "learnsAt": "2026-05-04"}
        daybook, asked = self.daybook_of((200, json.dumps({"analysis": analysis}), 0))
        with self.assertRaisesRegex(UnfinishedError, "12 usable days and learns on 2026-05-04"):
            daybook.analysed(1)
        self.assertEqual(len(asked), 1)


class Programs(unittest.TestCase):
    #: A program that says its arguments and fails.
    says = (sys.executable, "-c", "import sys; sys.exit(' '.join(sys.argv[1:]))")

    def test_values_of_covariates_are_options_of_their_own(self) -> None:
        with self.assertRaisesRegex(
            ProgramError, "--explained-by=A=a.csv --explained-by=B=b.csv --models=4,6$"
        ):
            tune("ref.csv", explained_by=["A=a.csv", "B=b.csv"], models=[4, 6], command=self.says)

    def test_options_that_the_function_sets_are_refused_before_the_program_runs(self) -> None:
        for options, message in (
            ({"days": "arrow"}, "got days=, expected the frame days"),
            ({"json": True}, "got json=, expected the frame settings"),
            ({"csv": True}, "got csv=, expected the frame settings"),
            ({"out": "here"}, "got out=, expected folder="),
            ({"replay": "bundle.json"}, "got replay=, expected the program"),
        ):
            with self.assertRaisesRegex(ValueError, message):
                tune("ref.csv", command=self.says, **options)


    def test_local_times_have_no_zone(self) -> None:
        zoned = hours("2026-01-05", 1)
        for series in ((zoned, None), (zoned.tz_localize(None), zoned)):
            with self.assertRaisesRegex(ValueError, "got times of UTC, expected times without a zone"):
                tune(*series, clock="local", command=self.says)
        with self.assertRaisesRegex(ProgramError, "--clock=local"):
            tune(zoned.tz_localize(None), clock="local", command=self.says)

    def test_npx_installs_nothing(self) -> None:
        with tempfile.TemporaryDirectory() as place, mock.patch.dict(os.environ):
            os.environ.pop("DAYBOOK_COMMAND", None)
            npx = Path(place) / "npx"
            npx.write_text('#!/bin/sh\necho "npm error for $*" >&2\nexit 1\n')
            npx.chmod(0o755)
            message = "npm error for --no -- daybook tune ref.csv (?s:.*)Set DAYBOOK_COMMAND to the command line"
            with self.assertRaisesRegex(ProgramError, message):
                tune("ref.csv", env={"PATH": f"{place}:{os.environ['PATH']}"})


@unittest.skipUnless("DAYBOOK_URL" in os.environ, "DAYBOOK_URL: got none, expected a service")
class Service(unittest.TestCase):
    @classmethod
    def setUpClass(cls) -> None:
        cls.daybook = Daybook(delay=0.05)
        cls.reference = hours("2025-01-06", 112)
        cls.recent = hours("2025-05-05", 14, SEED + 1)
        cls.recent.loc["2025-05-14"] = 200.0
        cls.source = cls.daybook.create_source(cls.reference, "From pandas", unit="kWh", calendar="FR")
        cls.days = cls.daybook.import_days(cls.source["id"], cls.recent.to_frame())

    def test_days_alerts_and_incidents_are_frames(self) -> None:
        self.assertEqual(self.source["analysis"]["status"], "completed")
        abnormal = self.days[self.days["status"] == "abnormal"]["date"]
        self.assertEqual(abnormal.tolist(), [pd.Timestamp("2025-05-14")])
        alerts = self.daybook.alerts(source_id=self.source["id"], from_="2025-05-01")
        self.assertEqual(alerts["date"].tolist(), abnormal.tolist())
        self.assertEqual(str(alerts["raisedAt"].dtype), "datetime64[ns, UTC]")
        incidents = self.daybook.incidents(source_id=self.source["id"])
        self.assertEqual(incidents["alertIds"].tolist(), [alerts["id"].tolist()])
        self.assertIn("From pandas", self.daybook.sources()["name"].tolist())

    def test_tables_have_the_values_that_were_sent(self) -> None:
        days = self.daybook.table(self.source["id"], "days", from_="2025-05-05", to="2025-05-06")
        sent = self.recent.loc["2025-05-05"].to_numpy()
        np.testing.assert_array_equal(days[days["kind"] == "recent"]["value"].to_numpy(), sent)

    def test_predict_is_what_the_service_expects(self) -> None:
        models = self.daybook.models(self.source["id"])
        self.assertEqual(models.profiles.shape, (len(models.ids), 24))
        dates = pd.date_range("2025-04-25", "2025-05-25")
        curves = models.predict_many(dates)
        expected = np.array([self.daybook.expected(self.source["id"], date) for date in dates])
        np.testing.assert_allclose(curves, expected, rtol=1e-12, atol=0)
        self.assertGreater(len({curve.tobytes() for curve in curves}), 1, "of several models")
        lower, upper = models.bounds("2025-05-05")
        self.assertTrue(((lower <= curves[10]) & (curves[10] <= upper)).all())

    def test_predict_follows_covariates(self) -> None:
        source = int(os.environ["HEATED"])
        models = self.daybook.models(source)
        dates = pd.date_range("2026-01-07", periods=12)
        expected = np.array([self.daybook.expected(source, date) for date in dates])
        np.testing.assert_allclose(models.predict_many(dates), expected, rtol=1e-12, atol=0)
        self.assertTrue(any(models.effect(str(date.date())) != 0 for date in dates), "the effect is not 0")

    def test_the_past_has_its_covariates_and_its_accepted_changes(self) -> None:
        def now() -> str:
            time.sleep(0.01)
            return datetime.now(timezone.utc).isoformat(timespec="milliseconds")

        source = self.daybook.create_source(self.reference, "Grown", calendar="FR")["id"]
        weekdays = self.recent[self.recent.index < "2025-05-08"]
        self.daybook.import_days(source, 1.5 * weekdays)
        before = now()
        found = self.daybook.call("listIncidents", source_id=source)["incidents"]
        self.daybook.call("acceptChange", id=found[0]["id"])
        self.assertEqual(self.daybook.call("listIncidents", source_id=source)["incidents"], [])
        with self.assertRaisesRegex(ValueError, "expected a date before 2025-05-0"):
            self.daybook.models(source).predict("2025-05-12")
        past = self.daybook.models(source, as_of=before)
        expected = self.daybook.expected(source, "2025-05-12", as_of=before)
        np.testing.assert_allclose(past.predict("2025-05-12"), expected, rtol=1e-12, atol=0)
        self.assertGreater(self.daybook.expected(source, "2025-05-12").sum(), 1.3 * expected.sum())
        with self.assertRaisesRegex(ValueError, "expected a date before 2025-05-0"):
            self.daybook.models(source, as_of=now()).predict("2025-05-12")

        heated = int(os.environ["HEATED"])
        temperature = self.daybook.call("getSource", source_id=heated)["explainedBy"]
        before = now()
        describe = lambda ids: self.daybook.call("describeSource", source_id=heated, body={"explainedBy": ids})  # noqa: E731
        self.addCleanup(describe, temperature)
        describe([])
        effects = [self.daybook.models(heated, as_of=before).effect(f"2026-01-{day:02}") for day in range(7, 19)]
        self.assertTrue(any(effects), "the source was explained then")
        present = self.daybook.models(heated)
        dates = pd.date_range("2026-01-07", periods=12)
        expected = np.array([self.daybook.expected(heated, date) for date in dates])
        np.testing.assert_allclose(present.predict_many(dates), expected, rtol=1e-12, atol=0)
        self.assertTrue(any(present.effect(str(date.date())) for date in dates), "the models have them until a reset")

    def test_models_are_edited_with_their_limits(self) -> None:
        edited = self.daybook.create_source(self.reference, "Edited", calendar="FR")
        body = self.daybook.call("listModels", source_id=edited["id"])
        body["models"][0]["topTolerance"] = [2 * value for value in body["models"][0]["topTolerance"]]
        answer = self.daybook.call("replaceModels", source_id=edited["id"], body=body)
        self.assertEqual([model["limits"] for model in answer["models"]], [one["limits"] for one in body["models"]])

    def test_points_change_their_slice(self) -> None:
        point = pd.Series([77.0], index=pd.DatetimeIndex(["2025-05-06 10:15"]))
        self.daybook.import_points(self.source["id"], point)

    def test_tune_is_called_and_applied(self) -> None:
        source = self.daybook.create_source(self.reference, "Tuned", calendar="FR")
        with tempfile.TemporaryDirectory() as folder:
            result = tune(
                self.reference,
                self.recent,
                models=[2, 3],
                coverage=0.95,
                calendar="FR",
                folder=folder,
                pick="3",
                apply_to=source["id"],
            )
            self.assertTrue((Path(folder) / "report.html").exists())
        self.assertEqual(result.settings["setting"].tolist(), ["chosen", "2", "3", f"{result.settings['modelCount'][0]}@0.95"])
        self.assertIn(result.recommended, result.settings["setting"].tolist())
        self.assertIn("The service learns the same models, to the last digit.", result.messages.replace("\n", " "))
        applied = self.daybook.models(source["id"])
        np.testing.assert_array_equal(applied.profiles, [model["activity"] for model in result.models["models"]])
        self.assertIn("2025-05-14", result.days[result.days["outcome"] == "abnormal"]["date"].dt.strftime("%Y-%m-%d").tolist())
        with self.assertRaisesRegex(ProgramError, "ended with 2: .*--models"):
            tune(self.reference, models=99)

    def test_quality_is_called(self) -> None:
        command = shlex.split(os.environ["QUALITY_COMMAND"])
        found = quality("--only=gas_furnace_vancouver", "--no-baselines", "--calendar=given", command=command)
        self.assertIn("gas_furnace_vancouver", str(found))

    def test_problems_say_what_was_wrong(self) -> None:
        with self.assertRaises(ProblemError) as refused:
            self.daybook.create_source(pd.concat([self.reference, self.reference[:1] + 1]), "Twice")
        self.assertEqual(refused.exception.status, 422)
        self.assertIn("line 3", str(refused.exception))
        with self.assertRaises(ProblemError) as refused:
            self.daybook.call("getSource", source_id=999)
        self.assertEqual((refused.exception.status, refused.exception.code), (404, "sourceNotFound"))
        with self.assertRaisesRegex(KeyError, "got 'none', expected one of"):
            self.daybook.call("none")
        with self.assertRaisesRegex(ValueError, "got no source_id, expected it as in /v1/source"):
            self.daybook.call("getSource")
        nobody = Daybook("http://127.0.0.1:1", "x", attempts_max=2, delay=0.01)
        with self.assertRaises(ProblemError) as refused:
            nobody.call("getSource", source_id=1)
        self.assertEqual((refused.exception.status, refused.exception.code), (0, "unreachable"))


if __name__ == "__main__":
    unittest.main()
