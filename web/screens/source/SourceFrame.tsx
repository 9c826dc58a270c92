import { useQuery } from '@tanstack/react-query';
import { Link, Outlet, useMatchRoute } from '@tanstack/react-router';
import { ApiProblem } from '../../api/client.js';
import { queries } from '../../api/queries.js';
import { useScope } from '../../api/session.js';
import { useFormats } from '../../messages/formats.js';
import { useMessages } from '../../messages/messages.js';
import { Failure } from '../../parts/Failure.js';
import { sourceRoute } from '../../router.js';
import { ArchivedSource } from './ArchivedSource.js';
import './source.css';

/** The frame of one source's screens: tabs, and a mark when the past is shown. */
export const SourceFrame = () => {
  const { sourceId } = sourceRoute.useParams();
  const { asOf } = sourceRoute.useSearch();
  const { sourceTabs: texts } = useMessages();
  const formats = useFormats();
  const mayImport = useScope('import');
  const mayAudit = useScope('audit');
  const { data: source, error } = useQuery(queries.source(sourceId));
  const isCalendar = useMatchRoute()({ to: '/sources/$sourceId/calendar/$year', fuzzy: true }) !== false;
  const params = { sourceId };
  return (
    <>
      <div className="source-bar no-print">
        <Link to="/sources/$sourceId" params={params} className="source-title" dir="auto">
          {source?.name ?? '…'}
        </Link>
        <nav className="tabs" aria-label={texts.label}>
          <Link
            to="/sources/$sourceId"
            params={params}
            activeOptions={{ exact: true }}
            aria-current={isCalendar ? 'page' : undefined}
          >
            {texts.calendar}
          </Link>
          <Link to="/sources/$sourceId/models" params={params}>
            {texts.models}
          </Link>
          {mayImport && (
            <Link to="/sources/$sourceId/import" params={params}>
              {texts.import}
            </Link>
          )}
          {mayAudit && (
            <Link to="/sources/$sourceId/history" params={params}>
              {texts.history}
            </Link>
          )}
          <Link to="/sources/$sourceId/settings" params={params}>
            {texts.settings}
          </Link>
        </nav>
      </div>
      {asOf !== undefined && (
        <p className="notice past" role="status">
          <strong>{texts.asKnown(/^\d+$/.test(asOf) ? texts.position(asOf) : formats.instant(asOf))}</strong>
          <Link to="." search={{ asOf: undefined } as object} className="button">
            {texts.backToNow}
          </Link>
        </p>
      )}
      {error && !source ? (
        asOf !== undefined && error instanceof ApiProblem && error.status === 404 ? (
          <h1>{texts.notThen}</h1>
        ) : error instanceof ApiProblem && error.status === 404 ? (
          <ArchivedSource sourceId={sourceId} />
        ) : (
          <Failure error={error} />
        )
      ) : (
        <Outlet />
      )}
    </>
  );
};
