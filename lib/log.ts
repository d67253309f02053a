import { type Env, env } from './configuration';

export type LogLevel = 'info' | 'warn' | 'error';

/** `id`s, names of operations, counts and times: never a secret, a key or a value. */
export type LogFields = Readonly<Record<string, string | number | null>>;

/** What is wrong with the configuration is reported as text. */
export const logSettings = (): Env['log'] => {
  try {
    return env().log;
  } catch {
    return { format: 'text', requests: false };
  }
};

/** One line: text for people, with warnings and errors to the standard error; or JSON for collectors, to the standard output. */
export const log = (level: LogLevel, message: string, fields: LogFields = {}): void => {
  if (logSettings().format === 'json') {
    process.stdout.write(
      `${JSON.stringify({ time: new Date().toISOString(), level, message, ...fields })}\n`,
    );
    return;
  }
  if (level === 'info') process.stdout.write(`${message}\n`);
  else if (level === 'warn') console.warn(message);
  else console.error(message);
};

/**
 * Logs a failure by the error's kind and stack, never its message: messages of client libraries repeat arguments, which
 * may be keys and values.
 */
export const logBroken = (what: string, error: unknown, fields: LogFields = {}): void => {
  const e = error instanceof Error ? error : new Error('not an error');
  const frames = (e.stack ?? '').split('\n').filter((line) => line.trim().startsWith('at '));
  log('error', `${what} broke: ${e.name}\n${frames.slice(0, 4).join('\n')}`, fields);
};
