import 'server-only';
import type { Arg, Key } from '@/lib/redis/commands';
import type { SnapshotEntry } from '@/lib/snapshots/snapshots';

/** A key that was renamed, and what it must still be for its name to go back. */
export interface Renamed {
  from: Key;
  to: Key;
  type: string;
  /** `length:digest`, as scripts compare it. */
  content: string;
}

const SEPARATOR = '\n';

/** What undo stores of it: its entry is named by the new name. */
export const renamedEntry = ({ from, to, type, content }: Renamed): SnapshotEntry => ({
  key: to,
  mark: 'plain',
  expires: -1,
  value: Buffer.concat([Buffer.from(`${type}${SEPARATOR}${content}${SEPARATOR}`), from]),
});

/** Arguments of the script `rename-back`. */
export const renameBackArgs = ({ key, value }: SnapshotEntry): Arg[] => {
  const first = value.indexOf(SEPARATOR);
  const second = value.indexOf(SEPARATOR, first + 1);
  const text = (from: number, to: number) => value.subarray(from, to).toString('latin1');
  return [key, value.subarray(second + 1), text(0, first), text(first + 1, second)];
};
