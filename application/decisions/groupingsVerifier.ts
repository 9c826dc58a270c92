import type { EventOf } from '../../domain/events.js';
import type { IncidentFacts } from '../../domain/incidents/incidents.js';
import { streams, tenantOf } from '../../domain/streams.js';
import type { ReadModels } from '../../projections/readModels.js';
import { alertsPerEventMax, groupedFrom, placesOf } from '../followUps/incidents/groupAlerts.js';
import { differenceOf, isOfData, type Placed, type Tally } from './tally.js';

type Grouped = Placed<EventOf<'AlertsGrouped'>>;

/** Events before a grouping that are looked at. */
const recentMax = 2000;

const isRead = (stream: string): boolean => /^(source|alerts|incidents|settings)-/.test(stream);

/** Facts of incidents without what has changed in their sources, which follows from values of days. */
const withoutChanges = (incidents: readonly IncidentFacts[]) =>
  incidents.map(({ changes, recognised, ...facts }) => facts);

/**
 * Repeats groupings of alerts into incidents. A grouping is made from all events of its tenant's incidents, the alerts
 * of its source up to `knowledge`, and what the read models have of other sources between its cause and its event.
 * @param models empty; they get all events in the order of the log
 */
export const groupingsVerifier = (models: ReadModels, tally: Tally) => {
  let recent: { readonly id: string; readonly stream: string; readonly revision: number }[] = [];
  /** Why later groupings cannot be repeated. */
  let broken: string | undefined;

  /** Whether other events came after the cause of a grouping, of which it may know any number. */
  const isAmongOthers = ({ event: { metadata, data } }: Grouped): boolean => {
    const from = recent.findIndex(({ id }) => id === metadata.cause);
    return recent.slice(from < 0 ? 0 : from).some(({ stream, revision }) => {
      if (stream === streams.alerts(data.sourceId)) return revision > data.knowledge;
      return isRead(stream) && !stream.startsWith('incidents-');
    });
  };

  const verify = (placed: Grouped): void => {
    const { id, stream, data } = placed.event;
    const { sourceId, knowledge, incidents, ...moved } = data;
    if (broken !== undefined) return tally.cannotDecide(broken, `AlertsGrouped ${id}`);
    if (models.sources.setup(sourceId) === undefined) return tally.agree(placed, 'notInLog');
    const places = placesOf(models, sourceId, tenantOf(stream) ?? '');
    const changed = models.incidents
      .changedAlerts(sourceId, places, alertsPerEventMax)
      .filter(({ revision }) => revision <= knowledge);
    if (changed.length === 0)
      return tally.report(
        placed,
        'AlertsGrouped does not follow from the earlier events: no alert has changed',
      );
    const known = models.incidents.knownFor(sourceId, changed);
    const expected = groupedFrom(models, { sourceId, changed, known });
    const compared = { sourceId, knowledge, ...moved, incidents: withoutChanges(incidents) };
    const wanted = { ...expected, incidents: withoutChanges(expected.incidents) };
    const isSame = differenceOf(JSON.parse(JSON.stringify(wanted)), compared) === undefined;
    if (!isSame && isAmongOthers(placed))
      return tally.cannotDecide('other alerts changed while they were made', `AlertsGrouped ${id}`);
    tally.compare({ ...placed, event: { ...placed.event, data: compared } }, wanted);
  };

  const apply = ({ event }: Placed): void => {
    recent.push({ id: event.id, stream: event.stream, revision: event.revision });
    if (recent.length > 2 * recentMax) recent = recent.slice(-recentMax);
    if (broken !== undefined || !isRead(event.stream)) return;
    try {
      models.apply([event], event);
    } catch (error) {
      if (!isOfData(error)) throw error;
      broken = 'an earlier event cannot be replayed';
    }
  };
  /** Compares a grouping; one with data that no build writes is reported. */
  const verifySound = (placed: Grouped): void => {
    try {
      verify(placed);
    } catch (error) {
      if (!isOfData(error)) throw error;
      tally.report(placed, `it cannot be replayed: ${error.message}`);
    }
  };

  return {
    /** Compares a grouping, and takes the next event of the log. */
    take: (placed: Placed): void => {
      const { event, n } = placed;
      if (event.type === 'AlertsGrouped') verifySound({ event, n });
      apply(placed);
    },
    /** Takes an event whose decision is not asked about. */
    provide: apply,
    /** Records that an event of a stream has a newer version. */
    skip: (stream: string): void => {
      if (isRead(stream)) broken ??= 'an earlier event has a newer version';
    },
  };
};
