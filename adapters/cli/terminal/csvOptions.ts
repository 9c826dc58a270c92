/** Options on how CSV files are written, and the parameters of the API that they become. */
export const csvOptions = {
  separator: 'separator',
  decimal: 'decimal',
  'date-format': 'dateFormat',
  'date-column': 'dateColumn',
  'value-column': 'valueColumn',
  clock: 'clock',
} as const;

const text = { type: 'string' } as const;

/** Options with a text each, for `parsedArguments`. */
export const textOptions = <Names extends object>(names: Names) =>
  Object.fromEntries(Object.keys(names).map(name => [name, text])) as Record<keyof Names, typeof text>;

/** The parameters of the API that given options become. */
export const parametersIn = (
  names: Readonly<Record<string, string>>,
  values: object,
): Readonly<Record<string, string>> =>
  Object.fromEntries(
    Object.entries(names).flatMap(([option, parameter]) => {
      const value = (values as Readonly<Record<string, unknown>>)[option];
      return typeof value === 'string' ? [[parameter, value]] : [];
    }),
  );
