// What `npm run audit:verify` runs, bundled for plain Node.

import type { Head } from '@/lib/audit/known-heads';
import { readAnchor } from '@/lib/audit/rows';
import { verifyChain } from '@/lib/audit/verify';
import { readWatch } from '@/lib/audit/watch-record';
import { openStore } from '@/lib/redis/store';

/**
 * Verifies the log in the store at `url`, and whether `head`, noted outside of it, lies on its chain. What was found,
 * in words; not `ok` either where retention forgot the entry of the head, for then nothing can be said of it.
 */
export const checkHead = async (url: string, head: Head | null): Promise<{ ok: boolean; text: string }> => {
  const store = openStore(url);
  try {
    const { ok, entries, firstBadId, problem } = await verifyChain(store, head ? [head] : []);
    const [base, now] = [await readAnchor(store, 'base'), await readAnchor(store, 'head')];
    if (!ok) {
      const where = firstBadId ? ` Look at the entry ${firstBadId}.` : '';
      return { ok, text: `NOT WHOLE after ${entries} records: ${problem}.${where}` };
    }
    const alarm = await readWatch(store, 'alarm');
    if (alarm) return { ok: false, text: `An alarm that nobody acknowledged stands: ${alarm.problem}.` };
    const isBefore = head !== null && head.seq <= base.seq;
    if (isBefore && (head.seq < base.seq || head.digest !== base.digest)) {
      const text = `The log is whole from record ${base.seq + 1} on, but record ${head.seq} was forgotten by retention: take a newer head.`;
      return { ok: false, text };
    }
    const noted = head ? ` Record ${head.seq} is the one that was noted.` : '';
    return { ok, text: `Whole: ${entries} records.${noted} The head is now ${now.seq}:${now.digest}` };
  } finally {
    store.close();
  }
};
