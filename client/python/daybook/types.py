# Generated from the description of the API by client/generate.mjs; do not edit.
"""Resources of the API, and its operations by their ids."""

from __future__ import annotations

from typing import Any, Dict, List, Literal, NotRequired, Tuple, TypedDict, Union

#: Method and path of each operation.
OPERATIONS: Dict[str, Tuple[str, str]] = {
    "acceptChange": ("POST", "/v1/incident/{id}/accept"),
    "acknowledgeAlert": ("POST", "/v1/alert/{id}/acknowledge"),
    "acknowledgeAlerts": ("POST", "/v1/alert/acknowledge"),
    "acknowledgeIncident": ("POST", "/v1/incident/{id}/acknowledge"),
    "archiveSource": ("DELETE", "/v1/source/{source_id}"),
    "assignIncident": ("POST", "/v1/incident/{id}/assign"),
    "changeModel": ("PATCH", "/v1/model/{source_id}/{model_id}"),
    "changeSettings": ("PATCH", "/v1/settings"),
    "changeWebhook": ("PATCH", "/v1/webhook/{webhook_id}"),
    "clearDayPlan": ("DELETE", "/v1/planning/{source_id}/{date}"),
    "clearSpecialDay": ("DELETE", "/v1/calendar/{source_id}/{date}"),
    "commentIncident": ("POST", "/v1/incident/{id}/comment"),
    "createCalendarRule": ("POST", "/v1/calendar-rule/create"),
    "createCollectingSource": ("POST", "/v1/source"),
    "createFirstToken": ("POST", "/v1/first-token"),
    "createMute": ("POST", "/v1/mute"),
    "createSource": ("POST", "/v1/import/create-source"),
    "createSourceFromCsv": ("POST", "/v1/import-csv/create-source"),
    "createToken": ("POST", "/v1/token/create"),
    "createWebhook": ("POST", "/v1/webhook/create"),
    "deleteCalendarRule": ("DELETE", "/v1/calendar-rule/{rule_id}"),
    "deleteMute": ("DELETE", "/v1/mute/{id}"),
    "deleteWebhook": ("DELETE", "/v1/webhook/{webhook_id}"),
    "describeSource": ("PATCH", "/v1/source/{source_id}"),
    "disableWebhook": ("POST", "/v1/webhook/{webhook_id}/disable"),
    "enableWebhook": ("POST", "/v1/webhook/{webhook_id}/enable"),
    "erasePerson": ("POST", "/v1/person/erase"),
    "explainAlert": ("GET", "/v1/alert/{id}/explanation"),
    "getAlert": ("GET", "/v1/alert/{id}"),
    "getAlertHistory": ("GET", "/v1/alert/{id}/history"),
    "getCalendarRule": ("GET", "/v1/calendar-rule/{rule_id}"),
    "getCheckpoint": ("GET", "/v1/audit/checkpoint"),
    "getDay": ("GET", "/v1/day/{source_id}/{date}"),
    "getImport": ("GET", "/v1/import/{import_id}"),
    "getIncident": ("GET", "/v1/incident/{id}"),
    "getIncidentHistory": ("GET", "/v1/incident/{id}/history"),
    "getOverview": ("GET", "/v1/overview"),
    "getSettings": ("GET", "/v1/settings"),
    "getSource": ("GET", "/v1/source/{source_id}"),
    "getTable": ("GET", "/v1/table/{source_id}/{table}"),
    "getWebhook": ("GET", "/v1/webhook/{webhook_id}"),
    "health": ("GET", "/health"),
    "home": ("GET", "/"),
    "importCalendarRule": ("POST", "/v1/calendar-rule/import"),
    "importDays": ("POST", "/v1/import/days"),
    "importDaysFromCsv": ("POST", "/v1/import-csv/{source_id}/days"),
    "importPoints": ("POST", "/v1/import/points"),
    "importPointsFromCsv": ("POST", "/v1/import-csv/{source_id}/points"),
    "inspectCsv": ("POST", "/v1/import-csv/inspect"),
    "leaveOutDay": ("POST", "/v1/day/{source_id}/{date}/leave-out"),
    "listAlerts": ("GET", "/v1/alert/list"),
    "listAuditEvents": ("GET", "/v1/audit/event"),
    "listCalendar": ("GET", "/v1/calendar/list/{source_id}/{year}"),
    "listCalendarRules": ("GET", "/v1/calendar-rule/list"),
    "listDays": ("GET", "/v1/day/list/{source_id}/{year}"),
    "listDeliveries": ("GET", "/v1/webhook/{webhook_id}/deliveries"),
    "listIncidents": ("GET", "/v1/incident/list"),
    "listModels": ("GET", "/v1/model/list/{source_id}"),
    "listModelsVersions": ("GET", "/v1/model/versions/{source_id}"),
    "listMutes": ("GET", "/v1/mute/list"),
    "listPlanning": ("GET", "/v1/planning/list/{source_id}/{year}"),
    "listSources": ("GET", "/v1/source/list"),
    "listTokens": ("GET", "/v1/token/list"),
    "listUnclaimedFeeds": ("GET", "/v1/feed/unclaimed"),
    "listWebhooks": ("GET", "/v1/webhook/list"),
    "live": ("GET", "/health/live"),
    "mergeIncident": ("POST", "/v1/incident/{id}/merge"),
    "nameSpecialDay": ("PUT", "/v1/calendar/{source_id}/{date}"),
    "openApi": ("GET", "/openapi.json"),
    "planDay": ("PUT", "/v1/planning/{source_id}/{date}"),
    "previewModels": ("POST", "/v1/model/preview/{source_id}/{model_count}"),
    "proveConsistency": ("GET", "/v1/audit/proof/consistency"),
    "proveInclusion": ("GET", "/v1/audit/proof/inclusion"),
    "ready": ("GET", "/health/ready"),
    "relearnSource": ("POST", "/v1/source/{source_id}/relearn"),
    "reopenAlert": ("POST", "/v1/alert/{id}/reopen"),
    "reopenIncident": ("POST", "/v1/incident/{id}/reopen"),
    "replaceModels": ("POST", "/v1/model/bulk-replace/{source_id}"),
    "replayWebhook": ("POST", "/v1/webhook/{webhook_id}/replay"),
    "resetModels": ("POST", "/v1/model/reset/{source_id}/{model_count}"),
    "resolveAlert": ("POST", "/v1/alert/{id}/resolve"),
    "resolveAlerts": ("POST", "/v1/alert/resolve"),
    "resolveIncident": ("POST", "/v1/incident/{id}/resolve"),
    "restoreModels": ("POST", "/v1/model/restore/{source_id}/{models_version}"),
    "restoreSource": ("POST", "/v1/source/{source_id}/restore"),
    "revokeToken": ("DELETE", "/v1/token/{jti}"),
    "rotateWebhookSecret": ("POST", "/v1/webhook/{webhook_id}/rotate-secret"),
    "splitIncident": ("POST", "/v1/incident/{id}/split"),
    "streamEvents": ("GET", "/v1/events"),
    "takeBackLeavingOut": ("POST", "/v1/day/{source_id}/{date}/take-back"),
    "takeDayBack": ("DELETE", "/v1/day/{source_id}/{date}"),
    "testWebhook": ("POST", "/v1/webhook/{webhook_id}/test"),
    "withdrawAcceptance": ("POST", "/v1/incident/{id}/withdraw-acceptance"),
}

#: Largest limit of operations that take one: the size of a page.
PAGED = {
    "listAlerts": 500,
    "listAuditEvents": 500,
    "listDeliveries": 1000,
    "listIncidents": 500,
    "listModelsVersions": 500,
    "listSources": 500,
}

AcceptedChange = TypedDict(
    "AcceptedChange",
    {
        "sourceId": int,
        "from": str,
        "change": "Change",
        "by": str,
        "byKind": Literal["person", "service", "erased"],
        "at": str,
    },
)

Alert = TypedDict(
    "Alert",
    {
        "id": str,
        "sourceId": int,
        "date": str,
        "kind": Literal["activity", "gap", "frozen", "drift", "noData"],
        "state": Literal["open", "acknowledged", "ended", "resolved", "invalidated"],
        "direction": Union[Literal["over", "under", "both"], None],
        "criticity": float,
        "severity": NotRequired[float],
        "loss": NotRequired[str],
        "losses": NotRequired["AlertLosses"],
        "sentence": str,
        "sentences": "AlertSentences",
        "slices": List["BrokenRun"],
        "limits": NotRequired[List[Literal["slice", "window", "day", "windowChange", "dayChange", "shape"]]],
        "deviation": Union["Deviation", None],
        "brokenLimits": List["BrokenLimit"],
        "completeness": Union["GapFacts", None],
        "gap": Union["GapStretch", None],
        "flatline": Union["FlatlineFacts", None],
        "silence": Union["Silence", None],
        "plannedModelId": Union[int, None],
        "closestModelId": Union[int, None],
        "betterModelId": Union[int, None],
        "looksLikeAnomaly": bool,
        "incidentId": Union[str, None],
        "shape": NotRequired["ShapeDifference"],
        "explainedBy": NotRequired["Explained"],
        "soFar": NotRequired["SoFar"],
        "modelsVersion": int,
        "importId": str,
        "verdict": Union[Literal["anomaly", "expected", "notAnomaly", "newPattern"], None],
        "comment": Union[str, None],
        "raisedAt": str,
        "updatedAt": str,
    },
)

AlertChanges = TypedDict(
    "AlertChanges",
    {
        "raised": List["Alert"],
        "confirmed": List["Alert"],
        "invalidated": List["Alert"],
        "ended": List["Alert"],
        "unchanged": List["Alert"],
        "counts": "AlertChangesCounts",
    },
)

AlertChangesCounts = TypedDict(
    "AlertChangesCounts",
    {
        "raised": int,
        "confirmed": int,
        "invalidated": int,
        "ended": int,
        "unchanged": int,
    },
)

AlertHistory = TypedDict(
    "AlertHistory",
    {
        "events": List["AlertStep"],
    },
)

AlertIds = TypedDict(
    "AlertIds",
    {
        "ids": List[str],
    },
)

AlertLosses = TypedDict(
    "AlertLosses",
    {
        "fr": str,
    },
)

AlertPage = TypedDict(
    "AlertPage",
    {
        "alerts": List["Alert"],
        "falseDiscovery": NotRequired["FalseDiscovery"],
        "nextCursor": NotRequired[str],
    },
)

AlertSentences = TypedDict(
    "AlertSentences",
    {
        "fr": str,
    },
)

AlertStep = TypedDict(
    "AlertStep",
    {
        "type": str,
        "at": str,
        "by": str,
        "byKind": Literal["person", "service", "erased"],
        "reason": NotRequired[str],
        "verdict": NotRequired[Literal["anomaly", "expected", "notAnomaly", "newPattern"]],
        "comment": NotRequired[Union[str, None]],
        "cause": str,
        "eventId": str,
    },
)

AlertTransition = TypedDict(
    "AlertTransition",
    {
        "id": str,
        "outcome": Literal["changed", "unchanged", "refused"],
        "code": Union[Literal["alertNotFound", "alertTransition"], None],
        "detail": Union[str, None],
        "alert": Union["Alert", None],
    },
)

AlertTransitions = TypedDict(
    "AlertTransitions",
    {
        "results": List["AlertTransition"],
        "counts": "AlertTransitionsCounts",
    },
)

AlertTransitionsCounts = TypedDict(
    "AlertTransitionsCounts",
    {
        "changed": int,
        "unchanged": int,
        "refused": int,
    },
)

Analysis = TypedDict(
    "Analysis",
    {
        "status": Literal["collecting", "pending", "running", "completed", "failed"],
        "usableDays": NotRequired[int],
        "learnsAt": NotRequired[Union[str, None]],
        "requestedAt": NotRequired[str],
        "completedAt": NotRequired[str],
        "failedAt": NotRequired[str],
        "referenceExtendedAt": NotRequired[str],
        "requestId": NotRequired[str],
        "code": NotRequired[str],
        "detail": NotRequired[str],
        "modelCount": NotRequired[int],
        "modelsVersion": NotRequired[int],
        "restoredFrom": NotRequired[int],
        "engine": NotRequired[str],
        "seed": NotRequired[int],
        "usedDays": NotRequired[int],
        "leftOut": NotRequired[List["AnalysisLeftOutItem"]],
        "bounds": NotRequired["BoundsQuality"],
        "choice": NotRequired[List["CountTried"]],
        "explainedBy": NotRequired[List["Covariate"]],
        "calendar": NotRequired[Union["Calendar", None]],
        "cycles": NotRequired[List["AnalysisCyclesItem"]],
        "hitRate": NotRequired[Union[float, None]],
    },
)

AnalysisLeftOutItem = TypedDict(
    "AnalysisLeftOutItem",
    {
        "date": str,
        "reason": str,
    },
)

AnalysisCyclesItem = TypedDict(
    "AnalysisCyclesItem",
    {
        "kind": Literal["days", "monthDay"],
        "length": NotRequired[int],
        "first": NotRequired[str],
        "weekdays": NotRequired[List[int]],
        "counts": NotRequired[Literal["days", "workingDays", "weekdays"]],
        "place": NotRequired[int],
        "weekday": NotRequired[int],
        "evidence": "AnalysisCyclesItemEvidence",
        "sentence": str,
        "sentences": "AnalysisCyclesItemSentences",
    },
)

AnalysisCyclesItemEvidence = TypedDict(
    "AnalysisCyclesItemEvidence",
    {
        "errorReduction": float,
        "better": int,
        "of": int,
    },
)

AnalysisCyclesItemSentences = TypedDict(
    "AnalysisCyclesItemSentences",
    {
        "fr": str,
    },
)

AnalysisParameters = TypedDict(
    "AnalysisParameters",
    {
        "engine": str,
        "seed": int,
        "modelCount": int,
        "bounds": "BoundsQuality",
        "choice": List["CountTried"],
        "hitRate": Union[float, None],
        "calendar": Union["Calendar", None],
    },
)

Assignment = TypedDict(
    "Assignment",
    {
        "subject": Union[str, None],
    },
)

AuditEvent = TypedDict(
    "AuditEvent",
    {
        "position": str,
        "id": str,
        "stream": str,
        "revision": int,
        "type": str,
        "v": int,
        "at": str,
        "data": Any,
        "metadata": "AuditEventMetadata",
        "byKind": Literal["person", "service", "erased"],
        "hash": NotRequired[str],
    },
)

AuditEventMetadata = TypedDict(
    "AuditEventMetadata",
    {
        "by": str,
        "cause": str,
        "correlation": str,
    },
)

AuditPage = TypedDict(
    "AuditPage",
    {
        "events": List["AuditEvent"],
        "nextCursor": NotRequired[str],
    },
)

BoundsQuality = TypedDict(
    "BoundsQuality",
    {
        "method": str,
        "targetCoverage": Union[float, None],
        "guaranteedCoverage": Union[float, None],
        "calibrationDays": int,
        "measuredCoverage": float,
        "falseAlertsPerYear": Union[float, None],
        "falseAlertsRange": NotRequired["FalseAlertsRange"],
        "guard": NotRequired["Guard"],
        "guarantee": NotRequired["Guarantee"],
        "minimumDetectableChange": Union["BoundsQualityMinimumDetectableChange", None],
    },
)

BoundsQualityMinimumDetectableChange = TypedDict(
    "BoundsQualityMinimumDetectableChange",
    {
        "wholeDay": "DetectableChange",
        "eightHours": "DetectableChange",
        "timesOfDay": NotRequired[List["DetectableChangeAtTime"]],
    },
)

BrokenLimit = TypedDict(
    "BrokenLimit",
    {
        "limit": Literal["slice", "window", "day", "windowChange", "dayChange", "shape"],
        "from": int,
        "to": int,
        "fromTime": str,
        "toTime": str,
        "score": Union[float, None],
        "allowed": Union[float, None],
        "actual": float,
        "bound": float,
    },
)

BrokenRun = TypedDict(
    "BrokenRun",
    {
        "from": int,
        "to": int,
        "fromTime": str,
        "toTime": str,
        "direction": Literal["over", "under"],
        "excess": float,
    },
)

Calendar = TypedDict(
    "Calendar",
    {
        "code": str,
        "origin": Literal["given", "inferred"],
        "evidence": Union[str, None],
        "library": str,
    },
)

CalendarDay = TypedDict(
    "CalendarDay",
    {
        "date": str,
        "type": Literal["holiday", "bridge", "christmas", "special"],
        "name": Union[str, None],
    },
)

CalendarRule = TypedDict(
    "CalendarRule",
    {
        "id": Union[str, None],
        "name": str,
        "sourceId": Union[int, None],
        "labels": Union[Dict[str, str], None],
        "rule": Union[str, None],
        "from": str,
        "to": str,
        "dateCount": int,
        "earlierDates": NotRequired[int],
        "dates": List[str],
        "savedAt": Union[str, None],
    },
)

CalendarRules = TypedDict(
    "CalendarRules",
    {
        "rules": List["CalendarRule"],
    },
)

CalendarYear = TypedDict(
    "CalendarYear",
    {
        "days": List["CalendarDay"],
        "calendar": Union["Calendar", None],
    },
)

Change = TypedDict(
    "Change",
    {
        "type": Literal["level", "clock", "opening", "shape"],
        "size": float,
        "from": str,
        "minutes": Union[List[int], None],
        "daylightSaving": bool,
        "sourceId": int,
        "sentence": str,
        "sentences": "ChangeSentences",
        "summary": str,
        "summaries": "ChangeSummaries",
    },
)

ChangeAcceptance = TypedDict(
    "ChangeAcceptance",
    {
        "from": NotRequired[str],
        "sourceIds": NotRequired[List[int]],
    },
)

ChangeSentences = TypedDict(
    "ChangeSentences",
    {
        "fr": str,
    },
)

ChangeSummaries = TypedDict(
    "ChangeSummaries",
    {
        "fr": str,
    },
)

ChangedModel = TypedDict(
    "ChangedModel",
    {
        "id": int,
        "name": str,
        "color": str,
        "activity": List[float],
        "topTolerance": List[float],
        "bottomTolerance": List[float],
        "names": "ModelNames",
        "anomaly": bool,
        "days": int,
        "limits": NotRequired["Limits"],
        "checked": bool,
        "alerts": "AlertChanges",
    },
)

Check = TypedDict(
    "Check",
    {
        "outcome": Literal["normal", "abnormal", "gap", "drift", "notCompared"],
        "plannedModelId": Union[int, None],
        "modelsVersion": int,
        "checkedAt": str,
        "belowFloor": NotRequired[bool],
    },
)

Checkpoint = TypedDict(
    "Checkpoint",
    {
        "origin": str,
        "size": int,
        "root": str,
        "at": str,
        "keyId": str,
        "signature": str,
        "successions": NotRequired[List["KeySuccession"]],
    },
)

CollectingSource = TypedDict(
    "CollectingSource",
    {
        "name": str,
        "labels": NotRequired[Dict[str, str]],
        "place": NotRequired[Union["PlacePatch", None]],
        "expectedInterval": NotRequired[Union[str, None]],
        "explainedBy": NotRequired[List[int]],
        "unit": NotRequired[Union[str, None]],
        "lateness": NotRequired[Union[str, None]],
        "feed": NotRequired[Union["Feed", None]],
        "minChange": NotRequired[Union["MinChangePatch", None]],
        "activitySize": Literal[4, 8, 12, 24, 48, 72, 144, 1440],
        "interpolationMethod": NotRequired[Literal["zero", "linear"]],
        "aggregation": NotRequired[Literal["mean", "sum", "counter"]],
        "calendar": NotRequired[str],
        "timeZone": NotRequired[str],
        "coverage": NotRequired[float],
    },
)

ConsistencyProof = TypedDict(
    "ConsistencyProof",
    {
        "from": int,
        "to": int,
        "consistencyPath": List[str],
    },
)

CountTried = TypedDict(
    "CountTried",
    {
        "modelCount": int,
        "loss": float,
        "predictability": Union[float, None],
        "stability": Union[float, None],
    },
)

Covariate = TypedDict(
    "Covariate",
    {
        "sourceId": int,
        "name": str,
        "used": bool,
        "errorReduction": Union[float, None],
        "reason": str,
        "effect": NotRequired["CovariateEffect"],
    },
)

CovariateEffect = TypedDict(
    "CovariateEffect",
    {
        "knee": float,
        "below": float,
        "above": float,
        "from": float,
        "to": float,
    },
)

CsvColumn = TypedDict(
    "CsvColumn",
    {
        "number": int,
        "name": Union[str, None],
        "kind": Literal["date", "value", "other"],
        "example": str,
    },
)

CsvInspection = TypedDict(
    "CsvInspection",
    {
        "separator": Literal[";", ",", "|", "\t", "semicolon", "comma", "pipe", "tab"],
        "decimal": Union[Literal[",", "."], None],
        "dateFormat": Union[Literal["ISO", "YYYY-MM-DD HH:mm:ss", "DD/MM/YYYY HH:mm", "DD.MM.YYYY HH:mm", "epochSeconds", "epochMilliseconds"], None],
        "header": Union[List[str], None],
        "columns": List["CsvColumn"],
        "rows": int,
        "isWhole": bool,
        "sampling": Union["CsvSampling", None],
        "days": List["CsvInspectionDaysItem"],
        "range": Union["CsvInspectionRange", None],
        "parameters": "CsvInspectionParameters",
        "query": str,
        "problems": List["CsvProblem"],
        "warnings": List["Warning"],
    },
)

CsvInspectionDaysItem = TypedDict(
    "CsvInspectionDaysItem",
    {
        "date": str,
        "rows": int,
    },
)

CsvInspectionRange = TypedDict(
    "CsvInspectionRange",
    {
        "min": float,
        "max": float,
    },
)

CsvInspectionParameters = TypedDict(
    "CsvInspectionParameters",
    {
        "separator": NotRequired[Literal[";", ",", "|", "\t", "semicolon", "comma", "pipe", "tab"]],
        "decimal": NotRequired[Literal[",", "."]],
        "dateFormat": NotRequired[Literal["ISO", "YYYY-MM-DD HH:mm:ss", "DD/MM/YYYY HH:mm", "DD.MM.YYYY HH:mm", "epochSeconds", "epochMilliseconds"]],
        "dateColumn": NotRequired[str],
        "valueColumn": NotRequired[str],
    },
)

CsvProblem = TypedDict(
    "CsvProblem",
    {
        "code": str,
        "detail": str,
    },
)

CsvSampling = TypedDict(
    "CsvSampling",
    {
        "seconds": float,
        "activitySize": Literal[4, 8, 12, 24, 48, 72, 144],
        "note": str,
    },
)

CustomModel = TypedDict(
    "CustomModel",
    {
        "name": str,
        "color": str,
        "activity": List[float],
        "topTolerance": List[float],
        "bottomTolerance": List[float],
        "anomaly": NotRequired[bool],
        "id": NotRequired[Any],
        "days": NotRequired[Any],
        "limits": NotRequired[Any],
        "names": NotRequired[Any],
    },
)

Day = TypedDict(
    "Day",
    {
        "date": str,
        "kind": Literal["reference", "recent"],
        "activity": List[float],
        "gaps": List[List[int]],
        "filled": List[List[int]],
        "skipped": NotRequired[List[List[int]]],
        "completeness": float,
        "importId": str,
        "importedAt": str,
        "inProgress": bool,
        "observedUntil": Union[str, None],
        "check": Union["Check", None],
        "modelId": Union[int, None],
        "referenceLeftOut": NotRequired["LeftOut"],
    },
)

DayDetails = TypedDict(
    "DayDetails",
    {
        "sourceId": int,
        "date": str,
        "sliceMinutes": int,
        "day": Union["StoredDay", None],
        "referenceLeftOut": NotRequired["LeftOut"],
        "planning": "DayPlan",
        "plannedModel": Union["Model", None],
        "explainedBy": NotRequired["Explained"],
        "limits": List["LimitLevels"],
        "expectedByDaysBefore": Union[List[float], None],
        "expectedTotal": NotRequired[float],
        "expectedRest": NotRequired[float],
        "usual": Union["UsualRange", None],
        "axis": Union["ValueAxis", None],
        "closestModel": Union["Model", None],
        "betterModel": Union["Model", None],
        "alerts": List["DrawnAlert"],
        "daysBefore": List["EarlierDay"],
        "weekdaysBefore": List["EarlierDay"],
    },
)

DayImport = TypedDict(
    "DayImport",
    {
        "sourceId": int,
        "days": List["SuppliedDay"],
    },
)

DayPlan = TypedDict(
    "DayPlan",
    {
        "date": str,
        "modelId": Union[int, None],
        "origin": Literal["automatic", "manual"],
        "reason": str,
        "reasons": "DayPlanReasons",
        "share": Union[float, None],
        "alternatives": List["DayPlanAlternativesItem"],
        "unseen": float,
    },
)

DayPlanReasons = TypedDict(
    "DayPlanReasons",
    {
        "fr": str,
    },
)

DayPlanAlternativesItem = TypedDict(
    "DayPlanAlternativesItem",
    {
        "modelId": int,
        "share": float,
    },
)

DayTakenBack = TypedDict(
    "DayTakenBack",
    {
        "sourceId": int,
        "date": str,
        "day": Union["StoredDay", None],
        "alerts": "AlertChanges",
    },
)

DayYear = TypedDict(
    "DayYear",
    {
        "sourceId": int,
        "year": int,
        "days": List["Day"],
    },
)

DeletedCalendarRule = TypedDict(
    "DeletedCalendarRule",
    {
        "id": str,
    },
)

DeletedMute = TypedDict(
    "DeletedMute",
    {
        "id": str,
    },
)

DeletedWebhook = TypedDict(
    "DeletedWebhook",
    {
        "id": str,
    },
)

DeliveryAttempt = TypedDict(
    "DeliveryAttempt",
    {
        "id": str,
        "type": Literal["incident.opened", "incident.updated", "incident.ended", "alert.raised", "alert.updated", "alert.resolved", "source.silent", "analysis.completed", "analysis.failed", "digest", "webhook.test", "alert.refresh"],
        "sourceId": Union[int, None],
        "position": Union[str, None],
        "at": str,
        "attempt": int,
        "status": Union[int, None],
        "failure": Union[Literal["timeout", "unreachable", "tls", "protocol", "addressRefused", "keyLost"], None],
        "latencyMs": int,
        "outcome": Literal["delivered", "retrying", "disabled", "failed"],
    },
)

DeliveryAttempts = TypedDict(
    "DeliveryAttempts",
    {
        "deliveries": List["DeliveryAttempt"],
    },
)

DetectableChange = TypedDict(
    "DetectableChange",
    {
        "more": Union[float, None],
        "less": Union[float, None],
    },
)

DetectableChangeAtTime = TypedDict(
    "DetectableChangeAtTime",
    {
        "from": int,
        "to": int,
        "more": Union[float, None],
        "less": Union[float, None],
    },
)

Deviation = TypedDict(
    "Deviation",
    {
        "from": int,
        "to": int,
        "fromTime": str,
        "toTime": str,
        "slices": int,
        "aggregation": Literal["mean", "sum", "counter"],
        "actual": float,
        "expected": float,
        "absolute": float,
        "percent": Union[float, None],
        "comparedWith": Literal["model", "daysBefore", "dayLevel"],
        "others": int,
        "unit": NotRequired[str],
    },
)

Digest = TypedDict(
    "Digest",
    {
        "everyMinutes": Literal[5, 10, 15, 20, 30, 60, 120, 180, 240, 360, 480, 720, 1440],
        "at": NotRequired[str],
    },
)

DigestPatch = TypedDict(
    "DigestPatch",
    {
        "everyMinutes": NotRequired[Literal[5, 10, 15, 20, 30, 60, 120, 180, 240, 360, 480, 720, 1440]],
        "at": NotRequired[Union[str, None]],
    },
)

DrawnAlert = TypedDict(
    "DrawnAlert",
    {
        "id": str,
        "sourceId": int,
        "date": str,
        "kind": Literal["activity", "gap", "frozen", "drift", "noData"],
        "state": Literal["open", "acknowledged", "ended", "resolved", "invalidated"],
        "direction": Union[Literal["over", "under", "both"], None],
        "criticity": float,
        "severity": NotRequired[float],
        "loss": NotRequired[str],
        "losses": NotRequired["AlertLosses"],
        "sentence": str,
        "sentences": "AlertSentences",
        "slices": List["BrokenRun"],
        "limits": NotRequired[List[Literal["slice", "window", "day", "windowChange", "dayChange", "shape"]]],
        "deviation": Union["Deviation", None],
        "brokenLimits": List["BrokenLimit"],
        "completeness": Union["GapFacts", None],
        "gap": Union["GapStretch", None],
        "flatline": Union["FlatlineFacts", None],
        "silence": Union["Silence", None],
        "plannedModelId": Union[int, None],
        "closestModelId": Union[int, None],
        "betterModelId": Union[int, None],
        "looksLikeAnomaly": bool,
        "incidentId": Union[str, None],
        "shape": NotRequired["ShapeDifference"],
        "explainedBy": NotRequired["Explained"],
        "soFar": NotRequired["SoFar"],
        "modelsVersion": int,
        "importId": str,
        "verdict": Union[Literal["anomaly", "expected", "notAnomaly", "newPattern"], None],
        "comment": Union[str, None],
        "raisedAt": str,
        "updatedAt": str,
        "bounds": Union[List["LimitLevels"], None],
    },
)

EarlierDay = TypedDict(
    "EarlierDay",
    {
        "date": str,
        "activity": List[float],
        "gaps": List[List[int]],
        "outcome": Union[Literal["normal", "abnormal", "gap", "drift", "notCompared"], None],
    },
)

EndedChange = TypedDict(
    "EndedChange",
    {
        "incidentId": str,
        "change": "Change",
    },
)

ErasedPerson = TypedDict(
    "ErasedPerson",
    {
        "personId": str,
    },
)

Erasure = TypedDict(
    "Erasure",
    {
        "subject": str,
    },
)

EventLink = TypedDict(
    "EventLink",
    {
        "eventId": str,
        "stream": str,
        "revision": int,
        "position": str,
        "type": str,
        "at": str,
        "by": str,
        "byKind": Literal["person", "service", "erased"],
        "cause": str,
        "hash": Union[str, None],
    },
)

Explained = TypedDict(
    "Explained",
    {
        "effect": float,
        "planned": float,
        "expected": float,
        "covariates": List["ExplainedCovariatesItem"],
        "missing": NotRequired[List[str]],
    },
)

ExplainedCovariatesItem = TypedDict(
    "ExplainedCovariatesItem",
    {
        "sourceId": int,
        "name": str,
        "value": float,
    },
)

Explanation = TypedDict(
    "Explanation",
    {
        "alert": "Alert",
        "raised": "EventLink",
        "check": "ExplanationCheck",
        "import": Union["UsedImport", None],
        "planning": "ExplanationPlanning",
        "plannedModel": Union["Model", None],
        "accepted": List["EventLink"],
        "models": Union["ExplanationModels", None],
        "reference": "ExplanationReference",
        "since": List["EventLink"],
        "people": List[str],
    },
)

ExplanationCheck = TypedDict(
    "ExplanationCheck",
    {
        "event": "EventLink",
        "cause": "EventLink",
        "knownTo": str,
    },
)

ExplanationPlanning = TypedDict(
    "ExplanationPlanning",
    {
        "date": str,
        "modelId": Union[int, None],
        "origin": Literal["automatic", "manual"],
        "reason": str,
        "reasons": "ExplanationPlanningReasons",
        "share": Union[float, None],
        "alternatives": List["ExplanationPlanningAlternativesItem"],
        "unseen": float,
        "event": Union["EventLink", None],
        "specialDay": Union["EventLink", None],
    },
)

ExplanationPlanningReasons = TypedDict(
    "ExplanationPlanningReasons",
    {
        "fr": str,
    },
)

ExplanationPlanningAlternativesItem = TypedDict(
    "ExplanationPlanningAlternativesItem",
    {
        "modelId": int,
        "share": float,
    },
)

ExplanationModels = TypedDict(
    "ExplanationModels",
    {
        "version": int,
        "origin": Literal["automatic", "custom"],
        "event": "EventLink",
        "request": Union["EventLink", None],
        "parameters": Union["AnalysisParameters", None],
    },
)

ExplanationReference = TypedDict(
    "ExplanationReference",
    {
        "events": List["EventLink"],
        "plannedModelDates": List[str],
        "leftOut": List["ExplanationReferenceLeftOutItem"],
    },
)

ExplanationReferenceLeftOutItem = TypedDict(
    "ExplanationReferenceLeftOutItem",
    {
        "date": str,
        "reason": str,
    },
)

FalseAlertsRange = TypedDict(
    "FalseAlertsRange",
    {
        "low": int,
        "high": int,
    },
)

FalseDiscovery = TypedDict(
    "FalseDiscovery",
    {
        "rate": float,
        "days": int,
        "discoveries": int,
        "criticityFrom": Union[float, None],
    },
)

Fault = TypedDict(
    "Fault",
    {
        "code": str,
        "detail": str,
        "pointer": NotRequired[str],
        "line": NotRequired[int],
        "column": NotRequired[int],
        "count": NotRequired[int],
        "value": NotRequired[str],
    },
)

Feed = TypedDict(
    "Feed",
    {
        "measurement": str,
        "field": str,
        "tags": Dict[str, str],
    },
)

FeedPatch = TypedDict(
    "FeedPatch",
    {
        "measurement": NotRequired[str],
        "field": NotRequired[str],
        "tags": NotRequired[Any],
    },
)

FirstToken = TypedDict(
    "FirstToken",
    {
        "code": str,
        "name": str,
        "expires": NotRequired[str],
    },
)

FlatlineFacts = TypedDict(
    "FlatlineFacts",
    {
        "value": float,
        "longest": int,
        "of": NotRequired[Literal["daysBefore"]],
    },
)

FoundAlert = TypedDict(
    "FoundAlert",
    {
        "alertId": str,
        "date": str,
        "kind": Literal["activity", "gap", "frozen", "drift"],
        "direction": Union[Literal["over", "under", "both"], None],
        "criticity": float,
        "plannedModelId": Union[int, None],
    },
)

GapFacts = TypedDict(
    "GapFacts",
    {
        "day": float,
        "usual": float,
    },
)

GapStretch = TypedDict(
    "GapStretch",
    {
        "from": int,
        "to": int,
        "fromTime": str,
        "toTime": str,
        "longest": int,
    },
)

Guarantee = TypedDict(
    "Guarantee",
    {
        "share": float,
        "alerts": int,
    },
)

Guard = TypedDict(
    "Guard",
    {
        "coverage": float,
        "factor": float,
    },
)

Health = TypedDict(
    "Health",
    {
        "status": Union[Literal["ok"], Literal["degraded"]],
        "causes": NotRequired[List["HealthCausesItem"]],
        "parked": NotRequired[List["Parked"]],
        "readModels": "HealthReadModels",
        "reactor": "HealthReactor",
        "analysis": "HealthAnalysis",
    },
)

HealthCausesItem = TypedDict(
    "HealthCausesItem",
    {
        "code": str,
        "detail": str,
    },
)

HealthReadModels = TypedDict(
    "HealthReadModels",
    {
        "position": str,
    },
)

HealthReactor = TypedDict(
    "HealthReactor",
    {
        "backlog": int,
        "parked": int,
    },
)

HealthAnalysis = TypedDict(
    "HealthAnalysis",
    {
        "waiting": int,
    },
)

Home = TypedDict(
    "Home",
    {
        "name": Literal["Daybook"],
        "description": Literal["/openapi.json"],
        "health": Literal["/health"],
        "documentation": Literal["/docs"],
    },
)

Import = TypedDict(
    "Import",
    {
        "id": str,
        "lines": int,
        "points": NotRequired[int],
        "days": int,
        "missingSamples": int,
        "filledSamples": int,
        "duplicates": int,
        "warnings": List["Warning"],
        "notes": NotRequired[List[str]],
        "zoneData": NotRequired[str],
        "localStamps": NotRequired["LocalStamps"],
    },
)

ImportResult = TypedDict(
    "ImportResult",
    {
        "import": "Import",
        "days": List["ImportedDay"],
        "alerts": "AlertChanges",
    },
)

ImportedDay = TypedDict(
    "ImportedDay",
    {
        "date": str,
        "status": Literal["pending", "unchecked", "normal", "abnormal", "gap", "drift", "notCompared"],
        "belowFloor": NotRequired[bool],
        "inProgress": bool,
        "observedUntil": Union[str, None],
        "completeness": float,
        "plannedModel": Union["ImportedDayPlannedModel", None],
        "missingCovariates": NotRequired[List[str]],
    },
)

ImportedDayPlannedModel = TypedDict(
    "ImportedDayPlannedModel",
    {
        "id": int,
        "name": Union[str, None],
    },
)

Incident = TypedDict(
    "Incident",
    {
        "id": str,
        "state": Literal["open", "acknowledged", "resolved", "ended", "merged", "invalidated"],
        "severity": Literal["info", "warning", "critical"],
        "kind": Union[Literal["activity", "gap", "frozen", "drift", "noData"], None],
        "title": str,
        "titles": "IncidentTitles",
        "sentence": str,
        "sentences": "IncidentSentences",
        "since": str,
        "until": str,
        "alertIds": List[str],
        "counts": "IncidentCounts",
        "sources": List["IncidentSourcesItem"],
        "criticity": float,
        "worstSeverity": Union[float, None],
        "loss": Union[str, None],
        "losses": Union["IncidentLosses", None],
        "assignee": Union[str, None],
        "mutedUntil": Union[str, None],
        "joinedBy": List["JoinedBy"],
        "mergedInto": Union[str, None],
        "change": Union["Change", None],
        "changes": List["Change"],
        "accepted": List["AcceptedChange"],
        "openedAt": str,
        "updatedAt": str,
        "alert": Union["Alert", None],
    },
)

IncidentCounts = TypedDict(
    "IncidentCounts",
    {
        "open": int,
        "acknowledged": int,
        "resolved": int,
        "ended": int,
    },
)

IncidentSourcesItem = TypedDict(
    "IncidentSourcesItem",
    {
        "id": int,
        "name": str,
    },
)

IncidentComment = TypedDict(
    "IncidentComment",
    {
        "text": str,
    },
)

IncidentHistory = TypedDict(
    "IncidentHistory",
    {
        "events": List["IncidentStep"],
    },
)

IncidentLosses = TypedDict(
    "IncidentLosses",
    {
        "fr": str,
    },
)

IncidentMerge = TypedDict(
    "IncidentMerge",
    {
        "incidentId": str,
    },
)

IncidentPage = TypedDict(
    "IncidentPage",
    {
        "incidents": List["Incident"],
        "nextCursor": NotRequired[str],
    },
)

IncidentResolution = TypedDict(
    "IncidentResolution",
    {
        "verdict": Literal["anomaly", "expected", "notAnomaly", "newPattern"],
        "comment": NotRequired[Union[str, None]],
    },
)

IncidentSentences = TypedDict(
    "IncidentSentences",
    {
        "fr": str,
    },
)

IncidentSplit = TypedDict(
    "IncidentSplit",
    {
        "alertIds": List[str],
    },
)

IncidentStep = TypedDict(
    "IncidentStep",
    {
        "type": str,
        "at": str,
        "by": str,
        "byKind": Literal["person", "service", "erased"],
        "joined": NotRequired[List["IncidentStepJoinedItem"]],
        "left": NotRequired[List[str]],
        "merged": NotRequired[List["IncidentStepMergedItem"]],
        "split": NotRequired[List["IncidentStepSplitItem"]],
        "verdict": NotRequired[Literal["anomaly", "expected", "notAnomaly", "newPattern"]],
        "comment": NotRequired[Union[str, None]],
        "assignee": NotRequired[Union[str, None]],
        "from": NotRequired[str],
        "newIncidentId": NotRequired[str],
        "alertIds": NotRequired[List[str]],
        "sourceId": NotRequired[int],
        "change": NotRequired["Change"],
        "cause": str,
        "eventId": str,
    },
)

IncidentStepJoinedItem = TypedDict(
    "IncidentStepJoinedItem",
    {
        "alertId": str,
        "reason": Literal["opened", "neighbour", "repeat", "place", "replaced"],
        "with": List[str],
        "label": Union[str, None],
    },
)

IncidentStepMergedItem = TypedDict(
    "IncidentStepMergedItem",
    {
        "incidentId": str,
        "into": str,
        "alertId": NotRequired[str],
    },
)

IncidentStepSplitItem = TypedDict(
    "IncidentStepSplitItem",
    {
        "incidentId": str,
        "from": str,
        "alertIds": List[str],
    },
)

IncidentTitles = TypedDict(
    "IncidentTitles",
    {
        "fr": str,
    },
)

InclusionProof = TypedDict(
    "InclusionProof",
    {
        "leaf": str,
        "leafIndex": int,
        "treeSize": int,
        "inclusionPath": List[str],
    },
)

JoinedBy = TypedDict(
    "JoinedBy",
    {
        "alertId": str,
        "reason": Literal["opened", "neighbour", "repeat", "place", "replaced"],
        "with": List[str],
        "label": Union[str, None],
    },
)

KeySuccession = TypedDict(
    "KeySuccession",
    {
        "keyId": str,
        "nextKey": str,
        "at": str,
        "signature": str,
    },
)

LeavingOut = TypedDict(
    "LeavingOut",
    {
        "reason": str,
    },
)

LeftOut = TypedDict(
    "LeftOut",
    {
        "reason": str,
        "by": str,
        "byKind": Literal["person", "service", "erased"],
        "at": str,
    },
)

LimitLevels = TypedDict(
    "LimitLevels",
    {
        "limit": Literal["slice", "window", "day", "windowChange", "dayChange"],
        "lower": List[float],
        "upper": List[float],
    },
)

Limits = TypedDict(
    "Limits",
    {
        "unit": float,
        "offset": float,
        "windowHours": float,
        "window": float,
        "day": float,
        "windowChange": NotRequired[float],
        "dayChange": NotRequired[float],
        "shape": NotRequired[float],
    },
)

LiveChange = TypedDict(
    "LiveChange",
    {
        "type": str,
        "sourceId": int,
    },
)

LocalStamps = TypedDict(
    "LocalStamps",
    {
        "repeatedHour": int,
        "skippedHour": int,
    },
)

MinChange = TypedDict(
    "MinChange",
    {
        "absolute": Union[float, None],
        "percent": Union[float, None],
        "proposed": bool,
    },
)

MinChangePatch = TypedDict(
    "MinChangePatch",
    {
        "absolute": NotRequired[Union[float, None]],
        "percent": NotRequired[Union[float, None]],
    },
)

Model = TypedDict(
    "Model",
    {
        "id": int,
        "name": str,
        "color": str,
        "activity": List[float],
        "topTolerance": List[float],
        "bottomTolerance": List[float],
        "names": "ModelNames",
        "anomaly": bool,
        "days": int,
        "limits": NotRequired["Limits"],
    },
)

ModelList = TypedDict(
    "ModelList",
    {
        "models": List["Model"],
        "unit": NotRequired[str],
        "bounds": Union["BoundsQuality", None],
        "hitRate": Union[float, None],
        "calendar": Union["Calendar", None],
        "presentLimits": NotRequired["PresentLimits"],
    },
)

ModelNames = TypedDict(
    "ModelNames",
    {
        "fr": str,
    },
)

ModelPatch = TypedDict(
    "ModelPatch",
    {
        "name": NotRequired[str],
        "color": NotRequired[str],
        "anomaly": NotRequired[bool],
    },
)

ModelsChange = TypedDict(
    "ModelsChange",
    {
        "models": List["Model"],
        "bounds": Union["BoundsQuality", None],
        "hitRate": Union[float, None],
        "calendar": Union["Calendar", None],
        "planning": "PlanningYear",
        "overrides": List["MovedOverride"],
        "checked": bool,
        "alerts": "AlertChanges",
        "restoredFrom": NotRequired[int],
    },
)

ModelsPreview = TypedDict(
    "ModelsPreview",
    {
        "models": List["Model"],
        "bounds": Union["BoundsQuality", None],
        "hitRate": Union[float, None],
        "calendar": Union["Calendar", None],
        "overrides": List["MovedOverride"],
        "alerts": "PreviewedAlerts",
        "endedChanges": List["EndedChange"],
    },
)

ModelsVersion = TypedDict(
    "ModelsVersion",
    {
        "modelsVersion": int,
        "at": str,
        "cause": Literal["creation", "reset", "extension", "replacement", "anomaly", "restore"],
        "origin": Literal["automatic", "custom"],
        "engine": Union[str, None],
        "modelCount": int,
        "by": str,
        "byKind": Literal["person", "service", "erased"],
        "restoredFrom": NotRequired[int],
    },
)

ModelsVersions = TypedDict(
    "ModelsVersions",
    {
        "versions": List["ModelsVersion"],
        "nextCursor": NotRequired[str],
    },
)

MovedOverride = TypedDict(
    "MovedOverride",
    {
        "date": str,
        "from": "NamedModel",
        "to": Union["NamedModel", None],
    },
)

Mute = TypedDict(
    "Mute",
    {
        "id": str,
        "sourceId": NotRequired[int],
        "labels": NotRequired[Dict[str, str]],
        "incidentId": NotRequired[str],
        "from": str,
        "until": str,
        "reason": str,
        "by": str,
        "byKind": Literal["person", "service", "erased"],
        "createdAt": str,
    },
)

Mutes = TypedDict(
    "Mutes",
    {
        "mutes": List["Mute"],
    },
)

NamedModel = TypedDict(
    "NamedModel",
    {
        "id": int,
        "name": str,
    },
)

NewCalendarRule = TypedDict(
    "NewCalendarRule",
    {
        "sourceId": NotRequired[int],
        "labels": NotRequired[Dict[str, str]],
        "name": str,
        "rule": str,
    },
)

NewMute = TypedDict(
    "NewMute",
    {
        "sourceId": NotRequired[int],
        "labels": NotRequired[Dict[str, str]],
        "incidentId": NotRequired[str],
        "from": NotRequired[str],
        "until": str,
        "reason": str,
    },
)

NewToken = TypedDict(
    "NewToken",
    {
        "name": str,
        "scopes": List[Literal["read", "import", "model", "planning", "alert", "audit", "erase", "metrics", "webhook", "token"]],
        "expires": str,
    },
)

NewWebhook = TypedDict(
    "NewWebhook",
    {
        "url": str,
        "events": NotRequired[List[Literal["incident.opened", "incident.updated", "incident.ended", "alert.raised", "alert.updated", "alert.resolved", "source.silent", "analysis.completed", "analysis.failed"]]],
        "labels": NotRequired[Dict[str, str]],
        "minCriticity": NotRequired[float],
        "grouping": NotRequired[Literal["none", "incident"]],
        "digest": NotRequired["Digest"],
        "quietHours": NotRequired["QuietHours"],
        "language": NotRequired[Literal["en", "fr"]],
        "format": NotRequired[Literal["cloudevents", "slack", "teams", "pagerduty", "ntfy", "alertmanager"]],
        "options": NotRequired["ReceiverOptions"],
    },
)

Ok = TypedDict(
    "Ok",
    {
        "status": Literal["ok"],
    },
)

Override = TypedDict(
    "Override",
    {
        "modelId": int,
    },
)

Overview = TypedDict(
    "Overview",
    {
        "from": str,
        "to": str,
        "sources": List["OverviewSource"],
    },
)

OverviewDay = TypedDict(
    "OverviewDay",
    {
        "date": str,
        "kind": Literal["reference", "recent"],
        "outcome": Union[Literal["normal", "abnormal", "gap", "drift", "notCompared"], None],
        "inProgress": NotRequired[bool],
        "elapsed": NotRequired[float],
        "alert": NotRequired["OverviewDayAlert"],
    },
)

OverviewDayAlert = TypedDict(
    "OverviewDayAlert",
    {
        "id": str,
        "kind": Literal["activity", "gap", "frozen", "drift", "noData"],
        "state": Literal["open", "acknowledged", "ended", "resolved", "invalidated"],
        "criticity": float,
        "severity": NotRequired[float],
        "loss": NotRequired[str],
        "losses": NotRequired["AlertLosses"],
    },
)

OverviewSource = TypedDict(
    "OverviewSource",
    {
        "id": int,
        "name": str,
        "labels": Dict[str, str],
        "analysis": Literal["collecting", "pending", "running", "completed", "failed"],
        "lastDate": Union[str, None],
        "openAlerts": int,
        "criticity": Union[float, None],
        "worst": Union["WorstAlert", None],
        "silence": Union["OverviewSourceSilence", None],
        "days": List["OverviewDay"],
        "parked": NotRequired["ParkedMark"],
        "planned": NotRequired[List["PlannedCell"]],
    },
)

OverviewSourceSilence = TypedDict(
    "OverviewSourceSilence",
    {
        "id": str,
        "date": str,
        "state": Literal["open", "acknowledged", "ended", "resolved", "invalidated"],
        "criticity": float,
        "severity": NotRequired[float],
        "loss": NotRequired[str],
        "losses": NotRequired["AlertLosses"],
    },
)

Parked = TypedDict(
    "Parked",
    {
        "subject": str,
        "position": str,
        "type": str,
        "cause": str,
    },
)

ParkedMark = TypedDict(
    "ParkedMark",
    {
        "position": str,
        "type": str,
        "cause": str,
    },
)

Place = TypedDict(
    "Place",
    {
        "latitude": Union[float, None],
        "longitude": Union[float, None],
        "address": Union[str, None],
    },
)

PlacePatch = TypedDict(
    "PlacePatch",
    {
        "latitude": NotRequired[Union[float, None]],
        "longitude": NotRequired[Union[float, None]],
        "address": NotRequired[Union[str, None]],
    },
)

PlanChange = TypedDict(
    "PlanChange",
    {
        "date": str,
        "modelId": Union[int, None],
        "origin": Literal["automatic", "manual"],
        "reason": str,
        "reasons": "PlanChangeReasons",
        "share": Union[float, None],
        "alternatives": List["PlanChangeAlternativesItem"],
        "unseen": float,
        "alerts": "AlertChanges",
    },
)

PlanChangeReasons = TypedDict(
    "PlanChangeReasons",
    {
        "fr": str,
    },
)

PlanChangeAlternativesItem = TypedDict(
    "PlanChangeAlternativesItem",
    {
        "modelId": int,
        "share": float,
    },
)

PlannedCell = TypedDict(
    "PlannedCell",
    {
        "date": str,
        "modelId": int,
        "name": str,
        "names": "ModelNames",
        "color": str,
    },
)

PlanningYear = TypedDict(
    "PlanningYear",
    {
        "sourceId": int,
        "year": int,
        "hitRate": Union[float, None],
        "days": List["DayPlan"],
    },
)

Point = TypedDict(
    "Point",
    {
        "at": str,
        "value": float,
    },
)

PointImport = TypedDict(
    "PointImport",
    {
        "sourceId": int,
        "points": List["Point"],
    },
)

PresentLimits = TypedDict(
    "PresentLimits",
    {
        "factor": float,
        "minimumDetectableChange": "PresentLimitsMinimumDetectableChange",
    },
)

PresentLimitsMinimumDetectableChange = TypedDict(
    "PresentLimitsMinimumDetectableChange",
    {
        "wholeDay": "DetectableChange",
        "eightHours": "DetectableChange",
        "timesOfDay": NotRequired[List["DetectableChangeAtTime"]],
    },
)

PreviewedAlerts = TypedDict(
    "PreviewedAlerts",
    {
        "gained": List["FoundAlert"],
        "kept": List["FoundAlert"],
        "lost": List["Alert"],
        "counts": "PreviewedAlertsCounts",
    },
)

PreviewedAlertsCounts = TypedDict(
    "PreviewedAlertsCounts",
    {
        "gained": int,
        "kept": int,
        "lost": int,
    },
)

Problem = TypedDict(
    "Problem",
    {
        "type": str,
        "title": str,
        "status": int,
        "detail": str,
        "code": str,
        "errors": NotRequired[List["Fault"]],
    },
)

QuietHours = TypedDict(
    "QuietHours",
    {
        "from": str,
        "to": str,
        "minCriticity": NotRequired[float],
    },
)

QuietHoursPatch = TypedDict(
    "QuietHoursPatch",
    {
        "from": NotRequired[str],
        "to": NotRequired[str],
        "minCriticity": NotRequired[Union[float, None]],
    },
)

ReceiverOptions = TypedDict(
    "ReceiverOptions",
    {
        "routingKey": NotRequired[str],
        "topic": NotRequired[str],
        "token": NotRequired[str],
        "priority": NotRequired[int],
    },
)

ReceiverOptionsPatch = TypedDict(
    "ReceiverOptionsPatch",
    {
        "routingKey": NotRequired[Union[str, None]],
        "topic": NotRequired[Union[str, None]],
        "token": NotRequired[Union[str, None]],
        "priority": NotRequired[Union[int, None]],
    },
)

Reference = TypedDict(
    "Reference",
    {
        "from": str,
        "to": str,
        "days": int,
        "completeDays": int,
        "completeness": float,
    },
)

ReferenceDay = TypedDict(
    "ReferenceDay",
    {
        "sourceId": int,
        "date": str,
        "referenceLeftOut": NotRequired["LeftOut"],
    },
)

RelearnProposal = TypedDict(
    "RelearnProposal",
    {
        "reason": Literal["limitsAtMaximum", "drift", "yearOfData"],
        "since": str,
        "sentence": str,
        "possible": bool,
    },
)

Resolution = TypedDict(
    "Resolution",
    {
        "verdict": Literal["anomaly", "expected", "notAnomaly", "newPattern"],
        "comment": NotRequired[Union[str, None]],
    },
)

Resolutions = TypedDict(
    "Resolutions",
    {
        "ids": List[str],
        "verdict": Literal["anomaly", "expected", "notAnomaly", "newPattern"],
        "comment": NotRequired[Union[str, None]],
    },
)

RevokedToken = TypedDict(
    "RevokedToken",
    {
        "jti": str,
    },
)

ShapeDifference = TypedDict(
    "ShapeDifference",
    {
        "type": Literal["clock", "noise", "frozen", "shape"],
        "minutes": NotRequired[int],
        "flatline": NotRequired["ShapeFlatline"],
    },
)

ShapeFlatline = TypedDict(
    "ShapeFlatline",
    {
        "from": int,
        "to": int,
        "value": float,
    },
)

Silence = TypedDict(
    "Silence",
    {
        "since": str,
        "deadline": str,
        "intervalMinutes": float,
        "origin": Literal["given", "learned"],
        "lastDate": Union[str, None],
    },
)

SoFar = TypedDict(
    "SoFar",
    {
        "until": str,
        "ongoing": bool,
    },
)

Source = TypedDict(
    "Source",
    {
        "id": int,
        "name": str,
        "labels": Dict[str, str],
        "place": Union["Place", None],
        "expectedInterval": Union[str, None],
        "explainedBy": List[int],
        "unit": Union[str, None],
        "lateness": str,
        "feed": Union["Feed", None],
        "minChange": Union["MinChange", None],
        "referenceYear": int,
        "activitySize": int,
        "interpolationMethod": Literal["zero", "linear"],
        "aggregation": Literal["mean", "sum", "counter"],
        "timeZone": str,
        "calendar": Union[str, None],
        "calendarOrigin": Union[Literal["given", "inferred"], None],
        "calendarEvidence": Union[str, None],
        "reference": "Reference",
        "analysis": "Analysis",
        "modelsOrigin": Union[Literal["automatic", "custom"], None],
        "modelsVersion": int,
        "counts": "SourceCounts",
        "lastData": "SourceLastData",
        "createdAt": str,
        "relearnProposed": Union["RelearnProposal", None],
        "relearnedFrom": Union[int, None],
        "relearnedAs": Union[int, None],
        "archivedAt": Union[str, None],
        "parked": NotRequired["ParkedMark"],
        "version": int,
    },
)

SourceCounts = TypedDict(
    "SourceCounts",
    {
        "referenceDays": int,
        "recentDays": int,
        "models": int,
        "unprocessedAlerts": int,
    },
)

SourceLastData = TypedDict(
    "SourceLastData",
    {
        "date": str,
        "importedAt": str,
    },
)

SourceCreated = TypedDict(
    "SourceCreated",
    {
        "source": "Source",
        "import": "Import",
        "analysis": "Analysis",
    },
)

SourceCreation = TypedDict(
    "SourceCreation",
    {
        "name": str,
        "labels": NotRequired[Dict[str, str]],
        "place": NotRequired[Union["PlacePatch", None]],
        "expectedInterval": NotRequired[Union[str, None]],
        "explainedBy": NotRequired[List[int]],
        "unit": NotRequired[Union[str, None]],
        "lateness": NotRequired[Union[str, None]],
        "feed": NotRequired[Union["Feed", None]],
        "minChange": NotRequired[Union["MinChangePatch", None]],
        "referenceYear": int,
        "days": List["SuppliedDay"],
        "activitySize": NotRequired[Literal[4, 8, 12, 24, 48, 72, 144, 1440]],
        "interpolationMethod": NotRequired[Literal["zero", "linear"]],
        "aggregation": NotRequired[Literal["mean", "sum", "counter"]],
        "calendar": NotRequired[str],
        "timeZone": NotRequired[str],
        "coverage": NotRequired[float],
    },
)

SourcePage = TypedDict(
    "SourcePage",
    {
        "sources": List["Source"],
        "nextCursor": NotRequired[str],
    },
)

SourcePatch = TypedDict(
    "SourcePatch",
    {
        "name": NotRequired[str],
        "labels": NotRequired[Any],
        "place": NotRequired[Union["PlacePatch", None]],
        "expectedInterval": NotRequired[Union[str, None]],
        "explainedBy": NotRequired[Union[List[int], None]],
        "unit": NotRequired[Union[str, None]],
        "lateness": NotRequired[Union[str, None]],
        "feed": NotRequired[Union["FeedPatch", None]],
        "minChange": NotRequired[Union["MinChangePatch", None]],
    },
)

SpecialDay = TypedDict(
    "SpecialDay",
    {
        "name": str,
    },
)

StoredDay = TypedDict(
    "StoredDay",
    {
        "date": str,
        "kind": Literal["reference", "recent"],
        "activity": List[float],
        "gaps": List[List[int]],
        "filled": List[List[int]],
        "skipped": NotRequired[List[List[int]]],
        "completeness": float,
        "importId": str,
        "importedAt": str,
        "inProgress": bool,
        "observedUntil": Union[str, None],
        "check": Union["Check", None],
    },
)

SuppliedDay = TypedDict(
    "SuppliedDay",
    {
        "date": str,
        "activity": List[Union[float, None]],
    },
)

Table = TypedDict(
    "Table",
    {
        "columns": List["TableColumnsItem"],
        "rows": List[List[Union[Union[str, float, bool], None]]],
    },
)

TableColumnsItem = TypedDict(
    "TableColumnsItem",
    {
        "name": str,
        "kind": Literal["text", "integer", "number", "boolean", "date", "instant"],
    },
)

TenantSettings = TypedDict(
    "TenantSettings",
    {
        "incidentLabels": List[str],
    },
)

TenantSettingsPatch = TypedDict(
    "TenantSettingsPatch",
    {
        "incidentLabels": NotRequired[List[str]],
    },
)

Token = TypedDict(
    "Token",
    {
        "jti": str,
        "name": str,
        "scopes": List[Literal["read", "import", "model", "planning", "alert", "audit", "erase", "metrics", "webhook", "token"]],
        "issuedAt": str,
        "expiresAt": str,
        "by": str,
        "byKind": Literal["person", "service", "erased"],
        "lastUsedAt": Union[str, None],
    },
)

TokenText = TypedDict(
    "TokenText",
    {
        "jti": str,
        "name": str,
        "scopes": List[Literal["read", "import", "model", "planning", "alert", "audit", "erase", "metrics", "webhook", "token"]],
        "issuedAt": str,
        "expiresAt": str,
        "by": str,
        "byKind": Literal["person", "service", "erased"],
        "token": str,
    },
)

Tokens = TypedDict(
    "Tokens",
    {
        "tokens": List["Token"],
        "usesSince": str,
    },
)

UnclaimedFeed = TypedDict(
    "UnclaimedFeed",
    {
        "measurement": str,
        "field": str,
        "tags": Dict[str, str],
        "firstSeen": str,
        "lastSeen": str,
        "points": int,
    },
)

UnclaimedFeeds = TypedDict(
    "UnclaimedFeeds",
    {
        "feeds": List["UnclaimedFeed"],
    },
)

UsedImport = TypedDict(
    "UsedImport",
    {
        "id": str,
        "part": Union["EventLink", None],
        "last": "EventLink",
    },
)

UsualRange = TypedDict(
    "UsualRange",
    {
        "low": List[Union[float, None]],
        "high": List[Union[float, None]],
        "days": int,
    },
)

ValueAxis = TypedDict(
    "ValueAxis",
    {
        "low": float,
        "high": float,
    },
)

Warning = TypedDict(
    "Warning",
    {
        "code": str,
        "detail": str,
        "cure": str,
    },
)

Webhook = TypedDict(
    "Webhook",
    {
        "id": str,
        "url": str,
        "events": List[Literal["incident.opened", "incident.updated", "incident.ended", "alert.raised", "alert.updated", "alert.resolved", "source.silent", "analysis.completed", "analysis.failed"]],
        "labels": Dict[str, str],
        "minCriticity": float,
        "grouping": Literal["none", "incident"],
        "digest": Union["Digest", None],
        "quietHours": Union["QuietHours", None],
        "language": Union[Literal["en", "fr"], None],
        "format": Union[Literal["cloudevents", "slack", "teams", "pagerduty", "ntfy", "alertmanager"], None],
        "options": List[Literal["routingKey", "topic", "token", "priority"]],
        "status": Literal["active", "disabled"],
        "disabledReason": Union[Literal["requested", "failing", "gone", "keyLost"], None],
        "disabledAt": Union[str, None],
        "createdAt": str,
        "previousSecretUntil": Union[str, None],
        "delivery": "WebhookProgress",
    },
)

WebhookPatch = TypedDict(
    "WebhookPatch",
    {
        "url": NotRequired[str],
        "events": NotRequired[List[Literal["incident.opened", "incident.updated", "incident.ended", "alert.raised", "alert.updated", "alert.resolved", "source.silent", "analysis.completed", "analysis.failed"]]],
        "labels": NotRequired[Any],
        "minCriticity": NotRequired[float],
        "grouping": NotRequired[Literal["none", "incident"]],
        "digest": NotRequired[Union["DigestPatch", None]],
        "quietHours": NotRequired[Union["QuietHoursPatch", None]],
        "language": NotRequired[Union[Literal["en", "fr"], None]],
        "format": NotRequired[Literal["cloudevents", "slack", "teams", "pagerduty", "ntfy", "alertmanager"]],
        "options": NotRequired[Union["ReceiverOptionsPatch", None]],
    },
)

WebhookProgress = TypedDict(
    "WebhookProgress",
    {
        "position": str,
        "failingSince": Union[str, None],
        "failedAttempts": int,
        "nextAttemptAt": Union[str, None],
    },
)

WebhookReplay = TypedDict(
    "WebhookReplay",
    {
        "position": str,
    },
)

WebhookWithSecret = TypedDict(
    "WebhookWithSecret",
    {
        "id": str,
        "url": str,
        "events": List[Literal["incident.opened", "incident.updated", "incident.ended", "alert.raised", "alert.updated", "alert.resolved", "source.silent", "analysis.completed", "analysis.failed"]],
        "labels": Dict[str, str],
        "minCriticity": float,
        "grouping": Literal["none", "incident"],
        "digest": Union["Digest", None],
        "quietHours": Union["QuietHours", None],
        "language": Union[Literal["en", "fr"], None],
        "format": Union[Literal["cloudevents", "slack", "teams", "pagerduty", "ntfy", "alertmanager"], None],
        "options": List[Literal["routingKey", "topic", "token", "priority"]],
        "status": Literal["active", "disabled"],
        "disabledReason": Union[Literal["requested", "failing", "gone", "keyLost"], None],
        "disabledAt": Union[str, None],
        "createdAt": str,
        "previousSecretUntil": Union[str, None],
        "delivery": "WebhookProgress",
        "secret": str,
    },
)

Webhooks = TypedDict(
    "Webhooks",
    {
        "webhooks": List["Webhook"],
    },
)

WorstAlert = TypedDict(
    "WorstAlert",
    {
        "id": str,
        "date": str,
        "criticity": float,
        "severity": NotRequired[float],
        "loss": NotRequired[str],
        "losses": NotRequired["AlertLosses"],
    },
)
