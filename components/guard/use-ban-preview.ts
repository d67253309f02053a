'use client';

import { useDebouncedValue } from '@mantine/hooks';
import { useQuery } from '@tanstack/react-query';
import type { AddedIp } from '@/lib/guard/schema';
import { guardQueries } from './queries';

const PAUSE_MS = 300;

interface Preview {
  /** The answer for each line of the present text; null while there is none. */
  items: AddedIp[] | null;
  /** Still being asked: whoever bans now would not have seen the answer. A failure does not hold anybody up. */
  pending: boolean;
}

/** What would become of the lines of `text`, asked when typing pauses. */
export const useBanPreview = (connection: string, text: string, enabled: boolean): Preview => {
  const [settled] = useDebouncedValue(text, PAUSE_MS);
  const current = settled === text;
  const query = useQuery({ ...guardQueries.preview(connection, settled), enabled: enabled && current });
  return {
    items: (enabled && current && query.data) || null,
    pending: enabled && (!current || query.isPending),
  };
};
