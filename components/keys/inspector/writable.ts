'use client';

import { useConnection } from '@/components/patterns/connection';
import { useMay } from '@/components/patterns/viewer';
import type { KeyDetails } from '@/lib/keys/schema';
import { isIncomplete } from './forms';

type Reason = NonNullable<KeyDetails['readOnlyReason']>;
type ValueReason = Reason | 'hidden' | 'masked';

export interface Writable {
  /** Why the key cannot be renamed, deleted or given a TTL; null where it can. */
  key: Exclude<Reason, 'type'> | null;
  /** Why the value cannot be changed; null where it can. */
  value: ValueReason | null;
}

/** What may be changed here, by the server's answer and by what this page knows. */
export const useWritable = (details: KeyDetails): Writable => {
  const { readOnly } = useConnection();
  const mayWrite = useMay('keys:write');
  const own = !mayWrite ? 'permission' : readOnly ? 'readOnly' : null;
  const reason = own ?? details.readOnlyReason;
  const { string } = details;
  const unshown = details.hidden !== null ? 'hidden' : string && isMaskedString(string) ? 'masked' : null;
  return { key: reason === 'type' ? null : reason, value: reason ?? unshown };
};

/** Saving a partly masked value would store the mask. */
const isMaskedString = ({ page }: NonNullable<KeyDetails['string']>): boolean =>
  isIncomplete({ ...page, truncated: false });
