/** An invalid setting; the message has its name, the value and the expected value. */
export class SettingsError extends Error {
  readonly name = 'SettingsError';
}

/** A port, 0 for any free one. @throws SettingsError */
export const portOf = (name: string, text: string): number => {
  if (!/^\d{1,5}$/.test(text) || Number(text) > 65_535)
    throw new SettingsError(`${name}: got "${text}", expected 0 to 65535`);
  return Number(text);
};

/** A host name or an address; 127.0.0.1 when none is given. @throws SettingsError */
export const hostOf = (name: string, text = '127.0.0.1'): string => {
  if (text.trim() === '')
    throw new SettingsError(`${name}: got an empty value, expected a name or an address`);
  return text;
};

/** A setting that is a name; `daybook` when none is given. @throws SettingsError */
export const named = (env: NodeJS.ProcessEnv, name: string): string => {
  const value = env[name] ?? 'daybook';
  if (value.trim() === '') throw new SettingsError(`${name}: got an empty value, expected a name`);
  return value;
};

/**
 * An https address. Plain http is accepted for this machine only: keys fetched without TLS could be forged.
 * @throws SettingsError
 */
export const safeUrl = (name: string, text: string): URL => {
  const url = URL.canParse(text) ? new URL(text) : undefined;
  const local = url?.protocol === 'http:' && ['localhost', '127.0.0.1', '[::1]'].includes(url.hostname);
  if (!url || (url.protocol !== 'https:' && !local))
    throw new SettingsError(`${name}: got "${text}", expected an https address (http on this machine only)`);
  return url;
};
