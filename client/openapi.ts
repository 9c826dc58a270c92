// Generated from the description of the API by client/generate.mjs; do not edit.
export interface paths {
  '/': {
    parameters: { query?: never; header?: never; path?: never; cookie?: never };
    /** Get links to the description and the state of the service */
    get: operations['home'];
    put?: never;
    post?: never;
    delete?: never;
    options?: never;
    head?: never;
    patch?: never;
    trace?: never;
  };
  '/health': {
    parameters: { query?: never; header?: never; path?: never; cookie?: never };
    /** Get the state of the service: whether it can handle requests */
    get: operations['health'];
    put?: never;
    post?: never;
    delete?: never;
    options?: never;
    head?: never;
    patch?: never;
    trace?: never;
  };
  '/health/live': {
    parameters: { query?: never; header?: never; path?: never; cookie?: never };
    /** Get whether the process answers; a supervisor restarts it when not */
    get: operations['live'];
    put?: never;
    post?: never;
    delete?: never;
    options?: never;
    head?: never;
    patch?: never;
    trace?: never;
  };
  '/health/ready': {
    parameters: { query?: never; header?: never; path?: never; cookie?: never };
    /** Get whether the service can handle requests; a load balancer sends none when not */
    get: operations['ready'];
    put?: never;
    post?: never;
    delete?: never;
    options?: never;
    head?: never;
    patch?: never;
    trace?: never;
  };
  '/openapi.json': {
    parameters: { query?: never; header?: never; path?: never; cookie?: never };
    /** Get this description */
    get: operations['openApi'];
    put?: never;
    post?: never;
    delete?: never;
    options?: never;
    head?: never;
    patch?: never;
    trace?: never;
  };
  '/v1/first-token': {
    parameters: { query?: never; header?: never; path?: never; cookie?: never };
    get?: never;
    put?: never;
    /** Get the first token, for the code that an unused service shows at its start */
    post: operations['createFirstToken'];
    delete?: never;
    options?: never;
    head?: never;
    patch?: never;
    trace?: never;
  };
  '/v1/import-csv/create-source': {
    parameters: { query?: never; header?: never; path?: never; cookie?: never };
    get?: never;
    put?: never;
    /** Create a source from its reference year in CSV and start its analysis */
    post: operations['createSourceFromCsv'];
    delete?: never;
    options?: never;
    head?: never;
    patch?: never;
    trace?: never;
  };
  '/v1/import/create-source': {
    parameters: { query?: never; header?: never; path?: never; cookie?: never };
    get?: never;
    put?: never;
    /** Create a source from its reference year in JSON and start its analysis */
    post: operations['createSource'];
    delete?: never;
    options?: never;
    head?: never;
    patch?: never;
    trace?: never;
  };
  '/v1/source': {
    parameters: { query?: never; header?: never; path?: never; cookie?: never };
    get?: never;
    put?: never;
    /** Create a source without a reference: it collects recent days and learns by itself */
    post: operations['createCollectingSource'];
    delete?: never;
    options?: never;
    head?: never;
    patch?: never;
    trace?: never;
  };
  '/v1/import-csv/{source_id}/days': {
    parameters: { query?: never; header?: never; path?: never; cookie?: never };
    get?: never;
    put?: never;
    /** Import recent days in CSV: each replaces the whole day of its date and is checked */
    post: operations['importDaysFromCsv'];
    delete?: never;
    options?: never;
    head?: never;
    patch?: never;
    trace?: never;
  };
  '/v1/import/days': {
    parameters: { query?: never; header?: never; path?: never; cookie?: never };
    get?: never;
    put?: never;
    /** Import recent days in JSON: each replaces the whole day of its date and is checked */
    post: operations['importDays'];
    delete?: never;
    options?: never;
    head?: never;
    patch?: never;
    trace?: never;
  };
  '/v1/import-csv/{source_id}/points': {
    parameters: { query?: never; header?: never; path?: never; cookie?: never };
    get?: never;
    put?: never;
    /** Import points in CSV, in any order: each changes its slice and nothing else */
    post: operations['importPointsFromCsv'];
    delete?: never;
    options?: never;
    head?: never;
    patch?: never;
    trace?: never;
  };
  '/v1/import/points': {
    parameters: { query?: never; header?: never; path?: never; cookie?: never };
    get?: never;
    put?: never;
    /** Import points in JSON, in any order: each changes its slice and nothing else */
    post: operations['importPoints'];
    delete?: never;
    options?: never;
    head?: never;
    patch?: never;
    trace?: never;
  };
  '/v1/import/{import_id}': {
    parameters: { query?: never; header?: never; path?: never; cookie?: never };
    /** Get an import of recent days with the results of its check */
    get: operations['getImport'];
    put?: never;
    post?: never;
    delete?: never;
    options?: never;
    head?: never;
    patch?: never;
    trace?: never;
  };
  '/v1/import-csv/inspect': {
    parameters: { query?: never; header?: never; path?: never; cookie?: never };
    get?: never;
    put?: never;
    /** Inspect the form of a CSV and get the parameters of its import; nothing is stored */
    post: operations['inspectCsv'];
    delete?: never;
    options?: never;
    head?: never;
    patch?: never;
    trace?: never;
  };
  '/v1/feed/unclaimed': {
    parameters: { query?: never; header?: never; path?: never; cookie?: never };
    /** List the series of line protocol that came in the last 7 days and that no source takes */
    get: operations['listUnclaimedFeeds'];
    put?: never;
    post?: never;
    delete?: never;
    options?: never;
    head?: never;
    patch?: never;
    trace?: never;
  };
  '/v1/source/list': {
    parameters: { query?: never; header?: never; path?: never; cookie?: never };
    /** List the sources of the tenant */
    get: operations['listSources'];
    put?: never;
    post?: never;
    delete?: never;
    options?: never;
    head?: never;
    patch?: never;
    trace?: never;
  };
  '/v1/source/{source_id}': {
    parameters: { query?: never; header?: never; path?: never; cookie?: never };
    /** Get a source, with the state of its analysis */
    get: operations['getSource'];
    put?: never;
    post?: never;
    /** Archive a source: only the list with archived=true and the audit trail show it until it is restored */
    delete: operations['archiveSource'];
    options?: never;
    head?: never;
    /** Change the description of a source */
    patch: operations['describeSource'];
    trace?: never;
  };
  '/v1/source/{source_id}/restore': {
    parameters: { query?: never; header?: never; path?: never; cookie?: never };
    get?: never;
    put?: never;
    /** Restore an archived source; all recent days are checked again */
    post: operations['restoreSource'];
    delete?: never;
    options?: never;
    head?: never;
    patch?: never;
    trace?: never;
  };
  '/v1/source/{source_id}/relearn': {
    parameters: { query?: never; header?: never; path?: never; cookie?: never };
    get?: never;
    put?: never;
    /** Create a source from the last full year of recent days of this one, which is archived */
    post: operations['relearnSource'];
    delete?: never;
    options?: never;
    head?: never;
    patch?: never;
    trace?: never;
  };
  '/v1/model/list/{source_id}': {
    parameters: { query?: never; header?: never; path?: never; cookie?: never };
    /** List the models of a source */
    get: operations['listModels'];
    put?: never;
    post?: never;
    delete?: never;
    options?: never;
    head?: never;
    patch?: never;
    trace?: never;
  };
  '/v1/model/bulk-replace/{source_id}': {
    parameters: { query?: never; header?: never; path?: never; cookie?: never };
    get?: never;
    put?: never;
    /** Replace all models of a source by supplied or edited ones; all recent days are checked again */
    post: operations['replaceModels'];
    delete?: never;
    options?: never;
    head?: never;
    patch?: never;
    trace?: never;
  };
  '/v1/model/reset/{source_id}/{model_count}': {
    parameters: { query?: never; header?: never; path?: never; cookie?: never };
    get?: never;
    put?: never;
    /** Delete all models of a source and learn new ones; all recent days are checked again */
    post: operations['resetModels'];
    delete?: never;
    options?: never;
    head?: never;
    patch?: never;
    trace?: never;
  };
  '/v1/model/{source_id}/{model_id}': {
    parameters: { query?: never; header?: never; path?: never; cookie?: never };
    get?: never;
    put?: never;
    post?: never;
    delete?: never;
    options?: never;
    head?: never;
    /** Change the name, colour or anomaly flag of a model; its profile and limits stay */
    patch: operations['changeModel'];
    trace?: never;
  };
  '/v1/model/preview/{source_id}/{model_count}': {
    parameters: { query?: never; header?: never; path?: never; cookie?: never };
    get?: never;
    put?: never;
    /** Compute the effect of a reset of the models; nothing is stored */
    post: operations['previewModels'];
    delete?: never;
    options?: never;
    head?: never;
    patch?: never;
    trace?: never;
  };
  '/v1/model/versions/{source_id}': {
    parameters: { query?: never; header?: never; path?: never; cookie?: never };
    /** List the versions of the models of a source, the latest first */
    get: operations['listModelsVersions'];
    put?: never;
    post?: never;
    delete?: never;
    options?: never;
    head?: never;
    patch?: never;
    trace?: never;
  };
  '/v1/model/restore/{source_id}/{models_version}': {
    parameters: { query?: never; header?: never; path?: never; cookie?: never };
    get?: never;
    put?: never;
    /** Go back to earlier models of a source; all recent days are checked again */
    post: operations['restoreModels'];
    delete?: never;
    options?: never;
    head?: never;
    patch?: never;
    trace?: never;
  };
  '/v1/day/{source_id}/{date}': {
    parameters: { query?: never; header?: never; path?: never; cookie?: never };
    /** Get one date with all data of its chart */
    get: operations['getDay'];
    put?: never;
    post?: never;
    /** Take back the recent day of a date; the reference day of the date, if any, shows again */
    delete: operations['takeDayBack'];
    options?: never;
    head?: never;
    patch?: never;
    trace?: never;
  };
  '/v1/day/{source_id}/{date}/leave-out': {
    parameters: { query?: never; header?: never; path?: never; cookie?: never };
    get?: never;
    put?: never;
    /** Leave the reference day of a date out of learning, from the next models on */
    post: operations['leaveOutDay'];
    delete?: never;
    options?: never;
    head?: never;
    patch?: never;
    trace?: never;
  };
  '/v1/day/{source_id}/{date}/take-back': {
    parameters: { query?: never; header?: never; path?: never; cookie?: never };
    get?: never;
    put?: never;
    /** Take back that the reference day of a date is left out */
    post: operations['takeBackLeavingOut'];
    delete?: never;
    options?: never;
    head?: never;
    patch?: never;
    trace?: never;
  };
  '/v1/day/list/{source_id}/{year}': {
    parameters: { query?: never; header?: never; path?: never; cookie?: never };
    /** List the days of a year; a recent day replaces the reference day of its date */
    get: operations['listDays'];
    put?: never;
    post?: never;
    delete?: never;
    options?: never;
    head?: never;
    patch?: never;
    trace?: never;
  };
  '/v1/table/{source_id}/{table}': {
    parameters: { query?: never; header?: never; path?: never; cookie?: never };
    /** Get days, checks, alerts, models or residuals of a source as a table */
    get: operations['getTable'];
    put?: never;
    post?: never;
    delete?: never;
    options?: never;
    head?: never;
    patch?: never;
    trace?: never;
  };
  '/v1/planning/list/{source_id}/{year}': {
    parameters: { query?: never; header?: never; path?: never; cookie?: never };
    /** List the planned model of each date of a year */
    get: operations['listPlanning'];
    put?: never;
    post?: never;
    delete?: never;
    options?: never;
    head?: never;
    patch?: never;
    trace?: never;
  };
  '/v1/planning/{source_id}/{date}': {
    parameters: { query?: never; header?: never; path?: never; cookie?: never };
    get?: never;
    /** Override the planned model of a date */
    put: operations['planDay'];
    post?: never;
    /** Remove the override of a date */
    delete: operations['clearDayPlan'];
    options?: never;
    head?: never;
    patch?: never;
    trace?: never;
  };
  '/v1/calendar/list/{source_id}/{year}': {
    parameters: { query?: never; header?: never; path?: never; cookie?: never };
    /** List public holidays, bridge days, days around Christmas and special days of a year */
    get: operations['listCalendar'];
    put?: never;
    post?: never;
    delete?: never;
    options?: never;
    head?: never;
    patch?: never;
    trace?: never;
  };
  '/v1/calendar/{source_id}/{date}': {
    parameters: { query?: never; header?: never; path?: never; cookie?: never };
    get?: never;
    /** Name a date a special day, which is planned like other days of that name */
    put: operations['nameSpecialDay'];
    post?: never;
    /** Remove the name of a special day */
    delete: operations['clearSpecialDay'];
    options?: never;
    head?: never;
    patch?: never;
    trace?: never;
  };
  '/v1/calendar-rule/create': {
    parameters: { query?: never; header?: never; path?: never; cookie?: never };
    get?: never;
    put?: never;
    /** Name the dates of a recurrence rule special days of a source, or of all sources with some labels */
    post: operations['createCalendarRule'];
    delete?: never;
    options?: never;
    head?: never;
    patch?: never;
    trace?: never;
  };
  '/v1/calendar-rule/import': {
    parameters: { query?: never; header?: never; path?: never; cookie?: never };
    get?: never;
    put?: never;
    /** Name the dates of an iCalendar file special days of a source, or of all sources with some labels */
    post: operations['importCalendarRule'];
    delete?: never;
    options?: never;
    head?: never;
    patch?: never;
    trace?: never;
  };
  '/v1/calendar-rule/list': {
    parameters: { query?: never; header?: never; path?: never; cookie?: never };
    /** List the rules of the tenant that name special days, or those that apply to a source */
    get: operations['listCalendarRules'];
    put?: never;
    post?: never;
    delete?: never;
    options?: never;
    head?: never;
    patch?: never;
    trace?: never;
  };
  '/v1/calendar-rule/{rule_id}': {
    parameters: { query?: never; header?: never; path?: never; cookie?: never };
    /** Get one rule */
    get: operations['getCalendarRule'];
    put?: never;
    post?: never;
    /** Delete a rule: its dates lose its name */
    delete: operations['deleteCalendarRule'];
    options?: never;
    head?: never;
    patch?: never;
    trace?: never;
  };
  '/v1/alert/list': {
    parameters: { query?: never; header?: never; path?: never; cookie?: never };
    /** List alerts in the order of date, raising, criticity or severity */
    get: operations['listAlerts'];
    put?: never;
    post?: never;
    delete?: never;
    options?: never;
    head?: never;
    patch?: never;
    trace?: never;
  };
  '/v1/alert/{id}': {
    parameters: { query?: never; header?: never; path?: never; cookie?: never };
    /** Get an alert, with its broken limits as lines of a chart */
    get: operations['getAlert'];
    put?: never;
    post?: never;
    delete?: never;
    options?: never;
    head?: never;
    patch?: never;
    trace?: never;
  };
  '/v1/alert/{id}/history': {
    parameters: { query?: never; header?: never; path?: never; cookie?: never };
    /** List the events of an alert, oldest first */
    get: operations['getAlertHistory'];
    put?: never;
    post?: never;
    delete?: never;
    options?: never;
    head?: never;
    patch?: never;
    trace?: never;
  };
  '/v1/alert/acknowledge': {
    parameters: { query?: never; header?: never; path?: never; cookie?: never };
    get?: never;
    put?: never;
    /** Acknowledge several alerts; each one is changed or refused separately */
    post: operations['acknowledgeAlerts'];
    delete?: never;
    options?: never;
    head?: never;
    patch?: never;
    trace?: never;
  };
  '/v1/alert/resolve': {
    parameters: { query?: never; header?: never; path?: never; cookie?: never };
    get?: never;
    put?: never;
    /** Resolve several alerts with one verdict; each one is changed or refused separately */
    post: operations['resolveAlerts'];
    delete?: never;
    options?: never;
    head?: never;
    patch?: never;
    trace?: never;
  };
  '/v1/alert/{id}/acknowledge': {
    parameters: { query?: never; header?: never; path?: never; cookie?: never };
    get?: never;
    put?: never;
    /** Acknowledge an alert: open → acknowledged */
    post: operations['acknowledgeAlert'];
    delete?: never;
    options?: never;
    head?: never;
    patch?: never;
    trace?: never;
  };
  '/v1/alert/{id}/reopen': {
    parameters: { query?: never; header?: never; path?: never; cookie?: never };
    get?: never;
    put?: never;
    /** Reopen an alert: acknowledged or resolved → open */
    post: operations['reopenAlert'];
    delete?: never;
    options?: never;
    head?: never;
    patch?: never;
    trace?: never;
  };
  '/v1/alert/{id}/resolve': {
    parameters: { query?: never; header?: never; path?: never; cookie?: never };
    get?: never;
    put?: never;
    /** Resolve an alert with a verdict: open, acknowledged or ended → resolved */
    post: operations['resolveAlert'];
    delete?: never;
    options?: never;
    head?: never;
    patch?: never;
    trace?: never;
  };
  '/v1/incident/list': {
    parameters: { query?: never; header?: never; path?: never; cookie?: never };
    /** List incidents: all alerts of one cause, one of which fits the query */
    get: operations['listIncidents'];
    put?: never;
    post?: never;
    delete?: never;
    options?: never;
    head?: never;
    patch?: never;
    trace?: never;
  };
  '/v1/incident/{id}': {
    parameters: { query?: never; header?: never; path?: never; cookie?: never };
    /** Read an incident */
    get: operations['getIncident'];
    put?: never;
    post?: never;
    delete?: never;
    options?: never;
    head?: never;
    patch?: never;
    trace?: never;
  };
  '/v1/incident/{id}/history': {
    parameters: { query?: never; header?: never; path?: never; cookie?: never };
    /** List the events of an incident, oldest first */
    get: operations['getIncidentHistory'];
    put?: never;
    post?: never;
    delete?: never;
    options?: never;
    head?: never;
    patch?: never;
    trace?: never;
  };
  '/v1/incident/{id}/acknowledge': {
    parameters: { query?: never; header?: never; path?: never; cookie?: never };
    get?: never;
    put?: never;
    /** Acknowledge an incident: open → acknowledged */
    post: operations['acknowledgeIncident'];
    delete?: never;
    options?: never;
    head?: never;
    patch?: never;
    trace?: never;
  };
  '/v1/incident/{id}/reopen': {
    parameters: { query?: never; header?: never; path?: never; cookie?: never };
    get?: never;
    put?: never;
    /** Reopen an incident: acknowledged or resolved → open */
    post: operations['reopenIncident'];
    delete?: never;
    options?: never;
    head?: never;
    patch?: never;
    trace?: never;
  };
  '/v1/incident/{id}/resolve': {
    parameters: { query?: never; header?: never; path?: never; cookie?: never };
    get?: never;
    put?: never;
    /** Resolve an incident and its alerts with a verdict: open, acknowledged or ended → resolved */
    post: operations['resolveIncident'];
    delete?: never;
    options?: never;
    head?: never;
    patch?: never;
    trace?: never;
  };
  '/v1/incident/{id}/accept': {
    parameters: { query?: never; header?: never; path?: never; cookie?: never };
    get?: never;
    put?: never;
    /** Take the change of an incident as the new normal: days from its date on are expected with it */
    post: operations['acceptChange'];
    delete?: never;
    options?: never;
    head?: never;
    patch?: never;
    trace?: never;
  };
  '/v1/incident/{id}/withdraw-acceptance': {
    parameters: { query?: never; header?: never; path?: never; cookie?: never };
    get?: never;
    put?: never;
    /** Take back that the change of an incident is the new normal */
    post: operations['withdrawAcceptance'];
    delete?: never;
    options?: never;
    head?: never;
    patch?: never;
    trace?: never;
  };
  '/v1/incident/{id}/assign': {
    parameters: { query?: never; header?: never; path?: never; cookie?: never };
    get?: never;
    put?: never;
    /** Assign an incident to a person, or unassign it */
    post: operations['assignIncident'];
    delete?: never;
    options?: never;
    head?: never;
    patch?: never;
    trace?: never;
  };
  '/v1/incident/{id}/comment': {
    parameters: { query?: never; header?: never; path?: never; cookie?: never };
    get?: never;
    put?: never;
    /** Add a comment to an incident */
    post: operations['commentIncident'];
    delete?: never;
    options?: never;
    head?: never;
    patch?: never;
    trace?: never;
  };
  '/v1/incident/{id}/split': {
    parameters: { query?: never; header?: never; path?: never; cookie?: never };
    get?: never;
    put?: never;
    /** Move some alerts to a new incident, which is answered */
    post: operations['splitIncident'];
    delete?: never;
    options?: never;
    head?: never;
    patch?: never;
    trace?: never;
  };
  '/v1/incident/{id}/merge': {
    parameters: { query?: never; header?: never; path?: never; cookie?: never };
    get?: never;
    put?: never;
    /** Merge an incident into another one, which is answered */
    post: operations['mergeIncident'];
    delete?: never;
    options?: never;
    head?: never;
    patch?: never;
    trace?: never;
  };
  '/v1/mute': {
    parameters: { query?: never; header?: never; path?: never; cookie?: never };
    get?: never;
    put?: never;
    /** Mute a source, sources with labels, or an incident until an instant */
    post: operations['createMute'];
    delete?: never;
    options?: never;
    head?: never;
    patch?: never;
    trace?: never;
  };
  '/v1/mute/list': {
    parameters: { query?: never; header?: never; path?: never; cookie?: never };
    /** List the mutes that have not ended, planned ones included */
    get: operations['listMutes'];
    put?: never;
    post?: never;
    delete?: never;
    options?: never;
    head?: never;
    patch?: never;
    trace?: never;
  };
  '/v1/mute/{id}': {
    parameters: { query?: never; header?: never; path?: never; cookie?: never };
    get?: never;
    put?: never;
    post?: never;
    /** End a mute at once */
    delete: operations['deleteMute'];
    options?: never;
    head?: never;
    patch?: never;
    trace?: never;
  };
  '/v1/settings': {
    parameters: { query?: never; header?: never; path?: never; cookie?: never };
    /** Read the settings of the tenant */
    get: operations['getSettings'];
    put?: never;
    post?: never;
    delete?: never;
    options?: never;
    head?: never;
    /** Change settings of the tenant; absent fields stay */
    patch: operations['changeSettings'];
    trace?: never;
  };
  '/v1/alert/{id}/explanation': {
    parameters: { query?: never; header?: never; path?: never; cookie?: never };
    /** Explain an alert: its check, import, planning, models, reference and people, each with its event */
    get: operations['explainAlert'];
    put?: never;
    post?: never;
    delete?: never;
    options?: never;
    head?: never;
    patch?: never;
    trace?: never;
  };
  '/v1/audit/event': {
    parameters: { query?: never; header?: never; path?: never; cookie?: never };
    /** List the events of the tenant in the order of the log; each reading is recorded */
    get: operations['listAuditEvents'];
    put?: never;
    post?: never;
    delete?: never;
    options?: never;
    head?: never;
    patch?: never;
    trace?: never;
  };
  '/v1/audit/checkpoint': {
    parameters: { query?: never; header?: never; path?: never; cookie?: never };
    /** Get a signed checkpoint of the log, to be kept outside the service */
    get: operations['getCheckpoint'];
    put?: never;
    post?: never;
    delete?: never;
    options?: never;
    head?: never;
    patch?: never;
    trace?: never;
  };
  '/v1/audit/proof/inclusion': {
    parameters: { query?: never; header?: never; path?: never; cookie?: never };
    /** Get an event with the proof that the log of a checkpoint contains it; each reading is recorded */
    get: operations['proveInclusion'];
    put?: never;
    post?: never;
    delete?: never;
    options?: never;
    head?: never;
    patch?: never;
    trace?: never;
  };
  '/v1/audit/proof/consistency': {
    parameters: { query?: never; header?: never; path?: never; cookie?: never };
    /** Get the proof that the log of "from" events is the beginning of the log of "to" events */
    get: operations['proveConsistency'];
    put?: never;
    post?: never;
    delete?: never;
    options?: never;
    head?: never;
    patch?: never;
    trace?: never;
  };
  '/v1/person/erase': {
    parameters: { query?: never; header?: never; path?: never; cookie?: never };
    get?: never;
    put?: never;
    /** Erase a person: destroys the key of their name and comments in events */
    post: operations['erasePerson'];
    delete?: never;
    options?: never;
    head?: never;
    patch?: never;
    trace?: never;
  };
  '/v1/events': {
    parameters: { query?: never; header?: never; path?: never; cookie?: never };
    /** Stream changes as server-sent events; the header Last-Event-ID resumes a stream */
    get: operations['streamEvents'];
    put?: never;
    post?: never;
    delete?: never;
    options?: never;
    head?: never;
    patch?: never;
    trace?: never;
  };
  '/v1/overview': {
    parameters: { query?: never; header?: never; path?: never; cookie?: never };
    /** List all sources with the outcomes of their last days, without values */
    get: operations['getOverview'];
    put?: never;
    post?: never;
    delete?: never;
    options?: never;
    head?: never;
    patch?: never;
    trace?: never;
  };
  '/v1/webhook/create': {
    parameters: { query?: never; header?: never; path?: never; cookie?: never };
    get?: never;
    put?: never;
    /** Create a webhook: messages about alerts and analyses at an address, in the format of its receiver */
    post: operations['createWebhook'];
    delete?: never;
    options?: never;
    head?: never;
    patch?: never;
    trace?: never;
  };
  '/v1/webhook/{webhook_id}/rotate-secret': {
    parameters: { query?: never; header?: never; path?: never; cookie?: never };
    get?: never;
    put?: never;
    /** Create a new signing secret; the previous one stays valid for 24 hours */
    post: operations['rotateWebhookSecret'];
    delete?: never;
    options?: never;
    head?: never;
    patch?: never;
    trace?: never;
  };
  '/v1/webhook/list': {
    parameters: { query?: never; header?: never; path?: never; cookie?: never };
    /** List all webhooks of the tenant, without their secrets */
    get: operations['listWebhooks'];
    put?: never;
    post?: never;
    delete?: never;
    options?: never;
    head?: never;
    patch?: never;
    trace?: never;
  };
  '/v1/webhook/{webhook_id}': {
    parameters: { query?: never; header?: never; path?: never; cookie?: never };
    /** Get one webhook, without its secret */
    get: operations['getWebhook'];
    put?: never;
    post?: never;
    /** Delete a webhook and destroy its key */
    delete: operations['deleteWebhook'];
    options?: never;
    head?: never;
    /** Change the address, the format, the filter or the times of a webhook; its secret stays */
    patch: operations['changeWebhook'];
    trace?: never;
  };
  '/v1/webhook/{webhook_id}/deliveries': {
    parameters: { query?: never; header?: never; path?: never; cookie?: never };
    /** List the last attempts to deliver, with status and latency */
    get: operations['listDeliveries'];
    put?: never;
    post?: never;
    delete?: never;
    options?: never;
    head?: never;
    patch?: never;
    trace?: never;
  };
  '/v1/webhook/{webhook_id}/disable': {
    parameters: { query?: never; header?: never; path?: never; cookie?: never };
    get?: never;
    put?: never;
    /** Stop the deliveries until the webhook is enabled */
    post: operations['disableWebhook'];
    delete?: never;
    options?: never;
    head?: never;
    patch?: never;
    trace?: never;
  };
  '/v1/webhook/{webhook_id}/enable': {
    parameters: { query?: never; header?: never; path?: never; cookie?: never };
    get?: never;
    put?: never;
    /** Start the deliveries where they stopped */
    post: operations['enableWebhook'];
    delete?: never;
    options?: never;
    head?: never;
    patch?: never;
    trace?: never;
  };
  '/v1/webhook/{webhook_id}/test': {
    parameters: { query?: never; header?: never; path?: never; cookie?: never };
    get?: never;
    put?: never;
    /** Send a message of type webhook.test once, and return the result */
    post: operations['testWebhook'];
    delete?: never;
    options?: never;
    head?: never;
    patch?: never;
    trace?: never;
  };
  '/v1/webhook/{webhook_id}/replay': {
    parameters: { query?: never; header?: never; path?: never; cookie?: never };
    get?: never;
    put?: never;
    /** Deliver all messages after a position again */
    post: operations['replayWebhook'];
    delete?: never;
    options?: never;
    head?: never;
    patch?: never;
    trace?: never;
  };
  '/v1/token/create': {
    parameters: { query?: never; header?: never; path?: never; cookie?: never };
    get?: never;
    put?: never;
    /** Issue a token for a person or a device; only this answer has it */
    post: operations['createToken'];
    delete?: never;
    options?: never;
    head?: never;
    patch?: never;
    trace?: never;
  };
  '/v1/token/list': {
    parameters: { query?: never; header?: never; path?: never; cookie?: never };
    /** List the issued tokens of the tenant that are neither revoked nor expired */
    get: operations['listTokens'];
    put?: never;
    post?: never;
    delete?: never;
    options?: never;
    head?: never;
    patch?: never;
    trace?: never;
  };
  '/v1/token/{jti}': {
    parameters: { query?: never; header?: never; path?: never; cookie?: never };
    get?: never;
    put?: never;
    post?: never;
    /** Revoke an issued token: requests with it are refused from now on */
    delete: operations['revokeToken'];
    options?: never;
    head?: never;
    patch?: never;
    trace?: never;
  };
}
export type webhooks = Record<string, never>;
export interface components {
  schemas: {
    /** AcceptedChange */
    AcceptedChange: {
      sourceId: number;
      /**
       * Format: date
       * @description First date that is expected with the change.
       */
      from: string;
      change: components['schemas']['Change'];
      /** @description Subject of the token; "reactor" for the service, "erased" for an erased person: see byKind. */
      by: string;
      /**
       * @description A person, the service itself, or a person who was erased, whatever the name is.
       * @enum {string}
       */
      byKind: 'person' | 'service' | 'erased';
      /**
       * Format: date-time
       * @description An instant in UTC.
       */
      at: string;
    };
    /** Alert */
    Alert: {
      /** @description {sourceId}-{yyyymmdd}-{n} */
      id: string;
      sourceId: number;
      /**
       * Format: date
       * @description A day in the time zone of its source.
       */
      date: string;
      /**
       * @description activity: a limit of the planned model is broken; gap: less than half of the observed slices of reference days, a stretch without data longer than on any of them, or a date missing inside an import; frozen: a flatline longer than in the reference; drift: the source moved as a whole, raised once in 28 days; noData: no import came in time.
       * @enum {unknown}
       */
      kind: 'activity' | 'gap' | 'frozen' | 'drift' | 'noData';
      /** @enum {unknown} */
      state: 'open' | 'acknowledged' | 'ended' | 'resolved' | 'invalidated';
      direction: ('over' | 'under' | 'both') | null;
      /** @description Higher for a less probable day. */
      criticity: number;
      /** @description Higher for a day that lost more: its distance from what was expected, summed over the day, over that sum and the distance to the bounds. Absent in alerts of engines up to 8. */
      severity?: number;
      /** @description The severity in words, in the language of the answer: what the day lost, over what its limits allow in a day. */
      loss?: string;
      losses?: components['schemas']['AlertLosses'];
      /** @description The reason in one sentence, in the language of the answer. */
      sentence: string;
      sentences: components['schemas']['AlertSentences'];
      /** @description Slices outside the bounds, or the stretch whose mean is outside its limit. */
      slices: components['schemas']['BrokenRun'][];
      /** @description The broken limits: on a slice, on the mean of a window or of the day, on the change of either from the days before, on the distance of its course (shape) from the nearest days. Absent for custom models. */
      limits?: ('slice' | 'window' | 'day' | 'windowChange' | 'dayChange' | 'shape')[];
      /** @description null for a gap */
      deviation: components['schemas']['Deviation'] | null;
      /** @description Each broken limit with its value and the value of the day; empty in alerts of older versions. */
      brokenLimits: components['schemas']['BrokenLimit'][];
      /** @description Only for a gap. */
      completeness: components['schemas']['GapFacts'] | null;
      /** @description A stretch without data that is longer than on any reference day of the same model. */
      gap: components['schemas']['GapStretch'] | null;
      /** @description Only for a flatline. */
      flatline: components['schemas']['FlatlineFacts'] | null;
      /** @description Only for noData. */
      silence: components['schemas']['Silence'] | null;
      plannedModelId: number | null;
      closestModelId: number | null;
      betterModelId: number | null;
      /** @description Whether the closest model describes abnormal days. */
      looksLikeAnomaly: boolean;
      /** @description Its incident, the present one also for a past moment; null until it is grouped. */
      incidentId: string | null;
      shape?: components['schemas']['ShapeDifference'];
      explainedBy?: components['schemas']['Explained'];
      soFar?: components['schemas']['SoFar'];
      modelsVersion: number;
      importId: string;
      verdict: ('anomaly' | 'expected' | 'notAnomaly' | 'newPattern') | null;
      comment: string | null;
      /**
       * Format: date-time
       * @description An instant in UTC.
       */
      raisedAt: string;
      /**
       * Format: date-time
       * @description An instant in UTC.
       */
      updatedAt: string;
    };
    /**
     * AlertChanges
     * @description Effect of a check on alerts.
     */
    AlertChanges: {
      raised: components['schemas']['Alert'][];
      /** @description Unprocessed alerts that other models, or another plan, raise again: they stay. */
      confirmed: components['schemas']['Alert'][];
      invalidated: components['schemas']['Alert'][];
      /** @description Silences that the import ended. */
      ended: components['schemas']['Alert'][];
      /** @description Unchanged alerts of the checked days. */
      unchanged: components['schemas']['Alert'][];
      /** @description Totals; each list holds at most 1,000 alerts. */
      counts: { raised: number; confirmed: number; invalidated: number; ended: number; unchanged: number };
    };
    /** AlertHistory */
    AlertHistory: { events: components['schemas']['AlertStep'][] };
    /** AlertIds */
    AlertIds: { ids: string[] };
    /**
     * AlertLosses
     * @description The loss in other languages, by language tag.
     */
    AlertLosses: { fr: string };
    /** AlertPage */
    AlertPage: {
      alerts: components['schemas']['Alert'][];
      falseDiscovery?: components['schemas']['FalseDiscovery'];
      /** @description Send it as cursor for the next page. */
      nextCursor?: string;
    };
    /**
     * AlertSentences
     * @description The reason in other languages, by language tag.
     */
    AlertSentences: { fr: string };
    /** AlertStep */
    AlertStep: {
      /** @description Type of the event. */
      type: string;
      /**
       * Format: date-time
       * @description An instant in UTC.
       */
      at: string;
      /** @description Subject of the token; "reactor" for the service, "erased" for an erased person: see byKind. */
      by: string;
      /**
       * @description A person, the service itself, or a person who was erased, whatever the name is.
       * @enum {string}
       */
      byKind: 'person' | 'service' | 'erased';
      /** @description Why it was invalidated. */
      reason?: string;
      /** @enum {unknown} */
      verdict?: 'anomaly' | 'expected' | 'notAnomaly' | 'newPattern';
      comment?: string | null;
      /** @description Event or request that caused it. */
      cause: string;
      eventId: string;
    };
    /** AlertTransition */
    AlertTransition: {
      /** @description {sourceId}-{yyyymmdd}-{n} */
      id: string;
      /**
       * @description unchanged: it was in that state already.
       * @enum {unknown}
       */
      outcome: 'changed' | 'unchanged' | 'refused';
      code: ('alertNotFound' | 'alertTransition') | null;
      detail: string | null;
      alert: components['schemas']['Alert'] | null;
    };
    /** AlertTransitions */
    AlertTransitions: {
      /** @description In the order of the request. */
      results: components['schemas']['AlertTransition'][];
      counts: { changed: number; unchanged: number; refused: number };
    };
    /**
     * Analysis
     * @description State of the latest analysis; the fields depend on the status, and on whether the models are automatic. The model of each reference day is in GET /v1/day/list, the dates of the calendar are in GET /v1/calendar/list.
     */
    Analysis: {
      /** @enum {unknown} */
      status: 'collecting' | 'pending' | 'running' | 'completed' | 'failed';
      /** @description Days up to tomorrow with three quarters of their slices, observed or interpolated, of a source that collects its reference. */
      usableDays?: number;
      /** @description Date of the first models if each day has data; null before the first usable day. */
      learnsAt?: string | null;
      /**
       * Format: date-time
       * @description An instant in UTC.
       */
      requestedAt?: string;
      /**
       * Format: date-time
       * @description An instant in UTC.
       */
      completedAt?: string;
      /**
       * Format: date-time
       * @description An instant in UTC.
       */
      failedAt?: string;
      /**
       * Format: date-time
       * @description When days were added to the reference while models that people set stayed; absent when the models are later. A reset learns from the longer reference.
       */
      referenceExtendedAt?: string;
      /** @description Request of the analysis that failed. */
      requestId?: string;
      /** @description Code of the failure. */
      code?: string;
      /** @description Reason of the failure. */
      detail?: string;
      /** @description Requested, then learned. */
      modelCount?: number;
      modelsVersion?: number;
      /** @description The earlier version that the models are from; absent for others. */
      restoredFrom?: number;
      /** @description Name and version of the analysis. */
      engine?: string;
      seed?: number;
      /** @description Number of reference days learned from. */
      usedDays?: number;
      /** @description Reference days that were not learned from: incomplete days and outliers. */
      leftOut?: {
        /**
         * Format: date
         * @description A day in the time zone of its source.
         */
        date: string;
        reason: string;
      }[];
      bounds?: components['schemas']['BoundsQuality'];
      /** @description Measurements on held-out months, for each number of models that was tried. */
      choice?: components['schemas']['CountTried'][];
      /** @description Results of the analysis for the sources that explain this one; absent without such sources. */
      explainedBy?: components['schemas']['Covariate'][];
      calendar?: components['schemas']['Calendar'] | null;
      /** @description Cycles of the source that are no week, by which dates are planned: at most one of days, and dates of the month. */
      cycles?: {
        /** @enum {unknown} */
        kind: 'days' | 'monthDay';
        /** @description Days of a cycle of days. */
        length?: number;
        /**
         * Format: date
         * @description A first day of it.
         */
        first?: string;
        /** @description For cycles of weeks: the weekdays (0 Monday) whose weeks differ. */
        weekdays?: number[];
        /**
         * @description What a date of the month counts.
         * @enum {unknown}
         */
        counts?: 'days' | 'workingDays' | 'weekdays';
        /** @description Its place: from 1 at the start of the month, from −1 at its end. */
        place?: number;
        /** @description The weekday that it counts. */
        weekday?: number;
        evidence: {
          /** @description Share by which the error of plans falls on held-out days, with a penalty for the number of days. */
          errorReduction: number;
          /** @description Number of held-out blocks, or dates, on which it falls. */
          better: number;
          /** @description Number of all of them. */
          of: number;
        };
        /** @description The cycle and its evidence in words. */
        sentence: string;
        /** @description The same in other languages. */
        sentences: { fr: string };
      }[];
      hitRate?: number | null;
    };
    /** AnalysisParameters */
    AnalysisParameters: {
      /** @description Name and version of the analysis. */
      engine: string;
      seed: number;
      modelCount: number;
      bounds: components['schemas']['BoundsQuality'];
      /** @description Measurements on held-out months, for each number of models that was tried. */
      choice: components['schemas']['CountTried'][];
      hitRate: number | null;
      calendar: components['schemas']['Calendar'] | null;
    };
    /** Assignment */
    Assignment: {
      /** @description Subject of the tokens of a person of the tenant; null unassigns it. */
      subject: string | null;
    };
    /** AuditEvent */
    AuditEvent: {
      /** @description Position in the log; usable as cursor. */
      position: string;
      id: string;
      stream: string;
      revision: number;
      type: string;
      /** @description Version of the shape of data. */
      v: number;
      /**
       * Format: date-time
       * @description An instant in UTC.
       */
      at: string;
      /** @description As stored, in the shape of its version. */
      data: unknown;
      metadata: {
        /** @description Subject of the token; "reactor" for the service, "erased" for an erased person: see byKind. */
        by: string;
        cause: string;
        correlation: string;
      };
      /**
       * @description A person, the service itself, or a person who was erased, whatever the name is.
       * @enum {string}
       */
      byKind: 'person' | 'service' | 'erased';
      /** @description SHA-256 over the event and its predecessor in the stream. */
      hash?: string;
    };
    /** AuditPage */
    AuditPage: {
      events: components['schemas']['AuditEvent'][];
      /** @description Send it as cursor for the next page. */
      nextCursor?: string;
    };
    /**
     * BoundsQuality
     * @description Measured quality of the limits.
     */
    BoundsQuality: {
      method: string;
      /** @description null for the default limits */
      targetCoverage: number | null;
      /** @description null without a guarantee */
      guaranteedCoverage: number | null;
      /** @description Number of held-out reference days that were measured. */
      calibrationDays: number;
      /** @description Share of these days inside the limits, 0–1. */
      measuredCoverage: number;
      falseAlertsPerYear: number | null;
      falseAlertsRange?: components['schemas']['FalseAlertsRange'];
      guard?: components['schemas']['Guard'];
      guarantee?: components['schemas']['Guarantee'];
      minimumDetectableChange: {
        wholeDay: components['schemas']['DetectableChange'];
        eightHours: components['schemas']['DetectableChange'];
        /** @description For the quarters of the day. Absent with fewer than four slices, and for models of engines up to 9. */
        timesOfDay?: components['schemas']['DetectableChangeAtTime'][];
      } | null;
    };
    /** BrokenLimit */
    BrokenLimit: {
      /** @enum {unknown} */
      limit: 'slice' | 'window' | 'day' | 'windowChange' | 'dayChange' | 'shape';
      /** @description First slice, from 0. */
      from: number;
      /** @description Exclusive. */
      to: number;
      /** @description Local clock time; a day ends at 24:00. */
      fromTime: string;
      /** @description Local clock time; a day ends at 24:00. */
      toTime: string;
      /** @description Score of the day; null for custom models. */
      score: number | null;
      /** @description Largest allowed magnitude of the score. */
      allowed: number | null;
      /** @description Mean of the day over the stretch, in the unit of the source. */
      actual: number;
      /** @description Mean of the limit over the stretch; of the planned profile for shape. */
      bound: number;
    };
    /** BrokenRun */
    BrokenRun: {
      /** @description First slice, from 0. */
      from: number;
      /** @description Exclusive. */
      to: number;
      /** @description Local clock time; a day ends at 24:00. */
      fromTime: string;
      /** @description Local clock time; a day ends at 24:00. */
      toTime: string;
      /** @enum {unknown} */
      direction: 'over' | 'under';
      /** @description Largest distance to the bound, in the unit of the source. */
      excess: number;
    };
    /** Calendar */
    Calendar: {
      code: string;
      /** @enum {unknown} */
      origin: 'given' | 'inferred';
      evidence: string | null;
      /** @description Source of the holidays, with its version. */
      library: string;
    };
    /** CalendarDay */
    CalendarDay: {
      /**
       * Format: date
       * @description A day in the time zone of its source.
       */
      date: string;
      /** @enum {unknown} */
      type: 'holiday' | 'bridge' | 'christmas' | 'special';
      name: string | null;
    };
    /** CalendarRule */
    CalendarRule: {
      /** @description null in a preview. */
      id: string | null;
      /** @description Name of the special days: days of one name are planned alike. */
      name: string;
      /** @description The source; null for a rule for labels. */
      sourceId: number | null;
      labels: { [key: string]: string } | null;
      /** @description The rule; null for the dates of a file. */
      rule: string | null;
      /**
       * Format: date
       * @description A day in the time zone of its source.
       */
      from: string;
      /**
       * Format: date
       * @description A day in the time zone of its source.
       */
      to: string;
      /** @description Number of dates from `from` to `to`, past ones included. */
      dateCount: number;
      /** @description In the answer to a file: the number of dates before its first one, which stay from the file before; absent without any. */
      earlierDates?: number;
      /** @description The next dates from today on, at most 10. */
      dates: string[];
      /** @description null in a preview. */
      savedAt: string | null;
    };
    /** CalendarRules */
    CalendarRules: { rules: components['schemas']['CalendarRule'][] };
    /** CalendarYear */
    CalendarYear: {
      days: components['schemas']['CalendarDay'][];
      calendar: components['schemas']['Calendar'] | null;
    };
    /**
     * Change
     * @description A change of a source that stays.
     */
    Change: {
      /**
       * @description level: everything more or less; clock: everything earlier or later; opening: a stretch at one end of the active time is closed or open now; shape: another course of the day.
       * @enum {unknown}
       */
      type: 'level' | 'clock' | 'opening' | 'shape';
      /** @description level: share more, negative for less; clock: minutes later, negative for earlier; opening: minutes, negative when closed now; shape: mean distance from the expected course as a share of its mean. */
      size: number;
      /**
       * Format: date
       * @description First of the like days.
       */
      from: string;
      minutes: number[] | null;
      /** @description Whether the clock of the source changed by an hour just before. */
      daylightSaving: boolean;
      sourceId: number;
      sentence: string;
      sentences: components['schemas']['ChangeSentences'];
      /** @description The sentence without its date. */
      summary: string;
      summaries: components['schemas']['ChangeSummaries'];
    };
    /** ChangeAcceptance */
    ChangeAcceptance: {
      /**
       * Format: date
       * @description First date that is expected with the change; by default its from. At most 28 days before the first alert, and not after today.
       */
      from?: string;
      /** @description Sources whose change is accepted; needed when several have one. */
      sourceIds?: number[];
    };
    /**
     * ChangeSentences
     * @description The sentence in other languages.
     */
    ChangeSentences: { fr: string };
    /**
     * ChangeSummaries
     * @description The summary in other languages.
     */
    ChangeSummaries: { fr: string };
    /** ChangedModel */
    ChangedModel: {
      /** @description Never reused. */
      id: number;
      name: string;
      color: string;
      /** @description The typical values, one a slice. */
      activity: number[];
      /** @description Upper bounds, one a slice. */
      topTolerance: number[];
      /** @description Lower bounds, one a slice. */
      bottomTolerance: number[];
      names: components['schemas']['ModelNames'];
      /** @description Whether it describes abnormal days. Such a model is never planned automatically. */
      anomaly: boolean;
      /** @description Number of reference days planned to follow this model; for models that people supplied, of the nearest days. */
      days: number;
      limits?: components['schemas']['Limits'];
      /** @description false in a 202: models or checks of days follow, and the other fields are those in force at the answer. */
      checked: boolean;
      alerts: components['schemas']['AlertChanges'];
    };
    /** Check */
    Check: {
      /**
       * @description gap: too few observed slices; drift: the source moved as a whole, which explains the broken limits; notCompared: no model is planned.
       * @enum {unknown}
       */
      outcome: 'normal' | 'abnormal' | 'gap' | 'drift' | 'notCompared';
      plannedModelId: number | null;
      modelsVersion: number;
      /**
       * Format: date-time
       * @description An instant in UTC.
       */
      checkedAt: string;
      /** @description Present when the change of the day was smaller than `minChange` of its source. */
      belowFloor?: boolean;
    };
    /** Checkpoint */
    Checkpoint: {
      /** @description Id of the first event of the log. */
      origin: string;
      /** @description Number of events of the log, of all tenants. */
      size: number;
      /** @description SHA-256. */
      root: string;
      /**
       * Format: date-time
       * @description An instant in UTC.
       */
      at: string;
      /** @description SHA-256 of the public key (SPKI, DER). */
      keyId: string;
      /** @description Ed25519, base64, over the canonical JSON (RFC 8785) of the fields before it. */
      signature: string;
      /** @description Changes of the key, oldest first. */
      successions?: components['schemas']['KeySuccession'][];
    };
    /** CollectingSource */
    CollectingSource: {
      name: string;
      /** @description Values by key, to group sources; at most 32. */
      labels?: { [key: string]: string };
      place?: components['schemas']['PlacePatch'] | null;
      expectedInterval?: string | null;
      /** @description Other sources that explain this one, such as the outside temperature; at most 3. */
      explainedBy?: number[];
      unit?: string | null;
      lateness?: string | null;
      feed?: components['schemas']['Feed'] | null;
      minChange?: components['schemas']['MinChangePatch'] | null;
      /** @enum {unknown} */
      activitySize: 4 | 8 | 12 | 24 | 48 | 72 | 144 | 1440;
      /**
       * @description zero: a slice without a sample is a gap; linear: it is interpolated.
       * @enum {unknown}
       */
      interpolationMethod?: 'zero' | 'linear';
      /**
       * @description How samples become slices: their mean, their sum for amounts, or counter for registers, whose CSV rows are cumulative readings: a slice is the rise of the register. JSON days of a counter hold amounts.
       * @enum {unknown}
       */
      aggregation?: 'mean' | 'sum' | 'counter';
      /** @description Country (ISO 3166-1) or region (ISO 3166-2) of the public holidays: FR, DE-NW. */
      calendar?: string;
      /** @description IANA time zone: days are cut at its midnight. UTC by default. */
      timeZone?: string;
      /** @description Target coverage: share of ordinary days inside the limits; 0.99 gives about 4 false alerts a year. The default limits without it. */
      coverage?: number;
    };
    /** ConsistencyProof */
    ConsistencyProof: {
      from: number;
      to: number;
      /** @description Hashes in the order of RFC 9162. */
      consistencyPath: string[];
    };
    /** CountTried */
    CountTried: {
      modelCount: number;
      /** @description Mean absolute error of the planned profile, as a share of the mean activity. */
      loss: number;
      predictability: number | null;
      stability: number | null;
    };
    /** Covariate */
    Covariate: {
      sourceId: number;
      name: string;
      used: boolean;
      errorReduction: number | null;
      reason: string;
      /** @description Absent when it is not used. */
      effect?: {
        knee: number;
        /** @description Effect of one unit below the knee on the logarithmic scale: 0.01 is nearly 1 %. */
        below: number;
        above: number;
        /** @description Lowest learned value; lower ones count as it. */
        from: number;
        to: number;
      };
    };
    /** CsvColumn */
    CsvColumn: {
      number: number;
      name: string | null;
      /** @enum {unknown} */
      kind: 'date' | 'value' | 'other';
    };
    /** CsvInspection */
    CsvInspection: {
      /** @enum {unknown} */
      separator: ';' | ',' | '|' | '\t' | 'semicolon' | 'comma' | 'pipe' | 'tab';
      decimal: (',' | '.') | null;
      dateFormat:
        | (
            | 'ISO'
            | 'YYYY-MM-DD HH:mm:ss'
            | 'DD/MM/YYYY HH:mm'
            | 'DD.MM.YYYY HH:mm'
            | 'epochSeconds'
            | 'epochMilliseconds'
          )
        | null;
      header: string[] | null;
      columns: components['schemas']['CsvColumn'][];
      /** @description Number of inspected rows of data. */
      rows: number;
      /** @description Whether the whole body was inspected, or its first million bytes. */
      isWhole: boolean;
      sampling: components['schemas']['CsvSampling'] | null;
      /** @description The first dates, as in the file. */
      days: {
        /**
         * Format: date
         * @description A day in the time zone of its source.
         */
        date: string;
        rows: number;
      }[];
      /** @description Smallest and largest value. */
      range: { min: number; max: number } | null;
      /** @description Parameters that an import of this file needs; none for the default format. */
      parameters: {
        /**
         * @description Separator of the columns, as a character or by its name; semicolon by default.
         * @enum {unknown}
         */
        separator?: ';' | ',' | '|' | '\t' | 'semicolon' | 'comma' | 'pipe' | 'tab';
        /**
         * @description Decimal mark; a comma by default.
         * @enum {unknown}
         */
        decimal?: ',' | '.';
        /**
         * @description ISO by default.
         * @enum {unknown}
         */
        dateFormat?:
          | 'ISO'
          | 'YYYY-MM-DD HH:mm:ss'
          | 'DD/MM/YYYY HH:mm'
          | 'DD.MM.YYYY HH:mm'
          | 'epochSeconds'
          | 'epochMilliseconds';
        /** @description Column of the dates: its number, from 1, or its name in the header. */
        dateColumn?: string;
        /** @description Column of the values: its number, from 1, or its name in the header. */
        valueColumn?: string;
      };
      /** @description These parameters as the query of a URL. */
      query: string;
      /** @description Reasons why an import would fail. */
      problems: components['schemas']['CsvProblem'][];
      /** @description Signs that the rows mean something else than an import would read. */
      warnings: components['schemas']['Warning'][];
    };
    /** CsvProblem */
    CsvProblem: { code: string; detail: string };
    /** CsvSampling */
    CsvSampling: {
      /** @description Median of the seconds between two rows. */
      seconds: number;
      /**
       * @description Slices a day of a new source.
       * @enum {unknown}
       */
      activitySize: 4 | 8 | 12 | 24 | 48 | 72 | 144;
      note: string;
    };
    /** CustomModel */
    CustomModel: {
      name: string;
      color: string;
      /** @description The typical values, one a slice. */
      activity: number[];
      /** @description Upper bounds, one a slice. */
      topTolerance: number[];
      /** @description Lower bounds, one a slice. */
      bottomTolerance: number[];
      /** @description Whether it describes abnormal days. Such a model is never planned automatically. */
      anomaly?: boolean;
      /** @description A model whose id and limits are those of a present model, as in an answer of /v1/model/list, keeps these limits. Others have bounds only. */
      id?: unknown;
      /** @description Ignored: an answer of /v1/model/list may be sent unchanged. */
      days?: unknown;
      /** @description A model whose id and limits are those of a present model, as in an answer of /v1/model/list, keeps these limits. Others have bounds only. */
      limits?: unknown;
      /** @description Ignored: an answer of /v1/model/list may be sent unchanged. */
      names?: unknown;
    };
    /** Day */
    Day: {
      /**
       * Format: date
       * @description A day in the time zone of its source.
       */
      date: string;
      /** @enum {unknown} */
      kind: 'reference' | 'recent';
      /** @description The values of the day, one a slice. */
      activity: number[];
      /** @description Slices without a sample: runs [from, to) of slices, counted from 0. */
      gaps: number[][];
      /** @description Slices filled by interpolation: runs [from, to) of slices, counted from 0. */
      filled: number[][];
      /** @description Slices that the local clock skipped: runs [from, to) of slices, counted from 0. */
      skipped?: number[][];
      /** @description Share of observed slices; on a date in progress, of those that have elapsed. */
      completeness: number;
      importId: string;
      /**
       * Format: date-time
       * @description An instant in UTC.
       */
      importedAt: string;
      /** @description Whether local midnight and the lateness of the source have not passed: later slices are not missing yet. */
      inProgress: boolean;
      /** @description Local time of the end of the last slice with data of a date in progress; null for others. */
      observedUntil: string | null;
      check: components['schemas']['Check'] | null;
      /** @description Nearest model of a reference day, planned model of a recent day. */
      modelId: number | null;
      referenceLeftOut?: components['schemas']['LeftOut'];
    };
    /**
     * DayDetails
     * @description All data of the chart of one date.
     */
    DayDetails: {
      sourceId: number;
      /**
       * Format: date
       * @description A day in the time zone of its source.
       */
      date: string;
      sliceMinutes: number;
      day: components['schemas']['StoredDay'] | null;
      referenceLeftOut?: components['schemas']['LeftOut'];
      planning: components['schemas']['DayPlan'];
      /** @description As expected on the date: moved by the sources that explain this one. */
      plannedModel: components['schemas']['Model'] | null;
      explainedBy?: components['schemas']['Explained'];
      /** @description Limits as two lines each, one value a slice, in the unit of the source: a day that follows one of them just keeps the limit. */
      limits: components['schemas']['LimitLevels'][];
      /** @description The planned profile at the level of the fortnight before; null with fewer than three days. */
      expectedByDaysBefore: number[] | null;
      /** @description Total to expect of a date in progress; absent for means. */
      expectedTotal?: number;
      /** @description The part of expectedTotal that has not come. */
      expectedRest?: number;
      /** @description null with fewer than ten comparable days. */
      usual: components['schemas']['UsualRange'] | null;
      /** @description null without models. */
      axis: components['schemas']['ValueAxis'] | null;
      closestModel: components['schemas']['Model'] | null;
      betterModel: components['schemas']['Model'] | null;
      /** @description Alerts that are not invalidated. */
      alerts: components['schemas']['DrawnAlert'][];
      /** @description Recent days of the week before. */
      daysBefore: components['schemas']['EarlierDay'][];
      /** @description The same weekday of the four weeks before. */
      weekdaysBefore: components['schemas']['EarlierDay'][];
    };
    /** DayImport */
    DayImport: { sourceId: number; days: components['schemas']['SuppliedDay'][] };
    /** DayPlan */
    DayPlan: {
      /**
       * Format: date
       * @description A day in the time zone of its source.
       */
      date: string;
      /** @description null when no model can be planned */
      modelId: number | null;
      /** @enum {unknown} */
      origin: 'automatic' | 'manual';
      reason: string;
      /** @description The reason in other languages, by language tag. */
      reasons: {
        /** @description In French, with no-break spaces where a line must not end. */
        fr: string;
      };
      /** @description Share of the similarity weight that supports the model. */
      share: number | null;
      /** @description The next models, largest share first. */
      alternatives: { modelId: number; share: number }[];
      /** @description Distance of the season to that of the nearest reference day: 0 for the same season, 1 from 90 days, where limits are a quarter wider. */
      unseen: number;
    };
    /** DayTakenBack */
    DayTakenBack: {
      sourceId: number;
      /**
       * Format: date
       * @description A day in the time zone of its source.
       */
      date: string;
      /** @description The reference day that shows again; null for none. */
      day: components['schemas']['StoredDay'] | null;
      alerts: components['schemas']['AlertChanges'];
    };
    /** DayYear */
    DayYear: { sourceId: number; year: number; days: components['schemas']['Day'][] };
    /** DeletedCalendarRule */
    DeletedCalendarRule: { id: string };
    /** DeletedMute */
    DeletedMute: { id: string };
    /** DeletedWebhook */
    DeletedWebhook: { id: string };
    /** DeliveryAttempt */
    DeliveryAttempt: {
      /** @description Id of the message, as in the header webhook-id: the same at every attempt. */
      id: string;
      /**
       * @description alert.refresh: open alerts that were sent to Alertmanager again; only failures are listed.
       * @enum {unknown}
       */
      type:
        | 'incident.opened'
        | 'incident.updated'
        | 'incident.ended'
        | 'alert.raised'
        | 'alert.updated'
        | 'alert.resolved'
        | 'source.silent'
        | 'analysis.completed'
        | 'analysis.failed'
        | 'digest'
        | 'webhook.test'
        | 'alert.refresh';
      sourceId: number | null;
      /** @description Position of the event; of a digest, of its last event. */
      position: string | null;
      /**
       * Format: date-time
       * @description An instant in UTC.
       */
      at: string;
      /** @description Counted from 1 for each message. */
      attempt: number;
      /** @description Status of the answer; the reply code of an SMTP server for a mail. */
      status: number | null;
      /** @description Why there was no answer; addressRefused: an address of a private network. */
      failure: ('timeout' | 'unreachable' | 'tls' | 'protocol' | 'addressRefused' | 'keyLost') | null;
      latencyMs: number;
      /** @enum {unknown} */
      outcome: 'delivered' | 'retrying' | 'disabled' | 'failed';
    };
    /** DeliveryAttempts */
    DeliveryAttempts: { deliveries: components['schemas']['DeliveryAttempt'][] };
    /**
     * DetectableChange
     * @description Shares of the total; null when even a doubling, or a fall to 0, would not be detected.
     */
    DetectableChange: { more: number | null; less: number | null };
    /**
     * DetectableChangeAtTime
     * @description A change of each of these slices, as a share of the mean of the day; null when even twice the mean would not be detected, and for a fall that most days do not have at that time.
     */
    DetectableChangeAtTime: {
      /** @description First slice, from 0. */
      from: number;
      /** @description Exclusive. */
      to: number;
      more: number | null;
      less: number | null;
    };
    /**
     * Deviation
     * @description The most significant stretch.
     */
    Deviation: {
      /** @description First slice, from 0. */
      from: number;
      /** @description Exclusive. */
      to: number;
      /** @description Local clock time; a day ends at 24:00. */
      fromTime: string;
      /** @description Local clock time; a day ends at 24:00. */
      toTime: string;
      /** @description Number of slices with data in the stretch. */
      slices: number;
      /**
       * @description Whether actual and expected are means per slice or totals of the stretch.
       * @enum {unknown}
       */
      aggregation: 'mean' | 'sum' | 'counter';
      actual: number;
      expected: number;
      /** @description actual − expected, in the unit of the source. */
      absolute: number;
      percent: number | null;
      /**
       * @description The planned profile, or that profile at the level of the days before or of the day itself.
       * @enum {unknown}
       */
      comparedWith: 'model' | 'daysBefore' | 'dayLevel';
      /** @description Number of other stretches outside the bounds. */
      others: number;
      /** @description Unit of the values; shown behind them. */
      unit?: string;
    };
    /**
     * Digest
     * @description Messages wait for the next digest, at times of the day in the time zone of their source.
     */
    Digest: {
      /**
       * @description Minutes between digests.
       * @enum {unknown}
       */
      everyMinutes: 5 | 10 | 15 | 20 | 30 | 60 | 120 | 180 | 240 | 360 | 480 | 720 | 1440;
      /** @description Time of one of the digests; 00:00 by default. */
      at?: string;
    };
    /**
     * DigestPatch
     * @description Absent fields stay, null removes.
     */
    DigestPatch: {
      /**
       * @description Minutes between digests.
       * @enum {unknown}
       */
      everyMinutes?: 5 | 10 | 15 | 20 | 30 | 60 | 120 | 180 | 240 | 360 | 480 | 720 | 1440;
      at?: string | null;
    };
    /** DrawnAlert */
    DrawnAlert: {
      /** @description {sourceId}-{yyyymmdd}-{n} */
      id: string;
      sourceId: number;
      /**
       * Format: date
       * @description A day in the time zone of its source.
       */
      date: string;
      /**
       * @description activity: a limit of the planned model is broken; gap: less than half of the observed slices of reference days, a stretch without data longer than on any of them, or a date missing inside an import; frozen: a flatline longer than in the reference; drift: the source moved as a whole, raised once in 28 days; noData: no import came in time.
       * @enum {unknown}
       */
      kind: 'activity' | 'gap' | 'frozen' | 'drift' | 'noData';
      /** @enum {unknown} */
      state: 'open' | 'acknowledged' | 'ended' | 'resolved' | 'invalidated';
      direction: ('over' | 'under' | 'both') | null;
      /** @description Higher for a less probable day. */
      criticity: number;
      /** @description Higher for a day that lost more: its distance from what was expected, summed over the day, over that sum and the distance to the bounds. Absent in alerts of engines up to 8. */
      severity?: number;
      /** @description The severity in words, in the language of the answer: what the day lost, over what its limits allow in a day. */
      loss?: string;
      losses?: components['schemas']['AlertLosses'];
      /** @description The reason in one sentence, in the language of the answer. */
      sentence: string;
      sentences: components['schemas']['AlertSentences'];
      /** @description Slices outside the bounds, or the stretch whose mean is outside its limit. */
      slices: components['schemas']['BrokenRun'][];
      /** @description The broken limits: on a slice, on the mean of a window or of the day, on the change of either from the days before, on the distance of its course (shape) from the nearest days. Absent for custom models. */
      limits?: ('slice' | 'window' | 'day' | 'windowChange' | 'dayChange' | 'shape')[];
      /** @description null for a gap */
      deviation: components['schemas']['Deviation'] | null;
      /** @description Each broken limit with its value and the value of the day; empty in alerts of older versions. */
      brokenLimits: components['schemas']['BrokenLimit'][];
      /** @description Only for a gap. */
      completeness: components['schemas']['GapFacts'] | null;
      /** @description A stretch without data that is longer than on any reference day of the same model. */
      gap: components['schemas']['GapStretch'] | null;
      /** @description Only for a flatline. */
      flatline: components['schemas']['FlatlineFacts'] | null;
      /** @description Only for noData. */
      silence: components['schemas']['Silence'] | null;
      plannedModelId: number | null;
      closestModelId: number | null;
      betterModelId: number | null;
      /** @description Whether the closest model describes abnormal days. */
      looksLikeAnomaly: boolean;
      /** @description Its incident, the present one also for a past moment; null until it is grouped. */
      incidentId: string | null;
      shape?: components['schemas']['ShapeDifference'];
      explainedBy?: components['schemas']['Explained'];
      soFar?: components['schemas']['SoFar'];
      modelsVersion: number;
      importId: string;
      verdict: ('anomaly' | 'expected' | 'notAnomaly' | 'newPattern') | null;
      comment: string | null;
      /**
       * Format: date-time
       * @description An instant in UTC.
       */
      raisedAt: string;
      /**
       * Format: date-time
       * @description An instant in UTC.
       */
      updatedAt: string;
      /** @description The broken limits on that day; null when unknown. */
      bounds: components['schemas']['LimitLevels'][] | null;
    };
    /** EarlierDay */
    EarlierDay: {
      /**
       * Format: date
       * @description A day in the time zone of its source.
       */
      date: string;
      /** @description The values of the day, one a slice. */
      activity: number[];
      /** @description Slices without a sample: runs [from, to) of slices, counted from 0. */
      gaps: number[][];
      outcome: ('normal' | 'abnormal' | 'gap' | 'drift' | 'notCompared') | null;
    };
    /** EndedChange */
    EndedChange: {
      /** @description inc-{id of the first alert}; it never changes. */
      incidentId: string;
      change: components['schemas']['Change'];
    };
    /** ErasedPerson */
    ErasedPerson: {
      /** @description The random id that remains in events. */
      personId: string;
    };
    /** Erasure */
    Erasure: { subject: string };
    /** EventLink */
    EventLink: {
      eventId: string;
      stream: string;
      revision: number;
      /** @description Position in the log. */
      position: string;
      type: string;
      /**
       * Format: date-time
       * @description An instant in UTC.
       */
      at: string;
      /** @description Subject of the token; "reactor" for the service, "erased" for an erased person: see byKind. */
      by: string;
      /**
       * @description A person, the service itself, or a person who was erased, whatever the name is.
       * @enum {string}
       */
      byKind: 'person' | 'service' | 'erased';
      /** @description Event or request that caused it. */
      cause: string;
      hash: string | null;
    };
    /**
     * Explained
     * @description How other sources changed what was expected; absent for models without such sources.
     */
    Explained: {
      /** @description On the logarithmic scale. */
      effect: number;
      /** @description Mean of the planned model. */
      planned: number;
      /** @description The same after the effect. */
      expected: number;
      covariates: { sourceId: number; name: string; value: number }[];
      /** @description Covariates without a value on the date. */
      missing?: string[];
    };
    /** Explanation */
    Explanation: {
      alert: components['schemas']['Alert'];
      raised: components['schemas']['EventLink'];
      check: {
        event: components['schemas']['EventLink'];
        cause: components['schemas']['EventLink'];
        /** @description Position of the log that the check had read; reads with this asOf show the state that it used. */
        knownTo: string;
      };
      /** @description For a silence the last import before it; null without one. */
      import: components['schemas']['UsedImport'] | null;
      /** @description The plan when the day was checked, and the event that decided it. */
      planning: {
        /**
         * Format: date
         * @description A day in the time zone of its source.
         */
        date: string;
        /** @description null when no model can be planned */
        modelId: number | null;
        /** @enum {unknown} */
        origin: 'automatic' | 'manual';
        reason: string;
        /** @description The reason in other languages, by language tag. */
        reasons: {
          /** @description In French, with no-break spaces where a line must not end. */
          fr: string;
        };
        /** @description Share of the similarity weight that supports the model. */
        share: number | null;
        /** @description The next models, largest share first. */
        alternatives: { modelId: number; share: number }[];
        /** @description Distance of the season to that of the nearest reference day: 0 for the same season, 1 from 90 days, where limits are a quarter wider. */
        unseen: number;
        event: components['schemas']['EventLink'] | null;
        specialDay: components['schemas']['EventLink'] | null;
      };
      /** @description With the changes that people had accepted. */
      plannedModel: components['schemas']['Model'] | null;
      /** @description Acceptances of the changes that moved it. */
      accepted: components['schemas']['EventLink'][];
      /** @description null when the source had no models */
      models: {
        version: number;
        /** @enum {unknown} */
        origin: 'automatic' | 'custom';
        event: components['schemas']['EventLink'];
        request: components['schemas']['EventLink'] | null;
        parameters: components['schemas']['AnalysisParameters'] | null;
      } | null;
      reference: {
        events: components['schemas']['EventLink'][];
        /** @description Reference days that the date is planned by. */
        plannedModelDates: string[];
        /** @description Reference days that were not learned from: incomplete days and outliers. */
        leftOut: {
          /**
           * Format: date
           * @description A day in the time zone of its source.
           */
          date: string;
          reason: string;
        }[];
      };
      /** @description Later events of the alert. */
      since: components['schemas']['EventLink'][];
      /** @description Names of the people behind these events; each event has its author and byKind. */
      people: string[];
    };
    /**
     * FalseAlertsRange
     * @description The range of that number in a year, which holds for nine of ten sources. Absent with a guard or a target coverage, with fewer than 100 calibration days, and for models of engines up to 8.
     */
    FalseAlertsRange: { low: number; high: number };
    /**
     * FalseDiscovery
     * @description Only on the first page of a list with fdr.
     */
    FalseDiscovery: {
      /** @description The rate that was asked for. */
      rate: number;
      /** @description Compared days of the sources and dates. */
      days: number;
      /** @description Days among them with such an alert, of any state and kind. */
      discoveries: number;
      /** @description Least criticity of these alerts; null without one. */
      criticityFrom: number | null;
    };
    /** Fault */
    Fault: {
      code: string;
      /** @description The given and the expected value. */
      detail: string;
      /** @description JSON Pointer (RFC 6901) into the body, or /query/… or /path/… */
      pointer?: string;
      /** @description Line of a CSV body; a header is line 1. */
      line?: number;
      /** @description Field of the line. */
      column?: number;
      /** @description Number of faults with this cause; this is the first of them. */
      count?: number;
      /** @description The value, cut to 80 characters. */
      value?: string;
    };
    /**
     * Feed
     * @description The series of line protocol that the source takes its points from.
     */
    Feed: {
      measurement: string;
      field: string;
      /** @description Tags that the series has, perhaps among others; at most 16. */
      tags: { [key: string]: string };
    };
    /**
     * FeedPatch
     * @description A change of the feed: absent fields and tags stay.
     */
    FeedPatch: {
      measurement?: string;
      field?: string;
      /** @description Tags to add or change; null removes one, or all. */
      tags?: { [key: string]: string | null } | null;
    };
    /** FirstToken */
    FirstToken: {
      /** @description The code of this start, from its terminal or its file. Hyphens, spaces and case do not count. */
      code: string;
      /** @description Who uses it, a person or a device: the subject of the token, and the author of what it does. */
      name: string;
      /** @description An instant such as 2027-01-01T00:00:00Z, or a duration: P90D, P1W, PT12H. At most 400 days away. By default P90D. */
      expires?: string;
    };
    /** FlatlineFacts */
    FlatlineFacts: {
      value: number;
      /** @description Longest flatline of the reference, in slices. */
      longest: number;
      /**
       * @description `longest` is that of the four weeks before: the source had no reference. Absent otherwise, and in older logs.
       * @constant
       */
      of?: 'daysBefore';
    };
    /** FoundAlert */
    FoundAlert: {
      /** @description The id that a reset would give now. */
      alertId: string;
      /**
       * Format: date
       * @description A day in the time zone of its source.
       */
      date: string;
      /** @enum {unknown} */
      kind: 'activity' | 'gap' | 'frozen' | 'drift';
      direction: ('over' | 'under' | 'both') | null;
      criticity: number;
      plannedModelId: number | null;
    };
    /** GapFacts */
    GapFacts: {
      /** @description Observed share of the day. */
      day: number;
      /** @description Median of the reference days. */
      usual: number;
    };
    /** GapStretch */
    GapStretch: {
      /** @description First slice, from 0. */
      from: number;
      /** @description Exclusive. */
      to: number;
      /** @description Local clock time; a day ends at 24:00. */
      fromTime: string;
      /** @description Local clock time; a day ends at 24:00. */
      toTime: string;
      /** @description Longest such stretch of these reference days, in slices. */
      longest: number;
    };
    /**
     * Guarantee
     * @description In any sequence of T compared days at most `share` × T + `alerts` alerts are counted (one a week), while the adaptive factor is below 2.
     */
    Guarantee: { share: number; alerts: number };
    /**
     * Guard
     * @description Only when the days of the reference vary too much: all limits are widened, and only large changes are detected.
     */
    Guard: {
      /** @description Share of held-out days inside the default limits. */
      coverage: number;
      /** @description Factor by which all limits were widened. */
      factor: number;
    };
    /** Health */
    Health: {
      /** @description degraded: requests are handled, and something needs attention. */
      status: 'ok' | 'degraded';
      /** @description Why it is degraded. */
      causes?: { code: string; detail: string }[];
      /** @description The first 20 sources, and streams of no source, with an event that this build cannot handle. */
      parked?: components['schemas']['Parked'][];
      readModels: {
        /** @description Position of the read models in the log. */
        position: string;
      };
      reactor: {
        /** @description Events whose checks or analyses are not in the log yet, without parked ones; with EventStoreDB also the events that the server has to pass before it delivers new ones. */
        backlog: number;
        /** @description Events that failed repeatedly; see daybook replay-parked. */
        parked: number;
      };
      analysis: {
        /** @description Analyses in the queue. */
        waiting: number;
      };
    };
    /** Home */
    Home: {
      /** @constant */
      name: 'Daybook';
      /**
       * @description The API as OpenAPI 3.1.
       * @constant
       */
      description: '/openapi.json';
      /**
       * @description Whether the service can handle requests.
       * @constant
       */
      health: '/health';
      /**
       * @description The reference of the API to try out, and the pages for users, auditors and operators.
       * @constant
       */
      documentation: '/docs';
    };
    /** Import */
    Import: {
      id: string;
      /** @description Lines of CSV; 0 for JSON. */
      lines: number;
      /** @description Number of points; absent for days. */
      points?: number;
      days: number;
      missingSamples: number;
      /** @description Filled by interpolation. */
      filledSamples: number;
      /** @description Samples that were repeated with the same value. */
      duplicates: number;
      warnings: components['schemas']['Warning'][];
      /** @description How sampling and lengths were converted, one sentence each. */
      notes?: string[];
      /** @description Release of the time zone data that cut the days; absent for UTC. */
      zoneData?: string;
      localStamps?: components['schemas']['LocalStamps'];
    };
    /** ImportResult */
    ImportResult: {
      import: components['schemas']['Import'];
      /** @description Days of the import that no later import replaced. */
      days: components['schemas']['ImportedDay'][];
      alerts: components['schemas']['AlertChanges'];
    };
    /** ImportedDay */
    ImportedDay: {
      /**
       * Format: date
       * @description A day in the time zone of its source.
       */
      date: string;
      /**
       * @description gap: too few observed slices; drift: the source moved as a whole, which explains the broken limits; notCompared: no model is planned. unchecked: no slice of a date in progress was compared yet.
       * @enum {unknown}
       */
      status: 'pending' | 'unchecked' | 'normal' | 'abnormal' | 'gap' | 'drift' | 'notCompared';
      /** @description Present when the change of the day was smaller than `minChange` of its source. */
      belowFloor?: boolean;
      /** @description Whether local midnight and the lateness of the source have not passed: later slices are not missing yet. */
      inProgress: boolean;
      /** @description Local time of the end of the last slice with data of a date in progress; null for others. */
      observedUntil: string | null;
      /** @description Share of observed slices. */
      completeness: number;
      plannedModel: {
        id: number;
        /** @description null for a deleted model */
        name: string | null;
      } | null;
      /** @description Sources that explain this one and had no value when the day was checked: it is checked again when they come. Absent when all had one. */
      missingCovariates?: string[];
    };
    /**
     * Incident
     * @description All alerts of one cause.
     */
    Incident: {
      /** @description inc-{id of the first alert}; it never changes. */
      id: string;
      /**
       * @description ended: what it reported is over; merged: its alerts are in another incident, mergedInto; invalidated: it has no alert left.
       * @enum {unknown}
       */
      state: 'open' | 'acknowledged' | 'resolved' | 'ended' | 'merged' | 'invalidated';
      /**
       * @description By criticity: info below 0.7, warning below 0.85, critical from there on.
       * @enum {unknown}
       */
      severity: 'info' | 'warning' | 'critical';
      kind: ('activity' | 'gap' | 'frozen' | 'drift' | 'noData') | null;
      /** @description Its source, or the first of several. */
      title: string;
      titles: components['schemas']['IncidentTitles'];
      sentence: string;
      sentences: components['schemas']['IncidentSentences'];
      /**
       * Format: date
       * @description First date of its alerts.
       */
      since: string;
      /**
       * Format: date
       * @description Last date of its alerts, inclusive.
       */
      until: string;
      /** @description Its alerts by date, at most 500. */
      alertIds: string[];
      /** @description Numbers of its alerts by state. */
      counts: { open: number; acknowledged: number; resolved: number; ended: number };
      /** @description At most 100. */
      sources: { id: number; name: string }[];
      /** @description Criticity of its main alert, `alert`. */
      criticity: number;
      /** @description Largest severity of its alerts; null when none has one, as in those of engines up to 8. */
      worstSeverity: number | null;
      /** @description What its worst day lost, over what the limits of that day allow; null without a severity. */
      loss: string | null;
      /** @description null without a severity. */
      losses: components['schemas']['IncidentLosses'] | null;
      assignee: string | null;
      mutedUntil: string | null;
      /** @description Why each alert of alertIds is in it. */
      joinedBy: components['schemas']['JoinedBy'][];
      mergedInto: string | null;
      /** @description What has changed in its main source, from the third like day on; null when nothing is recognised. */
      change: components['schemas']['Change'] | null;
      /** @description The changes of all of its sources. */
      changes: components['schemas']['Change'][];
      /** @description Changes that people took as the new normal, by source. */
      accepted: components['schemas']['AcceptedChange'][];
      /**
       * Format: date-time
       * @description An instant in UTC.
       */
      openedAt: string;
      /**
       * Format: date-time
       * @description An instant in UTC.
       */
      updatedAt: string;
      /** @description The most critical alert that waits for a person; when none does, the one that was it before. */
      alert: components['schemas']['Alert'] | null;
    };
    /** IncidentComment */
    IncidentComment: { text: string };
    /** IncidentHistory */
    IncidentHistory: { events: components['schemas']['IncidentStep'][] };
    /**
     * IncidentLosses
     * @description The loss in other languages.
     */
    IncidentLosses: { fr: string };
    /** IncidentMerge */
    IncidentMerge: {
      /** @description The incident that takes its alerts. */
      incidentId: string;
    };
    /** IncidentPage */
    IncidentPage: {
      incidents: components['schemas']['Incident'][];
      /** @description Send it as cursor for the next page. */
      nextCursor?: string;
    };
    /** IncidentResolution */
    IncidentResolution: {
      /** @enum {unknown} */
      verdict: 'anomaly' | 'expected' | 'notAnomaly' | 'newPattern';
      comment?: string | null;
    };
    /**
     * IncidentSentences
     * @description The sentence in other languages.
     */
    IncidentSentences: { fr: string };
    /** IncidentSplit */
    IncidentSplit: { alertIds: string[] };
    /** IncidentStep */
    IncidentStep: {
      /** @description Type of the event. */
      type: string;
      /**
       * Format: date-time
       * @description An instant in UTC.
       */
      at: string;
      /** @description Subject of the token; "reactor" for the service, "erased" for an erased person: see byKind. */
      by: string;
      /**
       * @description A person, the service itself, or a person who was erased, whatever the name is.
       * @enum {string}
       */
      byKind: 'person' | 'service' | 'erased';
      joined?: {
        /** @description {sourceId}-{yyyymmdd}-{n} */
        alertId: string;
        /**
         * @description opened: it is the first; neighbour: an alert of its source on a neighbouring date; repeat: the same direction at the same time of day within 28 days; place: the same direction at the same time on a source with the same label; replaced: it follows an invalidated alert of its date.
         * @enum {unknown}
         */
        reason: 'opened' | 'neighbour' | 'repeat' | 'place' | 'replaced';
        /** @description Alerts for which it joined. */
        with: string[];
        label: string | null;
      }[];
      left?: string[];
      merged?: {
        /** @description inc-{id of the first alert}; it never changes. */
        incidentId: string;
        /** @description inc-{id of the first alert}; it never changes. */
        into: string;
        /** @description {sourceId}-{yyyymmdd}-{n} */
        alertId?: string;
      }[];
      split?: {
        /** @description inc-{id of the first alert}; it never changes. */
        incidentId: string;
        /** @description inc-{id of the first alert}; it never changes. */
        from: string;
        alertIds: string[];
      }[];
      /** @enum {unknown} */
      verdict?: 'anomaly' | 'expected' | 'notAnomaly' | 'newPattern';
      comment?: string | null;
      assignee?: string | null;
      /** @description inc-{id of the first alert}; it never changes. */
      from?: string;
      /** @description inc-{id of the first alert}; it never changes. */
      newIncidentId?: string;
      alertIds?: string[];
      sourceId?: number;
      change?: components['schemas']['Change'];
      /** @description Event or request that caused it. */
      cause: string;
      eventId: string;
    };
    /**
     * IncidentTitles
     * @description The title in other languages.
     */
    IncidentTitles: { fr: string };
    /** InclusionProof */
    InclusionProof: {
      /** @description The line of the event in an export. */
      leaf: string;
      leafIndex: number;
      treeSize: number;
      /** @description Hashes in the order of RFC 9162. */
      inclusionPath: string[];
    };
    /** JoinedBy */
    JoinedBy: {
      /** @description {sourceId}-{yyyymmdd}-{n} */
      alertId: string;
      /**
       * @description opened: it is the first; neighbour: an alert of its source on a neighbouring date; repeat: the same direction at the same time of day within 28 days; place: the same direction at the same time on a source with the same label; replaced: it follows an invalidated alert of its date.
       * @enum {unknown}
       */
      reason: 'opened' | 'neighbour' | 'repeat' | 'place' | 'replaced';
      /** @description Alerts for which it joined. */
      with: string[];
      label: string | null;
    };
    /** KeySuccession */
    KeySuccession: {
      /** @description Id of the earlier key, which signs. */
      keyId: string;
      /** @description The later public key: SPKI, DER, base64. */
      nextKey: string;
      /**
       * Format: date-time
       * @description An instant in UTC.
       */
      at: string;
      signature: string;
    };
    /** LeavingOut */
    LeavingOut: {
      /** @description Why; stored encrypted, as comments are. */
      reason: string;
    };
    /**
     * LeftOut
     * @description Why a person left the reference day of the date out of learning; absent otherwise.
     */
    LeftOut: {
      reason: string;
      /** @description Subject of the token; "reactor" for the service, "erased" for an erased person: see byKind. */
      by: string;
      /**
       * @description A person, the service itself, or a person who was erased, whatever the name is.
       * @enum {string}
       */
      byKind: 'person' | 'service' | 'erased';
      /**
       * Format: date-time
       * @description An instant in UTC.
       */
      at: string;
    };
    /** LimitLevels */
    LimitLevels: {
      /** @enum {unknown} */
      limit: 'slice' | 'window' | 'day' | 'windowChange' | 'dayChange';
      /** @description Lower line. */
      lower: number[];
      /** @description Upper line. */
      upper: number[];
    };
    /**
     * Limits
     * @description Limits of an automatic model besides its bounds, on normalised residuals: 0 on the profile, 1 on the upper bound, −1 on the lower bound, on the scale ln(x / unit + offset), which is linear below 0.
     */
    Limits: {
      /** @description In the unit of the source. */
      unit: number;
      /** @description Without a unit. */
      offset: number;
      windowHours: number;
      /** @description Limit on the mean over any window, up and down. */
      window: number;
      /** @description Limit on the mean over the day, up and down. */
      day: number;
      /** @description Limit on the change of the window mean from the days before. */
      windowChange?: number;
      /** @description Limit on the change of the day mean from the days before. */
      dayChange?: number;
      /** @description Limit on the distance of the course of a day from the nearest days; usual is about 1. */
      shape?: number;
    };
    /**
     * LiveChange
     * @description Data of a server-sent event "change", whose id is a position of the log. The event "ready" begins the stream; the event "reset" means that more changed than a resumed stream repeats. The event "tenant" has a type without a source: a mute, or the settings of the tenant.
     */
    LiveChange: {
      /** @description Type of the event. */
      type: string;
      sourceId: number;
    };
    /** LocalStamps */
    LocalStamps: {
      /** @description Rows in hours that occur twice; their order decided. */
      repeatedHour: number;
      /** @description Rows in hours that the clock skips; they were left out. */
      skippedHour: number;
    };
    /**
     * MinChange
     * @description The smallest change that raises an alert; a change must reach each number that is set.
     */
    MinChange: {
      absolute: number | null;
      percent: number | null;
      /** @description Whether the service proposed it from the reference. */
      proposed: boolean;
    };
    /**
     * MinChangePatch
     * @description The smallest change that raises an alert; a change must reach each number that is set.
     */
    MinChangePatch: { absolute?: number | null; percent?: number | null };
    /**
     * Model
     * @description A typical day. Custom models have no limits besides their bounds.
     */
    Model: {
      /** @description Never reused. */
      id: number;
      name: string;
      color: string;
      /** @description The typical values, one a slice. */
      activity: number[];
      /** @description Upper bounds, one a slice. */
      topTolerance: number[];
      /** @description Lower bounds, one a slice. */
      bottomTolerance: number[];
      names: components['schemas']['ModelNames'];
      /** @description Whether it describes abnormal days. Such a model is never planned automatically. */
      anomaly: boolean;
      /** @description Number of reference days planned to follow this model; for models that people supplied, of the nearest days. */
      days: number;
      limits?: components['schemas']['Limits'];
    };
    /** ModelList */
    ModelList: {
      models: components['schemas']['Model'][];
      /** @description Unit of the values; shown behind them. */
      unit?: string;
      bounds: components['schemas']['BoundsQuality'] | null;
      hitRate: number | null;
      calendar: components['schemas']['Calendar'] | null;
      presentLimits?: components['schemas']['PresentLimits'];
    };
    /**
     * ModelNames
     * @description The name in other languages; the same text for a name that a person gave.
     */
    ModelNames: { fr: string };
    /**
     * ModelPatch
     * @description Absent fields stay.
     */
    ModelPatch: {
      name?: string;
      color?: string;
      /** @description Whether it describes abnormal days. Such a model is never planned automatically. */
      anomaly?: boolean;
    };
    /** ModelsChange */
    ModelsChange: {
      models: components['schemas']['Model'][];
      bounds: components['schemas']['BoundsQuality'] | null;
      hitRate: number | null;
      calendar: components['schemas']['Calendar'] | null;
      planning: components['schemas']['PlanningYear'];
      /** @description Overrides of the planning, by date: each was carried to the new model with the nearest profile, or dropped (null). */
      overrides: components['schemas']['MovedOverride'][];
      /** @description false in a 202: models or checks of days follow, and the other fields are those in force at the answer. */
      checked: boolean;
      alerts: components['schemas']['AlertChanges'];
      /** @description The earlier version that the models are from; absent for others. */
      restoredFrom?: number;
    };
    /** ModelsPreview */
    ModelsPreview: {
      models: components['schemas']['Model'][];
      bounds: components['schemas']['BoundsQuality'] | null;
      hitRate: number | null;
      calendar: components['schemas']['Calendar'] | null;
      /** @description Overrides of the planning, by date: each was carried to the new model with the nearest profile, or dropped (null). */
      overrides: components['schemas']['MovedOverride'][];
      alerts: components['schemas']['PreviewedAlerts'];
      /** @description Accepted changes of single models, which would end with these models; others stay. */
      endedChanges: components['schemas']['EndedChange'][];
    };
    /** ModelsVersion */
    ModelsVersion: {
      modelsVersion: number;
      /**
       * Format: date-time
       * @description An instant in UTC.
       */
      at: string;
      /**
       * @description creation, reset and extension of a collected reference: learned; replacement: supplied; anomaly: the flag of a model changed; restore: a person went back to earlier models.
       * @enum {unknown}
       */
      cause: 'creation' | 'reset' | 'extension' | 'replacement' | 'anomaly' | 'restore';
      /** @enum {unknown} */
      origin: 'automatic' | 'custom';
      engine: string | null;
      modelCount: number;
      /** @description Subject of the token; "reactor" for the service, "erased" for an erased person: see byKind. */
      by: string;
      /**
       * @description A person, the service itself, or a person who was erased, whatever the name is.
       * @enum {string}
       */
      byKind: 'person' | 'service' | 'erased';
      /** @description The earlier version that the models are from; absent for others. */
      restoredFrom?: number;
    };
    /** ModelsVersions */
    ModelsVersions: {
      /** @description The latest first. */
      versions: components['schemas']['ModelsVersion'][];
      nextCursor?: string;
    };
    /** MovedOverride */
    MovedOverride: {
      /**
       * Format: date
       * @description A day in the time zone of its source.
       */
      date: string;
      from: components['schemas']['NamedModel'];
      to: components['schemas']['NamedModel'] | null;
    };
    /**
     * Mute
     * @description A time without first announcements.
     */
    Mute: {
      id: string;
      sourceId?: number;
      /** @description Values by key, to group sources; at most 32. */
      labels?: { [key: string]: string };
      /** @description inc-{id of the first alert}; it never changes. */
      incidentId?: string;
      /**
       * Format: date-time
       * @description An instant in UTC.
       */
      from: string;
      /**
       * Format: date-time
       * @description An instant in UTC.
       */
      until: string;
      reason: string;
      /** @description Subject of the token; "reactor" for the service, "erased" for an erased person: see byKind. */
      by: string;
      /**
       * @description A person, the service itself, or a person who was erased, whatever the name is.
       * @enum {string}
       */
      byKind: 'person' | 'service' | 'erased';
      /**
       * Format: date-time
       * @description An instant in UTC.
       */
      createdAt: string;
    };
    /** Mutes */
    Mutes: { mutes: components['schemas']['Mute'][] };
    /** NamedModel */
    NamedModel: { id: number; name: string };
    /**
     * NewCalendarRule
     * @description Either sourceId, or labels that a source must have, all of them.
     */
    NewCalendarRule: {
      sourceId?: number;
      /** @description Values by key, to group sources; at most 32. */
      labels?: { [key: string]: string };
      /** @description Name of the special days: days of one name are planned alike. */
      name: string;
      /** @description Recurrence rule of RFC 5545 for dates, perhaps after "DTSTART:20260105" and a space, from which it counts. */
      rule: string;
    };
    /**
     * NewMute
     * @description One of sourceId, labels and incidentId.
     */
    NewMute: {
      sourceId?: number;
      /** @description Values by key, to group sources; at most 32. */
      labels?: { [key: string]: string };
      /** @description inc-{id of the first alert}; it never changes. */
      incidentId?: string;
      /**
       * Format: date-time
       * @description By default the time of the request.
       */
      from?: string;
      /**
       * Format: date-time
       * @description At most 400 days away.
       */
      until: string;
      reason: string;
    };
    /**
     * NewToken
     * @description A token with at most the scopes of your own.
     */
    NewToken: {
      /** @description Who uses it, a person or a device: the subject of the token, and the author of what it does. */
      name: string;
      scopes: (
        | 'read'
        | 'import'
        | 'model'
        | 'planning'
        | 'alert'
        | 'audit'
        | 'erase'
        | 'metrics'
        | 'webhook'
        | 'token'
      )[];
      /** @description An instant such as 2027-01-01T00:00:00Z, or a duration: P90D, P1W, PT12H. At most 400 days away. */
      expires: string;
    };
    /** NewWebhook */
    NewWebhook: {
      /** @description Address of the receiver: https or http in a public network, or mailto: with one mail address. */
      url: string;
      /** @description Types of the messages to deliver. */
      events?: (
        | 'incident.opened'
        | 'incident.updated'
        | 'incident.ended'
        | 'alert.raised'
        | 'alert.updated'
        | 'alert.resolved'
        | 'source.silent'
        | 'analysis.completed'
        | 'analysis.failed'
      )[];
      /** @description Labels that a source must have, all of them; at most 32. */
      labels?: { [key: string]: string };
      /** @description Least criticity of an alert. */
      minCriticity?: number;
      /**
       * @description incident: messages about alerts are about incidents, one for each cause.
       * @enum {unknown}
       */
      grouping?: 'none' | 'incident';
      digest?: components['schemas']['Digest'];
      quietHours?: components['schemas']['QuietHours'];
      /**
       * @description Language of mails and of formats that people read; en by default. CloudEvents have none.
       * @enum {unknown}
       */
      language?: 'en' | 'fr';
      /**
       * @description Form of the messages: CloudEvents by default, or what a chat, a pager or Alertmanager takes. A mail has its own.
       * @enum {unknown}
       */
      format?: 'cloudevents' | 'slack' | 'teams' | 'pagerduty' | 'ntfy' | 'alertmanager';
      options?: components['schemas']['ReceiverOptions'];
    };
    /** Ok */
    Ok: {
      /** @constant */
      status: 'ok';
    };
    /** Override */
    Override: { modelId: number };
    /** Overview */
    Overview: {
      /**
       * Format: date
       * @description A day in the time zone of its source.
       */
      from: string;
      /**
       * Format: date
       * @description Exclusive.
       */
      to: string;
      sources: components['schemas']['OverviewSource'][];
    };
    /** OverviewDay */
    OverviewDay: {
      /**
       * Format: date
       * @description A day in the time zone of its source.
       */
      date: string;
      /** @enum {unknown} */
      kind: 'reference' | 'recent';
      outcome: ('normal' | 'abnormal' | 'gap' | 'drift' | 'notCompared') | null;
      /** @description true while the date is in progress, else absent. */
      inProgress?: boolean;
      /** @description Share of a date in progress that has elapsed, else absent. */
      elapsed?: number;
      alert?: {
        /** @description {sourceId}-{yyyymmdd}-{n} */
        id: string;
        /**
         * @description activity: a limit of the planned model is broken; gap: less than half of the observed slices of reference days, a stretch without data longer than on any of them, or a date missing inside an import; frozen: a flatline longer than in the reference; drift: the source moved as a whole, raised once in 28 days; noData: no import came in time.
         * @enum {unknown}
         */
        kind: 'activity' | 'gap' | 'frozen' | 'drift' | 'noData';
        /** @enum {unknown} */
        state: 'open' | 'acknowledged' | 'ended' | 'resolved' | 'invalidated';
        /** @description Higher for a less probable day. */
        criticity: number;
        /** @description Higher for a day that lost more: its distance from what was expected, summed over the day, over that sum and the distance to the bounds. Absent in alerts of engines up to 8. */
        severity?: number;
        /** @description The severity in words, in the language of the answer: what the day lost, over what its limits allow in a day. */
        loss?: string;
        losses?: components['schemas']['AlertLosses'];
      };
    };
    /** OverviewSource */
    OverviewSource: {
      id: number;
      name: string;
      /** @description Values by key, to group sources; at most 32. */
      labels: { [key: string]: string };
      /** @enum {unknown} */
      analysis: 'collecting' | 'pending' | 'running' | 'completed' | 'failed';
      lastDate: string | null;
      /** @description Open or acknowledged alerts. */
      openAlerts: number;
      /** @description Highest criticity of these alerts, 0–1. */
      criticity: number | null;
      /** @description The one of these alerts that lost most, of any date; those without a severity come after the others, by criticity. */
      worst: components['schemas']['WorstAlert'] | null;
      /** @description The open or acknowledged alert that no data come: the first date without data has it. */
      silence: {
        /** @description {sourceId}-{yyyymmdd}-{n} */
        id: string;
        /**
         * Format: date
         * @description A day in the time zone of its source.
         */
        date: string;
        /** @enum {unknown} */
        state: 'open' | 'acknowledged' | 'ended' | 'resolved' | 'invalidated';
        /** @description Higher for a less probable day. */
        criticity: number;
        /** @description Higher for a day that lost more: its distance from what was expected, summed over the day, over that sum and the distance to the bounds. Absent in alerts of engines up to 8. */
        severity?: number;
        /** @description The severity in words, in the language of the answer: what the day lost, over what its limits allow in a day. */
        loss?: string;
        losses?: components['schemas']['AlertLosses'];
      } | null;
      /** @description Days with data, by date. */
      days: components['schemas']['OverviewDay'][];
      parked?: components['schemas']['ParkedMark'];
      /** @description Planned models of the dates after the newest data of all sources. */
      planned?: components['schemas']['PlannedCell'][];
    };
    /** Parked */
    Parked: {
      /** @description The source by its id; else the kind of the stream, such as `webhooks`, `audit`, `calendar` or `catalog`. */
      subject: string;
      /** @description Position of the event in the log. */
      position: string;
      /** @description Type of the event. */
      type: string;
      /** @description Name of the error; the log of the service has its message. */
      cause: string;
    };
    /**
     * ParkedMark
     * @description Present when the source is parked: this build cannot handle an event of it, and requests about it get 503.
     */
    ParkedMark: {
      /** @description Position in the log of the event that cannot be handled. */
      position: string;
      type: string;
      /** @description Name of the error; the log of the service has its message. */
      cause: string;
    };
    /** Place */
    Place: { latitude: number | null; longitude: number | null; address: string | null };
    /** PlacePatch */
    PlacePatch: { latitude?: number | null; longitude?: number | null; address?: string | null };
    /** PlanChange */
    PlanChange: {
      /**
       * Format: date
       * @description A day in the time zone of its source.
       */
      date: string;
      /** @description null when no model can be planned */
      modelId: number | null;
      /** @enum {unknown} */
      origin: 'automatic' | 'manual';
      reason: string;
      /** @description The reason in other languages, by language tag. */
      reasons: {
        /** @description In French, with no-break spaces where a line must not end. */
        fr: string;
      };
      /** @description Share of the similarity weight that supports the model. */
      share: number | null;
      /** @description The next models, largest share first. */
      alternatives: { modelId: number; share: number }[];
      /** @description Distance of the season to that of the nearest reference day: 0 for the same season, 1 from 90 days, where limits are a quarter wider. */
      unseen: number;
      alerts: components['schemas']['AlertChanges'];
    };
    /** PlannedCell */
    PlannedCell: {
      /**
       * Format: date
       * @description A day in the time zone of its source.
       */
      date: string;
      modelId: number;
      name: string;
      names: components['schemas']['ModelNames'];
      color: string;
    };
    /** PlanningYear */
    PlanningYear: {
      sourceId: number;
      year: number;
      hitRate: number | null;
      days: components['schemas']['DayPlan'][];
    };
    /** Point */
    Point: {
      /** @description ISO 8601 instant with Z or an offset, with up to microseconds; without either by the clock of the source with clock=local. */
      at: string;
      value: number;
    };
    /** PointImport */
    PointImport: { sourceId: number; points: components['schemas']['Point'][] };
    /**
     * PresentLimits
     * @description The limits as alerts on recent days have widened them, and the changes that they detect. Absent for limits that do not adapt, and where `bounds` has no minimum detectable change.
     */
    PresentLimits: {
      /** @description Adaptive factor of the limits on residuals after the last checked day. */
      factor: number;
      /** @description The smallest change that four of five ordinary days would show. */
      minimumDetectableChange: {
        wholeDay: components['schemas']['DetectableChange'];
        eightHours: components['schemas']['DetectableChange'];
        /** @description For the quarters of the day. Absent with fewer than four slices, and for models of engines up to 9. */
        timesOfDay?: components['schemas']['DetectableChangeAtTime'][];
      };
    };
    /** PreviewedAlerts */
    PreviewedAlerts: {
      gained: components['schemas']['FoundAlert'][];
      /** @description Unprocessed alerts that the new models raise again. */
      kept: components['schemas']['FoundAlert'][];
      /** @description Unprocessed alerts that would be invalidated. */
      lost: components['schemas']['Alert'][];
      /** @description Totals; each list holds at most 1,000 alerts. */
      counts: { gained: number; kept: number; lost: number };
    };
    /** Problem */
    Problem: {
      /** @description urn:daybook:problem:{code} */
      type: string;
      title: string;
      status: number;
      /** @description The problem and the next step. */
      detail: string;
      code: string;
      /** @description The faults, up to 100. */
      errors?: components['schemas']['Fault'][];
    };
    /**
     * QuietHours
     * @description Times of the day in the time zone of a source at which its messages wait.
     */
    QuietHours: {
      /** @description Beginning. */
      from: string;
      /** @description End; before from for an end on the next day. */
      to: string;
      /** @description Least criticity of alerts that do not wait; without it all wait. */
      minCriticity?: number;
    };
    /**
     * QuietHoursPatch
     * @description Absent fields stay, null removes.
     */
    QuietHoursPatch: {
      /** @description Beginning. */
      from?: string;
      /** @description End; before from for an end on the next day. */
      to?: string;
      minCriticity?: number | null;
    };
    /**
     * ReceiverOptions
     * @description Values that the format needs. They are stored encrypted and never answered: answers name those that are set.
     */
    ReceiverOptions: {
      /** @description pagerduty: integration key of the service there. */
      routingKey?: string;
      /** @description ntfy: topic of the messages. */
      topic?: string;
      /** @description ntfy, alertmanager: token of the header Authorization. */
      token?: string;
      /** @description ntfy: priority of all messages; by default it follows the severity. */
      priority?: number;
    };
    /**
     * ReceiverOptionsPatch
     * @description Values that the format needs. They are stored encrypted and never answered: answers name those that are set. Absent ones stay, null removes.
     */
    ReceiverOptionsPatch: {
      routingKey?: string | null;
      topic?: string | null;
      token?: string | null;
      priority?: number | null;
    };
    /**
     * Reference
     * @description The reference days. A source that collects its reference has 0 days until it learns, and the date of its creation as `from` and `to`.
     */
    Reference: {
      /**
       * Format: date
       * @description A day in the time zone of its source.
       */
      from: string;
      /**
       * Format: date
       * @description A day in the time zone of its source.
       */
      to: string;
      days: number;
      completeDays: number;
      /** @description Median over the reference days, 0–1. */
      completeness: number;
    };
    /** ReferenceDay */
    ReferenceDay: {
      sourceId: number;
      /**
       * Format: date
       * @description A day in the time zone of its source.
       */
      date: string;
      referenceLeftOut?: components['schemas']['LeftOut'];
    };
    /** RelearnProposal */
    RelearnProposal: {
      /**
       * @description limitsAtMaximum: the adaptive factor is at its maximum; drift: the source drifts for 28 days or more; yearOfData: a full year of recent days is there.
       * @enum {unknown}
       */
      reason: 'limitsAtMaximum' | 'drift' | 'yearOfData';
      /**
       * Format: date
       * @description A day in the time zone of its source.
       */
      since: string;
      sentence: string;
      /** @description Whether a full year of recent days is there. */
      possible: boolean;
    };
    /** Resolution */
    Resolution: {
      /** @enum {unknown} */
      verdict: 'anomaly' | 'expected' | 'notAnomaly' | 'newPattern';
      comment?: string | null;
    };
    /** Resolutions */
    Resolutions: {
      ids: string[];
      /** @enum {unknown} */
      verdict: 'anomaly' | 'expected' | 'notAnomaly' | 'newPattern';
      comment?: string | null;
    };
    /** RevokedToken */
    RevokedToken: { jti: string };
    /**
     * ShapeDifference
     * @description How the course of the day differs from all others; only when the limit shape is broken.
     */
    ShapeDifference: {
      /**
       * @description clock: the expected course, earlier or later; noise: up and down from slice to slice; frozen: one value for hours; shape: another course.
       * @enum {unknown}
       */
      type: 'clock' | 'noise' | 'frozen' | 'shape';
      /** @description For clock: minutes later, negative for earlier. */
      minutes?: number;
      flatline?: components['schemas']['ShapeFlatline'];
    };
    /**
     * ShapeFlatline
     * @description For frozen: its slices and value.
     */
    ShapeFlatline: {
      from: number;
      /** @description Exclusive. */
      to: number;
      value: number;
    };
    /** Silence */
    Silence: {
      /**
       * Format: date-time
       * @description The last import, or a later creation or restore.
       */
      since: string;
      /**
       * Format: date-time
       * @description When the next import was overdue.
       */
      deadline: string;
      /** @description Expected interval between imports. */
      intervalMinutes: number;
      /** @enum {unknown} */
      origin: 'given' | 'learned';
      lastDate: string | null;
    };
    /**
     * SoFar
     * @description Only on a date in progress: what was known of it.
     */
    SoFar: {
      /** @description Local time of the end of the last data that were compared, HH:MM. */
      until: string;
      /** @description Whether the day was outside the limits at that time. */
      ongoing: boolean;
    };
    /** Source */
    Source: {
      id: number;
      name: string;
      /** @description Values by key, to group sources; at most 32. */
      labels: { [key: string]: string };
      place: components['schemas']['Place'] | null;
      expectedInterval: string | null;
      /** @description Other sources that explain this one, such as the outside temperature; at most 3. */
      explainedBy: number[];
      unit: string | null;
      /** @description How long slices and dates are waited for after their end, an ISO 8601 duration from PT1M to P7D; PT15M by default. */
      lateness: string;
      feed: components['schemas']['Feed'] | null;
      minChange: components['schemas']['MinChange'] | null;
      referenceYear: number;
      /** @description Slices a day. */
      activitySize: number;
      /**
       * @description zero: a slice without a sample is a gap; linear: it is interpolated.
       * @enum {unknown}
       */
      interpolationMethod: 'zero' | 'linear';
      /**
       * @description How samples become slices: their mean, their sum for amounts, or counter for registers, whose CSV rows are cumulative readings: a slice is the rise of the register. JSON days of a counter hold amounts.
       * @enum {unknown}
       */
      aggregation: 'mean' | 'sum' | 'counter';
      /** @description IANA time zone: days are cut at its midnight. */
      timeZone: string;
      /** @description Calendar of the public holidays: given, or inferred by the analysis. */
      calendar: string | null;
      calendarOrigin: ('given' | 'inferred') | null;
      calendarEvidence: string | null;
      reference: components['schemas']['Reference'];
      analysis: components['schemas']['Analysis'];
      modelsOrigin: ('automatic' | 'custom') | null;
      /** @description 0 without models, incremented with each change. */
      modelsVersion: number;
      counts: {
        referenceDays: number;
        recentDays: number;
        models: number;
        /** @description Open or acknowledged alerts. */
        unprocessedAlerts: number;
      };
      /** @description Last date with data, and the instant of the last import. */
      lastData: {
        /**
         * Format: date
         * @description A day in the time zone of its source.
         */
        date: string;
        /**
         * Format: date-time
         * @description An instant in UTC.
         */
        importedAt: string;
      };
      /**
       * Format: date-time
       * @description An instant in UTC.
       */
      createdAt: string;
      /** @description Why the source should be learned again from recent days; null for no reason. */
      relearnProposed: components['schemas']['RelearnProposal'] | null;
      /** @description The source whose recent days are the reference of this one. */
      relearnedFrom: number | null;
      /** @description The source that was learned from recent days of this one. */
      relearnedAs: number | null;
      /** @description null unless it is archived. */
      archivedAt: string | null;
      parked?: components['schemas']['ParkedMark'];
      /** @description Revision of the stream of the source. */
      version: number;
    };
    /** SourceCreated */
    SourceCreated: {
      source: components['schemas']['Source'];
      import: components['schemas']['Import'];
      analysis: components['schemas']['Analysis'];
    };
    /** SourceCreation */
    SourceCreation: {
      name: string;
      /** @description Values by key, to group sources; at most 32. */
      labels?: { [key: string]: string };
      place?: components['schemas']['PlacePatch'] | null;
      expectedInterval?: string | null;
      /** @description Other sources that explain this one, such as the outside temperature; at most 3. */
      explainedBy?: number[];
      unit?: string | null;
      lateness?: string | null;
      feed?: components['schemas']['Feed'] | null;
      minChange?: components['schemas']['MinChangePatch'] | null;
      referenceYear: number;
      days: components['schemas']['SuppliedDay'][];
      /**
       * @description Slices a day. The finest that the data fill by default; 1440 is kept as 144.
       * @enum {unknown}
       */
      activitySize?: 4 | 8 | 12 | 24 | 48 | 72 | 144 | 1440;
      /**
       * @description zero: a slice without a sample is a gap; linear: it is interpolated.
       * @enum {unknown}
       */
      interpolationMethod?: 'zero' | 'linear';
      /**
       * @description How samples become slices: their mean, their sum for amounts, or counter for registers, whose CSV rows are cumulative readings: a slice is the rise of the register. JSON days of a counter hold amounts.
       * @enum {unknown}
       */
      aggregation?: 'mean' | 'sum' | 'counter';
      /** @description Country (ISO 3166-1) or region (ISO 3166-2) of the public holidays: FR, DE-NW. */
      calendar?: string;
      /** @description IANA time zone: days are cut at its midnight. UTC by default. */
      timeZone?: string;
      /** @description Target coverage: share of ordinary days inside the limits; 0.99 gives about 4 false alerts a year. The default limits without it. */
      coverage?: number;
    };
    /** SourcePage */
    SourcePage: {
      sources: components['schemas']['Source'][];
      /** @description Send it as cursor for the next page. */
      nextCursor?: string;
    };
    /**
     * SourcePatch
     * @description Absent fields stay, null removes.
     */
    SourcePatch: {
      name?: string;
      /** @description Values by key, to group sources; at most 32. */
      labels?: { [key: string]: string | null } | null;
      place?: components['schemas']['PlacePatch'] | null;
      expectedInterval?: string | null;
      explainedBy?: number[] | null;
      unit?: string | null;
      lateness?: string | null;
      feed?: components['schemas']['FeedPatch'] | null;
      minChange?: components['schemas']['MinChangePatch'] | null;
    };
    /** SpecialDay */
    SpecialDay: { name: string };
    /** StoredDay */
    StoredDay: {
      /**
       * Format: date
       * @description A day in the time zone of its source.
       */
      date: string;
      /** @enum {unknown} */
      kind: 'reference' | 'recent';
      /** @description The values of the day, one a slice. */
      activity: number[];
      /** @description Slices without a sample: runs [from, to) of slices, counted from 0. */
      gaps: number[][];
      /** @description Slices filled by interpolation: runs [from, to) of slices, counted from 0. */
      filled: number[][];
      /** @description Slices that the local clock skipped: runs [from, to) of slices, counted from 0. */
      skipped?: number[][];
      /** @description Share of observed slices; on a date in progress, of those that have elapsed. */
      completeness: number;
      importId: string;
      /**
       * Format: date-time
       * @description An instant in UTC.
       */
      importedAt: string;
      /** @description Whether local midnight and the lateness of the source have not passed: later slices are not missing yet. */
      inProgress: boolean;
      /** @description Local time of the end of the last slice with data of a date in progress; null for others. */
      observedUntil: string | null;
      check: components['schemas']['Check'] | null;
    };
    /** SuppliedDay */
    SuppliedDay: {
      /**
       * Format: date
       * @description A day in the time zone of its source.
       */
      date: string;
      /** @description The values of a local day, one a slice: 4, 8, 12, 24, 48, 72, 144, 1440; null for a missing sample. */
      activity: (number | null)[];
    };
    /** Table */
    Table: {
      columns: {
        name: string;
        /** @enum {unknown} */
        kind: 'text' | 'integer' | 'number' | 'boolean' | 'date' | 'instant';
      }[];
      rows: ((string | number | boolean) | null)[][];
    };
    /** TenantSettings */
    TenantSettings: {
      /** @description Keys of labels: alerts of sources with an equal value join one incident when they go on together. */
      incidentLabels: string[];
    };
    /** TenantSettingsPatch */
    TenantSettingsPatch: {
      /** @description Keys of labels: alerts of sources with an equal value join one incident when they go on together. */
      incidentLabels?: string[];
    };
    /** Token */
    Token: {
      jti: string;
      /** @description Who uses it, a person or a device: the subject of the token, and the author of what it does. */
      name: string;
      scopes: (
        | 'read'
        | 'import'
        | 'model'
        | 'planning'
        | 'alert'
        | 'audit'
        | 'erase'
        | 'metrics'
        | 'webhook'
        | 'token'
      )[];
      /**
       * Format: date-time
       * @description An instant in UTC.
       */
      issuedAt: string;
      /**
       * Format: date-time
       * @description An instant in UTC.
       */
      expiresAt: string;
      /** @description Subject of the token; "reactor" for the service, "erased" for an erased person: see byKind. */
      by: string;
      /**
       * @description A person, the service itself, or a person who was erased, whatever the name is.
       * @enum {string}
       */
      byKind: 'person' | 'service' | 'erased';
      /** @description When a request to this instance last had it; null for never since `usesSince`. */
      lastUsedAt: string | null;
    };
    /**
     * TokenText
     * @description A new token, once.
     */
    TokenText: {
      jti: string;
      /** @description Who uses it, a person or a device: the subject of the token, and the author of what it does. */
      name: string;
      scopes: (
        | 'read'
        | 'import'
        | 'model'
        | 'planning'
        | 'alert'
        | 'audit'
        | 'erase'
        | 'metrics'
        | 'webhook'
        | 'token'
      )[];
      /**
       * Format: date-time
       * @description An instant in UTC.
       */
      issuedAt: string;
      /**
       * Format: date-time
       * @description An instant in UTC.
       */
      expiresAt: string;
      /** @description Subject of the token; "reactor" for the service, "erased" for an erased person: see byKind. */
      by: string;
      /**
       * @description A person, the service itself, or a person who was erased, whatever the name is.
       * @enum {string}
       */
      byKind: 'person' | 'service' | 'erased';
      /** @description The token itself. No other answer has it. */
      token: string;
    };
    /** Tokens */
    Tokens: {
      tokens: components['schemas']['Token'][];
      /**
       * Format: date-time
       * @description The start of this instance: uses before it, and of other instances, are not known.
       */
      usesSince: string;
    };
    /** UnclaimedFeed */
    UnclaimedFeed: {
      measurement: string;
      field: string;
      tags: { [key: string]: string };
      /**
       * Format: date-time
       * @description An instant in UTC.
       */
      firstSeen: string;
      /**
       * Format: date-time
       * @description An instant in UTC.
       */
      lastSeen: string;
      /** @description Points that came, with repeats. */
      points: number;
    };
    /** UnclaimedFeeds */
    UnclaimedFeeds: {
      /** @description At most 1000, those with the latest points first. */
      feeds: components['schemas']['UnclaimedFeed'][];
    };
    /**
     * UsedImport
     * @description The import of the day. It took effect with its last part.
     */
    UsedImport: {
      id: string;
      /** @description The part with the day; null for a date without data. */
      part: components['schemas']['EventLink'] | null;
      last: components['schemas']['EventLink'];
    };
    /**
     * UsualRange
     * @description Where nine of ten comparable days were, slice by slice: at most 60 reference days of the planned model, and the ordinary recent days that were planned with it in the eight weeks before.
     */
    UsualRange: {
      /** @description 5th percentile; null for a slice that fewer than ten of the days have. */
      low: (number | null)[];
      /** @description 95th percentile. */
      high: (number | null)[];
      /** @description Number of comparable days. */
      days: number;
    };
    /**
     * ValueAxis
     * @description Values that the charts of all dates of the source begin with.
     */
    ValueAxis: { low: number; high: number };
    /** Warning */
    Warning: {
      /** @description One of clockShifted, correctionsWait, counterJump, counterReset, counterRollOver, dayMonthSwapped, daysMissing, duplicate, futureDays, latePoint, lessThanAYear, localStamps, looksCumulative, moreWarnings, notCumulative, oneRowADay, repeatedBlock, skippedHour, thousands, unitChanged; later versions may have others. */
      code: string;
      /** @description What was seen, and where. */
      detail: string;
      /** @description What to do about it: one sentence. */
      cure: string;
    };
    /** Webhook */
    Webhook: {
      id: string;
      /** @description Address of the receiver; for slack and teams without its path, which is a secret; "erased" when the key of the webhook is lost. */
      url: string;
      /** @description Types of the messages to deliver. */
      events: (
        | 'incident.opened'
        | 'incident.updated'
        | 'incident.ended'
        | 'alert.raised'
        | 'alert.updated'
        | 'alert.resolved'
        | 'source.silent'
        | 'analysis.completed'
        | 'analysis.failed'
      )[];
      /** @description Labels that a source must have, all of them; at most 32. */
      labels: { [key: string]: string };
      /** @description Least criticity of an alert. */
      minCriticity: number;
      /**
       * @description incident: messages about alerts are about incidents, one for each cause.
       * @enum {unknown}
       */
      grouping: 'none' | 'incident';
      digest: components['schemas']['Digest'] | null;
      quietHours: components['schemas']['QuietHours'] | null;
      language: ('en' | 'fr') | null;
      /** @description Form of the messages; null for a mail. */
      format: ('cloudevents' | 'slack' | 'teams' | 'pagerduty' | 'ntfy' | 'alertmanager') | null;
      /** @description Names of the options that are set; their values are never answered. */
      options: ('routingKey' | 'topic' | 'token' | 'priority')[];
      /** @enum {unknown} */
      status: 'active' | 'disabled';
      disabledReason: ('requested' | 'failing' | 'gone' | 'keyLost') | null;
      disabledAt: string | null;
      /**
       * Format: date-time
       * @description An instant in UTC.
       */
      createdAt: string;
      /** @description Instant until which messages have a second signature, with the secret before. */
      previousSecretUntil: string | null;
      delivery: components['schemas']['WebhookProgress'];
    };
    /**
     * WebhookPatch
     * @description Absent fields stay, null removes.
     */
    WebhookPatch: {
      /** @description Address of the receiver: https or http in a public network, or mailto: with one mail address. */
      url?: string;
      /** @description Types of the messages to deliver. */
      events?: (
        | 'incident.opened'
        | 'incident.updated'
        | 'incident.ended'
        | 'alert.raised'
        | 'alert.updated'
        | 'alert.resolved'
        | 'source.silent'
        | 'analysis.completed'
        | 'analysis.failed'
      )[];
      /** @description Labels that a source must have, all of them; at most 32. */
      labels?: { [key: string]: string | null } | null;
      /** @description Least criticity of an alert. */
      minCriticity?: number;
      /**
       * @description incident: messages about alerts are about incidents, one for each cause.
       * @enum {unknown}
       */
      grouping?: 'none' | 'incident';
      digest?: components['schemas']['DigestPatch'] | null;
      quietHours?: components['schemas']['QuietHoursPatch'] | null;
      language?: ('en' | 'fr') | null;
      /**
       * @description Form of the messages: CloudEvents by default, or what a chat, a pager or Alertmanager takes. A mail has its own.
       * @enum {unknown}
       */
      format?: 'cloudevents' | 'slack' | 'teams' | 'pagerduty' | 'ntfy' | 'alertmanager';
      options?: components['schemas']['ReceiverOptionsPatch'] | null;
    };
    /** WebhookProgress */
    WebhookProgress: {
      /** @description All messages of events up to this position are delivered. */
      position: string;
      /** @description First failed attempt of the next message. */
      failingSince: string | null;
      failedAttempts: number;
      nextAttemptAt: string | null;
    };
    /**
     * WebhookReplay
     * @description All messages of events after this position are delivered again, with the same ids.
     */
    WebhookReplay: {
      /** @description A position of the log. */
      position: string;
    };
    /** WebhookWithSecret */
    WebhookWithSecret: {
      id: string;
      /** @description Address of the receiver; for slack and teams without its path, which is a secret; "erased" when the key of the webhook is lost. */
      url: string;
      /** @description Types of the messages to deliver. */
      events: (
        | 'incident.opened'
        | 'incident.updated'
        | 'incident.ended'
        | 'alert.raised'
        | 'alert.updated'
        | 'alert.resolved'
        | 'source.silent'
        | 'analysis.completed'
        | 'analysis.failed'
      )[];
      /** @description Labels that a source must have, all of them; at most 32. */
      labels: { [key: string]: string };
      /** @description Least criticity of an alert. */
      minCriticity: number;
      /**
       * @description incident: messages about alerts are about incidents, one for each cause.
       * @enum {unknown}
       */
      grouping: 'none' | 'incident';
      digest: components['schemas']['Digest'] | null;
      quietHours: components['schemas']['QuietHours'] | null;
      language: ('en' | 'fr') | null;
      /** @description Form of the messages; null for a mail. */
      format: ('cloudevents' | 'slack' | 'teams' | 'pagerduty' | 'ntfy' | 'alertmanager') | null;
      /** @description Names of the options that are set; their values are never answered. */
      options: ('routingKey' | 'topic' | 'token' | 'priority')[];
      /** @enum {unknown} */
      status: 'active' | 'disabled';
      disabledReason: ('requested' | 'failing' | 'gone' | 'keyLost') | null;
      disabledAt: string | null;
      /**
       * Format: date-time
       * @description An instant in UTC.
       */
      createdAt: string;
      /** @description Instant until which messages have a second signature, with the secret before. */
      previousSecretUntil: string | null;
      delivery: components['schemas']['WebhookProgress'];
      /** @description Signing secret (Standard Webhooks). It is answered here and never again: store it. */
      secret: string;
    };
    /** Webhooks */
    Webhooks: { webhooks: components['schemas']['Webhook'][] };
    /** WorstAlert */
    WorstAlert: {
      /** @description {sourceId}-{yyyymmdd}-{n} */
      id: string;
      /**
       * Format: date
       * @description A day in the time zone of its source.
       */
      date: string;
      /** @description Higher for a less probable day. */
      criticity: number;
      /** @description Higher for a day that lost more: its distance from what was expected, summed over the day, over that sum and the distance to the bounds. Absent in alerts of engines up to 8. */
      severity?: number;
      /** @description The severity in words, in the language of the answer: what the day lost, over what its limits allow in a day. */
      loss?: string;
      losses?: components['schemas']['AlertLosses'];
    };
  };
  responses: never;
  parameters: never;
  requestBodies: never;
  headers: never;
  pathItems: never;
}
export type $defs = Record<string, never>;
export interface operations {
  home: {
    parameters: { query?: never; header?: never; path?: never; cookie?: never };
    requestBody?: never;
    responses: {
      /** @description The links */
      200: {
        headers: { [name: string]: unknown };
        content: { 'application/json': components['schemas']['Home'] };
      };
    };
  };
  health: {
    parameters: { query?: never; header?: never; path?: never; cookie?: never };
    requestBody?: never;
    responses: {
      /** @description It can handle requests */
      200: {
        headers: { [name: string]: unknown };
        content: { 'application/json': components['schemas']['Health'] };
      };
    };
  };
  live: {
    parameters: { query?: never; header?: never; path?: never; cookie?: never };
    requestBody?: never;
    responses: {
      /** @description It answers */
      200: {
        headers: { [name: string]: unknown };
        content: { 'application/json': components['schemas']['Ok'] };
      };
    };
  };
  ready: {
    parameters: { query?: never; header?: never; path?: never; cookie?: never };
    requestBody?: never;
    responses: {
      /** @description It can handle requests */
      200: {
        headers: { [name: string]: unknown };
        content: { 'application/json': components['schemas']['Ok'] };
      };
    };
  };
  openApi: {
    parameters: { query?: never; header?: never; path?: never; cookie?: never };
    requestBody?: never;
    responses: {
      /** @description OpenAPI 3.1 */
      200: {
        headers: { [name: string]: unknown };
        content: { 'application/json': { openapi: string } & { [key: string]: unknown } };
      };
    };
  };
  createFirstToken: {
    parameters: { query?: never; header?: never; path?: never; cookie?: never };
    requestBody: { content: { 'application/json': components['schemas']['FirstToken'] } };
    responses: {
      /** @description The token, with all scopes */
      201: {
        headers: { [name: string]: unknown };
        content: { 'application/json': components['schemas']['TokenText'] };
      };
    };
  };
  createSourceFromCsv: {
    parameters: {
      query: {
        name: string;
        /** @description A label `key:value`; may be repeated. */
        label?: string[];
        /** @description Degrees, WGS 84. */
        latitude?: number;
        longitude?: number;
        address?: string;
        /** @description Usual time between two imports, an ISO 8601 duration from PT1M to P366D. */
        expectedInterval?: string;
        /** @description Ids of other sources that explain this one, separated by commas; at most 3. */
        explainedBy?: string;
        /** @description Unit of the values; shown behind them. */
        unit?: string;
        /** @description How long slices and dates are waited for after their end, an ISO 8601 duration from PT1M to P7D; PT15M by default. */
        lateness?: string;
        feedMeasurement?: string;
        feedField?: string;
        /** @description A tag `key:value` of the feed; may be repeated. */
        feedTag?: string[];
        /** @description In the unit of the source: distance of the mean from the expected one; 0 asks for nothing. */
        minChangeAbsolute?: number;
        /** @description Percent of what is expected; 0 asks for nothing. */
        minChangePercent?: number;
        /** @description Accepts a name that another source has. */
        allowDuplicate?: boolean;
        /** @description Slices a day. The finest that the data fill by default; 1440 is kept as 144. */
        activitySize?: 4 | 8 | 12 | 24 | 48 | 72 | 144 | 1440;
        /** @description zero: a slice without a sample is a gap; linear: it is interpolated. */
        interpolationMethod?: 'zero' | 'linear';
        /** @description How samples become slices: their mean, their sum for amounts, or counter for registers, whose CSV rows are cumulative readings: a slice is the rise of the register. JSON days of a counter hold amounts. */
        aggregation?: 'mean' | 'sum' | 'counter';
        /** @description Country (ISO 3166-1) or region (ISO 3166-2) of the public holidays: FR, DE-NW. */
        calendar?: string;
        /** @description IANA time zone: days are cut at its midnight. UTC by default. */
        timeZone?: string;
        /** @description Target coverage: share of ordinary days inside the limits; 0.99 gives about 4 false alerts a year. The default limits without it. */
        coverage?: number;
        /** @description Separator of the columns, as a character or by its name; semicolon by default. */
        separator?: ';' | ',' | '|' | '\t' | 'semicolon' | 'comma' | 'pipe' | 'tab';
        /** @description Decimal mark; a comma by default. */
        decimal?: ',' | '.';
        /** @description ISO by default. */
        dateFormat?:
          | 'ISO'
          | 'YYYY-MM-DD HH:mm:ss'
          | 'DD/MM/YYYY HH:mm'
          | 'DD.MM.YYYY HH:mm'
          | 'epochSeconds'
          | 'epochMilliseconds';
        /** @description Column of the dates: its number, from 1, or its name in the header. */
        dateColumn?: string;
        /** @description Column of the values: its number, from 1, or its name in the header. */
        valueColumn?: string;
        /** @description Clock of stamps without an offset: utc (default), or local, that of the time zone of the source. */
        clock?: 'utc' | 'local';
      };
      header?: {
        /** @description A repeated request with the same key and body gets the kept response. */
        'Idempotency-Key'?: string;
      };
      path?: never;
      cookie?: never;
    };
    requestBody: { content: { 'text/csv': string } };
    responses: {
      /** @description The source; its analysis was started */
      201: {
        headers: { [name: string]: unknown };
        content: { 'application/json': components['schemas']['SourceCreated'] };
      };
    };
  };
  createSource: {
    parameters: {
      query?: {
        /** @description Accepts a name that another source has. */
        allowDuplicate?: boolean;
      };
      header?: {
        /** @description A repeated request with the same key and body gets the kept response. */
        'Idempotency-Key'?: string;
      };
      path?: never;
      cookie?: never;
    };
    requestBody: { content: { 'application/json': components['schemas']['SourceCreation'] } };
    responses: {
      /** @description The source; its analysis was started */
      201: {
        headers: { [name: string]: unknown };
        content: { 'application/json': components['schemas']['SourceCreated'] };
      };
    };
  };
  createCollectingSource: {
    parameters: {
      query?: {
        /** @description Accepts a name that another source has. */
        allowDuplicate?: boolean;
      };
      header?: {
        /** @description A repeated request with the same key and body gets the kept response. */
        'Idempotency-Key'?: string;
      };
      path?: never;
      cookie?: never;
    };
    requestBody: { content: { 'application/json': components['schemas']['CollectingSource'] } };
    responses: {
      /** @description The source; it collects its reference */
      201: {
        headers: { [name: string]: unknown };
        content: { 'application/json': components['schemas']['Source'] };
      };
    };
  };
  importDaysFromCsv: {
    parameters: {
      query?: {
        /** @description Separator of the columns, as a character or by its name; semicolon by default. */
        separator?: ';' | ',' | '|' | '\t' | 'semicolon' | 'comma' | 'pipe' | 'tab';
        /** @description Decimal mark; a comma by default. */
        decimal?: ',' | '.';
        /** @description ISO by default. */
        dateFormat?:
          | 'ISO'
          | 'YYYY-MM-DD HH:mm:ss'
          | 'DD/MM/YYYY HH:mm'
          | 'DD.MM.YYYY HH:mm'
          | 'epochSeconds'
          | 'epochMilliseconds';
        /** @description Column of the dates: its number, from 1, or its name in the header. */
        dateColumn?: string;
        /** @description Column of the values: its number, from 1, or its name in the header. */
        valueColumn?: string;
        /** @description Clock of stamps without an offset: utc (default), or local, that of the time zone of the source. */
        clock?: 'utc' | 'local';
        /** @description Accepts days after tomorrow of the source’s clock. They do not count for silence, learning again and the overview. */
        allowFuture?: boolean;
      };
      header?: {
        /** @description A repeated request with the same key and body gets the kept response. */
        'Idempotency-Key'?: string;
      };
      path: { source_id: number };
      cookie?: never;
    };
    requestBody: { content: { 'text/csv': string } };
    responses: {
      /** @description The days were stored and checked */
      200: {
        headers: { [name: string]: unknown };
        content: { 'application/json': components['schemas']['ImportResult'] };
      };
      /** @description The days were stored; the check takes longer, see the import at Location */
      202: {
        headers: { [name: string]: unknown };
        content: { 'application/json': components['schemas']['ImportResult'] };
      };
    };
  };
  importDays: {
    parameters: {
      query?: {
        /** @description Accepts days after tomorrow of the source’s clock. They do not count for silence, learning again and the overview. */
        allowFuture?: boolean;
      };
      header?: {
        /** @description A repeated request with the same key and body gets the kept response. */
        'Idempotency-Key'?: string;
      };
      path?: never;
      cookie?: never;
    };
    requestBody: { content: { 'application/json': components['schemas']['DayImport'] } };
    responses: {
      /** @description The days were stored and checked */
      200: {
        headers: { [name: string]: unknown };
        content: { 'application/json': components['schemas']['ImportResult'] };
      };
      /** @description The days were stored; the check takes longer, see the import at Location */
      202: {
        headers: { [name: string]: unknown };
        content: { 'application/json': components['schemas']['ImportResult'] };
      };
    };
  };
  importPointsFromCsv: {
    parameters: {
      query?: {
        /** @description Separator of the columns, as a character or by its name; semicolon by default. */
        separator?: ';' | ',' | '|' | '\t' | 'semicolon' | 'comma' | 'pipe' | 'tab';
        /** @description Decimal mark; a comma by default. */
        decimal?: ',' | '.';
        /** @description ISO by default. */
        dateFormat?:
          | 'ISO'
          | 'YYYY-MM-DD HH:mm:ss'
          | 'DD/MM/YYYY HH:mm'
          | 'DD.MM.YYYY HH:mm'
          | 'epochSeconds'
          | 'epochMilliseconds';
        /** @description Column of the dates: its number, from 1, or its name in the header. */
        dateColumn?: string;
        /** @description Column of the values: its number, from 1, or its name in the header. */
        valueColumn?: string;
        /** @description Clock of stamps without an offset: utc (default), or local, that of the time zone of the source. */
        clock?: 'utc' | 'local';
        /** @description Accepts days after tomorrow of the source’s clock. They do not count for silence, learning again and the overview. */
        allowFuture?: boolean;
      };
      header?: {
        /** @description A repeated request with the same key and body gets the kept response. */
        'Idempotency-Key'?: string;
      };
      path: { source_id: number };
      cookie?: never;
    };
    requestBody: { content: { 'text/csv': string } };
    responses: {
      /** @description The points are stored; the slices that have elapsed were checked */
      200: {
        headers: { [name: string]: unknown };
        content: { 'application/json': components['schemas']['ImportResult'] };
      };
      /** @description The points are stored; the check takes longer, see the days of the source at Location */
      202: {
        headers: { [name: string]: unknown };
        content: { 'application/json': components['schemas']['ImportResult'] };
      };
    };
  };
  importPoints: {
    parameters: {
      query?: {
        /** @description Clock of stamps without an offset: utc (default), or local, that of the time zone of the source. */
        clock?: 'utc' | 'local';
        /** @description Accepts days after tomorrow of the source’s clock. They do not count for silence, learning again and the overview. */
        allowFuture?: boolean;
      };
      header?: {
        /** @description A repeated request with the same key and body gets the kept response. */
        'Idempotency-Key'?: string;
      };
      path?: never;
      cookie?: never;
    };
    requestBody: { content: { 'application/json': components['schemas']['PointImport'] } };
    responses: {
      /** @description The points are stored; the slices that have elapsed were checked */
      200: {
        headers: { [name: string]: unknown };
        content: { 'application/json': components['schemas']['ImportResult'] };
      };
      /** @description The points are stored; the check takes longer, see the days of the source at Location */
      202: {
        headers: { [name: string]: unknown };
        content: { 'application/json': components['schemas']['ImportResult'] };
      };
    };
  };
  getImport: {
    parameters: {
      query?: {
        /** @description Oldest accepted answer, in seconds: the answer is immediate when the read models had the whole log at most that long ago. Without it a read waits up to five seconds for the read models, then answers 503 readModelsBehind. */
        maxStaleness?: number;
      };
      header?: never;
      path: { import_id: string };
      cookie?: never;
    };
    requestBody?: never;
    responses: {
      /** @description The import */
      200: {
        headers: { [name: string]: unknown };
        content: { 'application/json': components['schemas']['ImportResult'] };
      };
    };
  };
  inspectCsv: {
    parameters: {
      query?: never;
      header?: {
        /** @description A repeated request with the same key and body gets the kept response. */
        'Idempotency-Key'?: string;
      };
      path?: never;
      cookie?: never;
    };
    requestBody: { content: { 'text/csv': string } };
    responses: {
      /** @description The form of the first million bytes of the body */
      200: {
        headers: { [name: string]: unknown };
        content: { 'application/json': components['schemas']['CsvInspection'] };
      };
    };
  };
  listUnclaimedFeeds: {
    parameters: {
      query?: {
        /** @description Oldest accepted answer, in seconds: the answer is immediate when the read models had the whole log at most that long ago. Without it a read waits up to five seconds for the read models, then answers 503 readModelsBehind. */
        maxStaleness?: number;
      };
      header?: never;
      path?: never;
      cookie?: never;
    };
    requestBody?: never;
    responses: {
      /** @description The series */
      200: {
        headers: { [name: string]: unknown };
        content: { 'application/json': components['schemas']['UnclaimedFeeds'] };
      };
    };
  };
  listSources: {
    parameters: {
      query?: {
        /** @description Sources with the label `key:value`; may be repeated, then with all of them. */
        label?: string[];
        /** @description Part of the name, of a label `key:value` or of the address; upper and lower case are equal. */
        text?: string;
        sort?: 'id' | 'name' | 'created' | 'lastData' | 'openAlerts';
        /** @description Ascending unless given; descending for lastData and openAlerts. */
        order?: 'asc' | 'desc';
        /** @description Archived sources instead of the others. */
        archived?: boolean;
        limit?: number;
        /** @description nextCursor of an answer. */
        cursor?: string;
        /** @description Moment whose knowledge the answer shows: a log position, as in /v1/audit/event, a past date (the end of that UTC day), or a past instant (RFC 3339). The status of an analysis is never "running" there. */
        asOf?: string;
        /** @description Oldest accepted answer, in seconds: the answer is immediate when the read models had the whole log at most that long ago. Without it a read waits up to five seconds for the read models, then answers 503 readModelsBehind. */
        maxStaleness?: number;
      };
      header?: never;
      path?: never;
      cookie?: never;
    };
    requestBody?: never;
    responses: {
      /** @description A page of sources */
      200: {
        headers: { [name: string]: unknown };
        content: { 'application/json': components['schemas']['SourcePage'] };
      };
    };
  };
  getSource: {
    parameters: {
      query?: {
        /** @description Moment whose knowledge the answer shows: a log position, as in /v1/audit/event, a past date (the end of that UTC day), or a past instant (RFC 3339). The status of an analysis is never "running" there. */
        asOf?: string;
        /** @description Oldest accepted answer, in seconds: the answer is immediate when the read models had the whole log at most that long ago. Without it a read waits up to five seconds for the read models, then answers 503 readModelsBehind. */
        maxStaleness?: number;
      };
      header?: never;
      path: { source_id: number };
      cookie?: never;
    };
    requestBody?: never;
    responses: {
      /** @description The source */
      200: {
        headers: { [name: string]: unknown };
        content: { 'application/json': components['schemas']['Source'] };
      };
    };
  };
  archiveSource: {
    parameters: {
      query?: never;
      header?: {
        /** @description A repeated request with the same key and body gets the kept response. */
        'Idempotency-Key'?: string;
      };
      path: { source_id: number };
      cookie?: never;
    };
    requestBody?: never;
    responses: {
      /** @description The archived source */
      200: {
        headers: { [name: string]: unknown };
        content: { 'application/json': components['schemas']['Source'] };
      };
    };
  };
  describeSource: {
    parameters: {
      query?: {
        /** @description Accepts a name that another source has. */
        allowDuplicate?: boolean;
      };
      header?: {
        /** @description A repeated request with the same key and body gets the kept response. */
        'Idempotency-Key'?: string;
      };
      path: { source_id: number };
      cookie?: never;
    };
    requestBody?: {
      content: {
        'application/json': components['schemas']['SourcePatch'];
        'application/merge-patch+json': components['schemas']['SourcePatch'];
      };
    };
    responses: {
      /** @description The source */
      200: {
        headers: { [name: string]: unknown };
        content: { 'application/json': components['schemas']['Source'] };
      };
    };
  };
  restoreSource: {
    parameters: {
      query?: {
        /** @description Accepts a name that another source has. */
        allowDuplicate?: boolean;
      };
      header?: {
        /** @description A repeated request with the same key and body gets the kept response. */
        'Idempotency-Key'?: string;
      };
      path: { source_id: number };
      cookie?: never;
    };
    requestBody?: never;
    responses: {
      /** @description The source; its recent days were checked */
      200: {
        headers: { [name: string]: unknown };
        content: { 'application/json': components['schemas']['Source'] };
      };
      /** @description The source; the check takes longer, see Location */
      202: {
        headers: { [name: string]: unknown };
        content: { 'application/json': components['schemas']['Source'] };
      };
    };
  };
  relearnSource: {
    parameters: {
      query?: never;
      header?: {
        /** @description A repeated request with the same key and body gets the kept response. */
        'Idempotency-Key'?: string;
      };
      path: { source_id: number };
      cookie?: never;
    };
    requestBody?: never;
    responses: {
      /** @description The source; its analysis was started */
      201: {
        headers: { [name: string]: unknown };
        content: { 'application/json': components['schemas']['SourceCreated'] };
      };
    };
  };
  listModels: {
    parameters: {
      query?: {
        /** @description Moment whose knowledge the answer shows: a log position, as in /v1/audit/event, a past date (the end of that UTC day), or a past instant (RFC 3339). The status of an analysis is never "running" there. */
        asOf?: string;
        /** @description Oldest accepted answer, in seconds: the answer is immediate when the read models had the whole log at most that long ago. Without it a read waits up to five seconds for the read models, then answers 503 readModelsBehind. */
        maxStaleness?: number;
      };
      header?: never;
      path: { source_id: number };
      cookie?: never;
    };
    requestBody?: never;
    responses: {
      /** @description The models by id, and the results of learning */
      200: {
        headers: { [name: string]: unknown };
        content: { 'application/json': components['schemas']['ModelList'] };
      };
    };
  };
  replaceModels: {
    parameters: {
      query?: {
        /** @description Carries the overrides of the planning to the new models with the nearest profiles; false drops them. Special days stay in any case. */
        keepPlanning?: boolean;
      };
      header?: {
        /** @description A repeated request with the same key and body gets the kept response. */
        'Idempotency-Key'?: string;
      };
      path: { source_id: number };
      cookie?: never;
    };
    requestBody: {
      content: {
        'application/json': {
          models: components['schemas']['CustomModel'][];
          /** @description Ignored: an answer of /v1/model/list may be sent unchanged. */
          unit?: unknown;
          /** @description Ignored: an answer of /v1/model/list may be sent unchanged. */
          bounds?: unknown;
          /** @description Ignored: an answer of /v1/model/list may be sent unchanged. */
          presentLimits?: unknown;
          /** @description Ignored: an answer of /v1/model/list may be sent unchanged. */
          hitRate?: unknown;
          /** @description Ignored: an answer of /v1/model/list may be sent unchanged. */
          calendar?: unknown;
        };
      };
    };
    responses: {
      /** @description The new models; all recent days were checked */
      200: {
        headers: { [name: string]: unknown };
        content: { 'application/json': components['schemas']['ModelsChange'] };
      };
      /** @description Accepted; the work takes longer, see the source at Location */
      202: {
        headers: { [name: string]: unknown };
        content: { 'application/json': components['schemas']['ModelsChange'] };
      };
    };
  };
  resetModels: {
    parameters: {
      query?: {
        /** @description Target coverage: share of ordinary days inside the limits; 0.99 gives about 4 false alerts a year. The default limits without it. */
        coverage?: number;
        /** @description Carries the overrides of the planning to the new models with the nearest profiles; false drops them. Special days stay in any case. */
        keepPlanning?: boolean;
      };
      header?: {
        /** @description A repeated request with the same key and body gets the kept response. */
        'Idempotency-Key'?: string;
      };
      path: { source_id: number; model_count: number };
      cookie?: never;
    };
    requestBody?: never;
    responses: {
      /** @description The new models; all recent days were checked */
      200: {
        headers: { [name: string]: unknown };
        content: { 'application/json': components['schemas']['ModelsChange'] };
      };
      /** @description Accepted; the work takes longer, see the source at Location */
      202: {
        headers: { [name: string]: unknown };
        content: { 'application/json': components['schemas']['ModelsChange'] };
      };
    };
  };
  changeModel: {
    parameters: {
      query?: never;
      header?: {
        /** @description A repeated request with the same key and body gets the kept response. */
        'Idempotency-Key'?: string;
      };
      path: { source_id: number; model_id: number };
      cookie?: never;
    };
    requestBody?: {
      content: {
        'application/json': components['schemas']['ModelPatch'];
        'application/merge-patch+json': components['schemas']['ModelPatch'];
      };
    };
    responses: {
      /** @description The model; when its flag changed, all recent days were checked */
      200: {
        headers: { [name: string]: unknown };
        content: { 'application/json': components['schemas']['ChangedModel'] };
      };
      /** @description The model; the check takes longer, see Location */
      202: {
        headers: { [name: string]: unknown };
        content: { 'application/json': components['schemas']['ChangedModel'] };
      };
    };
  };
  previewModels: {
    parameters: {
      query?: {
        /** @description Target coverage: share of ordinary days inside the limits; 0.99 gives about 4 false alerts a year. The default limits without it. */
        coverage?: number;
        /** @description Carries the overrides of the planning to the new models with the nearest profiles; false drops them. Special days stay in any case. */
        keepPlanning?: boolean;
      };
      header?: {
        /** @description A repeated request with the same key and body gets the kept response. */
        'Idempotency-Key'?: string;
      };
      path: { source_id: number; model_count: number };
      cookie?: never;
    };
    requestBody?: never;
    responses: {
      /** @description The computed effect of a reset */
      200: {
        headers: { [name: string]: unknown };
        content: { 'application/json': components['schemas']['ModelsPreview'] };
      };
    };
  };
  listModelsVersions: {
    parameters: {
      query?: {
        /** @description Moment whose knowledge the answer shows: a log position, as in /v1/audit/event, a past date (the end of that UTC day), or a past instant (RFC 3339). The status of an analysis is never "running" there. */
        asOf?: string;
        limit?: number;
        /** @description nextCursor of an answer. */
        cursor?: number;
        /** @description Oldest accepted answer, in seconds: the answer is immediate when the read models had the whole log at most that long ago. Without it a read waits up to five seconds for the read models, then answers 503 readModelsBehind. */
        maxStaleness?: number;
      };
      header?: never;
      path: { source_id: number };
      cookie?: never;
    };
    requestBody?: never;
    responses: {
      /** @description The versions, the latest first */
      200: {
        headers: { [name: string]: unknown };
        content: { 'application/json': components['schemas']['ModelsVersions'] };
      };
    };
  };
  restoreModels: {
    parameters: {
      query?: {
        /** @description Carries the overrides of the planning to the new models with the nearest profiles; false drops them. Special days stay in any case. */
        keepPlanning?: boolean;
      };
      header?: {
        /** @description A repeated request with the same key and body gets the kept response. */
        'Idempotency-Key'?: string;
      };
      path: { source_id: number; models_version: number };
      cookie?: never;
    };
    requestBody?: never;
    responses: {
      /** @description The new models; all recent days were checked */
      200: {
        headers: { [name: string]: unknown };
        content: { 'application/json': components['schemas']['ModelsChange'] };
      };
      /** @description Accepted; the work takes longer, see the source at Location */
      202: {
        headers: { [name: string]: unknown };
        content: { 'application/json': components['schemas']['ModelsChange'] };
      };
    };
  };
  getDay: {
    parameters: {
      query?: {
        /** @description Moment whose knowledge the answer shows: a log position, as in /v1/audit/event, a past date (the end of that UTC day), or a past instant (RFC 3339). The status of an analysis is never "running" there. */
        asOf?: string;
        /** @description Oldest accepted answer, in seconds: the answer is immediate when the read models had the whole log at most that long ago. Without it a read waits up to five seconds for the read models, then answers 503 readModelsBehind. */
        maxStaleness?: number;
      };
      header?: never;
      path: {
        source_id: number;
        /** @description A day in the time zone of its source. */
        date: string;
      };
      cookie?: never;
    };
    requestBody?: never;
    responses: {
      /** @description The date */
      200: {
        headers: { [name: string]: unknown };
        content: { 'application/json': components['schemas']['DayDetails'] };
      };
    };
  };
  takeDayBack: {
    parameters: {
      query?: {
        /** @description Why; stored encrypted, as comments are. */
        reason?: string;
      };
      header?: {
        /** @description A repeated request with the same key and body gets the kept response. */
        'Idempotency-Key'?: string;
      };
      path: {
        source_id: number;
        /** @description A day in the time zone of its source. */
        date: string;
      };
      cookie?: never;
    };
    requestBody?: never;
    responses: {
      /** @description The date has no recent day; its unprocessed alerts are invalidated */
      200: {
        headers: { [name: string]: unknown };
        content: { 'application/json': components['schemas']['DayTakenBack'] };
      };
      /** @description The date has no recent day; its alerts follow */
      202: {
        headers: { [name: string]: unknown };
        content: { 'application/json': components['schemas']['DayTakenBack'] };
      };
    };
  };
  leaveOutDay: {
    parameters: {
      query?: never;
      header?: {
        /** @description A repeated request with the same key and body gets the kept response. */
        'Idempotency-Key'?: string;
      };
      path: {
        source_id: number;
        /** @description A day in the time zone of its source. */
        date: string;
      };
      cookie?: never;
    };
    requestBody: { content: { 'application/json': components['schemas']['LeavingOut'] } };
    responses: {
      /** @description Whether the reference day is left out, from the next models on */
      200: {
        headers: { [name: string]: unknown };
        content: { 'application/json': components['schemas']['ReferenceDay'] };
      };
    };
  };
  takeBackLeavingOut: {
    parameters: {
      query?: never;
      header?: {
        /** @description A repeated request with the same key and body gets the kept response. */
        'Idempotency-Key'?: string;
      };
      path: {
        source_id: number;
        /** @description A day in the time zone of its source. */
        date: string;
      };
      cookie?: never;
    };
    requestBody?: never;
    responses: {
      /** @description Whether the reference day is left out, from the next models on */
      200: {
        headers: { [name: string]: unknown };
        content: { 'application/json': components['schemas']['ReferenceDay'] };
      };
    };
  };
  listDays: {
    parameters: {
      query?: {
        /** @description Moment whose knowledge the answer shows: a log position, as in /v1/audit/event, a past date (the end of that UTC day), or a past instant (RFC 3339). The status of an analysis is never "running" there. */
        asOf?: string;
        /** @description Oldest accepted answer, in seconds: the answer is immediate when the read models had the whole log at most that long ago. Without it a read waits up to five seconds for the read models, then answers 503 readModelsBehind. */
        maxStaleness?: number;
      };
      header?: never;
      path: { source_id: number; year: number };
      cookie?: never;
    };
    requestBody?: never;
    responses: {
      /** @description The days, by date */
      200: {
        headers: { [name: string]: unknown };
        content: { 'application/json': components['schemas']['DayYear'] };
      };
    };
  };
  getTable: {
    parameters: {
      query?: {
        /** @description Unless given, 366 days before `to`. */
        from?: string;
        /** @description Exclusive. Unless given, the day after the newest data. */
        to?: string;
        /** @description Unless given, by the header Accept; arrow is a stream of Arrow IPC. */
        format?: 'json' | 'csv' | 'ndjson' | 'arrow';
        /** @description Moment whose knowledge the answer shows: a log position, as in /v1/audit/event, a past date (the end of that UTC day), or a past instant (RFC 3339). The status of an analysis is never "running" there. */
        asOf?: string;
        /** @description Oldest accepted answer, in seconds: the answer is immediate when the read models had the whole log at most that long ago. Without it a read waits up to five seconds for the read models, then answers 503 readModelsBehind. */
        maxStaleness?: number;
      };
      header?: never;
      path: { source_id: number; table: 'days' | 'checks' | 'alerts' | 'models' | 'residuals' };
      cookie?: never;
    };
    requestBody?: never;
    responses: {
      /** @description The rows by date */
      200: {
        headers: { [name: string]: unknown };
        content: { 'application/json': components['schemas']['Table'] };
      };
    };
  };
  listPlanning: {
    parameters: {
      query?: {
        /** @description Moment whose knowledge the answer shows: a log position, as in /v1/audit/event, a past date (the end of that UTC day), or a past instant (RFC 3339). The status of an analysis is never "running" there. */
        asOf?: string;
        /** @description Oldest accepted answer, in seconds: the answer is immediate when the read models had the whole log at most that long ago. Without it a read waits up to five seconds for the read models, then answers 503 readModelsBehind. */
        maxStaleness?: number;
      };
      header?: never;
      path: { source_id: number; year: number };
      cookie?: never;
    };
    requestBody?: never;
    responses: {
      /** @description The planning, with the reason for each date */
      200: {
        headers: { [name: string]: unknown };
        content: { 'application/json': components['schemas']['PlanningYear'] };
      };
    };
  };
  planDay: {
    parameters: {
      query?: never;
      header?: {
        /** @description A repeated request with the same key and body gets the kept response. */
        'Idempotency-Key'?: string;
      };
      path: {
        source_id: number;
        /** @description A day in the time zone of its source. */
        date: string;
      };
      cookie?: never;
    };
    requestBody: { content: { 'application/json': components['schemas']['Override'] } };
    responses: {
      /** @description The plan of the date; its day was checked again */
      200: {
        headers: { [name: string]: unknown };
        content: { 'application/json': components['schemas']['PlanChange'] };
      };
      /** @description The plan of the date; the check takes longer */
      202: {
        headers: { [name: string]: unknown };
        content: { 'application/json': components['schemas']['PlanChange'] };
      };
    };
  };
  clearDayPlan: {
    parameters: {
      query?: never;
      header?: {
        /** @description A repeated request with the same key and body gets the kept response. */
        'Idempotency-Key'?: string;
      };
      path: {
        source_id: number;
        /** @description A day in the time zone of its source. */
        date: string;
      };
      cookie?: never;
    };
    requestBody?: never;
    responses: {
      /** @description The plan of the date; its day was checked again */
      200: {
        headers: { [name: string]: unknown };
        content: { 'application/json': components['schemas']['PlanChange'] };
      };
      /** @description The plan of the date; the check takes longer */
      202: {
        headers: { [name: string]: unknown };
        content: { 'application/json': components['schemas']['PlanChange'] };
      };
    };
  };
  listCalendar: {
    parameters: {
      query?: {
        /** @description Moment whose knowledge the answer shows: a log position, as in /v1/audit/event, a past date (the end of that UTC day), or a past instant (RFC 3339). The status of an analysis is never "running" there. */
        asOf?: string;
        /** @description Oldest accepted answer, in seconds: the answer is immediate when the read models had the whole log at most that long ago. Without it a read waits up to five seconds for the read models, then answers 503 readModelsBehind. */
        maxStaleness?: number;
      };
      header?: never;
      path: { source_id: number; year: number };
      cookie?: never;
    };
    requestBody?: never;
    responses: {
      /** @description The days that are not ordinary, by date */
      200: {
        headers: { [name: string]: unknown };
        content: { 'application/json': components['schemas']['CalendarYear'] };
      };
    };
  };
  nameSpecialDay: {
    parameters: {
      query?: never;
      header?: {
        /** @description A repeated request with the same key and body gets the kept response. */
        'Idempotency-Key'?: string;
      };
      path: {
        source_id: number;
        /** @description A day in the time zone of its source. */
        date: string;
      };
      cookie?: never;
    };
    requestBody: { content: { 'application/json': components['schemas']['SpecialDay'] } };
    responses: {
      /** @description The plan of the date; its day was checked again */
      200: {
        headers: { [name: string]: unknown };
        content: { 'application/json': components['schemas']['PlanChange'] };
      };
      /** @description The plan of the date; the check takes longer */
      202: {
        headers: { [name: string]: unknown };
        content: { 'application/json': components['schemas']['PlanChange'] };
      };
    };
  };
  clearSpecialDay: {
    parameters: {
      query?: never;
      header?: {
        /** @description A repeated request with the same key and body gets the kept response. */
        'Idempotency-Key'?: string;
      };
      path: {
        source_id: number;
        /** @description A day in the time zone of its source. */
        date: string;
      };
      cookie?: never;
    };
    requestBody?: never;
    responses: {
      /** @description The plan of the date; its day was checked again */
      200: {
        headers: { [name: string]: unknown };
        content: { 'application/json': components['schemas']['PlanChange'] };
      };
      /** @description The plan of the date; the check takes longer */
      202: {
        headers: { [name: string]: unknown };
        content: { 'application/json': components['schemas']['PlanChange'] };
      };
    };
  };
  createCalendarRule: {
    parameters: {
      query?: {
        /** @description Answers the dates and stores nothing. */
        preview?: boolean;
      };
      header?: {
        /** @description A repeated request with the same key and body gets the kept response. */
        'Idempotency-Key'?: string;
      };
      path?: never;
      cookie?: never;
    };
    requestBody: { content: { 'application/json': components['schemas']['NewCalendarRule'] } };
    responses: {
      /** @description A preview: nothing was stored */
      200: {
        headers: { [name: string]: unknown };
        content: { 'application/json': components['schemas']['CalendarRule'] };
      };
      /** @description The rule with its next dates */
      201: {
        headers: { [name: string]: unknown };
        content: { 'application/json': components['schemas']['CalendarRule'] };
      };
    };
  };
  importCalendarRule: {
    parameters: {
      query: {
        /** @description Name of the special days: days of one name are planned alike. */
        name: string;
        sourceId?: number;
        /** @description A label `key:value` that a source must have, instead of sourceId; may be repeated. */
        label?: string[];
        /** @description Answers the dates and stores nothing. */
        preview?: boolean;
      };
      header?: {
        /** @description A repeated request with the same key and body gets the kept response. */
        'Idempotency-Key'?: string;
      };
      path?: never;
      cookie?: never;
    };
    requestBody: { content: { 'text/calendar': string } };
    responses: {
      /** @description A preview: nothing was stored */
      200: {
        headers: { [name: string]: unknown };
        content: { 'application/json': components['schemas']['CalendarRule'] };
      };
      /** @description The rule with its next dates */
      201: {
        headers: { [name: string]: unknown };
        content: { 'application/json': components['schemas']['CalendarRule'] };
      };
    };
  };
  listCalendarRules: {
    parameters: {
      query?: {
        sourceId?: number;
        /** @description Oldest accepted answer, in seconds: the answer is immediate when the read models had the whole log at most that long ago. Without it a read waits up to five seconds for the read models, then answers 503 readModelsBehind. */
        maxStaleness?: number;
      };
      header?: never;
      path?: never;
      cookie?: never;
    };
    requestBody?: never;
    responses: {
      /** @description The rules, by name */
      200: {
        headers: { [name: string]: unknown };
        content: { 'application/json': components['schemas']['CalendarRules'] };
      };
    };
  };
  getCalendarRule: {
    parameters: {
      query?: {
        /** @description Oldest accepted answer, in seconds: the answer is immediate when the read models had the whole log at most that long ago. Without it a read waits up to five seconds for the read models, then answers 503 readModelsBehind. */
        maxStaleness?: number;
      };
      header?: never;
      path: { rule_id: string };
      cookie?: never;
    };
    requestBody?: never;
    responses: {
      /** @description The rule */
      200: {
        headers: { [name: string]: unknown };
        content: { 'application/json': components['schemas']['CalendarRule'] };
      };
    };
  };
  deleteCalendarRule: {
    parameters: {
      query?: never;
      header?: {
        /** @description A repeated request with the same key and body gets the kept response. */
        'Idempotency-Key'?: string;
      };
      path: { rule_id: string };
      cookie?: never;
    };
    requestBody?: never;
    responses: {
      /** @description The rule was deleted */
      200: {
        headers: { [name: string]: unknown };
        content: { 'application/json': components['schemas']['DeletedCalendarRule'] };
      };
    };
  };
  listAlerts: {
    parameters: {
      query?: {
        sourceId?: number;
        /** @description Sources with the label `key:value`; may be repeated, then with all of them. */
        label?: string[];
        year?: number;
        /** @description A day in the time zone of its source. */
        from?: string;
        /** @description Exclusive. */
        to?: string;
        /** @description open, acknowledged, ended, resolved, invalidated, or unprocessed (open or acknowledged); several with commas. All but invalidated by default. */
        state?: string;
        /** @description activity, gap, frozen, drift, noData; several with commas. */
        kind?: string;
        sort?: 'date' | 'raised' | 'criticity' | 'severity';
        /** @description asc by default for the sort date, else desc. */
        order?: 'asc' | 'desc';
        /** @description Only the alerts that the procedure of Benjamini and Hochberg finds at this false-discovery rate among the checked days of the sources and dates; those without a p-value are left out. */
        fdr?: number;
        limit?: number;
        /** @description nextCursor of an answer. */
        cursor?: string;
        /** @description Moment whose knowledge the answer shows: a log position, as in /v1/audit/event, a past date (the end of that UTC day), or a past instant (RFC 3339). The status of an analysis is never "running" there. */
        asOf?: string;
        /** @description Oldest accepted answer, in seconds: the answer is immediate when the read models had the whole log at most that long ago. Without it a read waits up to five seconds for the read models, then answers 503 readModelsBehind. */
        maxStaleness?: number;
      };
      header?: never;
      path?: never;
      cookie?: never;
    };
    requestBody?: never;
    responses: {
      /** @description A page of alerts */
      200: {
        headers: { [name: string]: unknown };
        content: { 'application/json': components['schemas']['AlertPage'] };
      };
    };
  };
  getAlert: {
    parameters: {
      query?: {
        /** @description Moment whose knowledge the answer shows: a log position, as in /v1/audit/event, a past date (the end of that UTC day), or a past instant (RFC 3339). The status of an analysis is never "running" there. */
        asOf?: string;
        /** @description Oldest accepted answer, in seconds: the answer is immediate when the read models had the whole log at most that long ago. Without it a read waits up to five seconds for the read models, then answers 503 readModelsBehind. */
        maxStaleness?: number;
      };
      header?: never;
      path: {
        /** @description {sourceId}-{yyyymmdd}-{n} */
        id: string;
      };
      cookie?: never;
    };
    requestBody?: never;
    responses: {
      /** @description The alert */
      200: {
        headers: { [name: string]: unknown };
        content: { 'application/json': components['schemas']['DrawnAlert'] };
      };
    };
  };
  getAlertHistory: {
    parameters: {
      query?: {
        /** @description Moment whose knowledge the answer shows: a log position, as in /v1/audit/event, a past date (the end of that UTC day), or a past instant (RFC 3339). The status of an analysis is never "running" there. */
        asOf?: string;
        /** @description Oldest accepted answer, in seconds: the answer is immediate when the read models had the whole log at most that long ago. Without it a read waits up to five seconds for the read models, then answers 503 readModelsBehind. */
        maxStaleness?: number;
      };
      header?: never;
      path: {
        /** @description {sourceId}-{yyyymmdd}-{n} */
        id: string;
      };
      cookie?: never;
    };
    requestBody?: never;
    responses: {
      /** @description The events */
      200: {
        headers: { [name: string]: unknown };
        content: { 'application/json': components['schemas']['AlertHistory'] };
      };
    };
  };
  acknowledgeAlerts: {
    parameters: {
      query?: never;
      header?: {
        /** @description A repeated request with the same key and body gets the kept response. */
        'Idempotency-Key'?: string;
      };
      path?: never;
      cookie?: never;
    };
    requestBody: { content: { 'application/json': components['schemas']['AlertIds'] } };
    responses: {
      /** @description The outcome for each alert */
      200: {
        headers: { [name: string]: unknown };
        content: { 'application/json': components['schemas']['AlertTransitions'] };
      };
    };
  };
  resolveAlerts: {
    parameters: {
      query?: never;
      header?: {
        /** @description A repeated request with the same key and body gets the kept response. */
        'Idempotency-Key'?: string;
      };
      path?: never;
      cookie?: never;
    };
    requestBody: { content: { 'application/json': components['schemas']['Resolutions'] } };
    responses: {
      /** @description The outcome for each alert */
      200: {
        headers: { [name: string]: unknown };
        content: { 'application/json': components['schemas']['AlertTransitions'] };
      };
    };
  };
  acknowledgeAlert: {
    parameters: {
      query?: never;
      header?: {
        /** @description A repeated request with the same key and body gets the kept response. */
        'Idempotency-Key'?: string;
      };
      path: {
        /** @description {sourceId}-{yyyymmdd}-{n} */
        id: string;
      };
      cookie?: never;
    };
    requestBody?: never;
    responses: {
      /** @description The alert */
      200: {
        headers: { [name: string]: unknown };
        content: { 'application/json': components['schemas']['Alert'] };
      };
    };
  };
  reopenAlert: {
    parameters: {
      query?: never;
      header?: {
        /** @description A repeated request with the same key and body gets the kept response. */
        'Idempotency-Key'?: string;
      };
      path: {
        /** @description {sourceId}-{yyyymmdd}-{n} */
        id: string;
      };
      cookie?: never;
    };
    requestBody?: never;
    responses: {
      /** @description The alert */
      200: {
        headers: { [name: string]: unknown };
        content: { 'application/json': components['schemas']['Alert'] };
      };
    };
  };
  resolveAlert: {
    parameters: {
      query?: never;
      header?: {
        /** @description A repeated request with the same key and body gets the kept response. */
        'Idempotency-Key'?: string;
      };
      path: {
        /** @description {sourceId}-{yyyymmdd}-{n} */
        id: string;
      };
      cookie?: never;
    };
    requestBody: { content: { 'application/json': components['schemas']['Resolution'] } };
    responses: {
      /** @description The alert */
      200: {
        headers: { [name: string]: unknown };
        content: { 'application/json': components['schemas']['Alert'] };
      };
    };
  };
  listIncidents: {
    parameters: {
      query?: {
        sourceId?: number;
        /** @description Sources with the label `key:value`; may be repeated, then with all of them. */
        label?: string[];
        year?: number;
        /** @description A day in the time zone of its source. */
        from?: string;
        /** @description Exclusive. */
        to?: string;
        /** @description open, acknowledged, resolved, ended, merged, invalidated, or unprocessed (open or acknowledged); several with commas. All but merged and invalidated by default. */
        state?: string;
        /** @description activity, gap, frozen, drift, noData; several with commas. */
        kind?: string;
        /** @description Subject of a person; @me for that of the token, @none for unassigned ones. */
        assignee?: string;
        /** @description Only muted ones, or only others. */
        muted?: boolean;
        sort?: 'date' | 'raised' | 'criticity' | 'severity';
        /** @description asc by default for the sort date, else desc. */
        order?: 'asc' | 'desc';
        limit?: number;
        /** @description nextCursor of an answer. */
        cursor?: string;
        /** @description Oldest accepted answer, in seconds: the answer is immediate when the read models had the whole log at most that long ago. Without it a read waits up to five seconds for the read models, then answers 503 readModelsBehind. */
        maxStaleness?: number;
      };
      header?: never;
      path?: never;
      cookie?: never;
    };
    requestBody?: never;
    responses: {
      /** @description A page of incidents */
      200: {
        headers: { [name: string]: unknown };
        content: { 'application/json': components['schemas']['IncidentPage'] };
      };
    };
  };
  getIncident: {
    parameters: {
      query?: {
        /** @description Oldest accepted answer, in seconds: the answer is immediate when the read models had the whole log at most that long ago. Without it a read waits up to five seconds for the read models, then answers 503 readModelsBehind. */
        maxStaleness?: number;
      };
      header?: never;
      path: {
        /** @description inc-{id of the first alert}; it never changes. */
        id: string;
      };
      cookie?: never;
    };
    requestBody?: never;
    responses: {
      /** @description The incident */
      200: {
        headers: { [name: string]: unknown };
        content: { 'application/json': components['schemas']['Incident'] };
      };
    };
  };
  getIncidentHistory: {
    parameters: {
      query?: {
        /** @description Oldest accepted answer, in seconds: the answer is immediate when the read models had the whole log at most that long ago. Without it a read waits up to five seconds for the read models, then answers 503 readModelsBehind. */
        maxStaleness?: number;
      };
      header?: never;
      path: {
        /** @description inc-{id of the first alert}; it never changes. */
        id: string;
      };
      cookie?: never;
    };
    requestBody?: never;
    responses: {
      /** @description The events */
      200: {
        headers: { [name: string]: unknown };
        content: { 'application/json': components['schemas']['IncidentHistory'] };
      };
    };
  };
  acknowledgeIncident: {
    parameters: {
      query?: never;
      header?: {
        /** @description A repeated request with the same key and body gets the kept response. */
        'Idempotency-Key'?: string;
      };
      path: {
        /** @description inc-{id of the first alert}; it never changes. */
        id: string;
      };
      cookie?: never;
    };
    requestBody?: never;
    responses: {
      /** @description The incident */
      200: {
        headers: { [name: string]: unknown };
        content: { 'application/json': components['schemas']['Incident'] };
      };
    };
  };
  reopenIncident: {
    parameters: {
      query?: never;
      header?: {
        /** @description A repeated request with the same key and body gets the kept response. */
        'Idempotency-Key'?: string;
      };
      path: {
        /** @description inc-{id of the first alert}; it never changes. */
        id: string;
      };
      cookie?: never;
    };
    requestBody?: never;
    responses: {
      /** @description The incident */
      200: {
        headers: { [name: string]: unknown };
        content: { 'application/json': components['schemas']['Incident'] };
      };
    };
  };
  resolveIncident: {
    parameters: {
      query?: never;
      header?: {
        /** @description A repeated request with the same key and body gets the kept response. */
        'Idempotency-Key'?: string;
      };
      path: {
        /** @description inc-{id of the first alert}; it never changes. */
        id: string;
      };
      cookie?: never;
    };
    requestBody: { content: { 'application/json': components['schemas']['IncidentResolution'] } };
    responses: {
      /** @description The incident */
      200: {
        headers: { [name: string]: unknown };
        content: { 'application/json': components['schemas']['Incident'] };
      };
    };
  };
  acceptChange: {
    parameters: {
      query?: never;
      header?: {
        /** @description A repeated request with the same key and body gets the kept response. */
        'Idempotency-Key'?: string;
      };
      path: {
        /** @description inc-{id of the first alert}; it never changes. */
        id: string;
      };
      cookie?: never;
    };
    requestBody?: { content: { 'application/json': components['schemas']['ChangeAcceptance'] } };
    responses: {
      /** @description The incident */
      200: {
        headers: { [name: string]: unknown };
        content: { 'application/json': components['schemas']['Incident'] };
      };
    };
  };
  withdrawAcceptance: {
    parameters: {
      query?: never;
      header?: {
        /** @description A repeated request with the same key and body gets the kept response. */
        'Idempotency-Key'?: string;
      };
      path: {
        /** @description inc-{id of the first alert}; it never changes. */
        id: string;
      };
      cookie?: never;
    };
    requestBody?: never;
    responses: {
      /** @description The incident */
      200: {
        headers: { [name: string]: unknown };
        content: { 'application/json': components['schemas']['Incident'] };
      };
    };
  };
  assignIncident: {
    parameters: {
      query?: never;
      header?: {
        /** @description A repeated request with the same key and body gets the kept response. */
        'Idempotency-Key'?: string;
      };
      path: {
        /** @description inc-{id of the first alert}; it never changes. */
        id: string;
      };
      cookie?: never;
    };
    requestBody: { content: { 'application/json': components['schemas']['Assignment'] } };
    responses: {
      /** @description The incident */
      200: {
        headers: { [name: string]: unknown };
        content: { 'application/json': components['schemas']['Incident'] };
      };
    };
  };
  commentIncident: {
    parameters: {
      query?: never;
      header?: {
        /** @description A repeated request with the same key and body gets the kept response. */
        'Idempotency-Key'?: string;
      };
      path: {
        /** @description inc-{id of the first alert}; it never changes. */
        id: string;
      };
      cookie?: never;
    };
    requestBody: { content: { 'application/json': components['schemas']['IncidentComment'] } };
    responses: {
      /** @description The incident */
      200: {
        headers: { [name: string]: unknown };
        content: { 'application/json': components['schemas']['Incident'] };
      };
    };
  };
  splitIncident: {
    parameters: {
      query?: never;
      header?: {
        /** @description A repeated request with the same key and body gets the kept response. */
        'Idempotency-Key'?: string;
      };
      path: {
        /** @description inc-{id of the first alert}; it never changes. */
        id: string;
      };
      cookie?: never;
    };
    requestBody: { content: { 'application/json': components['schemas']['IncidentSplit'] } };
    responses: {
      /** @description The incident */
      200: {
        headers: { [name: string]: unknown };
        content: { 'application/json': components['schemas']['Incident'] };
      };
    };
  };
  mergeIncident: {
    parameters: {
      query?: never;
      header?: {
        /** @description A repeated request with the same key and body gets the kept response. */
        'Idempotency-Key'?: string;
      };
      path: {
        /** @description inc-{id of the first alert}; it never changes. */
        id: string;
      };
      cookie?: never;
    };
    requestBody: { content: { 'application/json': components['schemas']['IncidentMerge'] } };
    responses: {
      /** @description The incident */
      200: {
        headers: { [name: string]: unknown };
        content: { 'application/json': components['schemas']['Incident'] };
      };
    };
  };
  createMute: {
    parameters: {
      query?: never;
      header?: {
        /** @description A repeated request with the same key and body gets the kept response. */
        'Idempotency-Key'?: string;
      };
      path?: never;
      cookie?: never;
    };
    requestBody: { content: { 'application/json': components['schemas']['NewMute'] } };
    responses: {
      /** @description The mute */
      201: {
        headers: { [name: string]: unknown };
        content: { 'application/json': components['schemas']['Mute'] };
      };
    };
  };
  listMutes: {
    parameters: {
      query?: {
        /** @description Oldest accepted answer, in seconds: the answer is immediate when the read models had the whole log at most that long ago. Without it a read waits up to five seconds for the read models, then answers 503 readModelsBehind. */
        maxStaleness?: number;
      };
      header?: never;
      path?: never;
      cookie?: never;
    };
    requestBody?: never;
    responses: {
      /** @description The mutes, oldest first */
      200: {
        headers: { [name: string]: unknown };
        content: { 'application/json': components['schemas']['Mutes'] };
      };
    };
  };
  deleteMute: {
    parameters: {
      query?: never;
      header?: {
        /** @description A repeated request with the same key and body gets the kept response. */
        'Idempotency-Key'?: string;
      };
      path: { id: string };
      cookie?: never;
    };
    requestBody?: never;
    responses: {
      /** @description The mute has ended */
      200: {
        headers: { [name: string]: unknown };
        content: { 'application/json': components['schemas']['DeletedMute'] };
      };
    };
  };
  getSettings: {
    parameters: {
      query?: {
        /** @description Oldest accepted answer, in seconds: the answer is immediate when the read models had the whole log at most that long ago. Without it a read waits up to five seconds for the read models, then answers 503 readModelsBehind. */
        maxStaleness?: number;
      };
      header?: never;
      path?: never;
      cookie?: never;
    };
    requestBody?: never;
    responses: {
      /** @description The settings */
      200: {
        headers: { [name: string]: unknown };
        content: { 'application/json': components['schemas']['TenantSettings'] };
      };
    };
  };
  changeSettings: {
    parameters: {
      query?: never;
      header?: {
        /** @description A repeated request with the same key and body gets the kept response. */
        'Idempotency-Key'?: string;
      };
      path?: never;
      cookie?: never;
    };
    requestBody?: { content: { 'application/json': components['schemas']['TenantSettingsPatch'] } };
    responses: {
      /** @description The settings */
      200: {
        headers: { [name: string]: unknown };
        content: { 'application/json': components['schemas']['TenantSettings'] };
      };
    };
  };
  explainAlert: {
    parameters: {
      query?: {
        /** @description Moment whose knowledge the answer shows: a log position, as in /v1/audit/event, a past date (the end of that UTC day), or a past instant (RFC 3339). The status of an analysis is never "running" there. */
        asOf?: string;
        /** @description Oldest accepted answer, in seconds: the answer is immediate when the read models had the whole log at most that long ago. Without it a read waits up to five seconds for the read models, then answers 503 readModelsBehind. */
        maxStaleness?: number;
      };
      header?: never;
      path: {
        /** @description {sourceId}-{yyyymmdd}-{n} */
        id: string;
      };
      cookie?: never;
    };
    requestBody?: never;
    responses: {
      /** @description All facts that led to the alert */
      200: {
        headers: { [name: string]: unknown };
        content: { 'application/json': components['schemas']['Explanation'] };
      };
    };
  };
  listAuditEvents: {
    parameters: {
      query?: {
        sourceId?: number;
        stream?: string;
        type?: string;
        /** @description Subject of a token: events of that person. */
        actor?: string;
        /** @description Events of people, erased ones included, or of the service itself. */
        byKind?: 'person' | 'service';
        /** @description A UTC date or instant. */
        from?: string;
        /** @description A UTC date or instant. */
        to?: string;
        /** @description ndjson and csv answer all events at once, one a line; so does the header Accept: application/x-ndjson or text/csv. */
        format?: 'json' | 'ndjson' | 'csv';
        /** @description Order of the events; newest is for JSON pages only. */
        order?: 'oldest' | 'newest';
        limit?: number;
        /** @description nextCursor of an answer to the same query, or the position of an event: the events after it. */
        cursor?: string;
        /** @description Oldest accepted answer, in seconds: the answer is immediate when the read models had the whole log at most that long ago. Without it a read waits up to five seconds for the read models, then answers 503 readModelsBehind. */
        maxStaleness?: number;
      };
      header?: never;
      path?: never;
      cookie?: never;
    };
    requestBody?: never;
    responses: {
      /** @description A page of events; as NDJSON or CSV all events, one a line */
      200: {
        headers: { [name: string]: unknown };
        content: { 'application/json': components['schemas']['AuditPage'] };
      };
    };
  };
  getCheckpoint: {
    parameters: {
      query?: {
        /** @description Oldest accepted answer, in seconds: the answer is immediate when the read models had the whole log at most that long ago. Without it a read waits up to five seconds for the read models, then answers 503 readModelsBehind. */
        maxStaleness?: number;
      };
      header?: never;
      path?: never;
      cookie?: never;
    };
    requestBody?: never;
    responses: {
      /** @description The checkpoint */
      200: {
        headers: { [name: string]: unknown };
        content: { 'application/json': components['schemas']['Checkpoint'] };
      };
    };
  };
  proveInclusion: {
    parameters: {
      query: {
        eventId: string;
        treeSize?: number;
        /** @description Oldest accepted answer, in seconds: the answer is immediate when the read models had the whole log at most that long ago. Without it a read waits up to five seconds for the read models, then answers 503 readModelsBehind. */
        maxStaleness?: number;
      };
      header?: never;
      path?: never;
      cookie?: never;
    };
    requestBody?: never;
    responses: {
      /** @description The proof (RFC 9162 §2.1.3) */
      200: {
        headers: { [name: string]: unknown };
        content: { 'application/json': components['schemas']['InclusionProof'] };
      };
    };
  };
  proveConsistency: {
    parameters: {
      query: {
        from: number;
        to?: number;
        /** @description Oldest accepted answer, in seconds: the answer is immediate when the read models had the whole log at most that long ago. Without it a read waits up to five seconds for the read models, then answers 503 readModelsBehind. */
        maxStaleness?: number;
      };
      header?: never;
      path?: never;
      cookie?: never;
    };
    requestBody?: never;
    responses: {
      /** @description The proof (RFC 9162 §2.1.4) */
      200: {
        headers: { [name: string]: unknown };
        content: { 'application/json': components['schemas']['ConsistencyProof'] };
      };
    };
  };
  erasePerson: {
    parameters: {
      query?: never;
      header?: {
        /** @description A repeated request with the same key and body gets the kept response. */
        'Idempotency-Key'?: string;
      };
      path?: never;
      cookie?: never;
    };
    requestBody: { content: { 'application/json': components['schemas']['Erasure'] } };
    responses: {
      /** @description The key was destroyed */
      200: {
        headers: { [name: string]: unknown };
        content: { 'application/json': components['schemas']['ErasedPerson'] };
      };
    };
  };
  streamEvents: {
    parameters: {
      query?: {
        /** @description Oldest accepted answer, in seconds: the answer is immediate when the read models had the whole log at most that long ago. Without it a read waits up to five seconds for the read models, then answers 503 readModelsBehind. */
        maxStaleness?: number;
      };
      header?: never;
      path?: never;
      cookie?: never;
    };
    requestBody?: never;
    responses: {
      /** @description A stream that ends after 15 minutes, or with its token; the client resumes it */
      200: {
        headers: { [name: string]: unknown };
        content: { 'application/json': components['schemas']['LiveChange'] };
      };
    };
  };
  getOverview: {
    parameters: {
      query?: {
        /** @description A day in the time zone of its source. */
        to?: string;
        days?: number;
        /** @description Up to 100 ids with commas: only these sources, with the planned models after the newest data of all. */
        sourceIds?: string;
        /** @description Moment whose knowledge the answer shows: a log position, as in /v1/audit/event, a past date (the end of that UTC day), or a past instant (RFC 3339). The status of an analysis is never "running" there. */
        asOf?: string;
        /** @description Oldest accepted answer, in seconds: the answer is immediate when the read models had the whole log at most that long ago. Without it a read waits up to five seconds for the read models, then answers 503 readModelsBehind. */
        maxStaleness?: number;
      };
      header?: never;
      path?: never;
      cookie?: never;
    };
    requestBody?: never;
    responses: {
      /** @description The sources by id, with their days of the period; its end, when not given, is a week after the newest data */
      200: {
        headers: { [name: string]: unknown };
        content: { 'application/json': components['schemas']['Overview'] };
      };
    };
  };
  createWebhook: {
    parameters: {
      query?: never;
      header?: {
        /** @description A repeated request with the same key and body gets the kept response. */
        'Idempotency-Key'?: string;
      };
      path?: never;
      cookie?: never;
    };
    requestBody: { content: { 'application/json': components['schemas']['NewWebhook'] } };
    responses: {
      /** @description The webhook and its signing secret */
      201: {
        headers: { [name: string]: unknown };
        content: { 'application/json': components['schemas']['WebhookWithSecret'] };
      };
    };
  };
  rotateWebhookSecret: {
    parameters: {
      query?: never;
      header?: {
        /** @description A repeated request with the same key and body gets the kept response. */
        'Idempotency-Key'?: string;
      };
      path: { webhook_id: string };
      cookie?: never;
    };
    requestBody?: never;
    responses: {
      /** @description The webhook and its new secret */
      200: {
        headers: { [name: string]: unknown };
        content: { 'application/json': components['schemas']['WebhookWithSecret'] };
      };
    };
  };
  listWebhooks: {
    parameters: {
      query?: {
        /** @description Oldest accepted answer, in seconds: the answer is immediate when the read models had the whole log at most that long ago. Without it a read waits up to five seconds for the read models, then answers 503 readModelsBehind. */
        maxStaleness?: number;
      };
      header?: never;
      path?: never;
      cookie?: never;
    };
    requestBody?: never;
    responses: {
      /** @description The webhooks, oldest first */
      200: {
        headers: { [name: string]: unknown };
        content: { 'application/json': components['schemas']['Webhooks'] };
      };
    };
  };
  getWebhook: {
    parameters: {
      query?: {
        /** @description Oldest accepted answer, in seconds: the answer is immediate when the read models had the whole log at most that long ago. Without it a read waits up to five seconds for the read models, then answers 503 readModelsBehind. */
        maxStaleness?: number;
      };
      header?: never;
      path: { webhook_id: string };
      cookie?: never;
    };
    requestBody?: never;
    responses: {
      /** @description The webhook */
      200: {
        headers: { [name: string]: unknown };
        content: { 'application/json': components['schemas']['Webhook'] };
      };
    };
  };
  deleteWebhook: {
    parameters: {
      query?: never;
      header?: {
        /** @description A repeated request with the same key and body gets the kept response. */
        'Idempotency-Key'?: string;
      };
      path: { webhook_id: string };
      cookie?: never;
    };
    requestBody?: never;
    responses: {
      /** @description The webhook was deleted */
      200: {
        headers: { [name: string]: unknown };
        content: { 'application/json': components['schemas']['DeletedWebhook'] };
      };
    };
  };
  changeWebhook: {
    parameters: {
      query?: never;
      header?: {
        /** @description A repeated request with the same key and body gets the kept response. */
        'Idempotency-Key'?: string;
      };
      path: { webhook_id: string };
      cookie?: never;
    };
    requestBody?: {
      content: {
        'application/json': components['schemas']['WebhookPatch'];
        'application/merge-patch+json': components['schemas']['WebhookPatch'];
      };
    };
    responses: {
      /** @description The webhook */
      200: {
        headers: { [name: string]: unknown };
        content: { 'application/json': components['schemas']['Webhook'] };
      };
    };
  };
  listDeliveries: {
    parameters: {
      query?: {
        /** @description Number of attempts, newest first; 100 by default. */
        limit?: number;
        /** @description Oldest accepted answer, in seconds: the answer is immediate when the read models had the whole log at most that long ago. Without it a read waits up to five seconds for the read models, then answers 503 readModelsBehind. */
        maxStaleness?: number;
      };
      header?: never;
      path: { webhook_id: string };
      cookie?: never;
    };
    requestBody?: never;
    responses: {
      /** @description The attempts, newest first */
      200: {
        headers: { [name: string]: unknown };
        content: { 'application/json': components['schemas']['DeliveryAttempts'] };
      };
    };
  };
  disableWebhook: {
    parameters: {
      query?: never;
      header?: {
        /** @description A repeated request with the same key and body gets the kept response. */
        'Idempotency-Key'?: string;
      };
      path: { webhook_id: string };
      cookie?: never;
    };
    requestBody?: never;
    responses: {
      /** @description The webhook */
      200: {
        headers: { [name: string]: unknown };
        content: { 'application/json': components['schemas']['Webhook'] };
      };
    };
  };
  enableWebhook: {
    parameters: {
      query?: never;
      header?: {
        /** @description A repeated request with the same key and body gets the kept response. */
        'Idempotency-Key'?: string;
      };
      path: { webhook_id: string };
      cookie?: never;
    };
    requestBody?: never;
    responses: {
      /** @description The webhook */
      200: {
        headers: { [name: string]: unknown };
        content: { 'application/json': components['schemas']['Webhook'] };
      };
    };
  };
  testWebhook: {
    parameters: {
      query?: never;
      header?: {
        /** @description A repeated request with the same key and body gets the kept response. */
        'Idempotency-Key'?: string;
      };
      path: { webhook_id: string };
      cookie?: never;
    };
    requestBody?: never;
    responses: {
      /** @description The attempt */
      200: {
        headers: { [name: string]: unknown };
        content: { 'application/json': components['schemas']['DeliveryAttempt'] };
      };
    };
  };
  replayWebhook: {
    parameters: {
      query?: never;
      header?: {
        /** @description A repeated request with the same key and body gets the kept response. */
        'Idempotency-Key'?: string;
      };
      path: { webhook_id: string };
      cookie?: never;
    };
    requestBody: { content: { 'application/json': components['schemas']['WebhookReplay'] } };
    responses: {
      /** @description The webhook */
      200: {
        headers: { [name: string]: unknown };
        content: { 'application/json': components['schemas']['Webhook'] };
      };
    };
  };
  createToken: {
    parameters: {
      query?: never;
      header?: {
        /** @description A repeated request with the same key and body gets the kept response. */
        'Idempotency-Key'?: string;
      };
      path?: never;
      cookie?: never;
    };
    requestBody: { content: { 'application/json': components['schemas']['NewToken'] } };
    responses: {
      /** @description The token */
      201: {
        headers: { [name: string]: unknown };
        content: { 'application/json': components['schemas']['TokenText'] };
      };
    };
  };
  listTokens: {
    parameters: {
      query?: {
        /** @description Oldest accepted answer, in seconds: the answer is immediate when the read models had the whole log at most that long ago. Without it a read waits up to five seconds for the read models, then answers 503 readModelsBehind. */
        maxStaleness?: number;
      };
      header?: never;
      path?: never;
      cookie?: never;
    };
    requestBody?: never;
    responses: {
      /** @description The tokens, oldest first */
      200: {
        headers: { [name: string]: unknown };
        content: { 'application/json': components['schemas']['Tokens'] };
      };
    };
  };
  revokeToken: {
    parameters: {
      query?: {
        /** @description Why, for the audit trail. */
        reason?: string;
      };
      header?: {
        /** @description A repeated request with the same key and body gets the kept response. */
        'Idempotency-Key'?: string;
      };
      path: { jti: string };
      cookie?: never;
    };
    requestBody?: never;
    responses: {
      /** @description The token is refused */
      200: {
        headers: { [name: string]: unknown };
        content: { 'application/json': components['schemas']['RevokedToken'] };
      };
    };
  };
}
