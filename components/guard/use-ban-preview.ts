'use client';

import { useDebouncedValue } from '@mantine/hooks';
import { useQuery } from '@tanstack/react-query';
import type { AddedIp } from '@/lib/guard/schema';
import { guardQueries } from './queries';

const PAUSE_MS = 300;

interface Preview {
  /** The result per line of the current text; null while unknown. */
  items: AddedIp[] | null;
  /** The preview is loading, so a ban now would be blind. A failed preview does not block the ban. */
  pending: boolean;
}

/** The result of banning the lines of `text`, requested when typing pauses. */
export const useBanPreview = (connection: string, text: string, enabled: boolean): Preview => {
  const [settled] = useDebouncedValue(text, PAUSE_MS);
  const current = settled === text;
  const query = useQuery({ ...guardQueries.preview(connection, settled), enabled: enabled && current });
  return {
    items: (enabled && current && query.data) || null,
    pending: enabled && (!current || query.isPending),
  };
};
