import { existsSync } from 'node:fs';
import { pino } from 'pino';
import t from 'tap';
import { alertPictures } from '../../../adapters/mail/alertPictures.js';
import { alerts } from '../../../domain/alerts/alerts.js';
import { streams } from '../../../domain/streams.js';
import { origin } from '../../helpers/data/samples.js';
import { memoryService, raisingCheck } from '../../helpers/memoryService.js';

const hasCharts = existsSync(new URL('../../../picture/picture.js', import.meta.url));
const canDraw = hasCharts && (await import('@napi-rs/canvas').then(() => true).catch(() => false));
const skip = canDraw ? false : 'no canvas for this machine, or the charts are not built (npm run build)';

t.test('an alert that cannot be drawn does not end the pictures of others', { skip }, async t => {
  const { service } = await memoryService();
  const { models } = service;
  await service.handle(alerts, streams.alerts(1), raisingCheck, origin(30));
  await service.caughtUp();
  const warnings: string[] = [];
  const log = pino({ level: 'warn' }, { write: line => void warnings.push(line) });
  const alertId = '1-20240205-1';
  const one = (asked: string) => {
    if (asked === 'locked') throw new Error('the read models cannot be read');
    const alert = models.alerts.one(alertId);
    return asked === 'odd' && alert ? { ...alert, slices: null as never } : alert;
  };
  const picture = alertPictures({ ...models, alerts: { ...models.alerts, one } }, log);
  t.equal(await picture('odd', 'en'), undefined, 'the chart cannot be drawn');
  t.equal(await picture('locked', 'en'), undefined, 'the alert cannot be read');
  t.equal(warnings.length, 2);
  const [first = 0, ...name] = (await picture(alertId, 'en'))?.subarray(0, 4) ?? [];
  t.strictSame([first, String.fromCharCode(...name)], [0x89, 'PNG']);
});
