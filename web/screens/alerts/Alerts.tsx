/** In work. */
export const Alerts = () => null;
