'use client';

import { fieldProblems } from '@/components/patterns/target-problems';
import type { FamilyRow } from '@/lib/families/schema';
import type { DraftFields } from './draft';
import { TargetFields } from './target-fields';
import { useDraft } from './use-draft';
import { usePreview } from './use-preview';

export interface TargetDrawerProps<Fields extends DraftFields = DraftFields> {
  opened: boolean;
  url: Fields;
  setUrl: (change: Partial<Fields>) => void;
  /** The families that can be invalidated. */
  families: readonly FamilyRow[];
  onClose: () => void;
  /** The job started, or was already running. */
  onJob: (jobId: string) => void;
}

interface Options extends Pick<TargetDrawerProps, 'opened' | 'url' | 'families'> {
  setUrl: (change: Partial<DraftFields>) => void;
  /** Called when the target changes: an earlier refusal was about the previous one. */
  onChange: () => void;
}

/** What a drawer changes: the fields that name it, its preview, and the family where it is one. */
export const useTarget = ({ opened, url, setUrl, families, onChange }: Options) => {
  const state = useDraft(opened, url, setUrl);
  const named = families.find(({ family }) => family === state.draft.family) ?? null;
  const { target, query, branches } = usePreview(opened, state, named);
  const fields = (
    <TargetFields
      draft={state.draft}
      onChange={(part) => {
        onChange();
        state.change(part);
      }}
      families={families}
      problems={fieldProblems(query.error)}
      branches={branches}
    />
  );
  return { target, query, family: state.draft.by === 'family' ? named : null, fields };
};
