'use client';

import { Alert } from '@mantine/core';
import { useQuery } from '@tanstack/react-query';
import { useConnection } from '@/components/patterns/connection';
import { previewQuery } from '@/components/patterns/invalidation-queries';
import { fieldProblems } from '@/components/patterns/target-problems';

/** The props of a drawer that changes the selected keys. */
export interface SelectedKeysProps {
  keyIds: string[];
  opened: boolean;
  onClose: () => void;
  /** Called when the job has started: the selection is cleared, and the job is shown. */
  onJob: (jobId: string) => void;
}

/** The selected keys as the target of a change, and their preview. */
export const useSelectedKeys = (keyIds: string[], opened: boolean) => {
  const { id } = useConnection();
  const target = opened ? { keyIds } : null;
  return { target, query: useQuery(previewQuery(id, target)) };
};

/** Why one of the selected keys cannot be changed with others. */
export const SelectedRefusal = ({ error }: { error: unknown }) => {
  const refusal = fieldProblems(error).get('keyIds');
  if (!refusal) return null;
  return (
    <Alert color="orange" role="alert">
      {refusal}
    </Alert>
  );
};
