import { columnsOf, readRData, unzipped } from './rData.js';
import {
  digitsOf,
  firstOf,
  hoursOf,
  linesOf,
  meansOf,
  minutesOf,
  rowsOf,
  type Samples,
  type Transformation,
  carPark,
  localTime,
} from './rows.js';

/** A transformation of one text. */
const ofText = (file: string, samplesOf: (text: string) => Samples): Transformation => ({
  files: [file],
  samplesOf: ([bytes]) => samplesOf(bytes?.toString() ?? ''),
});

const fremont = ofText('data/FremontBridge.csv', text => {
  const [west, east] = ['Fremont Bridge West Sidewalk', 'Fremont Bridge East Sidewalk'] as const;
  const samples: Samples = new Map();
  for (const row of rowsOf(text, ['Date', west, east])) {
    if (row[west] === '' || row[east] === '') continue;
    const [month = 0, day = 0, year = 0, hour = 0] = digitsOf(row.Date);
    samples.set(
      minutesOf(year, month, day, 60 * hoursOf(hour, row.Date)),
      Number(row[west]) + Number(row[east]),
    );
  }
  return samples;
});

const london = ofText('london_merged.csv', text => {
  const samples: Samples = new Map();
  for (const row of rowsOf(text, ['date', 'time', 'Count of bike shares'])) {
    const [day = 0, month = 0, year = 0] = digitsOf(row.date);
    const hour = hoursOf(digitsOf(row.time)[0] ?? NaN, row.time);
    samples.set(minutesOf(year, month, day, 60 * hour), Number(row['Count of bike shares']));
  }
  return samples;
});

const washington = ofText('hour.csv', text => {
  const samples: Samples = new Map();
  for (const { dteday, hr, cnt } of rowsOf(text, ['dteday', 'hr', 'cnt'])) {
    const [year, month, day] = [dteday.slice(0, 4), dteday.slice(4, 6), dteday.slice(6)].map(Number) as [
      number,
      number,
      number,
    ];
    samples.set(minutesOf(year, month, day, 60 * Number(hr)), Number(cnt));
  }
  return samples;
});

const campus = ofText('dataset/진리관 CS_02.csv', text => {
  const samples: Samples = new Map();
  for (const { date, energy } of rowsOf(text, ['date', 'energy'])) {
    const [year = 0, month = 0, day = 0, hour = 0] = digitsOf(date);
    // The series was made with a reader that sums the digits and divides by a power of ten in steps.
    const [whole = '', decimals = ''] = energy.split('.');
    let value = [...(whole + decimals)].reduce((sum, digit) => 10 * sum + Number(digit), 0);
    for (let power = 10, left = decimals.length; left > 0; power *= power, left = left >> 1)
      if (left & 1) value /= power;
    if (value !== 0) samples.set(minutesOf(year, month, day, 60 * hour), value);
  }
  return samples;
});

/** Hourly demand with columns for year, month, day and hour, 1 to 24; in minutes after the day's midnight. */
const demandOf = function* (text: string, minutesOfHour: (hour: number) => number) {
  for (const row of rowsOf(text, ['year', 'month', 'day', 'hour', 'demand (MW)'])) {
    const minutes = minutesOfHour(Number(row.hour));
    const at = minutesOf(Number(row.year), Number(row.month), Number(row.day), minutes);
    if (row['demand (MW)'] !== '') yield [at, Number(row['demand (MW)'])] as const;
  }
};

const france = ofText('data/FR_demand_unnormalized.csv', text =>
  firstOf(demandOf(text, hour => 60 * (hour + 1))),
);

const newYork = ofText('data/NYISO_demand_unnormalized.csv', text => {
  const local = localTime('America/New_York');
  return firstOf([...demandOf(text, hour => 60 * hour)].map(([at, value]) => [local(at), value]));
});

/** Below this demand, in MW, a sample is a drop-out of the source. */
const leastDemand = 13_000;

const greatBritain: Transformation = {
  files: ['raw/gridwatch_2019.csv', 'raw/gridwatch_2020.csv'],
  samplesOf: files => {
    const read = function* () {
      for (const file of files)
        for (const { timestamp, demand } of rowsOf(file.toString(), ['timestamp', 'demand'])) {
          const [year = 0, month = 0, day = 0, hour = 0, minute = 0, second = 0] = digitsOf(timestamp);
          const at = minutesOf(year, month, day, 60 * hour + minute + second / 60);
          if (Number(demand) >= leastDemand) yield [at, Number(demand)] as const;
        }
    };
    return meansOf(firstOf(read()), 10);
  },
};

const minneapolis = ofText('Metro_Interstate_Traffic_Volume.csv', text =>
  firstOf(
    [...rowsOf(text, ['date_time', 'traffic_volume'])].map(row => {
      const [month = 0, day = 0, year = 0, hour = 0] = digitsOf(row.date_time);
      return [minutesOf(2000 + (year % 100), month, day, 60 * hour), Number(row.traffic_volume)];
    }),
  ),
);

const crossing = ofText('data/2103-N.csv', text =>
  meansOf(
    [...rowsOf(text, ['Date', 'Volume'])].map(row => {
      const [year = 0, month = 0, day = 0, hour = 0, minute = 0] = digitsOf(row.Date);
      return [minutesOf(year, month, day, 60 * hour + minute), Number(row.Volume)];
    }),
    30,
  ),
);

const dodgers = ofText('Dodgers.data', text => {
  const counts = [...linesOf(text)].map(([stamp = '', count]) => {
    const [month = 0, day = 0, year = 0, hour = 0, minute = 0] = digitsOf(stamp);
    return [minutesOf(year, month, day, 60 * hour + minute), Number(count)] as const;
  });
  return meansOf(
    counts.filter(([, count]) => count >= 0),
    10,
  );
});

/** Fewest rows of a day on which a missing hour of the night means a closed station. */
const openRows = 15;

/** @param before files that hold the first hours of the first year */
const taipei = (
  station: string,
  years: readonly number[],
  before: readonly string[] = [],
): Transformation => ({
  files: before.concat(
    years.flatMap(year =>
      Array.from({ length: 12 }, (_, month) => `hour/csv/${year}-${String(month + 1).padStart(2, '0')}.csv`),
    ),
  ),
  samplesOf: files => {
    const samples: Samples = new Map();
    const rows = new Map<number, number>();
    for (const file of files)
      for (const [name, stamp = '', one, other] of linesOf(file.toString())) {
        if (name !== station) continue;
        const [year = 0, month = 0, day = 0, hour = 0] = digitsOf(stamp);
        const midnight = minutesOf(year, month, day);
        samples.set(midnight + 60 * hour, Number(one) + Number(other));
        rows.set(midnight, (rows.get(midnight) ?? 0) + 1);
      }
    for (const [midnight, count] of rows)
      for (let hour = 1; hour <= 5 && count >= openRows; hour += 1)
        if (!samples.has(midnight + 60 * hour)) samples.set(midnight + 60 * hour, 0);
    return samples;
  },
});

const charging = ofText('3. Output/sap.csv', text => {
  const [first, last] = [minutesOf(2019, 1, 1), minutesOf(2021, 1, 1)];
  const open = new Float64Array(last - first);
  for (const { Start, End } of rowsOf(text, ['Start', 'End'])) {
    const [from, to] = [Start, End].map(stamp => {
      const [year = 0, month = 0, day = 0, hour = 0, minute = 0] = digitsOf(stamp);
      return minutesOf(year, month, day, 60 * hour + minute);
    }) as [number, number];
    for (let at = Math.max(from, first); at < Math.min(to, last); at += 1) open[at - first]! += 1;
  }
  return meansOf(
    [...open].map((count, minute) => [first + minute, count]),
    30,
  );
});

/** Years of the file of outliers, which has days of the year only. */
const outlierYears = [2008, 2009, 2010, 2011, 2012];

const tulphuis: Transformation = {
  files: [1, 2, 3, 4, 5]
    .map(fold => `Data/gas/test${fold}.csv`)
    .concat('Data/gas/NTH_outliers_2008-2012.csv'),
  samplesOf: files => {
    const samples: Samples = new Map();
    for (const file of files.slice(0, -1))
      for (const { date, gas, hour } of rowsOf(file.toString(), ['date', 'gas', 'hour'])) {
        const number = Number(date);
        const [year, month] = [Math.floor(number / 10_000), Math.floor(number / 100) % 100];
        samples.set(minutesOf(year, month, number % 100, 60 * (Number(hour) - 1)), Number(gas));
      }
    const outliers = rowsOf(String(files.at(-1)), ['gas', 'hour', 'day_year', 'before1', 'before2']);
    for (const row of outliers)
      for (const year of outlierYears) {
        const at = minutesOf(year, 1, Number(row.day_year), 60 * (Number(row.hour) - 1));
        // The two hours before tell the year of a missing hour.
        const before = [at - 60, at - 120].map(time => samples.get(time));
        const isHere = before[0] === Number(row.before1) && before[1] === Number(row.before2);
        if (isHere && !samples.has(at)) samples.set(at, Number(row.gas));
      }
    return samples;
  },
};

const months = ['JAN', 'FEB', 'MAR', 'APR', 'MAY', 'JUN', 'JUL', 'AUG', 'SEP', 'OCT', 'NOV', 'DEC'];

/** Days of dashes without a known closing of the line. */
const unknownDays = [minutesOf(2014, 3, 17), minutesOf(2014, 4, 2)] as const;

const manila: Transformation = {
  files: [
    '2012_mrt_hourly_daily_ridership 2',
    '2013_mrt_hourly_daily_ridership',
    '2014_mrt_hourly_daily_ridership',
  ].map(name => `content/post/data/raw/${name}.csv`),
  samplesOf: files => {
    const samples: Samples = new Map();
    files.forEach((file, index) => {
      const [heads = [], ...lines] = linesOf(file.toString());
      const entries = heads.flatMap((head, place) => (head.endsWith('_entry') ? place : []));
      let [month, row] = [0, 0];
      for (const cells of lines) {
        const named = months.indexOf((cells[0] ?? '').slice(0, 3).toUpperCase()) + 1;
        row = named === month ? row + 1 : 0;
        month = named;
        // The rows of a day begin at 3 o'clock; many of them have no number of the day.
        const hour = digitsOf(cells[2] ?? '')[0] ?? NaN;
        const day = Math.floor(row / 24) + 1 + (hour < 3 ? 1 : 0);
        const at = minutesOf(2012 + index, month, day, 60 * hour);
        const counts = entries.map(place => (cells[place] === '-' ? 0 : Number(cells[place] || NaN)));
        if (counts.some(Number.isNaN) || (at >= unknownDays[0] && at < unknownDays[1])) continue;
        samples.set(
          at,
          counts.reduce((sum, count) => sum + count, 0),
        );
      }
    });
    return samples;
  },
};

/** @param least smallest count that is no fault of the sensor */
const melbourne = (sensor: string, least: number): Transformation => ({
  files: ['pedestriancounts_melbourne.zip'],
  samplesOf: ([zip = Buffer.of()]) => {
    const samples: Samples = new Map();
    for (const [stamp = '', , , id, , count] of linesOf(unzipped(zip).toString())) {
      if (id !== sensor) continue;
      const [, day, month = '', year, hour] = /^(\d+)-(\w+)-(\d+) (\d+):/.exec(stamp) ?? [];
      const at = minutesOf(Number(year), months.indexOf(month) + 1, Number(day), 60 * Number(hour));
      if (Number(count) >= least) samples.set(at, Number(count));
    }
    return samples;
  },
});

const iowa: Transformation = {
  files: ['data/uihc_ed_arrivals.RData'],
  samplesOf: ([file = Buffer.of()]) => {
    const table = readRData(file).get('uihc_ed_arrivals');
    if (!table) throw new Error('got no table uihc_ed_arrivals, expected it in the file of R');
    const columns = columnsOf(table);
    const [days = [], hours = [], arrivals = []] = ['Date', 'Hour', 'Arrivals'].map(
      name => columns.get(name)?.values.map(Number) ?? [],
    );
    return new Map(days.map((day, row) => [1440 * day + 60 * (hours[row] ?? NaN), arrivals[row] ?? NaN]));
  },
};

/** Transformations of the series that are not in the repository, by name. */
export const transformations: Readonly<Record<string, Transformation>> = {
  bike_fremont_seattle: fremont,
  bike_sharing_london: london,
  bike_sharing_washington: washington,
  campus_building_korea: campus,
  er_arrivals_iowa: iowa,
  ev_charging_office_france: charging,
  gas_building_amsterdam: tulphuis,
  load_france: france,
  load_great_britain: greatBritain,
  load_new_york_state: newYork,
  parking_bochum: carPark({
    column: 'parken-in-bochum-P8-Konrad-Adenauer-Platz-Bermuda3Eck',
    places: 585,
    last: '2024-12-31',
    carries: true,
  }),
  parking_koeln: carPark({
    column: 'koeln-apps-parken-Philharmonie',
    places: 292,
    last: '2024-03-05',
    carries: false,
  }),
  pedestrians_melbourne: melbourne('9', 0),
  pedestrians_melbourne_bridge: melbourne('5', 1),
  rail_manila_mrt3: manila,
  rail_taipei_city_hall: taipei('市政府', [2018, 2019]),
  rail_taipei_main: taipei('台北車站', [2020, 2021], ['hour/csv/2019-12.csv']),
  traffic_dodgers_losangeles: dodgers,
  traffic_i94_minneapolis: minneapolis,
  traffic_melbourne_2103n: crossing,
};
