import { useQuery } from '@tanstack/react-query';
import { useNavigate } from '@tanstack/react-router';
import { useId, useState } from 'react';
import { useCollect } from '../../api/mutations.js';
import { queries, type ArrivingSeries as Series } from '../../api/queries.js';
import { useFormats } from '../../messages/formats.js';
import { useMessages } from '../../messages/messages.js';
import { firstDays } from '../../parts/days.js';
import { Faults } from '../../parts/Failure.js';
import { FormButtons, SelectField, submits, TextField } from '../../parts/Field.js';
import { hereNow, whenDone } from '../../parts/drafts.js';

const shownMax = 50;

/** The series as its writer names it, with its tags. */
const nameOf = ({ measurement, field, tags }: Series): string =>
  [`${measurement} ${field}`, ...Object.entries(tags).map(tag => tag.join('='))].join(', ');

/** Series of line protocol that no source takes, each with a form that makes a source of it. */
export const ArrivingSeries = () => {
  const { imports: texts } = useMessages();
  const [searched, setSearched] = useState('');
  const id = useId();
  const { data = [] } = useQuery(queries.unclaimed());
  if (data.length === 0) return null;
  const found = data.filter(one => nameOf(one).toLowerCase().includes(searched.trim().toLowerCase()));
  return (
    <section className="card card-pad stack tight" aria-labelledby={id}>
      <h2 id={id}>{texts.arriving}</h2>
      <p className="muted">{texts.arrivingLead}</p>
      {data.length > 10 && (
        <input
          type="search"
          className="input"
          aria-label={texts.arrivingSearch}
          placeholder={texts.arrivingSearch}
          value={searched}
          onChange={({ target }) => setSearched(target.value)}
        />
      )}
      <ul className="stack tight arriving">
        {found.slice(0, shownMax).map(one => (
          <ArrivingRow key={nameOf(one)} series={one} />
        ))}
      </ul>
      {found.length > shownMax && <p className="muted">{texts.arrivingMore(found.length - shownMax)}</p>}
    </section>
  );
};

const ArrivingRow = ({ series }: { readonly series: Series }) => {
  const { imports: texts } = useMessages();
  const formats = useFormats();
  const [isOpen, setOpen] = useState(false);
  const name = nameOf(series);
  return (
    <li className="stack tight">
      <div className="row spread">
        <div>
          <strong dir="auto">{name}</strong>
          <p className="muted small">
            {texts.arrivingFacts(series.points, formats.instant(series.lastSeen))}
          </p>
        </div>
        {!isOpen && (
          <button
            type="button"
            className="button"
            aria-label={texts.collectNamed(name)}
            onClick={() => setOpen(true)}
          >
            {texts.collect}
          </button>
        )}
      </div>
      {isOpen && <CollectForm series={series} onCancel={() => setOpen(false)} />}
    </li>
  );
};

const rules = ['mean', 'sum', 'counter'] as const;
const sizes = [24, 48, 144] as const;
const localZone = (): string => new Intl.DateTimeFormat().resolvedOptions().timeZone;

const CollectForm = ({ series, onCancel }: { readonly series: Series; readonly onCancel: () => void }) => {
  const { imports: texts, settings } = useMessages();
  const navigate = useNavigate();
  const [name, setName] = useState(nameOf(series).slice(0, 100));
  const [rule, setRule] = useState<(typeof rules)[number]>('mean');
  const [size, setSize] = useState<(typeof sizes)[number]>(24);
  const { mutateAsync, isPending, error } = useCollect();
  const { measurement, field, tags } = series;
  const collect = (): void => {
    const isHere = hereNow();
    whenDone(
      mutateAsync({
        name: name.trim(),
        activitySize: size,
        aggregation: rule,
        timeZone: localZone(),
        feed: { measurement, field, tags },
      }),
      // Its series may have left the list, and with it this form.
      ({ id }) => {
        if (isHere()) void navigate({ to: '/sources/$sourceId', params: { sourceId: id }, search: {} });
      },
      () => {},
    );
  };
  return (
    <form className="stack tight" onSubmit={submits(collect)}>
      <TextField label={settings.name} required maxLength={100} dir="auto" value={name} onChange={setName} />
      <div className="choices">
        <SelectField
          label={settings.aggregation}
          value={rule}
          options={rules.map(one => [one, texts[one]])}
          onChange={next => setRule(next as typeof rule)}
        />
        <SelectField
          label={texts.activitySize}
          value={String(size)}
          options={sizes.map(one => [String(one), settings.perDay(one)])}
          onChange={next => setSize(Number(next) as typeof size)}
        />
      </div>
      <p className="hint">{texts.collectHint(localZone(), firstDays)}</p>
      {error && <Faults error={error} />}
      <FormButtons text={texts.collect} isReady={!isPending && name.trim() !== ''} onCancel={onCancel} />
    </form>
  );
};
