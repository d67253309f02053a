'use client';

import { useMay } from '@/components/patterns/viewer';
import type { FamilyRow } from '@/lib/families/schema';

/** Why a family cannot be invalidated: the role, guarded keys, or not a cache. */
export type Refusal = 'role' | 'guarded' | 'notCache';

/** Why the viewer cannot invalidate a family; null where they can. Guarded families need a permission of their own. */
export const useRefusal = (): ((family: FamilyRow) => Refusal | null) => {
  const may = useMay('caches:invalidate');
  const maySensitive = useMay('caches:invalidate-sensitive');
  return (family) => {
    if (!may) return 'role';
    if (family.guarded) return maySensitive ? null : 'guarded';
    return family.cache ? null : 'notCache';
  };
};
