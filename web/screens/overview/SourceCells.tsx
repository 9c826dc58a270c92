import { Link } from '@tanstack/react-router';
import { useMemo } from 'react';
import type { OverviewSource } from '../../api/types.js';
import { useFormats } from '../../messages/formats.js';
import { useMessages } from '../../messages/messages.js';
import { looksOf, type Look } from './days.js';
import { DayStrip } from './DayStrip.js';

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
          <span className="small fault" title={source.parked.reason}>
            {texts.parked(source.parked.type, source.parked.position)}
          </span>
        )}
        {!source.parked && analysis !== 'completed' && (
          <span className={analysis === 'failed' ? 'small fault' : 'small muted'}>
            {analysis === 'failed' ? texts.analysisFailed : texts.analysing}
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
        {source.openAlerts === 0 ? (
          <span className="muted">{texts.noAlerts}</span>
        ) : (
          <Link to="/alerts" search={{ source: source.id }} className="count-link">
            <span className="count">{source.openAlerts}</span>
          </Link>
        )}
      </div>
    </>
  );
};
