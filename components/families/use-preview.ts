'use client';

import { type UseQueryResult, useQuery } from '@tanstack/react-query';
import { useConnection } from '@/components/patterns/connection';
import { previewQuery } from '@/components/patterns/invalidation-queries';
import type { FamilyRow, InvalidationTarget, Preview } from '@/lib/families/schema';
import { narrowedTo, targetOf } from './draft';
import type { DraftState } from './use-draft';

interface PreviewState {
  /** What would be deleted; null while the draft is incomplete or being typed. */
  target: InvalidationTarget | null;
  query: UseQueryResult<Preview>;
  /** An entity's branches, the excluded ones too. */
  branches: Preview['branches'];
}

/** Previews the target of a draft. A complete entity is previewed first, because that lists its branches. */
export const usePreview = (
  opened: boolean,
  { draft, settled }: DraftState,
  family: FamilyRow | null,
): PreviewState => {
  const { id, entities } = useConnection();
  // Excluding a branch does not count as typing.
  const still =
    opened && JSON.stringify({ ...draft, without: [] }) === JSON.stringify({ ...settled, without: [] });
  const named = still ? targetOf(draft, family?.pairs ?? null, entities) : null;
  const whole = useQuery(previewQuery(id, named));
  const branches = (named && whole.data?.branches) ?? [];
  const narrows = draft.by === 'entity' && draft.without.length > 0;
  const target =
    named && narrows ? (branches.length > 0 ? narrowedTo(named, branches, draft.without) : null) : named;
  const part = useQuery(previewQuery(id, narrows ? target : null));
  const query = narrows && !whole.error ? part : whole;
  return { target, query, branches };
};
