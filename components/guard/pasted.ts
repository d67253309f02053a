/** The two sets that people fill and the collector reads. */
export type GuardSet = 'bans' | 'projects';

/** Entries that the server accepts per request. */
export const MAX_ENTRIES = 10_000;
/** One entry per line, trimmed; empty lines are dropped. */
export const pastedEntries = (text: string): string[] =>
  text
    .split(/\r\n|[\n\r]/)
    .map((line) => line.trim())
    .filter((line) => line !== '');

const PROJECT_ID = /^[0-9a-f]{24}$/i;

/** Entries that would make the server refuse the complete list. Addresses get a result each, so none of them does. */
export const refusedEntries = (set: GuardSet, entries: readonly string[]): string[] =>
  set === 'projects' ? entries.filter((entry) => !PROJECT_ID.test(entry)) : [];
