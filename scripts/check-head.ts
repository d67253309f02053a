// The work of `npm run audit:verify`, bundled for plain Node.

import type { Head } from '@/lib/audit/known-heads';
import { readAnchor } from '@/lib/audit/rows';
import { verifyChain } from '@/lib/audit/verify';
import { readWatch } from '@/lib/audit/watch-record';
import { closeStore, store as configuredStore } from '@/lib/redis/store';

/**
 * Verifies the log in the configured store, and that `head`, stored elsewhere, is on its chain. Returns the result as
 * text. Not `ok` if retention has deleted the entry of the head, because then it cannot be verified.
 */
export const checkHead = async (head: Head | null): Promise<{ ok: boolean; text: string }> => {
  const store = configuredStore();
  try {
    const { ok, entries, firstBadId, problem } = await verifyChain(store, head ? [head] : []);
    const [base, now] = [await readAnchor(store, 'base'), await readAnchor(store, 'head')];
    if (!ok) {
      const where = firstBadId ? ` First bad entry: ${firstBadId}.` : '';
      return { ok, text: `BROKEN after ${entries} records: ${problem}.${where}` };
    }
    const alarm = await readWatch(store, 'alarm');
    if (alarm) return { ok: false, text: `Unacknowledged alarm: ${alarm.problem}.` };
    const isBefore = head !== null && head.seq <= base.seq;
    if (isBefore && (head.seq < base.seq || head.digest !== base.digest)) {
      const text = `The log is intact from record ${base.seq + 1} on, but retention deleted record ${head.seq}: use a newer head.`;
      return { ok: false, text };
    }
    const noted = head ? ` Record ${head.seq} matches the given head.` : '';
    return { ok, text: `Intact: ${entries} records.${noted} The head is now ${now.seq}:${now.digest}` };
  } finally {
    closeStore();
  }
};
