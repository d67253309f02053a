'use client';

import { ActionIcon, Badge, Group, Text, Tooltip } from '@mantine/core';
import { IconHistory } from '@tabler/icons-react';
import { useTranslations } from 'next-intl';
import { useMemo } from 'react';
import type { DataColumn } from '@/components/data-table/columns';
import { HostileText, KeyText } from '@/components/patterns/hostile-text';
import { RelativeTime } from '@/components/patterns/relative-time';
import { useFormat } from '@/components/patterns/use-format';
import type { Flag } from '@/lib/flags/schema';
import { visibleText } from '@/lib/visible-text';
import { FlagSwitch } from './flag-switch';

const NameCell = ({ flag }: { flag: Flag }) => {
  const t = useTranslations('flags');
  const { duration } = useFormat();
  return (
    <>
      <Group gap={6}>
        <Text span size="sm" fw={600}>
          <HostileText max={80}>{flag.name}</HostileText>
        </Text>
        {flag.stale && (
          <Tooltip label={t('staleMeans')}>
            <Badge color="gray" variant="light" tt="none">
              {t('stale')}
            </Badge>
          </Tooltip>
        )}
        {flag.ttlSeconds !== null && (
          <Tooltip label={t('expiresMeans')}>
            <Badge color="orange" variant="light" tt="none">
              {t('expires', { life: duration(flag.ttlSeconds) })}
            </Badge>
          </Tooltip>
        )}
      </Group>
      {flag.description && (
        <Text size="xs" c="dimmed" component="div">
          <HostileText max={160}>{flag.description}</HostileText>
        </Text>
      )}
    </>
  );
};

/** The stored text as it is; what is no boolean says why it has no switch. */
const ValueCell = ({ flag }: { flag: Flag }) => {
  const t = useTranslations('flags');
  const shown = flag.raw !== null && <KeyText max={60}>{flag.raw}</KeyText>;
  if (flag.enabled !== null) return shown;
  const why = flag.type !== 'string' ? 'otherType' : flag.raw === null ? 'hidden' : 'noBooleanMeans';
  return (
    <>
      {shown}
      <Text size="xs" c="dimmed">
        {t(why, { type: flag.type })}
      </Text>
    </>
  );
};

const ChangeCell = ({ flag }: { flag: Flag }) => {
  const t = useTranslations('flags');
  if (!flag.updatedAt)
    return (
      <Text size="sm" c="dimmed">
        {t('notHere')}
      </Text>
    );
  return (
    <>
      <Text size="sm" component="div">
        <RelativeTime at={flag.updatedAt} /> · <HostileText max={40}>{flag.updatedBy}</HostileText>
      </Text>
      {flag.reason && (
        <Text size="xs" c="dimmed" component="div">
          <HostileText max={120}>{flag.reason}</HostileText>
        </Text>
      )}
    </>
  );
};

export const useFlagColumns = (onHistory: (flag: Flag) => void): DataColumn<Flag>[] => {
  const t = useTranslations('flags');
  return useMemo(
    (): DataColumn<Flag>[] => [
      {
        id: 'state',
        header: t('column.state'),
        width: 120,
        pinned: true,
        cell: (flag) => <FlagSwitch flag={flag} />,
        value: (flag) => flag.enabled,
      },
      {
        id: 'name',
        header: t('column.name'),
        width: 280,
        pinned: true,
        cell: (flag) => <NameCell flag={flag} />,
        value: (flag) => flag.name,
      },
      {
        id: 'value',
        header: t('column.value'),
        width: 200,
        cell: (flag) => <ValueCell flag={flag} />,
        value: (flag) => flag.raw,
      },
      {
        id: 'updatedAt',
        header: t('column.changed'),
        width: 260,
        cell: (flag) => <ChangeCell flag={flag} />,
        value: (flag) => flag.updatedAt,
      },
      {
        id: 'key',
        header: t('column.key'),
        width: 260,
        hiddenAtFirst: true,
        cell: (flag) => <KeyText>{flag.key}</KeyText>,
        value: (flag) => flag.key,
      },
      {
        id: 'history',
        header: '',
        width: 56,
        pinned: true,
        align: 'right',
        cell: (flag) => (
          <Tooltip label={t('history.button')}>
            <ActionIcon
              variant="subtle"
              color="gray"
              size="sm"
              aria-label={t('history.of', { name: visibleText(flag.name, 80) })}
              onClick={() => onHistory(flag)}
            >
              <IconHistory size={16} />
            </ActionIcon>
          </Tooltip>
        ),
      },
    ],
    [t, onHistory],
  );
};
