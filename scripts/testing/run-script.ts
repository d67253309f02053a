import { spawn } from 'node:child_process';
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

/**
 * Runs a script of `scripts/` as a user does who has just cloned: the environment has nothing but the given variables
 * and what finds programs. With that of a test it would pass by what the test has set for the console.
 */
export const runScript = async (
  name: string,
  args: readonly string[],
  environment: Readonly<Record<string, string>> = {},
): Promise<Ended> => {
  const { PATH, HOME } = process.env;
  const child = spawn(process.execPath, [join(import.meta.dirname, '..', name), ...args], {
    env: Object.assign({} as NodeJS.ProcessEnv, { PATH, HOME }, environment),
    cwd: environment.INIT_CWD,
    timeout: 60_000,
  });
  const closed = once(child, 'close');
  const [out, err, [status]] = await Promise.all([text(child.stdout), text(child.stderr), closed]);
  return { status: status as number | null, out, err, output: out + err };
};
