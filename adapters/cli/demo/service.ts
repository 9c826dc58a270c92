import { pino } from 'pino';
import { mintToken, scopes } from '../../http/middleware/tokens.js';
import { start } from '../../main.js';
import { readSettings } from '../../settings/settings.js';
import { screenToken, tokenExpiresInS } from '../terminal/signInLink.js';

/** A service in this process, and tokens for it. */
export type DemoService = {
  readonly address: string;
  readonly dataDir: string;
  /** Token of the demo itself, with all scopes. */
  readonly token: string;
  /** Token for people, with the scopes of the screens. */
  readonly screenToken: string;
  readonly stop: () => Promise<void>;
};

/**
 * Starts a service in this process, on a free port, with its store in `dataDir`. The user's settings are ignored, so
 * that a demo never touches real data.
 * @param fault called when the service stops after a fatal error
 */
export const startDemoService = async (
  dataDir: string,
  fault: (error: unknown) => void,
): Promise<DemoService> => {
  const settings = readSettings({ DATA_DIR: dataDir, PORT: '0', LOG_LEVEL: 'silent' });
  const claims = { subject: 'demo', tenant: 'default', scopes };
  const token = await mintToken(settings.tokens, claims, tokenExpiresInS);
  const { address, stop } = await start(settings, pino({ level: settings.logLevel }), fault);
  return { address, dataDir, token, screenToken: await screenToken(settings.tokens, 'demo'), stop };
};
