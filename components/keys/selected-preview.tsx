'use client';

import { Alert } from '@mantine/core';
import type { UseQueryResult } from '@tanstack/react-query';
import type { ReactNode } from 'react';
import { PreviewPanel } from '@/components/patterns/preview-panel';
import { fieldProblems } from '@/components/patterns/target-problems';
import type { Preview } from '@/lib/families/schema';

interface SelectedPreviewProps {
  query: UseQueryResult<Preview>;
  opened: boolean;
  children: (preview: Preview) => ReactNode;
}

/** The families of the selected keys, or why one of them cannot be changed with others. */
export const SelectedPreview = ({ query, opened, children }: SelectedPreviewProps) => {
  const refusal = fieldProblems(query.error).get('keyIds');
  if (refusal)
    return (
      <Alert color="orange" role="alert">
        {refusal}
      </Alert>
    );
  return (
    <PreviewPanel query={query} idle={!opened}>
      {children}
    </PreviewPanel>
  );
};
