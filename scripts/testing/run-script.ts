import { type ChildProcessWithoutNullStreams, spawn } from 'node:child_process';
import { once } from 'node:events';
import { join } from 'node:path';
import { text } from 'node:stream/consumers';

export interface Ended {
  status: number | null;
  out: string;
  err: string;
  /** Both. */
  output: string;
}

/** Nothing but the given variables and what finds programs. */
export const environmentOf = (variables: Readonly<Record<string, string>>): NodeJS.ProcessEnv => {
  const { PATH, HOME } = process.env;
  return Object.assign({} as NodeJS.ProcessEnv, { PATH, HOME }, variables);
};

const optionsOf = (variables: Readonly<Record<string, string>>) => ({
  env: environmentOf(variables),
  timeout: 300_000,
});

const ended = async (child: ChildProcessWithoutNullStreams): Promise<Ended> => {
  const closed = once(child, 'close');
  const [out, err, [status]] = await Promise.all([text(child.stdout), text(child.stderr), closed]);
  return { status: status as number | null, out, err, output: out + err };
};

/** Runs a command of a shell in a folder, as `runScript` runs a script. */
export const runCommandLine = async (
  line: string,
  cwd: string,
  environment: Readonly<Record<string, string>> = {},
): Promise<Ended> => ended(spawn('sh', ['-c', line], { ...optionsOf(environment), cwd }));

/**
 * Runs a script of `scripts/` as a user does who has just cloned: the environment has nothing but the given variables
 * and what finds programs. With that of a test it would pass by what the test has set for the console.
 */
export const runScript = async (
  name: string,
  args: readonly string[],
  environment: Readonly<Record<string, string>> = {},
): Promise<Ended> => {
  const script = join(import.meta.dirname, '..', name);
  const options = { ...optionsOf(environment), cwd: environment.INIT_CWD };
  return ended(spawn(process.execPath, [script, ...args], options));
};
