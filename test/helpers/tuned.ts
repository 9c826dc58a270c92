import { runTune } from '../../adapters/cli/commands/tune.js';
import { SettingsError } from '../../adapters/settings/values.js';

/** Runs `tune` in this process, which is faster than starting one. SettingsError becomes 2, as in main. */
export const tuned = async (...args: readonly string[]) => {
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
    {},
  ).catch((error: unknown) => {
    if (!(error instanceof SettingsError)) throw error;
    stderr += `${error.message}\n`;
    return 2;
  });
  return { code, stdout, stderr };
};
