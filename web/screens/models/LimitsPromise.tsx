import type { ModelList } from '../../api/types.js';
import { useFormats } from '../../messages/formats.js';
import { useMessages } from '../../messages/messages.js';

/** Measured quality of the limits in words. */
export const LimitsPromise = ({ list: { bounds, hitRate, calendar } }: { readonly list: ModelList }) => {
  const { models: texts } = useMessages();
  const { number, percent } = useFormats();
  const change = bounds?.minimumDetectableChange;
  const shares = (sides: { more: number | null; less: number | null }) =>
    [
      sides.more === null ? undefined : `+${percent(sides.more)}`,
      sides.less === null ? undefined : `−${percent(sides.less)}`,
    ]
      .filter(text => text !== undefined)
      .join(' / ');
  return (
    <section className="card card-pad stack tight">
      <h2>{texts.promise}</h2>
      {bounds ? (
        <>
          {bounds.falseAlertsPerYear !== null && (
            <p>
              <strong className="big">
                {texts.falseAlerts(number(Math.round(bounds.falseAlertsPerYear)))}
              </strong>
            </p>
          )}
          <p className="muted">{texts.measured(percent(bounds.measuredCoverage), bounds.calibrationDays)}</p>
          {change && (
            <p className="muted">
              {texts.detectable(shares(change.wholeDay) || '–', shares(change.eightHours) || '–')}
            </p>
          )}
        </>
      ) : (
        <p className="muted">{texts.custom}</p>
      )}
      {hitRate !== null && <p className="muted">{texts.hitRate(percent(hitRate))}</p>}
      {calendar && <p className="muted">{texts.calendar(calendar.code, calendar.evidence ?? '')}</p>}
    </section>
  );
};
