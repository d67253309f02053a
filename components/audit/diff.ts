/** One field before and after a change. */
interface DiffRow {
  /** Such as `stats.deleted`; empty if the record is a single value. */
  path: string;
  /** Text or JSON; null if the field is missing. */
  before: string | null;
  after: string | null;
  changed: boolean;
}

const MAX_ROWS = 200;
const DEPTH = 4;

const isRecord = (value: unknown): value is Record<string, unknown> =>
  typeof value === 'object' && value !== null && !Array.isArray(value);

const text = (value: unknown): string => (typeof value === 'string' ? value : JSON.stringify(value));

const leaves = (value: unknown, path: string, depth: number, into: Map<string, string>): void => {
  if (value === null || value === undefined) return;
  if (isRecord(value) && depth < DEPTH) {
    for (const [name, inner] of Object.entries(value))
      leavesOf(inner, path === '' ? name : `${path}.${name}`, depth + 1, into);
    return;
  }
  into.set(path, text(value));
};

// A field that is null gets a row; a record that is null does not.
const leavesOf = (value: unknown, path: string, depth: number, into: Map<string, string>): void => {
  if (value === null) into.set(path, 'null');
  else leaves(value, path, depth, into);
};

/** `before` and `after` of an audit entry field by field, what changed first; at most 200 fields. */
export const diffRows = (before: unknown, after: unknown): DiffRow[] => {
  const old = new Map<string, string>();
  const present = new Map<string, string>();
  leaves(before, '', 0, old);
  leaves(after, '', 0, present);
  const rows = [...new Set([...old.keys(), ...present.keys()])].map((path) => {
    const row = { path, before: old.get(path) ?? null, after: present.get(path) ?? null };
    return { ...row, changed: row.before !== row.after };
  });
  return rows.sort((a, b) => Number(b.changed) - Number(a.changed)).slice(0, MAX_ROWS);
};
