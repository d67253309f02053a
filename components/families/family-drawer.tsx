'use client';

import { Alert, Button, Group, Stack, Text } from '@mantine/core';
import { IconClockEdit, IconFolderSearch, IconTrash } from '@tabler/icons-react';
import { useTranslations } from 'next-intl';
import type { ReactNode } from 'react';
import { AllChanges } from '@/components/patterns/all-changes';
import { useConnection } from '@/components/patterns/connection';
import { Drawer } from '@/components/patterns/drawer';
import { Facts } from '@/components/patterns/facts';
import { Count } from '@/components/patterns/figures';
import { KeyText } from '@/components/patterns/hostile-text';
import { Link } from '@/components/patterns/link';
import { useTtlWords } from '@/components/patterns/use-ttl-words';
import { useMay } from '@/components/patterns/viewer';
import type { FamilyRow } from '@/lib/families/schema';
import { HitRate, StoredType } from './family-columns';
import type { Refusal } from './may-invalidate';

interface FamilyDrawerProps {
  family: FamilyRow;
  refusal: Refusal | null;
  opened: boolean;
  onClose: () => void;
  onInvalidate: () => void;
  onSetTtl: () => void;
  /** More figures: memory, TTLs, time of the count. */
  children: ReactNode;
}

/** A family: its purpose, its figures, and its actions or why there are none. */
export const FamilyDrawer = (props: FamilyDrawerProps) => {
  const { family, refusal, opened, onClose, onInvalidate, onSetTtl, children } = props;
  const t = useTranslations('families');
  const tWord = useTranslations('words');
  const ttlWords = useTtlWords();
  const connection = useConnection();
  const mayView = useMay('keys:view');
  return (
    <Drawer opened={opened} onClose={onClose} inAddress width="detail" title={family.title}>
      <Stack gap="md">
        <Text size="sm">{family.purpose}</Text>
        {refusal && <Alert color="gray">{t(`refusal.${refusal}`)}</Alert>}
        <Group gap="sm">
          {!refusal && (
            <>
              <Button
                color="red"
                variant="light"
                leftSection={<IconTrash size={16} aria-hidden />}
                onClick={onInvalidate}
              >
                {tWord('invalidateAsk')}
              </Button>
              <Button
                variant="default"
                leftSection={<IconClockEdit size={16} aria-hidden />}
                onClick={onSetTtl}
              >
                {tWord('setTtlAsk')}
              </Button>
            </>
          )}
          {mayView && (
            <Button
              component={Link}
              href={`/${connection.id}/keys?family=${encodeURIComponent(family.family)}`}
              variant="default"
              leftSection={<IconFolderSearch size={16} aria-hidden />}
            >
              {t('viewKeys')}
            </Button>
          )}
          <AllChanges kind="family" name={family.family} />
        </Group>
        <Facts
          facts={[
            { label: tWord('pattern'), value: <KeyText>{family.pattern}</KeyText> },
            { label: tWord('type'), value: <StoredType family={family} /> },
            ...family.drift.map(({ documented, found, keys, of }) => ({
              label: t('drift.label'),
              value: t('drift.type', { documented, found, keys, of }),
            })),
            { label: tWord('keys'), value: <Count value={family.keys} /> },
            { label: tWord('hitRate'), value: <HitRate family={family} /> },
            { label: tWord('ttl'), value: ttlWords(family.ttl) },
            { label: tWord('application'), value: family.app },
          ]}
        />
        {children}
      </Stack>
    </Drawer>
  );
};
