'use client';

import { List, Stack } from '@mantine/core';
import { useDebouncedValue } from '@mantine/hooks';
import { useQuery } from '@tanstack/react-query';
import { useTranslations } from 'next-intl';
import { KeyText } from '@/components/patterns/hostile-text';
import { queryKeyOf } from '@/components/patterns/query-key';
import { Strong } from '@/components/patterns/strong';
import { useSentences } from '@/components/patterns/use-sentences';
import { call } from '@/lib/api-client';
import { type AddedIp, guardContracts } from '@/lib/guard/schema';
import { pastedEntries } from './pasted';

const SHOWN = 5;

const ofStatus = (items: readonly AddedIp[], status: AddedIp['status']): number =>
  items.filter((item) => item.status === status).length;

/** How many lines will be banned, and why the others will not. */
export const BanPreview = ({ items }: { items: readonly AddedIp[] }) => {
  const t = useTranslations('guard.preview');
  const translate = useSentences();
  const others = items.filter(({ status }) => status !== 'added');
  return (
    <Stack gap={4} role="status">
      <Strong>
        {t('counts', {
          added: ofStatus(items, 'added'),
          already: ofStatus(items, 'already'),
          protected: ofStatus(items, 'protected'),
          invalid: ofStatus(items, 'invalid'),
        })}
      </Strong>
      {others.length > 0 && (
        <List size="xs" spacing={2}>
          {others.slice(0, SHOWN).map(({ input, reason }, i) => (
            // biome-ignore lint/suspicious/noArrayIndexKey: a pasted line may come twice
            <List.Item key={i}>
              <KeyText max={60}>{input}</KeyText> {reason && translate(reason)}
            </List.Item>
          ))}
          {others.length > SHOWN && <List.Item>{t('more', { count: others.length - SHOWN })}</List.Item>}
        </List>
      )}
    </Stack>
  );
};

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
  const query = useQuery({
    queryKey: queryKeyOf(guardContracts.blacklistAdd, connection, { preview: settled }),
    queryFn: async ({ signal }) => {
      const input = { ips: pastedEntries(settled), dryRun: true };
      return (await call(guardContracts.blacklistAdd, input, { connection, signal })).items;
    },
    staleTime: 0,
    gcTime: 0,
    enabled: enabled && current,
  });
  return {
    items: (enabled && current && query.data) || null,
    pending: enabled && (!current || query.isPending),
  };
};
