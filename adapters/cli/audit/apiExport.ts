import { closeSync, openSync, readFileSync, readSync, statSync } from 'node:fs';
import { apiExportVerifier, type ApiExportFacts } from '../../../auditing/apiExport.js';
import { SettingsError } from '../../settings/values.js';
import { plural } from '../../../domain/text.js';
import { plain } from '../terminal/text.js';
import { linesOf } from './logInput.js';

/** Formats of `GET /v1/audit/event`. */
export type ApiFormat = 'pages' | 'ndjson' | 'csv';

const headBytes = 4096;
/** Largest file of JSON pages that is read. */
const pagesBytesMax = 500_000_000;

/** The format of an export that the API made; undefined for any other file. */
export const apiFormatOf = (file: string): ApiFormat | undefined => {
  const descriptor = openSync(file, 'r');
  try {
    const head = Buffer.alloc(headBytes);
    const text = head.toString('utf8', 0, readSync(descriptor, head, 0, headBytes, 0));
    if (/^\s*\{\s*"events"\s*:\s*\[/.test(text)) return 'pages';
    if (/^\s*\{\s*"position"\s*:\s*"/.test(text)) return 'ndjson';
    return text.startsWith('position,id,stream,revision,type,') ? 'csv' : undefined;
  } finally {
    closeSync(descriptor);
  }
};

type Page = { readonly events?: unknown; readonly nextCursor?: unknown };

const parsed = (file: string, text: string): unknown => {
  try {
    return JSON.parse(text) as unknown;
  } catch {
    throw new SettingsError(`${plain(file)}: got broken JSON, expected an answer of GET /v1/audit/event`);
  }
};

/** The pages of a file: one, or one a line. */
const pagesOf = (file: string): readonly Page[] => {
  if (statSync(file).size > pagesBytesMax)
    throw new SettingsError(`${plain(file)}: got more than ${pagesBytesMax} bytes, expected smaller pages`);
  const text = readFileSync(file, 'utf8');
  const lines = text.split('\n').filter(line => line.trim() !== '');
  const isPageALine = lines.length > 1 && lines.every(line => line.startsWith('{"events":'));
  return (isPageALine ? lines : [text]).map(page => parsed(file, page) as Page);
};

/** Facts of an export of the API; `isOpen` when its last page names a next one. */
export type ApiReport = ApiExportFacts & { readonly isOpen: boolean };

/** Reads and checks an export of the API. @throws SettingsError for a file that is not such an export */
export const verifyApiExport = async (file: string, format: 'pages' | 'ndjson'): Promise<ApiReport> => {
  const check = apiExportVerifier();
  let isOpen = false;
  if (format === 'ndjson') for await (const line of linesOf(file)) check.take(parsed(file, line.toString()));
  else
    for (const { events, nextCursor } of pagesOf(file)) {
      if (!Array.isArray(events)) throw new SettingsError(`${plain(file)}: got no events in a page`);
      for (const event of events) check.take(event);
      isOpen = nextCursor !== undefined;
    }
  return { ...check.done(), isOpen };
};

/** Limits of what an export of the API can prove, and advice. */
const apiLimits = [
  'An export of the API cannot be proved with a checkpoint: it shows the events of one tenant, with names of people in place of their sealed form, and a checkpoint covers the stored events of all tenants.',
  'To prove the whole log: ask the operator for "daybook export" and a checkpoint. To prove one event: GET /v1/audit/proof/inclusion, then daybook verify --proof.',
] as const;

/** Result of an API export in sentences: checked and uncheckable parts. */
export const apiReportText = (report: ApiReport): string => {
  const { events, streams, first, last, checked, named, detached, withoutHash, findings } = report;
  const { missingRevisions, missingPositions, findingCount, isOpen } = report;
  const some = (count: number, sentence: string): string[] => (count > 0 ? [sentence] : []);
  return [
    `This is an export of the API (GET /v1/audit/event): ${plural(events, 'event')} in ${plural(streams, 'stream')}, positions ${first ?? 'none'} to ${last ?? 'none'}.`,
    `${plural(checked, 'event')} fit to the event before them in their stream by their hash.`,
    ...some(
      named,
      `${plural(named, 'event')} of people cannot be checked: the hash covers the sealed name, the API shows the readable one.`,
    ),
    ...some(
      detached,
      `${plural(detached, 'event')} cannot be checked: the event before them in their stream is not in the file.`,
    ),
    ...some(withoutHash, `${plural(withoutHash, 'event')} have no hash.`),
    ...some(
      missingRevisions,
      `${plural(missingRevisions, 'revision')} of these streams are not in the file: left out by the query, or removed. The file does not tell which.`,
    ),
    ...some(
      Number(missingPositions),
      `${missingPositions} positions between the first and the last are not in the file. On the embedded store each is an event of another tenant, another source or another type, or a removed one; on EventStoreDB positions are not consecutive.`,
    ),
    ...(isOpen ? ['More events follow: the last page has a nextCursor.'] : []),
    ...findings.slice(0, 20).map(({ n, detail }) => `event ${n} of the file: ${plain(detail)}`),
    ...apiLimits,
    findingCount > 0
      ? `Verdict: ${plural(findingCount, 'problem')} found.`
      : 'Verdict: no problem was found, but not proved: an export of the API cannot be proved.',
    '',
  ].join('\n');
};

/** Result of an API export as one line of JSON. */
export const apiReportJson = (report: ApiReport): string =>
  `${JSON.stringify({
    clean: false,
    kind: 'apiExport',
    verdict: report.findingCount > 0 ? 'found' : 'unproved',
    reasons: [{ code: 'apiExport', detail: apiLimits[0], cure: apiLimits[1] }],
    ...report,
  })}\n`;
