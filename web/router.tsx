import {
  createRootRoute,
  createRoute,
  createRouter,
  lazyRouteComponent,
  notFound,
  retainSearchParams,
} from '@tanstack/react-router';
import type { ComponentType } from 'react';
import { NotFound, Failure } from './parts/Failure.js';
import { Shell } from './parts/Shell.js';
import { Overview } from './screens/overview/Overview.js';

const text = (value: unknown): string | undefined =>
  typeof value === 'string' && value !== '' ? value : typeof value === 'number' ? String(value) : undefined;
const integer = (value: unknown): number | undefined =>
  Number.isSafeInteger(Number(value)) && value !== '' && value !== undefined ? Number(value) : undefined;
const oneOf = <Value extends string>(values: readonly Value[], value: unknown): Value | undefined =>
  values.find(known => known === value);

/** Omits undefined parameters from the address. */
const given = <Search extends object>(
  search: Search,
): { [Key in keyof Search]?: Exclude<Search[Key], undefined> } =>
  Object.fromEntries(Object.entries(search).filter(([, value]) => value !== undefined)) as never;

const root = createRootRoute({ component: Shell, notFoundComponent: NotFound, errorComponent: Failure });

/** The module of a screen, which exports it by its name. */
type Loading<Name extends string> = () => Promise<Readonly<Record<Name, ComponentType>>>;

/** A screen without a search of its own, which is loaded when it is opened. */
const page = <Path extends string, Name extends string>(path: Path, load: Loading<Name>, name: Name) =>
  createRoute({ getParentRoute: () => root, path, component: lazyRouteComponent(load, name) });

const overviewRoute = createRoute({
  getParentRoute: () => root,
  path: '/',
  component: Overview,
  validateSearch: (search: Record<string, unknown>) =>
    given({
      q: text(search['q']),
      label: text(search['label']),
      sort: oneOf(['name', 'last'], search['sort']),
      group: text(search['group']),
      to: text(search['to']),
    }),
});

/** The list of incidents has the address of the former list of alerts, with its filters. */
const incidentsRoute = createRoute({
  getParentRoute: () => root,
  path: '/alerts',
  component: lazyRouteComponent(() => import('./screens/incidents/Incidents.js'), 'Incidents'),
  validateSearch: (search: Record<string, unknown>) =>
    given({
      q: text(search['q']),
      state: oneOf(
        ['unprocessed', 'acknowledged', 'resolved', 'ended', 'invalidated', 'all'],
        search['state'],
      ),
      kind: oneOf(['activity', 'gap', 'frozen', 'drift', 'noData'], search['kind']),
      source: integer(search['source']),
      label: text(search['label']),
      assignee: text(search['assignee']),
      muted: oneOf(['no', 'only'], search['muted']),
      sort: oneOf(['criticity', 'newest'], search['sort']),
    }),
});

const incidentRoute = createRoute({
  getParentRoute: () => root,
  path: '/incidents/$incidentId',
  component: lazyRouteComponent(() => import('./screens/incident/IncidentScreen.js'), 'IncidentScreen'),
  validateSearch: (search: Record<string, unknown>) => given({ alert: text(search['alert']) }),
});

const mutesRoute = page('/mutes', () => import('./screens/mutes/Mutes.js'), 'Mutes');
const alertRoute = page('/alerts/$alertId', () => import('./screens/alert/AlertScreen.js'), 'AlertScreen');
const newSourceRoute = page('/sources/new', () => import('./screens/import/NewSource.js'), 'NewSource');
const receiversRoute = page('/receivers', () => import('./screens/receivers/Receivers.js'), 'Receivers');
const tokensRoute = page('/tokens', () => import('./screens/tokens/Tokens.js'), 'Tokens');
const wallRoute = page('/wall', () => import('./screens/wall/Wall.js'), 'Wall');

/** All screens of one source share its heading, its tabs and the `asOf` instant. */
const sourceRoute = createRoute({
  getParentRoute: () => root,
  path: '/sources/$sourceId',
  component: lazyRouteComponent(() => import('./screens/SourceFrame.js'), 'SourceFrame'),
  params: {
    parse: ({ sourceId }: { sourceId: string }) => {
      const id = Number(sourceId);
      if (!Number.isSafeInteger(id) || id < 1) throw notFound();
      return { sourceId: id };
    },
    stringify: ({ sourceId }: { sourceId: number }) => ({ sourceId: String(sourceId) }),
  },
  validateSearch: (search: Record<string, unknown>) => given({ asOf: text(search['asOf']) }),
  search: { middlewares: [retainSearchParams(['asOf'])] },
});

/** The same for a screen of a source. */
const sourcePage = <Path extends string, Name extends string>(path: Path, load: Loading<Name>, name: Name) =>
  createRoute({ getParentRoute: () => sourceRoute, path, component: lazyRouteComponent(load, name) });

const sourceIndexRoute = sourcePage('/', () => import('./screens/SourceFrame.js'), 'ToCalendar');

const calendarRoute = createRoute({
  getParentRoute: () => sourceRoute,
  path: '/calendar/$year',
  component: lazyRouteComponent(() => import('./screens/calendar/Calendar.js'), 'Calendar'),
  params: {
    parse: ({ year }: { year: string }) => {
      if (!/^\d{1,4}$/.test(year) || Number(year) < 1 || Number(year) > 9998) throw notFound();
      return { year: Number(year) };
    },
    stringify: ({ year }: { year: number }) => ({ year: String(year) }),
  },
  // Links of older versions have the former name of `compare`.
  validateSearch: (search: Record<string, unknown>) =>
    given({ day: text(search['day']), compare: integer(search['compare'] ?? search['beside']) }),
});

const modelsRoute = sourcePage('/models', () => import('./screens/models/Models.js'), 'Models');
const importRoute = sourcePage('/import', () => import('./screens/import/ImportDays.js'), 'ImportDays');
const historyRoute = sourcePage('/history', () => import('./screens/History.js'), 'History');
const settingsRoute = sourcePage('/settings', () => import('./screens/settings/Settings.js'), 'Settings');

const routeTree = root.addChildren([
  overviewRoute,
  incidentsRoute,
  incidentRoute,
  alertRoute,
  mutesRoute,
  newSourceRoute,
  receiversRoute,
  tokensRoute,
  wallRoute,
  sourceRoute.addChildren([
    sourceIndexRoute,
    calendarRoute,
    modelsRoute,
    importRoute,
    historyRoute,
    settingsRoute,
  ]),
]);

/** The router of all screens. */
export const makeRouter = () =>
  createRouter({
    routeTree,
    defaultPreload: 'intent',
    defaultPreloadStaleTime: 0,
    scrollRestoration: true,
    defaultPendingMs: 200,
  });

declare module '@tanstack/react-router' {
  interface Register {
    router: ReturnType<typeof makeRouter>;
  }
}
