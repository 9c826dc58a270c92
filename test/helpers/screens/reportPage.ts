import { createHash } from 'node:crypto';
import type { Figure } from '../../../adapters/cli/report/figures.js';

const scriptPattern = /<script>([\s\S]*?)<\/script>/g;
const dataPattern = /<script type="application\/json">([\s\S]*?)<\/script>/g;

/** The parts of a report: its HTML without scripts and styles, the data of its charts, and its content security policy. */
export const partsOfReport = (page: string) => {
  const scripts = [...page.matchAll(scriptPattern)].map(([, text = '']) => text);
  return {
    html: page
      .replaceAll(scriptPattern, '')
      .replaceAll(dataPattern, '')
      .replace(/<style>[\s\S]*?<\/style>/, ''),
    figures: [...page.matchAll(dataPattern)].map(([, json = '']) => JSON.parse(json) as Figure),
    scripts,
    policy: /http-equiv="Content-Security-Policy" content="([^"]*)"/.exec(page)?.[1],
    /** The policy that lets this script run and nothing else. */
    expectedPolicy: `default-src 'none'; style-src 'unsafe-inline'; script-src 'sha256-${createHash('sha256')
      .update(scripts[0] ?? '')
      .digest('base64')}'`,
  };
};
