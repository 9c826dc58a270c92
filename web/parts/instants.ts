/** The instant of a local date and time, `YYYY-MM-DDTHH:MM` as fields give it; undefined when it is none. */
export const instantOf = (local: string): string | undefined => {
  const at = new Date(local);
  return Number.isNaN(at.getTime()) ? undefined : at.toISOString();
};
