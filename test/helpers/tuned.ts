import { runTune } from '../../adapters/cli/commands/tune.js';
import type { Ask } from '../../adapters/cli/tune/apply.js';
import { SettingsError } from '../../adapters/settings/values.js';

/** Runs `tune` in this process, which is faster than starting one. SettingsError becomes 2, as in main. */
export const tuned = (...args: readonly string[]) => tunedWith({}, null, args);

/** The same with an environment, and with answers to the questions that it asks; null for no terminal. */
export const tunedWith = async (env: NodeJS.ProcessEnv, ask: Ask | null, args: readonly string[]) => {
  let [stdout, stderr] = ['', ''];
  const code = await runTune(
    args,
    {
      stdout: text => void (stdout += text),
      stderr: text => void (stderr += text),
      isTerminal: false,
      colors: 0,
      width: Infinity,
    },
    env,
    ask,
  ).catch((error: unknown) => {
    if (!(error instanceof SettingsError)) throw error;
    stderr += `${error.message}\n`;
    return 2;
  });
  return { code, stdout, stderr };
};
