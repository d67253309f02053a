'use client';

import { Stack } from '@mantine/core';
import { useQuery } from '@tanstack/react-query';
import { useTranslations } from 'next-intl';
import { useState } from 'react';
import { ChangeDrawer } from '@/components/patterns/change-drawer';
import { useConnection } from '@/components/patterns/connection';
import { Consequence } from '@/components/patterns/consequence';
import { DuplicateJobAlert } from '@/components/patterns/duplicate-job-alert';
import { previewQuery } from '@/components/patterns/invalidation-queries';
import { useCommand } from '@/components/patterns/use-command';
import { ApiProblem } from '@/lib/api-client';
import { familyContracts } from '@/lib/families/schema';
import type { SelectedKeysProps } from './selected-keys';
import { SelectedPreview } from './selected-preview';

/** Deletes the selected keys in a job: a preview shows their families and whether they can be restored. */
export const DeleteDrawer = ({ keyIds, opened, onClose, onJob }: SelectedKeysProps) => {
  const t = useTranslations('keys.selection');
  const { id } = useConnection();
  const query = useQuery(previewQuery(id, opened ? { keyIds } : null));
  const change = useCommand(familyContracts.invalidate, id);
  const [withoutUndo, setWithoutUndo] = useState(false);
  const counted = query.data;
  const asked = change.error instanceof ApiProblem && change.error.code === 'no_undo';
  const leave = (to: () => void) => {
    change.reset();
    setWithoutUndo(false);
    to();
  };
  return (
    <ChangeDrawer
      operation="families.invalidate"
      opened={opened}
      onClose={() => leave(onClose)}
      size={480}
      title={t('deleteTitle')}
      verb={counted ? t('delete', { count: counted.keys }) : t('deleteVerb')}
      destructive
      needsConfirmation
      blocked={!counted || counted.keys === 0 || (!withoutUndo && !counted.undo.possible)}
      pending={change.isPending}
      error={change.error}
      onSubmit={(words) =>
        change.mutate(
          { keyIds, ...words, withoutUndo },
          { onSuccess: ({ jobId }) => leave(() => onJob(jobId)) },
        )
      }
    >
      <Stack gap="md">
        <SelectedPreview query={query} opened={opened}>
          {(preview) => (
            <Consequence
              preview={preview}
              withoutUndo={withoutUndo}
              onWithoutUndo={setWithoutUndo}
              asked={asked}
            />
          )}
        </SelectedPreview>
        <DuplicateJobAlert error={change.error} onJob={(jobId) => leave(() => onJob(jobId))} />
      </Stack>
    </ChangeDrawer>
  );
};
