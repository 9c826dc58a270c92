import t from 'tap';
import { dayTypes } from '../../domain/planning/calendar.js';
import { cyclePlaces, isMonthDay, similarity } from '../../domain/planning/similarity.js';
import type { DayCycle, MonthDay } from '../../domain/planning/dayCycles.js';
import { planner } from '../../domain/planning/planning.js';
import { inWords } from '../../domain/planning/planTexts.js';
import { dateOf, datesOfYear, dayNumber } from '../../domain/dates.js';

const evidence = { errorReduction: 0.9, better: 12, of: 12 };
const holidays = [{ date: '2023-05-01', name: 'Labour Day' }];
const datesOf = (monthDay: Omit<MonthDay, 'kind'>): string[] => {
  const test = isMonthDay({ kind: 'monthDay', ...monthDay }, dayTypes(holidays, []));
  return datesOfYear(2023)
    .slice(0, 181)
    .filter(date => test(dayNumber(date)))
    .map(date => date.slice(5));
};

t.test('dates of the month: days, working days and weekdays from either end', async t => {
  const half = (counts: MonthDay['counts'], place: number, weekday?: number): string =>
    datesOf({ counts, place, ...(weekday !== undefined && { weekday }) }).join(' ');
  t.equal(half('days', 15), '01-15 02-15 03-15 04-15 05-15 06-15');
  t.equal(half('days', -1), '01-31 02-28 03-31 04-30 05-31 06-30');
  t.equal(half('workingDays', -1), '01-31 02-28 03-31 04-28 05-31 06-30');
  t.equal(half('workingDays', -2), '01-30 02-27 03-30 04-27 05-30 06-29');
  t.equal(half('workingDays', 1), '01-02 02-01 03-01 04-03 05-02 06-01', '1 May is a holiday');
  t.equal(half('weekdays', 1, 0), '01-02 02-06 03-06 04-03 05-01 06-05');
  t.equal(half('weekdays', -1, 4), '01-27 02-24 03-31 04-28 05-26 06-30');
});

t.test(
  'places in cycles: days of a cycle, weekdays whose weeks differ, no holiday as a date of the month',
  async t => {
    const typeOf = dayTypes(holidays, []);
    const placesOf = (cycles: readonly DayCycle[], ...dates: readonly string[]) =>
      dates.map(date => cyclePlaces(cycles, typeOf)(dayNumber(date)));
    const four: DayCycle = { kind: 'days', length: 8, first: '2023-01-03', evidence };
    t.same(placesOf([four], '2023-01-03', '2023-01-02', '2022-12-26', '2023-01-12'), [
      { phase: 0 },
      { phase: 7 },
      { phase: 0 },
      { phase: 1 },
    ]);
    const fortnight: DayCycle = { kind: 'days', length: 14, first: '2023-01-02', weekdays: [2], evidence };
    t.same(placesOf([fortnight], '2023-01-03', '2023-01-04', '2023-01-11', '2023-01-18'), [
      {},
      { phase: 2 },
      { phase: 9 },
      { phase: 2 },
    ]);
    const first: DayCycle = { kind: 'monthDay', counts: 'days', place: 1, evidence };
    t.same(placesOf([four, first], '2023-05-01', '2023-06-01'), [{ phase: 6 }, { phase: 5, monthDay: 1 }]);
    t.same(placesOf([], '2023-06-01'), [{}]);
  },
);

t.test(
  'days of the same place in a cycle weigh as days of one weekday, those of another place nothing',
  async t => {
    const fortnight: DayCycle = { kind: 'days', length: 14, first: '2023-01-02', weekdays: [2], evidence };
    const weightOf = (cycles: readonly DayCycle[], after: number): number => {
      const wednesday = dayNumber('2023-03-01');
      return similarity({ holidays, specials: [], cycles })(wednesday, wednesday + after);
    };
    t.equal(weightOf([fortnight], 14), weightOf([], 14));
    t.equal(weightOf([fortnight], 7), 0);
    t.equal(weightOf([fortnight], 1), 0, 'a Thursday has no place');
  },
);

const models = ['on', 'off'].map((name, index) => ({ id: index + 1, name, anomaly: false }));

t.test('planning by a cycle of days: the model of the same day of the cycle, also on holidays', async t => {
  const cycle: DayCycle = { kind: 'days', length: 8, first: '2023-01-01', evidence };
  const isOn = (date: string): boolean => (dayNumber(date) - dayNumber('2023-01-01')) % 8 < 4;
  const assignments = datesOfYear(2023).map(date => ({ date, modelId: isOn(date) ? 1 : 2 }));
  const plan = planner(models, assignments, { holidays, specials: [], cycles: [cycle] });
  const days = Array.from({ length: 400 }, (_, index) => dateOf(dayNumber('2023-12-01') + index));
  t.same(
    days.filter(date => plan(date).modelId !== (isOn(date) ? 1 : 2)),
    [],
  );
  t.equal(plan('2023-05-01').modelId, 1, 'day 1 of the cycle, and a holiday');
  t.equal(
    plan('2024-03-15').reason,
    'day 8 of the cycle of 8 days: all 12 reference days of that place around 15 Mar follow "off"; ' +
      'its holidays are not known, the calendar holds 2023 to 2023',
  );
  const cycles = [{ ...cycle, length: 28 }];
  const byMonth = planner(models, assignments, { holidays: null, specials: [], cycles });
  // 20 Jan, 17 Feb, 17 Mar, 14 Apr, 12 May, 9 Jun and 22 Dec are less than 100 days away.
  t.match(
    byMonth('2024-03-15').reason,
    /: 4 of the 7 reference days of that place around 15 Mar follow "on"$/,
  );
  const byWeek = planner(models, assignments, { holidays, specials: [] });
  t.ok(days.some(date => byWeek(date).modelId !== (isOn(date) ? 1 : 2)));
});

t.test('planning by weeks and by dates of the month', async t => {
  const cycles: DayCycle[] = [
    { kind: 'days', length: 14, first: '2023-01-02', weekdays: [2], evidence },
    { kind: 'monthDay', counts: 'workingDays', place: -1, evidence },
  ];
  const isLast = isMonthDay({ kind: 'monthDay', counts: 'workingDays', place: -1 }, dayTypes(null, []));
  const isOff = (date: string): boolean => {
    const number = dayNumber(date);
    return isLast(number) || (number - dayNumber('2023-01-02')) % 14 === 9;
  };
  const assignments = datesOfYear(2023).map(date => ({ date, modelId: isOff(date) ? 2 : 1 }));
  const plan = planner(models, assignments, { holidays: null, specials: [], cycles });
  t.same(
    datesOfYear(2024).filter(date => (plan(date).modelId === 2) !== isOff(date)),
    [],
  );
  t.equal(
    plan('2024-03-06').reason,
    'Wednesday of week 2 of 2, counted from 2023-01-02: all 7 reference days of that place around 6 Mar follow "off"',
  );
  t.equal(
    plan('2024-03-29').reason,
    'last working day of the month: all 12 reference days of that kind follow "off"',
  );
  t.equal(
    plan('2024-03-29').reasons.fr,
    'dernier jour ouvré du mois\u00a0: tous les 12 jours de référence de ce type suivent «\u00a0off\u00a0»',
  );
  t.same(plan('2024-03-06').place, { phase: 9, length: 14 });
  t.same(plan('2024-03-29').place, { monthDay: { kind: 'monthDay', counts: 'workingDays', place: -1 } });
  t.notOk(plan('2024-03-05').place);
  t.equal(plan('2024-03-05').reason, 'all 12 reference Tuesdays around 5 Mar follow "on"');
});

t.test('places in a cycle in words, in both languages', async t => {
  const said = (phase: number, length: number) => {
    const cycle: DayCycle = { kind: 'days', length, first: '2023-01-02', evidence };
    const { reason, reasons } = inWords(texts => texts.intro({ type: 'phase', phase, cycle }));
    return [reason, reasons.fr];
  };
  t.same(said(7, 14), [
    'Monday of week 2 of 2, counted from 2023-01-02: ',
    'lundi de la semaine 2 sur 2, comptée depuis le 2 janv. 2023\u00a0: ',
  ]);
  t.same(said(6, 21), [
    'Sunday of week 1 of 3, counted from 2023-01-02: ',
    'dimanche de la semaine 1 sur 3, comptée depuis le 2 janv. 2023\u00a0: ',
  ]);
  t.same(said(7, 8), ['day 8 of the cycle of 8 days: ', 'jour 8 du cycle de 8 jours\u00a0: ']);
});

t.test('cycles in words, in both languages', async t => {
  const said = (cycle: DayCycle): readonly string[] => {
    const { reason, reasons } = inWords(texts => texts.cycle(cycle));
    return [reason.split(':')[0]!, reasons.fr.split('\u00a0:')[0]!];
  };
  const month = (counts: MonthDay['counts'], place: number, weekday?: number): readonly string[] =>
    said({ kind: 'monthDay', counts, place, ...(weekday !== undefined && { weekday }), evidence });
  t.same(month('days', 15), [
    'The day 15 of the month is a day of its own kind',
    'Jour à part, jour 15 du mois',
  ]);
  t.same(month('workingDays', -2), [
    'The second last working day of the month is a day of its own kind',
    'Jour à part, avant-dernier jour ouvré du mois',
  ]);
  t.same(month('weekdays', 1, 0), [
    'The first Monday of the month is a day of its own kind',
    'Jour à part, premier lundi du mois',
  ]);
  t.same(said({ kind: 'days', length: 14, first: '2023-01-02', weekdays: [0, 2, 5], evidence }), [
    'Mondays, Wednesdays and Saturdays repeat every 2 weeks',
    'Les lundis, mercredis et samedis se répètent toutes les 2 semaines',
  ]);
  t.equal(
    inWords(texts => texts.cycle({ kind: 'days', length: 8, first: '2023-01-02', evidence })).reason,
    'Days repeat in a cycle of 8 days: a plan by it misses held-out reference days by 90 % less than one by weekdays, ' +
      'on 12 of 12 months or fortnights',
  );
});
