/** Kinds of streams that each source has; their ids are those of sources. */
const kindsOfSources = ['source', 'days', 'alerts'] as const;

/** Kinds of streams that each tenant has; their ids are names of tenants. */
const kindsOfTenants = ['audit', 'webhooks', 'calendar', 'incidents', 'settings', 'mutes', 'tokens'] as const;

/** Functions from an id to the name of its stream, by kind. */
type StreamNames<Kind extends string, Id> = { readonly [kind in Kind]: (id: Id) => string };

const streamNames = <Kind extends string, Id extends number | string>(
  kinds: readonly Kind[],
): StreamNames<Kind, Id> =>
  Object.fromEntries(kinds.map(kind => [kind, (id: Id) => `${kind}-${id}`])) as StreamNames<Kind, Id>;

const ofSources: StreamNames<(typeof kindsOfSources)[number], number> = streamNames(kindsOfSources);
const ofTenants: StreamNames<(typeof kindsOfTenants)[number], string> = streamNames(kindsOfTenants);

/** Names of streams by kind; `catalog` is the only one without an id. */
export const streams = { catalog: 'catalog', ...ofSources, ...ofTenants } as const;

/** Names of all streams of a source. */
export const streamsOfSource = (id: number): string[] => kindsOfSources.map(kind => ofSources[kind](id));

/** Names of all streams of a tenant. */
export const streamsOfTenant = (tenant: string): string[] =>
  kindsOfTenants.map(kind => ofTenants[kind](tenant));

/** Prefixes of the stream names of the log. */
export const streamBeginnings: readonly string[] = [
  streams.catalog,
  ...[...kindsOfSources, ...kindsOfTenants].map(kind => `${kind}-`),
];

/** Allowed names of tenants. */
export const tenantPattern = /^[\w.-]{1,64}$/;

const sourceStreamPattern = new RegExp(`^(?:${kindsOfSources.join('|')})-[1-9]\\d{0,14}$`);
const tenantStreamPattern = new RegExp(`^(?:${kindsOfTenants.join('|')})-(.*)$`, 's');

/** Subject of the events of a stream: all streams of a source have one, any other stream is its own. */
export const subjectOf = (stream: string): string =>
  sourceStreamPattern.test(stream) ? ofSources.source(sourceOf(stream)) : stream;

/** Name of a stream without its tenant, for messages that everybody may see. */
export const subjectName = (stream: string): string =>
  tenantOf(stream) === undefined ? stream : stream.replace(/-.*$/s, '');

/** Id of the source that a stream belongs to. */
export const sourceOf = (stream: string): number => Number(stream.slice(stream.indexOf('-') + 1));

/** Tenant of a stream such as `webhooks-{tenant}`; undefined for other streams, which belong to sources. */
export const tenantOf = (stream: string): string | undefined => tenantStreamPattern.exec(stream)?.[1];

/** Whether a stream name is valid in the log. */
export const isLogStream = (stream: string): boolean =>
  stream === streams.catalog ||
  sourceStreamPattern.test(stream) ||
  tenantPattern.test(tenantOf(stream) ?? '');
