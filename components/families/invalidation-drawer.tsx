'use client';

import { Stack } from '@mantine/core';
import { useTranslations } from 'next-intl';
import { useState } from 'react';
import { ChangeDrawer } from '@/components/patterns/change-drawer';
import { useConnection } from '@/components/patterns/connection';
import { Consequence } from '@/components/patterns/consequence';
import { DuplicateJobAlert } from '@/components/patterns/duplicate-job-alert';
import { PreviewPanel } from '@/components/patterns/preview-panel';
import { fieldProblems } from '@/components/patterns/target-problems';
import { useCommand } from '@/components/patterns/use-command';
import { ApiProblem } from '@/lib/api-client';
import type { FamilyRow, Preview } from '@/lib/families/schema';
import { familyContracts } from '@/lib/families/schema';
import type { DraftFields } from './draft';
import { TargetFields } from './target-fields';
import { useDraft } from './use-draft';
import { usePreview } from './use-preview';

export interface TargetDrawerProps {
  opened: boolean;
  url: DraftFields;
  setUrl: (change: Partial<DraftFields>) => void;
  /** The families that can be invalidated. */
  families: readonly FamilyRow[];
  onClose: () => void;
  /** The job started, or was already running. */
  onJob: (jobId: string) => void;
}

const useVerb = () => {
  const t = useTranslations('families');
  return (preview: Preview | undefined): string => {
    if (!preview) return t('invalidate');
    return preview.exact ? t('verb', { count: preview.keys }) : t('verbAbout', { count: preview.keys });
  };
};

/** Invalidates keys: the target, a preview of what is deleted, its effects, and a button with the number of keys. */
export const InvalidationDrawer = ({ opened, url, setUrl, families, onClose, onJob }: TargetDrawerProps) => {
  const t = useTranslations('families');
  const { id } = useConnection();
  const state = useDraft(opened, url, setUrl);
  const family = families.find((each) => each.family === state.draft.family) ?? null;
  const { target, query, counted, branches } = usePreview(opened, state, family);
  const invalidate = useCommand(familyContracts.invalidate, id);
  // The target for which deletion without undo was agreed to.
  const [agreedTo, setAgreedTo] = useState<unknown>(null);
  const verbOf = useVerb();
  const named = JSON.stringify(target);
  const withoutUndo = target !== null && agreedTo === named;
  const asked = invalidate.error instanceof ApiProblem && invalidate.error.code === 'no_undo';
  const leave = (to: () => void) => {
    invalidate.reset();
    setAgreedTo(null);
    to();
  };
  const blocked = !counted || counted.keys === 0 || (!withoutUndo && !counted.undo.possible);
  return (
    <ChangeDrawer
      operation="families.invalidate"
      opened={opened}
      onClose={() => leave(onClose)}
      title={t(state.draft.by === 'family' && family ? 'familyTitle' : 'invalidateTitle', {
        family: family?.title ?? '',
      })}
      size={480}
      verb={verbOf(counted)}
      destructive
      needsConfirmation
      stays="asItIs"
      staysValid={t('stays')}
      blocked={blocked}
      pending={invalidate.isPending}
      error={invalidate.error}
      onSubmit={(words) =>
        target &&
        invalidate.mutate(
          { ...target, ...words, withoutUndo },
          { onSuccess: ({ jobId }) => leave(() => onJob(jobId)) },
        )
      }
    >
      <Stack gap="md">
        <TargetFields
          draft={state.draft}
          onChange={(part) => {
            invalidate.reset();
            state.change(part);
          }}
          families={families}
          problems={fieldProblems(query.error)}
          branches={branches}
        />
        <PreviewPanel query={query} idle={target === null}>
          {(preview) => (
            <Consequence
              preview={preview}
              withoutUndo={withoutUndo}
              onWithoutUndo={(agreed) => setAgreedTo(agreed ? named : null)}
              asked={asked}
            />
          )}
        </PreviewPanel>
        <DuplicateJobAlert error={invalidate.error} onJob={(jobId) => leave(() => onJob(jobId))} />
      </Stack>
    </ChangeDrawer>
  );
};
