import 'server-only';
import { env } from '@/lib/env';
import type { TargetCount } from './count';
import type { Preview } from './schema';

/** Whether what is reached can all be kept, as far as a count tells. */
export const undoOf = (count: TargetCount): Preview['undo'] => {
  const { maxKeys, maxBytes, hours } = env().undo;
  const bytes = count.keptBytes ?? 0;
  // Where an estimate leaves it open, the job finds out: it deletes nothing that it cannot keep.
  const atLeast = count.keys - (count.error ?? 0);
  const tooMany = atLeast > maxKeys ? 'keys' : bytes > maxBytes ? 'bytes' : null;
  const noneFits = count.tooLarge > 0 && count.tooLarge === count.sample.length;
  // The sample stands for all; of few keys it is all.
  const share = count.sample.length > 0 ? count.tooLarge / count.sample.length : 0;
  const tooLarge = count.tooLarge > 0 ? Math.max(count.tooLarge, Math.round(share * count.keys)) : 0;
  return {
    possible: tooMany === null && !noneFits,
    keys: Math.max(0, count.keys - tooLarge),
    bytes,
    why: tooMany ?? (count.tooLarge > 0 ? 'value' : null),
    tooLarge,
    hours,
  };
};

const WHY: Record<'keys' | 'bytes' | 'value', string> = {
  keys: 'there are too many keys to be kept',
  bytes: 'there are too many bytes to be kept',
  value: 'the values are too large to be kept',
};

export const whyNot = ({ why }: Preview['undo']): string => (why ? WHY[why] : 'it cannot be kept');
