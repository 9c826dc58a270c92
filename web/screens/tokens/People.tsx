import { useQuery } from '@tanstack/react-query';
import { useId } from 'react';
import type { Incident, Token } from '../../api/client.js';
import { queries } from '../../api/queries.js';
import { useScope } from '../../api/session.js';
import { useFormats } from '../../messages/formats.js';
import { useMessages } from '../../messages/messages.js';

/** The last known act of a person: using a token, issuing one, or being given one. */
type Act = { readonly kind: 'used' | 'issued' | 'given'; readonly at: string };

type Person = { readonly name: string; readonly last: Act | undefined; readonly incidents: number };

/** Names of erased persons read so; a person of this name is left out, too. */
const erased = 'erased';

/** People and devices of tokens and incidents, without erased ones, those that were seen last first. */
const peopleOf = (tokens: readonly Token[], incidents: readonly Incident[]): readonly Person[] => {
  const acts: readonly (readonly [string, Act | undefined])[] = [
    ...tokens.flatMap(({ name, by, byKind, issuedAt, lastUsedAt }) => [
      [name, { kind: 'given', at: issuedAt }] as const,
      ...(byKind === 'person' ? [[by, { kind: 'issued', at: issuedAt }] as const] : []),
      ...(lastUsedAt === null ? [] : [[name, { kind: 'used', at: lastUsedAt }] as const]),
    ]),
    ...incidents.flatMap(({ assignee }) => (assignee === null ? [] : [[assignee, undefined] as const])),
  ];
  const last = new Map<string, Act | undefined>();
  for (const [name, act] of acts) {
    const known = last.get(name);
    last.set(name, known && (!act || act.at < known.at) ? known : act);
  }
  last.delete(erased);
  return [...last]
    .map(([name, act]) => ({
      name,
      last: act,
      incidents: incidents.filter(({ assignee }) => assignee === name).length,
    }))
    .sort((a, b) => (b.last?.at ?? '').localeCompare(a.last?.at ?? '') || a.name.localeCompare(b.name));
};

/** People and devices as far as tokens in force and open incidents tell, and when each was last seen. */
export const People = ({ tokens }: { readonly tokens: readonly Token[] }) => {
  const { tokens: texts } = useMessages();
  const formats = useFormats();
  const mayRead = useScope('read');
  const { data } = useQuery({
    ...queries.incidents({ state: 'unprocessed', sort: 'criticity' }),
    enabled: mayRead,
  });
  const people = peopleOf(tokens, data ?? []);
  const id = useId();
  if (people.length === 0) return null;
  return (
    <section className="card card-pad stack tight">
      <h2 id={id}>{texts.people}</h2>
      <p className="muted">{texts.peopleHint}</p>
      <ul className="records" aria-labelledby={id}>
        {people.map(({ name, last, incidents }) => (
          <li key={name} aria-label={name}>
            <div>
              <strong dir="auto">{name}</strong>
              <p className="muted small">
                {[
                  ...(last ? [texts.seen[last.kind](formats.ago(last.at))] : []),
                  ...(incidents > 0 ? [texts.assigned(incidents)] : []),
                ].join(' · ')}
              </p>
            </div>
          </li>
        ))}
      </ul>
    </section>
  );
};
