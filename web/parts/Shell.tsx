import { LanguageField, SelectField } from './Field.js';
import { Link, Outlet, useRouterState } from '@tanstack/react-router';
import { useContext, useEffect, useId, useRef, useState, type MouseEvent } from 'react';
import { useLive } from '../api/live.js';
import { useOpenIncidents } from '../api/queries.js';
import {
  answerOffer,
  isSamePerson,
  signOut,
  useOffer,
  useSession,
  type Identity,
  type Offer,
} from '../api/session.js';
import icon from '../icon.svg';
import { MessagesContext, useMessages } from '../messages/messages.js';
import { useFormats } from '../messages/formats.js';
import { SignIn, NoScope } from './SignIn.js';
import { ShortcutsHelp } from './shortcuts.js';
import { Toasts, useToast } from './Toasts.js';

type Theme = 'auto' | 'light' | 'dark';

const storageKey = 'daybook.theme';

/** The theme that a person chose, else that of the device. */
export const preferredTheme = (): Theme => {
  const theme = localStorage.getItem(storageKey);
  return theme === 'light' || theme === 'dark' ? theme : 'auto';
};

/** The style sheet reads the attribute; without it the system decides. */
export const applyTheme = (theme: Theme): void => {
  if (theme === 'auto') delete document.documentElement.dataset['theme'];
  else document.documentElement.dataset['theme'] = theme;
};

const keepTheme = (theme: Theme): void => {
  localStorage.setItem(storageKey, theme);
  applyTheme(theme);
};

/** The frame of every screen: navigation, state of the connection, account; and signing in before and over it. */
export const Shell = () => {
  const messages = useMessages();
  const { status, scopes, isConfirmed } = useSession();
  const main = useRef<HTMLElement>(null);
  const path = useRouterState({ select: ({ location }) => location.pathname });
  // A new page is read from its beginning, by screen readers too.
  const before = useRef(path);
  useEffect(() => {
    if (before.current !== path) main.current?.focus({ preventScroll: true });
    before.current = path;
  }, [path]);

  if (status === 'signedOut')
    return (
      <main className="page">
        <SignIn />
      </main>
    );
  return (
    <Toasts>
      <a className="skip" href="#main">
        {messages.skip}
      </a>
      <header className="topbar">
        <Link to="/" className="brand" aria-label="Daybook">
          <img src={icon} alt="" />
          <span>Daybook</span>
        </Link>
        <Navigation />
        <div className="spacer" />
        <LiveState />
        <Who />
        <AccountMenu />
      </header>
      <main id="main" className="page" tabIndex={-1} ref={main}>
        {scopes.has('read') ? (
          <Outlet />
        ) : isConfirmed ? (
          <NoScope />
        ) : (
          <p role="status">{messages.loading}</p>
        )}
      </main>
      {status === 'expired' && <SignIn />}
      <LinkQuestion />
      <ShortcutsHelp />
    </Toasts>
  );
};

const Navigation = () => {
  const { nav, overview, incidents, receivers } = useMessages();
  const { scopes } = useSession();
  const isIncident = useRouterState({
    select: ({ location }) => location.pathname.startsWith('/incidents/'),
  });
  const open = useOpenIncidents(scopes.has('read'));
  return (
    <nav aria-label={nav.label}>
      <Link to="/" activeOptions={{ exact: true, includeSearch: false }}>
        {overview.title}
      </Link>
      <Link
        to="/alerts"
        activeOptions={{ includeSearch: false }}
        {...(isIncident && { 'aria-current': 'page' })}
      >
        {incidents.title}
        {open !== '' && open !== '0' && <span className="count">{open}</span>}
      </Link>
      {scopes.has('webhook') && (
        <Link to="/receivers" className="wide">
          {receivers.title}
        </Link>
      )}
    </nav>
  );
};

const LiveState = () => {
  const { live } = useMessages();
  const formats = useFormats();
  const { connection, lastEventMs } = useLive();
  const last = lastEventMs === 0 ? '' : live.last(formats.time(lastEventMs));
  const text = connection === 'live' || last === '' ? live[connection] : `${live[connection]} ${last}`;
  return (
    <div className="live" data-state={connection} role="status" title={`${live[connection]} ${last}`}>
      <span>{text}</span>
    </div>
  );
};

/** The signed-in person and the tenant. */
const Who = () => {
  const { who } = useMessages();
  const { subject, tenant } = useSession();
  return (
    <div className="who" title={who(subject, tenant)}>
      <strong dir="auto">{subject}</strong>
      <span className="muted">{tenant}</span>
    </div>
  );
};

/** Links that the bar has no room for: on a phone receivers, too. */
const MenuLinks = () => {
  const { receivers, mutes, tokens } = useMessages();
  const { scopes } = useSession();
  const hide = ({ currentTarget }: MouseEvent<HTMLElement>): void =>
    currentTarget.closest<HTMLElement>('[popover]')?.hidePopover();
  return (
    <>
      {scopes.has('webhook') && (
        <Link to="/receivers" className="button narrow" onClick={hide}>
          {receivers.title}
        </Link>
      )}
      <Link to="/mutes" className="button" onClick={hide}>
        {mutes.title}
      </Link>
      {scopes.has('token') && (
        <Link to="/tokens" className="button" onClick={hide}>
          {tokens.title}
        </Link>
      )}
    </>
  );
};

const AccountMenu = () => {
  const { menu, themes } = useMessages();
  const { language, setLanguage } = useContext(MessagesContext);
  const { subject, tenant } = useSession();
  const tell = useToast();
  const [theme, setTheme] = useState(preferredTheme);
  const id = useId();
  return (
    <div className="menu">
      <button type="button" className="button quiet icon" popoverTarget={id} aria-label={menu.label}>
        <svg viewBox="0 0 18 18" fill="none" stroke="currentColor" strokeWidth="1.6">
          <circle cx="9" cy="6" r="3" />
          <path d="M3 16c.6-3.2 3-5 6-5s5.4 1.8 6 5" strokeLinecap="round" />
        </svg>
      </button>
      <div id={id} popover="auto" className="stack">
        <div>
          <strong dir="auto">{subject}</strong>
          <div className="muted small">{tenant}</div>
        </div>
        <SelectField
          label={menu.theme}
          value={theme}
          options={(['auto', 'light', 'dark'] as const).map(name => [name, themes[name]])}
          onChange={value => {
            const next = value as Theme;
            keepTheme(next);
            setTheme(next);
          }}
        />
        <LanguageField
          label={menu.language}
          value={language}
          onChange={next => void setLanguage(next).catch(() => tell(menu.textsMissing))}
        />
        <MenuLinks />
        {/* In a tab of its own, so that what is typed here stays; as an opened one it has the token for its reference. */}
        <a className="button" href="/docs/README" target="_blank" rel="opener">
          {menu.documentation}
        </a>
        <button type="button" className="button" onClick={signOut}>
          {menu.signOut}
        </button>
      </div>
    </div>
  );
};

/** A dialog about a link with a token that was opened during a session: anybody may have sent it. */
const LinkQuestion = () => {
  const offer = useOffer();
  return offer && <OfferQuestion offer={offer} />;
};

const OfferQuestion = ({ offer }: { readonly offer: Offer }) => {
  const { link: texts, close } = useMessages();
  const session = useSession();
  const dialog = useRef<HTMLDialogElement>(null);
  const id = useId();
  useEffect(() => dialog.current?.showModal(), []);
  const isOther = offer.kind === 'other';
  const isSame = isOther && isSamePerson(session, offer.identity);
  return (
    <dialog
      ref={dialog}
      aria-labelledby={id}
      onCancel={event => {
        event.preventDefault();
        answerOffer(false);
      }}
    >
      <h2 id={id}>{isOther ? texts.title : texts.unused}</h2>
      {isOther ? (
        <>
          <p>{isSame ? texts.otherScopes : texts.explain}</p>
          <dl className="people">
            <Person role={texts.now} {...session} scopes={isSame ? [...session.scopes] : []} />
            <Person role={texts.then} {...offer.identity} scopes={isSame ? offer.identity.scopes : []} />
          </dl>
        </>
      ) : (
        <p>{offer.kind === 'refused' ? texts.refused(offer.refusal) : texts.provider}</p>
      )}
      <div className="row">
        <button type="button" className="button primary" autoFocus onClick={() => answerOffer(false)}>
          {isOther ? texts.stay : close}
        </button>
        {isOther && (
          <button type="button" className="button" onClick={() => answerOffer(true)}>
            {texts.change}
          </button>
        )}
      </div>
    </dialog>
  );
};

type PersonProps = Pick<Identity, 'subject' | 'tenant' | 'scopes'> & { readonly role: string };

const Person = ({ role, subject, tenant, scopes }: PersonProps) => {
  const { link: texts } = useMessages();
  return (
    <div>
      <dt className="muted small">{role}</dt>
      <dd>
        <strong dir="auto">{subject}</strong>
        <span className="muted">{texts.tenant(tenant)}</span>
        {scopes.length > 0 && <span className="muted">{scopes.join(' ')}</span>}
      </dd>
    </div>
  );
};
