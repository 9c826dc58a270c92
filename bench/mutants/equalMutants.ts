/** A mutant that no test can find, as a person has seen: its file, its changed line, and the reason. */
export type EqualMutant = { readonly file: string; readonly after: string; readonly reason: string };

/** Mutants that behave as the code does. They are counted apart, and an entry that fits no line is reported. */
export const equalMutants: readonly EqualMutant[] = [];
