/** In work. */
export const Calendar = () => null;
