'use client';

import { Alert, Drawer, Stack, Text } from '@mantine/core';
import { useTranslations } from 'next-intl';
import { Facts } from '@/components/patterns/facts';
import { Bytes, Count } from '@/components/patterns/figures';
import { KeyText } from '@/components/patterns/hostile-text';
import { RelativeTime } from '@/components/patterns/relative-time';
import type { FamilyRow } from '@/lib/insights/schema';
import { HitRate, WithoutTtl } from './family-columns';
import type { Refusal } from './may-invalidate';

interface FamilyDrawerProps {
  family: FamilyRow;
  refusal: Refusal | null;
  opened: boolean;
  onClose: () => void;
}

/** A family that is not offered for invalidation: what it is, its figures, and why not. */
export const FamilyDrawer = ({ family, refusal, opened, onClose }: FamilyDrawerProps) => {
  const t = useTranslations('caches');
  return (
    <Drawer
      opened={opened}
      onClose={onClose}
      position="right"
      size={420}
      title={family.title}
      styles={{ title: { fontWeight: 650 } }}
      closeButtonProps={{ 'aria-label': t('close') }}
    >
      <Stack gap="md">
        <Text size="sm">{family.purpose}</Text>
        <Facts
          facts={[
            { label: t('column.pattern'), value: <KeyText>{family.pattern}</KeyText> },
            { label: t('column.type'), value: family.type },
            { label: t('column.keys'), value: <Count value={family.keys} /> },
            { label: t('column.memory'), value: <Bytes value={family.memoryBytes} /> },
            { label: t('column.hitRate'), value: <HitRate family={family} /> },
            { label: t('column.withoutTtl'), value: <WithoutTtl family={family} /> },
            { label: t('column.ttl'), value: family.ttl },
            { label: t('column.app'), value: family.app },
            { label: t('counted'), value: <RelativeTime at={family.countedAt} /> },
          ]}
        />
        {refusal && <Alert color="gray">{t(`refusal.${refusal}`)}</Alert>}
      </Stack>
    </Drawer>
  );
};
