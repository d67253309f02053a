/** The server takes this many entries at once. */
export const MAX_ENTRIES = 10_000;
/** What was typed or pasted: one entry a line, without the space around it. */
export const pastedEntries = (text: string): string[] =>
  text
    .split(/\r\n|[\n\r]/)
    .map((line) => line.trim())
    .filter((line) => line !== '');

const PROJECT_ID = /^[0-9a-f]{24}$/i;

/** Entries for which the server would refuse the whole list; of addresses it answers for each by itself. */
export const refusedEntries = (set: 'blacklist' | 'projects', entries: readonly string[]): string[] =>
  set === 'projects' ? entries.filter((entry) => !PROJECT_ID.test(entry)) : [];
