/** A wall display. */
export const wall = '(min-width: 118.75em)';

/** Days of the overview on it; elsewhere the service decides. */
export const daysOnWall = 56;

/** Key of the token of a session in the storage of its tab. */
export const tokenKey = 'daybook.token';

/** Key of the token of a screen on a wall, which stays when its browser is closed; it may only read. */
export const wallKey = 'daybook.wall';
export const isWall = location.pathname === '/wall';

/** The token that a wall keeps; null when it has none, or kept it for 30 days. */
export const wallToken = (): string | null => {
  const [until = '', token = ''] = (isWall ? localStorage.getItem(wallKey) : null)?.split(' ') ?? [];
  return Number(until) > Date.now() ? token : null;
};

/** The token of a session that goes on. */
export const storedToken = (): string | null => sessionStorage.getItem(tokenKey) ?? wallToken();

/** The token in a pasted link or text; undefined if there is none. */
export const tokenIn = (text: string): string | undefined =>
  /(?:^|#token=)\s*([\w-]+\.[\w-]+\.[\w-]+)\s*$/.exec(text.trim())?.[1];

/** A request that was sent before the program was there. */
type Early = { readonly authorization: string | null; readonly answer: Promise<Response> };

/** Requests whose answers are not taken yet, by their address. */
const early = new Map<string, Early>();
let position: Promise<string | undefined> = Promise.resolve(undefined);
let isAsked = false;

const ask = (path: string, token?: string): Promise<Response> => {
  const authorization = token === undefined ? null : `Bearer ${token}`;
  const headers = authorization === null ? {} : { Authorization: authorization, 'Accept-Language': 'en' };
  const answer = fetch(path, { headers });
  early.set(new URL(path, location.href).href, { authorization, answer });
  return answer;
};

/** Asks for what the overview shows first. Other screens ask when their program is there. */
const askOverview = (token: string): void => {
  if (location.pathname !== '/' || location.search !== '') return;
  isAsked = true;
  position = ask(`/v1/overview${matchMedia(wall).matches ? `?days=${daysOnWall}` : ''}`, token).then(
    ({ ok, headers }) => (ok ? (headers.get('X-Daybook-Position') ?? undefined) : undefined),
    () => undefined,
  );
};

/** Where an identity provider signs people in, the token of a link is not used. */
const askWithLink = async (token: string): Promise<void> => {
  const answer = (await ask('/config.json')).clone();
  const { oidc } = (await answer.json()) as { readonly oidc: unknown };
  if (oidc === null) askOverview(token);
};

/** Sends the requests that the program will need, while it is loaded. */
export const askEarly = (): void => {
  const token = storedToken();
  const given = location.hash.startsWith('#token=') ? tokenIn(location.hash) : undefined;
  if (token !== null) askOverview(token);
  // The program asks again, and says what failed.
  else if (given !== undefined) void askWithLink(given).catch(() => {});
};

/** A fetch that takes the answer of an equal request that was sent before, once. */
export const earlyFetch: typeof fetch = async (input, init) => {
  const request = new Request(input, init);
  const found = request.method === 'GET' ? early.get(request.url) : undefined;
  if (found?.authorization !== request.headers.get('Authorization')) return fetch(request);
  early.delete(request.url);
  return found.answer;
};

/** Position of the log that an early answer holds all events up to, once; undefined without such an answer. */
export const takeEarlyPosition = (): Promise<string | undefined> => {
  const taken = position;
  position = Promise.resolve(undefined);
  return taken;
};

/** Whether data were asked for before the program was there. */
export const hasEarlyAnswer = (): boolean => isAsked;
