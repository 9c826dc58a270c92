/** In work. */
export const AlertScreen = () => null;
