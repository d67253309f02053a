import { type ChildProcessWithoutNullStreams, spawn } from 'node:child_process';
import { once } from 'node:events';
import { join } from 'node:path';
import { text } from 'node:stream/consumers';

export interface Ended {
  status: number | null;
  out: string;
  err: string;
  /** Both streams. */
  output: string;
}

/** Only the given variables and the path of programs. */
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

/** Runs a shell command in a folder, like `runScript` runs a script. */
export const runCommandLine = async (
  line: string,
  cwd: string,
  environment: Readonly<Record<string, string>> = {},
): Promise<Ended> => ended(spawn('sh', ['-c', line], { ...optionsOf(environment), cwd }));

/**
 * Runs a script of `scripts/` like a user who has just cloned: the environment has only the given variables and the
 * path of programs. With the test's environment it could pass because of variables set for the console.
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
