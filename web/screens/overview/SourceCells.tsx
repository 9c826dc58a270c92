import { Link } from '@tanstack/react-router';
import { useMemo, memo, type CSSProperties } from 'react';
import type { OverviewSource } from '../../api/client.js';
import { lossOf, modelNameOf, useFormats, type Formats } from '../../messages/formats.js';
import { useMessages } from '../../messages/messages.js';
import { alertIdOf, looksOf, type Look, levelOf } from '../../parts/days.js';
import type { Messages } from '../../messages/en.js';
import { modelColor } from '../../parts/modelColor.js';

/** One row of the overview: name, days, date of the newest data, open alerts. */
export const SourceCells = ({
  source,
  dates,
  planned,
  choose,
}: {
  readonly source: OverviewSource;
  readonly dates: readonly string[];
  readonly planned: OverviewSource['planned'];
  readonly choose: (id: number) => (date: string, look: Look) => void;
}) => {
  const { overview: texts } = useMessages();
  const formats = useFormats();
  const looks = useMemo(() => looksOf(source, planned, dates), [source, planned, dates]);
  const chooseDay = useMemo(() => choose(source.id), [choose, source.id]);
  const { analysis } = source;
  return (
    <>
      <div role="cell" className="col-name">
        <Link
          to="/sources/$sourceId"
          params={{ sourceId: source.id }}
          className="source-name"
          title={source.name}
          dir="auto"
        >
          {source.name}
        </Link>
        {source.parked && (
          <span className="small fault" title={source.parked.cause}>
            {texts.parked(source.parked.type, source.parked.position)}
          </span>
        )}
        {!source.parked && analysis !== 'completed' && (
          <span className={analysis === 'failed' ? 'small fault' : 'small muted'}>
            {texts.unlearned[analysis]}
          </span>
        )}
      </div>
      <div role="cell" className="col-strip">
        <DayStrip looks={looks} dates={dates} choose={chooseDay} />
      </div>
      <div role="cell" className="col-last muted">
        {source.lastDate === null ? texts.noData : formats.dayYear(source.lastDate)}
      </div>
      <div role="cell" className="col-open">
        <OpenAlerts source={source} />
      </div>
    </>
  );
};

/** Open alerts of a source: the one that lost most, whenever it was, and their number. */
const OpenAlerts = ({ source: { id, openAlerts, worst } }: { readonly source: OverviewSource }) => {
  const { overview: texts } = useMessages();
  if (!worst) return <span className="muted">{texts.noAlerts}</span>;
  return (
    <>
      <Link to="/alerts/$alertId" params={{ alertId: worst.id }} className="worst">
        <span className="mark" data-level={levelOf(worst)} aria-hidden />
        <span className="hidden">{texts.worst} </span>
        <WorstAlert worst={worst} />
      </Link>
      <Link to="/alerts" search={{ source: id, state: 'unprocessed' }} className="count-link">
        <span className="count" data-level={levelOf(worst)}>
          {openAlerts}
        </span>
      </Link>
    </>
  );
};

/** Loss, criticity and date of the worst alert; on a phone without the date and the criticity. */
const WorstAlert = ({ worst }: { readonly worst: NonNullable<OverviewSource['worst']> }) => {
  const messages = useMessages();
  const formats = useFormats();
  const loss = lossOf(worst, formats);
  const criticity = messages.alert.criticity(formats.percent(worst.criticity));
  return (
    <span className="worst-facts" title={`${criticity}. ${messages.loss.explain}`}>
      <span>{loss ?? criticity}</span>
      <span className="muted">
        {formats.dayYear(worst.date)}
        {loss && <span className="worst-criticity"> · {criticity}</span>}
      </span>
    </span>
  );
};

/** A day in words. */
const describe = (look: Look, messages: Messages, formats: Formats): string => {
  const text = describeKind(look, messages, formats);
  return look.inProgress ? messages.overview.cells.inProgress(text) : text;
};

const describeKind = (look: Look, messages: Messages, formats: Formats): string => {
  const {
    overview: { cells },
    states,
  } = messages;
  switch (look.kind) {
    case 'alert': {
      const loss = lossOf(look, formats);
      const lost = loss ? `${loss}, ` : '';
      const text = cells.alert(lost, formats.percent(look.criticity), states[look.state]);
      return look.isSilence ? `${cells.none}, ${text}` : text;
    }
    case 'gap':
      return look.alert ? `${cells.gap}, ${states[look.alert.state]}` : cells.gap;
    case 'planned':
      return cells.planned(modelNameOf(look, formats));
    default:
      return cells[look.kind];
  }
};

/** Days of one source as small bars: height and tone rise with the loss. The label has the counts in words. */
const DayStrip = memo(function DayStrip({
  looks,
  dates,
  choose,
}: {
  readonly looks: readonly Look[];
  readonly dates: readonly string[];
  readonly choose: (date: string, look: Look) => void;
}) {
  const messages = useMessages();
  const formats = useFormats();
  const alerts = looks.filter(look => alertIdOf(look) !== undefined).length;
  const missing = looks.filter(({ kind }) => kind === 'none').length;
  const indexOf = (target: EventTarget): number =>
    Number((target as HTMLElement).closest<HTMLElement>('[data-index]')?.dataset['index'] ?? -1);
  return (
    <div
      className="strip"
      role="img"
      aria-label={messages.overview.strip(dates.length, alerts, missing)}
      style={{ '--days': dates.length } as CSSProperties}
      onClick={({ target }) => {
        const index = indexOf(target);
        const date = dates[index];
        const look = looks[index];
        if (date !== undefined && look) choose(date, look);
      }}
    >
      {looks.map((look, index) => {
        const date = dates[index] ?? '';
        return (
          <span
            key={date}
            data-index={index}
            data-look={look.kind}
            data-progress={look.inProgress}
            {...(look.kind === 'alert' && {
              'data-level': look.level,
              'data-done': look.state === 'resolved' || undefined,
            })}
            data-tip={`${formats.day(date)} · ${describe(look, messages, formats)}`}
          >
            <i
              style={
                look.kind === 'planned'
                  ? { background: modelColor(look.color) }
                  : look.elapsed === undefined
                    ? undefined
                    : ({ '--elapsed': look.elapsed } as CSSProperties)
              }
            />
          </span>
        );
      })}
    </div>
  );
});
