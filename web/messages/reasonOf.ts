/** The words of an error, and of the first fault of a refused request. */
export const reasonOf = (error: Error): string => {
  const [fault] = 'errors' in error ? (error.errors as readonly { readonly detail?: string }[]) : [];
  return fault?.detail === undefined ? error.message : `${error.message}: ${fault.detail}`;
};
