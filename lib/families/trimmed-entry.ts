import 'server-only';
import type { Arg } from '@/lib/redis/commands';
import type { KeyDump, SnapshotEntry } from '@/lib/snapshots/snapshots';

/** The rest of a key after a trim. */
export interface Trimmed {
  type: string;
  elements: number;
  digest: string;
}

const SEPARATOR = '\n';

/** What undo stores for a trimmed key: its copy, after the description of the rest. */
export const trimmedEntry = (copy: KeyDump, { type, elements, digest }: Trimmed): SnapshotEntry => ({
  ...copy,
  mark: 'plain',
  value: Buffer.concat([Buffer.from([type, elements, digest, ''].join(SEPARATOR), 'latin1'), copy.value]),
});

/** Arguments of the script `restore-trimmed`. */
export const restoreTrimmedArgs = ({ key, value }: SnapshotEntry): Arg[] => {
  const out: Arg[] = [key];
  let at = 0;
  for (let field = 0; field < 3; field++) {
    const end = value.indexOf(SEPARATOR, at);
    out.push(value.subarray(at, end).toString('latin1'));
    at = end + 1;
  }
  return [...out, value.subarray(at)];
};
