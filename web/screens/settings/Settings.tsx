/** In work. */
export const Settings = () => null;
