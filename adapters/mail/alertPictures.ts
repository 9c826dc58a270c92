import { existsSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import type { Logger } from 'pino';
import type { MailLanguage } from '../../domain/webhooks/webhookTarget.js';
import type { ReadModels } from '../../projections/readModels.js';
import { dayAnswer, drawnAlert } from '../http/answers/dayAnswer.js';
import type { AlertPicture } from './mailSender.js';

/** Size of the chart in pixels of a mail; the picture has twice as many for sharp screens. */
const width = 600;
const height = 300;
const scale = 2;
const font = 'Daybook Inter';

/** Files that the build of the charts writes: the module that draws, and its font. */
const built = (name: string): string => fileURLToPath(new URL(`../../picture/${name}`, import.meta.url));

type Drawing = {
  readonly alertSvg: (
    alert: object,
    day: object,
    options: {
      readonly width: number;
      readonly height: number;
      readonly scale: number;
      readonly font: string;
      readonly language: MailLanguage;
    },
  ) => string;
};

/** Loads the chart module and the canvas. @throws Error when the canvas has no binary for this machine */
const loaded = async () => {
  const { createCanvas, GlobalFonts, loadImage } = await import('@napi-rs/canvas');
  // Only the font of the package, so that pictures are the same on every machine.
  if (!GlobalFonts.registerFromPath(built('inter.woff2'), font))
    throw new Error('the font of pictures cannot be read');
  const { alertSvg } = (await import(built('picture.js'))) as Drawing;
  return async (alert: object, day: object, language: MailLanguage): Promise<Buffer> => {
    const svg = alertSvg(alert, day, { width, height, scale, font, language });
    const image = await loadImage(Buffer.from(svg));
    const canvas = createCanvas(width * scale, height * scale);
    const context = canvas.getContext('2d');
    context.fillStyle = '#ffffff';
    context.fillRect(0, 0, canvas.width, canvas.height);
    context.drawImage(image, 0, 0, canvas.width, canvas.height);
    return canvas.encode('png');
  };
};

/**
 * Draws charts of alerts as PNG, 1200 × 600 pixels on white. There are none without a build of the charts, or without a
 * canvas, which is logged once. An alert that cannot be drawn has none, which is logged.
 */
export const alertPictures = (models: ReadModels, log: Pick<Logger, 'warn'>): AlertPicture => {
  let drawing: Promise<Awaited<ReturnType<typeof loaded>> | undefined> | undefined;
  const drawn: AlertPicture = async (alertId, language) => {
    const alert = models.alerts.one(alertId);
    const source = alert && models.sources.setup(alert.sourceId);
    if (!alert || !source) return undefined;
    const day = dayAnswer({ models }, source, alert.date);
    if (!day.day || !existsSync(built('picture.js'))) return undefined;
    drawing ??= loaded().catch((error: unknown) => {
      log.warn({ err: error }, 'charts of mails cannot be drawn; mails have none');
      return undefined;
    });
    const draw = await drawing;
    return draw?.(drawnAlert({ models }, alert), day, language);
  };
  return (alertId, language) =>
    drawn(alertId, language).catch((error: unknown) => {
      log.warn({ err: error, alert: alertId }, 'the chart of an alert cannot be drawn; its mail has none');
      return undefined;
    });
};
