/** One command of the command line: `run` answers its exit code (0 done, 1 found something, 2 usage, 3 could not). */
export type Command = {
  readonly summary: string;
  readonly usage: string;
  readonly run: (args: readonly string[], env: NodeJS.ProcessEnv) => Promise<number>;
};
