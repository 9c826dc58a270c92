import { holds, readProof, sizesOf } from '../../../auditing/merkle.js';
import { plural } from '../../../domain/text.js';
import { SettingsError } from '../../settings/values.js';
import {
  apiFormatOf,
  apiReportJson,
  apiReportText,
  verifyApiExport,
  type LogInput,
} from '../audit/logInput.js';
import {
  checkpointWords,
  untrustedReasons,
  fromFile,
  isTrusted,
  ratedCheckpoints,
  type RatedCheckpoint,
} from '../audit/coverage.js';
import { exitCodeOf, forgedSentence, reportJson, reportText } from '../audit/report.js';
import {
  CannotVerify,
  verificationOf,
  verificationOptions,
  verifyLog,
  withCannotVerify,
} from '../audit/verifyLog.js';
import { parsedArguments, type Command } from '../terminal/arguments.js';
import { plain } from '../terminal/text.js';

const usage = `usage: daybook verify [--log <log>] [--checkpoint <file>]… [--public-key <file>]… [--fingerprints <file>]
                      [--to-checkpoint] [--decisions] [--json]
       daybook verify --proof <file> --checkpoint <file>… [--public-key <file>]…

Reads a log from its first event to its last, reports in sentences which events are proved, and finds
changes. No service has to run. <log> is the log of the settings when not given, a file of "daybook export", a data folder, its
events.sqlite, or eventstoredb. A file of GET /v1/audit/event (JSON pages or NDJSON) is recognised: it can
be checked in part and never proved.

A log alone shows every event that was changed, added, removed or moved within its stream. Files that were
kept elsewhere also show that a stream was cut off at its end or rewritten, or that streams were reordered:

  --checkpoint     a checkpoint of the log; may be given several times, and each narrows the place
  --public-key     a key that you trust: it may have signed checkpoints, and so may a key that it has named
                   as its successor. Without it a checkpoint proves nothing
  --to-checkpoint  asks only about the events up to the last checkpoint; later ones are counted
  --fingerprints   the file of "daybook checkpoint --fingerprints": names the changed event
  --decisions      also makes every decision again: models, plannings and checks, by the engine that made
                   them and from the events before them, and compares to the byte. It finds a decision that
                   was changed together with all hashes. Decisions of other engines cannot be verified
  --json           the result as JSON
  --proof          instead of a log: an answer of GET /v1/audit/proof/inclusion or …/consistency, together
                   with the checkpoints of the sizes that it names

No key yet? "daybook checkpoint --new-key audit-key" makes one, "daybook checkpoint --key audit-key >
checkpoint.json" signs the present log.

Exit codes: 0 proved: a key that you trust covers all that was asked, and no
problem was found; 1 a problem was found; 2 wrong usage; 3 no problem was found, but not all is proved; the reason is printed.
`;

const options = {
  ...verificationOptions,
  decisions: { type: 'boolean' },
  json: { type: 'boolean' },
  proof: { type: 'string' },
} as const;

/** Prints whether a proof holds; returns the exit code. */
const verifyProof = (file: string, checkpoints: readonly RatedCheckpoint[]): 0 | 1 | 3 => {
  const proof = fromFile('--proof', file, readProof);
  const needed = sizesOf(proof).map(size => {
    const matching = (accept: (one: RatedCheckpoint) => boolean): RatedCheckpoint | undefined =>
      checkpoints.find(one => one.checkpoint.size === size && accept(one));
    const found = matching(isTrusted) ?? matching(() => true);
    if (!found) throw new CannotVerify(`the proof needs the checkpoint of ${plural(size, 'event')}`);
    return found;
  });
  const subject =
    'leaf' in proof
      ? `the event is number ${proof.leafIndex + 1} of the log of ${plural(proof.treeSize, 'event')}`
      : `the log of ${plural(proof.from, 'event')} is the beginning of that of ${plural(proof.to, 'event')}`;
  const isHeld = holds(
    proof,
    needed.map(({ checkpoint }) => checkpoint),
  );
  const forged = checkpoints.filter(({ trust }) => trust === 'forged');
  const untrusted = untrustedReasons(needed);
  const proved = isHeld && forged.length === 0 && untrusted.length === 0;
  const under = needed.map(checkpointWords).join(', and ');
  const lines = [
    ...forged.map(forgedSentence),
    isHeld ? `By ${under}: ${subject}.` : `The proof does not show that ${subject}.`,
    ...(isHeld ? untrusted.map(({ detail, cure }) => `Not proved: ${detail}. To prove more: ${cure}.`) : []),
    ...(proved ? ['Verdict: proved.'] : []),
  ];
  process.stdout.write(lines.map(line => `${line}\n`).join(''));
  if (!isHeld || forged.length > 0) return 1;
  return proved ? 0 : 3;
};

type Values = ReturnType<
  typeof parsedArguments<{ options: typeof options; allowPositionals: true }>
>['values'];

const requireUsable = (values: Values, positionals: readonly string[]): void => {
  const { proof, log } = values;
  const [text] = positionals;
  if (text !== undefined)
    throw new SettingsError(`got "${plain(text)}", expected options only, perhaps --log ${plain(text)}`);
  if (log !== undefined && proof !== undefined)
    throw new SettingsError('--log and --proof: got both, expected one');
  const others = [values.fingerprints, values.json, values.decisions, values['to-checkpoint']];
  if (proof !== undefined && others.some(value => value !== undefined))
    throw new SettingsError('--proof: expected --checkpoint and --public-key alone');
};

/** Verifies an export of the API; undefined for any other log. */
const verifyFromApi = async (input: LogInput, values: Values): Promise<1 | 3 | undefined> => {
  const format = input.kind === 'export' ? apiFormatOf(input.file) : undefined;
  if (input.kind !== 'export' || format === undefined) return undefined;
  if (format === 'csv')
    throw new CannotVerify(
      `${plain(input.file)} is a CSV export of the API, which shows no more than a table: ask for format=ndjson, or for "daybook export"`,
    );
  const report = await verifyApiExport(input.file, format);
  process.stdout.write(values.json === true ? apiReportJson(report) : apiReportText(report));
  return report.findingCount > 0 ? 1 : 3;
};

export const verify: Command = {
  usage,
  run: async (args, env) => {
    const { values, positionals } = parsedArguments({ args: [...args], options, allowPositionals: true });
    requireUsable(values, positionals);
    return withCannotVerify(async () => {
      if (values.proof !== undefined)
        return verifyProof(
          values.proof,
          ratedCheckpoints(values.checkpoint ?? [], values['public-key'] ?? []),
        );
      const verification = verificationOf(values, env);
      const apiExitCode = await verifyFromApi(verification.input, values);
      if (apiExitCode !== undefined) return apiExitCode;
      const report = await verifyLog(verification, values.decisions === true ? () => true : undefined);
      process.stdout.write(values.json === true ? reportJson(report) : reportText(report));
      return exitCodeOf(report);
    });
  },
};
