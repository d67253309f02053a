'use client';

import { List, Stack, Text } from '@mantine/core';
import { useTranslations } from 'next-intl';
import { KeyText } from '@/components/patterns/hostile-text';
import type { AddedIp } from '@/lib/guard/schema';

const SHOWN = 5;

const ofStatus = (items: readonly AddedIp[], status: AddedIp['status']): number =>
  items.filter((item) => item.status === status).length;

/** How many lines will be banned, and why the others will not. */
export const BanPreview = ({ items }: { items: readonly AddedIp[] }) => {
  const t = useTranslations('guard.preview');
  const others = items.filter(({ status }) => status !== 'added');
  return (
    <Stack gap={4} role="status">
      <Text size="sm" fw={600}>
        {t('counts', {
          added: ofStatus(items, 'added'),
          already: ofStatus(items, 'already'),
          protected: ofStatus(items, 'protected'),
          invalid: ofStatus(items, 'invalid'),
        })}
      </Text>
      {others.length > 0 && (
        <List size="xs" spacing={2}>
          {others.slice(0, SHOWN).map(({ input, reason }, i) => (
            // biome-ignore lint/suspicious/noArrayIndexKey: a pasted line may come twice
            <List.Item key={i}>
              <KeyText max={60}>{input}</KeyText> {reason}
            </List.Item>
          ))}
          {others.length > SHOWN && <List.Item>{t('more', { count: others.length - SHOWN })}</List.Item>}
        </List>
      )}
    </Stack>
  );
};
