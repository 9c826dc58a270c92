/** In work. */
export const History = () => null;
