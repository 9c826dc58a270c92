import Type from '../../typebox.js';
import { linePattern } from '../../../../domain/harmlessText.js';
import { nameLengthMax } from '../../../../domain/planning/models.js';
import { dateSchema, nullable, strict } from '../common.js';

export const calendarCodeSchema = Type.String({
  maxLength: 6,
  description: 'Country (ISO 3166-1) or region (ISO 3166-2) of the public holidays: FR, DE-NW.',
  examples: ['FR'],
});

/** The calendar that models were learned with, without its dates. */
export const usedCalendarSchema = Type.Object(
  {
    code: Type.String({ examples: ['FR'] }),
    origin: Type.Enum(['given', 'inferred']),
    evidence: nullable(Type.String({ description: 'Why it was inferred.' }), { examples: [null] }),
    library: Type.String({
      description: 'Source of the holidays, with its version.',
      examples: ['date-holidays 3.37.0'],
    }),
  },
  { ...strict, title: 'Calendar' },
);

const specialNameSchema = Type.String({
  minLength: 1,
  maxLength: nameLengthMax,
  pattern: linePattern,
  examples: ['Trade fair'],
});

export const specialDaySchema = Type.Object({ name: specialNameSchema }, { ...strict, title: 'SpecialDay' });

const calendarDaySchema = Type.Object(
  {
    date: dateSchema,
    type: Type.Enum(['holiday', 'bridge', 'christmas', 'special'], { examples: ['special'] }),
    name: nullable(Type.String({ examples: ['Trade fair'] })),
  },
  { ...strict, title: 'CalendarDay' },
);
export const calendarYearSchema = Type.Object(
  { days: Type.Array(calendarDaySchema), calendar: nullable(usedCalendarSchema) },
  { ...strict, title: 'CalendarYear' },
);
