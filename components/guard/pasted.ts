/** The server takes this many entries at once. */
export const MOST_AT_ONCE = 10_000;
/** Characters of one entry; a longer one would refuse the whole list. */
const LONGEST = 1000;

/** What was typed or pasted: one entry a line, without the space around it. */
export const pastedEntries = (text: string): string[] =>
  text
    .split(/\r\n|[\n\r]/)
    .map((line) => line.trim())
    .filter((line) => line !== '');

const PROJECT_ID = /^[0-9a-f]{24}$/i;

/** Entries for which the server would refuse the whole list: no project id, or too long to be an address. */
export const refusedEntries = (set: 'blacklist' | 'projects', entries: readonly string[]): string[] =>
  entries.filter((entry) => (set === 'projects' ? !PROJECT_ID.test(entry) : entry.length > LONGEST));
