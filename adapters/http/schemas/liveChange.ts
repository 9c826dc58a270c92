import Type from '../typebox.js';
import { sourceIdSchema, strict } from './common.js';

export const liveChangeSchema = Type.Object(
  {
    type: Type.String({ description: 'Type of the event.', examples: ['AlertRaised'] }),
    sourceId: sourceIdSchema,
  },
  {
    ...strict,
    title: 'LiveChange',
    description:
      'Data of a server-sent event "change", whose id is a position of the log. The event "ready" begins the stream; ' +
      'the event "reset" means that more changed than a resumed stream repeats.',
  },
);
