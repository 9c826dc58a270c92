/** Parses an alert id `{sourceId}-{yyyymmdd}-{n}`; undefined when its format is invalid. */
export const parseAlertId = (
  id: string,
): { readonly sourceId: number; readonly date: string; readonly n: number } | undefined => {
  const parts = /^([1-9]\d{0,14})-(\d{4})(\d\d)(\d\d)-([1-9]\d{0,8})$/.exec(id);
  return parts
    ? { sourceId: Number(parts[1]), date: `${parts[2]}-${parts[3]}-${parts[4]}`, n: Number(parts[5]) }
    : undefined;
};

/** Alert id: the number `n` counts the alerts of a date from 1. */
export const alertIdOf = (sourceId: number, date: string, n: number): string =>
  `${sourceId}-${date.replaceAll('-', '')}-${n}`;
