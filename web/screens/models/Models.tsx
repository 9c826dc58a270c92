/** In work. */
export const Models = () => null;
