import { existsSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { authorOf, type Author, type KeptKey } from '../../../application/access/people.js';
import { keyIdsIn, openedJson } from '../../privacy/sealed.js';
import { openReadOnly } from '../../sqlite/readOnly.js';
import { SettingsError } from '../../settings/settingsError.js';
import { peopleFile } from '../../composition/openLog.js';
import type { LogInput } from '../audit/logInput.js';
import { plain } from '../terminal/text.js';

/** Opens the sealed texts in a JSON text. */
type OpenNames = (json: string) => string;

/**
 * Opens names of people with the keys next to a log file of the embedded store.
 * @throws SettingsError when there are no keys
 */
export const openNames = (input: LogInput): { readonly open: OpenNames; readonly close: () => void } => {
  const file = input.kind === 'sqlite' ? join(dirname(input.file), peopleFile) : undefined;
  if (file === undefined || !existsSync(file))
    throw new SettingsError(
      `--names: expected a data folder with ${peopleFile}, which has the keys of people`,
    );
  const db = openReadOnly(file);
  const byId = db.prepare<[string], KeptKey>('select * from person_keys where id = ?');
  return {
    open: json => {
      const keys = [...keyIdsIn(json)].flatMap(id => byId.get(id) ?? []);
      return openedJson(json, new Map(keys.map(key => [key.id, key])));
    },
    close: () => void db.close(),
  };
};

/** Authors of events by their stored form, with names and kinds opened. */
export type OpenedAuthors = ReadonlyMap<string, Author>;

/** Opens the authors of events. */
export const openedAuthors = (authors: Iterable<string>, open: OpenNames): OpenedAuthors =>
  new Map([...new Set(authors)].map(by => [by, JSON.parse(open(JSON.stringify(authorOf(by)))) as Author]));

const sealed = /^sealed:1:([0-9a-f]{32}):/;
/** Digits of a key id that tell people apart on paper. */
const idDigits = 8;

/**
 * How a report calls the authors of events: people by name in quotes where it is known, else as a numbered person. The
 * quotes tell a person with the name "the service" from the service.
 * @param opened authors whose names may be shown
 * @returns a function from `by` of an event's metadata to a name
 */
export const authorNames = (
  authors: Iterable<string>,
  opened: OpenedAuthors = new Map(),
): ((by: string) => string) => {
  const numbers = new Map<string, number>();
  for (const by of authors) {
    const [, id] = sealed.exec(by) ?? [];
    if (id !== undefined && !numbers.has(id)) numbers.set(id, numbers.size + 1);
  }
  return stored => {
    const { by, byKind } = opened.get(stored) ?? authorOf(stored);
    if (byKind === 'service') return 'the service';
    if (byKind === 'person') return `“${plain(by)}”`;
    const [, id = ''] = sealed.exec(stored) ?? [];
    const erased = byKind === 'erased' ? 'erased ' : '';
    return `${erased}person ${numbers.get(id) ?? '?'} (key ${id.slice(0, idDigits)}…)`;
  };
};

/** A text of a person in quotes, or a note that it is sealed. */
export const quotedText = (text: string): string =>
  sealed.test(text) ? '(sealed text)' : `“${plain(text)}”`;
