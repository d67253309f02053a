'use client';

import { Button, Group, Stack } from '@mantine/core';
import { IconPlugConnected } from '@tabler/icons-react';
import { useTranslations } from 'next-intl';
import { useConnection } from '@/components/patterns/connection';
import { Dimmed } from '@/components/patterns/dimmed';
import { Drawer } from '@/components/patterns/drawer';
import { Facts } from '@/components/patterns/facts';
import { HostileText, KeyText } from '@/components/patterns/hostile-text';
import { AbsoluteTime } from '@/components/patterns/relative-time';
import { TextLink } from '@/components/patterns/text-link';
import touch from '@/components/patterns/touch.module.css';
import { useFormat } from '@/components/patterns/use-format';
import { useMicros } from '@/components/patterns/use-micros';
import { UNKNOWN } from '@/lib/format';
import type { SlowLogEntry } from '@/lib/server/schema';
import { OwnBadge } from './parts';
import { callText } from './slow-columns';

interface SlowEntryDrawerProps {
  entry: SlowLogEntry | null;
  opened: boolean;
  onClose: () => void;
  /** Shows connected clients with this name or address. */
  onClient: (q: string) => void;
}

/** A slow command with its arguments, families and client. */
export const SlowEntryDrawer = ({ entry, opened, onClose, onClient }: SlowEntryDrawerProps) => {
  const t = useTranslations('server');
  const tWord = useTranslations('words');
  const format = useFormat();
  const micros = useMicros();
  if (!entry) return null;
  const { client, families, keys } = entry;
  const found = client.address ?? client.name;
  return (
    <Drawer
      opened={opened}
      onClose={onClose}
      width="detail"
      title={t('slow.title', { command: entry.command, duration: micros(entry.durationMicros) })}
      closeButtonProps={{ 'aria-label': t('closeDetails') }}
    >
      <Stack gap="md">
        <KeyText max={2000}>{callText(entry)}</KeyText>
        <Dimmed size="xs">{t('slow.masked', { count: entry.argumentsTotal })}</Dimmed>
        <Facts
          facts={[
            { label: t('column.at'), value: <AbsoluteTime at={entry.at} /> },
            { label: tWord('duration'), value: micros(entry.durationMicros) },
            { label: tWord('keys'), value: format.count(keys) },
            {
              label: tWord('families'),
              value: families.length === 0 ? UNKNOWN : <Families families={families} />,
            },
            {
              label: tWord('name'),
              value: (
                <>
                  <HostileText>{client.name}</HostileText>
                  <OwnBadge of={entry} />
                </>
              ),
            },
            { label: tWord('address'), value: <HostileText>{client.address}</HostileText> },
          ]}
        />
        {found !== null && (
          <Group>
            <Button
              variant="default"
              className={touch.thumb ?? ''}
              leftSection={<IconPlugConnected size={16} aria-hidden />}
              onClick={() => {
                onClose();
                onClient(found);
              }}
            >
              {t('slow.toClient')}
            </Button>
          </Group>
        )}
      </Stack>
    </Drawer>
  );
};

const Families = ({ families }: Pick<SlowLogEntry, 'families'>) => {
  const t = useTranslations('server');
  const tWord = useTranslations('words');
  const { id } = useConnection();
  return (
    <Stack gap={4}>
      {families.map(({ family, title }) => (
        <Group key={family} gap="xs">
          <TextLink underline="always" href={`/${id}/families?family=${encodeURIComponent(family)}`}>
            {title}
          </TextLink>
          <TextLink
            underline="always"
            aria-label={t('slow.keysOf', { family: title })}
            href={`/${id}/keys?family=${encodeURIComponent(family)}`}
          >
            {tWord('keys')}
          </TextLink>
        </Group>
      ))}
    </Stack>
  );
};
