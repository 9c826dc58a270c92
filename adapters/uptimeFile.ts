import { readFileSync, renameSync, writeFileSync } from 'node:fs';
import type { Uptime, UptimeRecord } from '../application/processManager/uptime.js';

const isUptime = (value: unknown): value is Uptime => {
  const { aliveAt, resumedAt } = (value ?? {}) as Partial<Record<keyof Uptime, unknown>>;
  return [aliveAt, resumedAt].every(at => typeof at === 'string' && !Number.isNaN(Date.parse(at)));
};

/** A record in a file. A missing or damaged file is an unknown uptime. */
export const uptimeFile = (file: string): UptimeRecord => ({
  read: () => {
    try {
      const value: unknown = JSON.parse(readFileSync(file, 'utf8'));
      return isUptime(value) ? value : undefined;
    } catch {
      return undefined;
    }
  },
  write: uptime => {
    const next = `${file}.new`;
    writeFileSync(next, `${JSON.stringify(uptime)}\n`);
    renameSync(next, file);
  },
});
