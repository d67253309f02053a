'use client';

import { useMay } from '@/components/patterns/viewer';
import type { FamilyRow } from '@/lib/insights/schema';

/** Why a family is not offered for invalidation: the role, its sensitivity, or that it is no cache. */
export type Refusal = 'role' | 'guarded' | 'notCache';

/** Caches are offered to whoever may invalidate, guarded families to whoever may that too. null: offered. */
export const useRefusal = (): ((family: FamilyRow) => Refusal | null) => {
  const may = useMay('caches:invalidate');
  const maySensitive = useMay('caches:invalidate-sensitive');
  return (family) => {
    if (!may) return 'role';
    if (family.guarded) return maySensitive ? null : 'guarded';
    return family.cache ? null : 'notCache';
  };
};
