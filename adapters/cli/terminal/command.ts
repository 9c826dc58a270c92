/** One command of the command line. */
export type Command = {
  /** Text of `--help`. */
  readonly usage: string;
  /**
   * Resolves to the exit code: 0 done, 1 a problem was found, 2 wrong usage, 3 undecided or something is unavailable.
   * Rejections with SettingsError, StoreUnavailable and system errors become a message and a code.
   */
  readonly run: (args: readonly string[], env: NodeJS.ProcessEnv) => Promise<number>;
};
