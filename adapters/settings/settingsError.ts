/** An invalid setting; the message has its name, the value and the expected value. */
export class SettingsError extends Error {
  readonly name = 'SettingsError';
}
