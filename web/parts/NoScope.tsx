import { useSession } from '../api/session.js';
import { useMessages } from '../messages/messages.js';

/** The page of a person who may not read: which claim was looked at, what it had, and what to set. */
export const NoScope = () => {
  const { noScope: texts } = useMessages();
  const { subject, tenant, scopes, scopeClaims, prefix, foundInstead = [] } = useSession();
  const found = scopes.size > 0 ? [...scopes] : foundInstead;
  return (
    <section className="card card-pad stack" role="alert">
      <h1>{texts.title}</h1>
      <p dir="auto">{texts.who(subject, tenant)}</p>
      <dl className="people">
        <div>
          <dt className="muted small">{texts.claims}</dt>
          <dd className="mono">{scopeClaims.join(', ')}</dd>
        </div>
        <div>
          <dt className="muted small">{texts.found}</dt>
          <dd className="mono">{found.length > 0 ? found.join(', ') : texts.nothing}</dd>
        </div>
        <div>
          <dt className="muted small">{texts.expected}</dt>
          <dd className="mono">{`${prefix}read`}</dd>
        </div>
      </dl>
      <p>{texts.advice}</p>
      {/* Served as files, so the router does not know it. */}
      <a href="/docs/configuration#identity-providers">{texts.more}</a>
    </section>
  );
};
