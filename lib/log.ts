/**
 * Logs a failure by the error's kind and stack, never its message: messages of client libraries repeat arguments, which
 * may be keys and values.
 */
export const logBroken = (what: string, error: unknown): void => {
  const e = error instanceof Error ? error : new Error('not an error');
  const frames = (e.stack ?? '').split('\n').filter((line) => line.trim().startsWith('at '));
  console.error(`${what} broke: ${e.name}\n${frames.slice(0, 4).join('\n')}`);
};
