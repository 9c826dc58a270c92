import { pino } from 'pino';
import { readSettings } from '../../settings.js';
import { mintToken, scopes } from '../../http/tokens.js';
import { start } from '../../main.js';

/** A service of this process's own, and a token for it with every scope. */
export type OwnService = {
  readonly address: string;
  readonly token: string;
  readonly stop: () => Promise<void>;
};

/** How long the token is good, in seconds: a working day of trying things out. */
const tokenExpiresInS = 12 * 3600;

/**
 * Starts the service in this process, on a free port of this machine, with its store in `dataDir`.
 * Nothing of the user's own settings is used, so that a demo never touches real data.
 * @param fault called when the service cannot go on
 */
export const startOwn = async (dataDir: string, fault: (error: unknown) => void): Promise<OwnService> => {
  const settings = readSettings({ DATA_DIR: dataDir, PORT: '0', LOG_LEVEL: 'silent' });
  const token = await mintToken(
    settings.tokens,
    { subject: 'demo', tenant: 'default', scopes },
    tokenExpiresInS,
  );
  const { address, stop } = await start(settings, pino({ level: settings.logLevel }), fault);
  return { address, token, stop };
};
