/** In work. */
export const ImportDays = () => null;
