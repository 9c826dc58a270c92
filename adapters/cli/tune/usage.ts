import { wrap } from '../terminal/text.js';
import { allColumns } from './columns.js';

const headWidth = 16;
const meaningWidth = 92;

/** The explanation of all columns. */
const columnsText = allColumns
  .flatMap(({ head, meaning }) =>
    wrap(meaning, meaningWidth).map(
      (line, index) => `  ${(index === 0 ? head : '').padEnd(headWidth)}${line}`,
    ),
  )
  .join('\n');

/** Text of `daybook tune --help`. */
export const usage = `usage: daybook tune reference.csv [recent.csv] [options]
       daybook tune --source <id> [--log <log>] [options]
       daybook tune --replay bundle.json reference.csv [recent.csv]
       daybook tune --replay bundle.json --source <id> [--log <log>]

Learns a reference year under many settings, checks the recent days under each of them, and compares the
results. Needs no server, sends nothing over the network and changes no log.

Files are those of an import: CSV ("date";"value", UTC, decimal comma) or JSON (the bodies of
/v1/import/create-source and /v1/import/days), plain or packed as .gz. A file that an import would refuse is
refused with the same faults.

Settings, in this order:
  1. chosen        the engine chooses the number of models, default limits: as for a new source
  2. 2 … 12        each number of --models, default limits
  3. k@coverage    each target coverage of --coverage, with the chosen number of models
Not every number is combined with every coverage, because they are nearly independent: the number of models
decides the prediction, the coverage decides the limits. --cross tries all combinations.

  --models 2..12          numbers of models, a range or a list (4,6,8), 1 to 64
  --coverage 0.9..0.995   target coverages: those of 0.9, 0.95, 0.98, 0.99, 0.995 in a range, or a list of any
  --cross                 every number of models with every coverage
  --calendar FR           public holidays of a country or region (DE-NW), or none. By default those of the source,
                          else the country that best explains the odd days of the reference, as in the service;
                          the output names it and the evidence
  --seed 1                seed for the random starts of the clustering
  --activity-size 24      slices a day, as for a new source; likewise --interpolation zero or linear,
                          --aggregation mean or sum
  --time-zone Europe/Paris
                          zone whose midnights cut the days, UTC by default; with --clock local stamps without an
                          offset are times of that zone
  --separator , --decimal . --date-format "DD/MM/YYYY HH:mm" --date-column time --value-column 3
                          how the CSV files are written, as the parameters of the same names of an import
  --explained-by "Temperature=outside.csv"
                          a covariate: a name and a CSV file that is read with the same options, up to three times.
                          Learned and used as the service does it, dropped where it does not help held-out days
  --pick 7@0.95           writes the models of this setting instead of the recommended one
  --out folder            output folder, ./tune-<name> by default
  --days csv              format of the file of days: csv, ndjson or arrow
  --json, --csv           prints only the numbers of all settings, in this format

Written to the folder:
  report.html   all results in pictures and words; one file that needs no network
  bundle.json   digests of the data, parameters, engine and results. --replay computes them again and compares
                every byte (except the names of files)
  models.json   the models of the recommended setting, a body for POST /v1/model/bulk-replace/{source_id}
  days.csv      each day under each setting: its models, and the outcome of its check

Installed models (models.json) have bounds only: each value of a day is compared with them. The limits on means
and changes, flatlines, drift, and the planning learned from the reference are lost, and the numbers below do
not apply. To keep everything let the service learn the same setting:
POST /v1/model/reset/{source_id}/{model_count}?coverage={coverage}. The output names this request.

With --source: the current reference days, recent days and alerts of a source in the embedded log, a data folder or its
events.sqlite; that of the settings without --log. A service may be using it. For EventStoreDB, first make a file with daybook copy-log. The planning is automatic under
every setting: planning by users is not used, and neither are verdicts on data that was replaced later. Covariates
are the sources in explainedBy of the source, with their present values: the models are those of a reset now.

The numbers:
${columnsText}

The recommended setting is the chosen one. With verdicts of users: of the settings that keep the most confirmed
alerts those that save the most false ones, and of these the one that gains the fewest.

Exit codes: 0 done, or a replay gave the same bytes; 1 a replay gave other bytes (the first difference is named);
2 wrong usage, or a file with faults; 3 a store cannot be read, or a replay is undecided because the bundle
belongs to other data or another engine.
`;
