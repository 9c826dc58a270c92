import { readdirSync, readFileSync } from 'node:fs';
import fc from '../property.js';
import { memoryStore } from '../../../adapters/memoryStore.js';
import type { EventStore } from '../../../application/ports/eventStore.js';
import type { Recorded } from '../../../domain/events.js';
import { repositoryRoot } from '../repository.js';

/** An event of a log before it is appended. */
export type Unappended = Omit<Recorded, 'position' | 'revision' | 'hash'>;

const folder = `${repositoryRoot()}/test/fixtures/events/`;
const examples = readdirSync(folder).map(file => readFileSync(folder + file, 'utf8'));

/** The examples of all events as the log of the nth tenant: other sources, ids and names than those of other tenants. */
const ofTenant = (n: number): Unappended[] =>
  examples
    .map(text =>
      text
        .replaceAll(/\b[0-9a-f]([0-9a-f]{7}-[0-9a-f]{4}-)/g, `${n}$1`)
        .replaceAll(/\b[0-9a-f]([0-9a-f]{31})\b/g, `${n}$1`)
        .replaceAll(
          /(["-])(\d+)-(2024\d{4})/g,
          (_, mark: string, id: string, date: string) => `${mark}${Number(id) + 100 * n}-${date}`,
        )
        .replaceAll(
          /"(source|days|alerts)-(\d+)"/g,
          (_, kind: string, id: string) => `"${kind}-${Number(id) + 100 * n}"`,
        )
        .replaceAll(
          /"(sourceId|relearnedAs|relearnedFrom|covariateId)": (\d+)/g,
          (_, name: string, id: string) => `"${name}": ${Number(id) + 100 * n}`,
        )
        .replaceAll('default', `tenant${n}`),
    )
    .map(text => JSON.parse(text) as Recorded)
    .sort((a, b) => Number(a.position) - Number(b.position))
    // Two examples have the same id.
    .map(({ position, revision, hash, ...event }, index, all) =>
      all.findIndex(({ id }) => id === event.id) === index
        ? event
        : { ...event, id: `${event.id.slice(0, -2)}${index + 10}` },
    );

/** A log with all kinds of events of three tenants, in turns. */
export const everyEvent = (): Unappended[] => {
  const logs = [0, 1, 2].map(ofTenant);
  return (logs[0] ?? []).flatMap((_, index) => logs.flatMap(log => log[index] ?? []));
};

/** A log in memory with these events. */
export const storeOf = async (events: readonly Unappended[]): Promise<EventStore> => {
  const store = memoryStore();
  const revisions = new Map<string, number>();
  for (const { stream, ...event } of events)
    revisions.set(stream, await store.append(stream, revisions.get(stream) ?? 'absent', [event]));
  return store;
};

/** A change of the data of an event that no release has written. */
export type Poison = { readonly kind: string; readonly field: number; readonly value: unknown };

export const poisons: fc.Arbitrary<Poison> = fc.record({
  kind: fc.constantFrom('newer', 'null', 'empty', 'drop', 'replace'),
  field: fc.nat(30),
  value: fc.constantFrom(null, {}, [{}], 'text', 1e300, true),
});

/** The event with a poison in it. */
export const poisoned = (event: Unappended, { kind, field, value }: Poison): Unappended => {
  if (kind === 'newer') return { ...event, v: 99 };
  if (kind === 'null') return { ...event, data: null };
  if (kind === 'empty') return { ...event, data: {} };
  const data = { ...(event.data as Record<string, unknown>) };
  const names = Object.keys(data);
  const name = names[field % names.length];
  if (name === undefined) return event;
  if (kind === 'drop') delete data[name];
  else data[name] = value;
  return { ...event, data };
};
