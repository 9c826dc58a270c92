import { createHash } from 'node:crypto';
import { existsSync, readFileSync, statSync, writeFileSync } from 'node:fs';
import { basename, dirname } from 'node:path';
import type { KnownEvent, Recorded } from '../../../domain/events.js';
import { streams } from '../../../domain/streams.js';
import { isPartLine } from '../../../auditing/eventBytes.js';
import { SettingsError } from '../../settings/values.js';
import { apiFormatOf, exportOf, type LogInput } from '../audit/logInput.js';
import { exitCodeOf, verdictSentence } from '../audit/report.js';
import {
  withCannotVerify,
  verificationOf,
  verificationOptions,
  verifyLog,
  type Verification,
} from '../audit/verifyLog.js';
import {
  isOfSource,
  sourceFacts,
  sourceReader,
  type Input,
  openedAuthors,
  openNames,
  unknownAlert,
  unknownSource,
} from '../auditReport/facts.js';
import { auditReportHtml } from '../auditReport/html.js';
import {
  parsedArguments,
  instantOption,
  integerOption,
  wrongOption,
  type Command,
} from '../terminal/arguments.js';
import { plain } from '../terminal/text.js';

const usage = `usage: daybook audit-report --source <id> --out <file> [options]
       daybook audit-report --alert <id> --out <file> [options]

Writes a report for auditors as one HTML file to be read, printed and signed: the inputs with their SHA-256,
the checkpoint and its key, each check with its result in a sentence, actions of people, the models with their
versions, open findings, and lines for signatures. With --alert it is the dossier of one alert: a chart of
the day, and the events that led to the alert. The log is verified as "daybook verify --decisions" does, with the
decisions of this source.

  --source         id of the source
  --alert          id of an alert, in place of --source
  --out            the HTML file to write
  --log            a data folder, its events.sqlite, an export or eventstoredb; default: the settings
  --checkpoint     a checkpoint of the log; may be given several times
  --public-key     a key that you trust
  --to-checkpoint  asks only about the events up to the last checkpoint
  --fingerprints   leaf hashes of a checkpoint
  --at             instant printed in the report; default: now. The same log and inputs with the same --at
                   give the same bytes
  --names          shows names and comments of people, with the keys in the data folder. Without it people
                   are numbered

Exit codes: 0 written, and proved; 1 written, with problems found; 2 wrong usage; 3 written, but not all is
proved, or the log cannot be read.
`;

const options = {
  source: { type: 'string' },
  alert: { type: 'string' },
  out: { type: 'string' },
  ...verificationOptions,
  at: { type: 'string' },
  names: { type: 'boolean' },
} as const;

type Values = ReturnType<typeof parsedArguments<{ options: typeof options }>>['values'];

/** The source of a report, and the alert of a dossier. @throws SettingsError */
const subjectOf = ({ source, alert }: Values): { readonly sourceId: number; readonly alertId?: string } => {
  if ((source === undefined) === (alert === undefined))
    throw new SettingsError('expected one of --source and --alert; see daybook audit-report --help');
  if (source !== undefined)
    return { sourceId: integerOption('--source', source, 1, Number.MAX_SAFE_INTEGER) };
  const [, id] = /^([1-9]\d{0,14})-\d{8}-[1-9]\d{0,8}$/.exec(alert ?? '') ?? [];
  if (id === undefined) throw wrongOption('--alert', alert ?? '', 'an id like 12-20240110-1');
  return { sourceId: Number(id), alertId: alert ?? '' };
};

const fileInputs = (role: string, files: readonly string[]): Input[] =>
  files.map(file => ({
    role,
    name: basename(file),
    sha256: createHash('sha256').update(readFileSync(file)).digest('hex'),
  }));

const nameOfLog = (input: LogInput): string =>
  input.kind === 'eventstoredb' ? 'EventStoreDB' : basename(input.file);

/** The events of a report; with `--names` with their texts and authors opened. */
const opened = (
  input: LogInput,
  events: readonly Recorded[],
  calendar: readonly KnownEvent[],
  isAsked: boolean,
) => {
  if (!isAsked) return { events };
  const { open, close } = openNames(input);
  try {
    return {
      // `by` stays as it is stored: only that form tells people from the service.
      events: events.map(event => ({
        ...event,
        data: JSON.parse(open(JSON.stringify(event.data))) as unknown,
      })),
      authors: openedAuthors(
        [...events, ...calendar].map(({ metadata }) => metadata.by),
        open,
      ),
    };
  } finally {
    close();
  }
};

/**
 * Looks for the source and the alert, since the verification takes long.
 * @throws SettingsError for an unknown source or alert
 */
const requireSubject = async (
  { input, env }: Verification,
  sourceId: number,
  alertId: string | undefined,
): Promise<void> => {
  const stream = alertId === undefined ? streams.source(sourceId) : streams.alerts(sourceId);
  for await (const line of exportOf(input, env))
    // The verification says why a part of a log is refused.
    if (
      isPartLine(line.toString()) ||
      (line.includes(`"stream":"${stream}"`) && (alertId === undefined || line.includes(`"${alertId}"`)))
    )
      return;
  throw alertId === undefined ? unknownSource(sourceId) : unknownAlert(alertId);
};

/** Verifies the log and writes the report; returns the exit code. */
const writeReport = async (values: Values, env: NodeJS.ProcessEnv): Promise<number> => {
  const { sourceId, alertId } = subjectOf(values);
  const { out, checkpoint = [], 'public-key': keys = [] } = values;
  if (out === undefined) throw new SettingsError('--out: got none, expected a file');
  // The verification takes long, so the file is checked before it.
  if (!existsSync(dirname(out)) || statSync(out, { throwIfNoEntry: false })?.isDirectory() === true)
    throw wrongOption('--out', out, 'a file in a folder that exists');
  const at = values.at === undefined ? new Date().toISOString() : instantOption('--at', values.at);
  const verification = verificationOf(values, env);
  const { input, fingerprintsFile } = verification;
  if (input.kind === 'export' && apiFormatOf(input.file) !== undefined)
    throw new SettingsError(
      `${plain(input.file)}: got an export of the API, expected one of "daybook export"`,
    );
  // As above: without keys the report would fail at its end.
  if (values.names === true) openNames(input).close();
  await requireSubject(verification, sourceId, alertId);
  const { reader, read } = sourceReader(sourceId);
  const report = await verifyLog(verification, isOfSource(sourceId), [reader]);
  const { sha256, events, ...ofLog } = read();
  const inputs = [
    { role: 'log', name: nameOfLog(input), sha256 },
    ...fileInputs('checkpoint', checkpoint),
    ...fileInputs('public key', keys),
    ...fileInputs('leaf hashes', fingerprintsFile === undefined ? [] : [fingerprintsFile]),
  ];
  const { events: shown, ...names } = opened(input, events, ofLog.calendar, values.names === true);
  const facts = await sourceFacts(shown, sourceId, alertId);
  writeFileSync(out, auditReportHtml({ at, inputs, report, ...ofLog, ...facts, ...names }));
  process.stdout.write(`${plain(out)}\n`);
  process.stderr.write(`${verdictSentence(report)}\n`);
  return exitCodeOf(report);
};

export const auditReport: Command = {
  usage,
  run: async (args, env) => {
    const { values } = parsedArguments({ args: [...args], options });
    return withCannotVerify(() => writeReport(values, env));
  },
};
