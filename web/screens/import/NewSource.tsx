/** In work. */
export const NewSource = () => null;
