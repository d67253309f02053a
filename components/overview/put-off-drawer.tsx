'use client';

import { SegmentedControl, Stack, Text } from '@mantine/core';
import { useTranslations } from 'next-intl';
import { useState } from 'react';
import { ChangeDrawer } from '@/components/patterns/change-drawer';
import { useConnection } from '@/components/patterns/connection';
import { HostileText } from '@/components/patterns/hostile-text';
import { Strong } from '@/components/patterns/strong';
import { useCommand } from '@/components/patterns/use-command';
import { type Attention, overviewContracts } from '@/lib/overview/schema';
import { DAY, HOUR, iso } from '@/lib/time';

const SPANS = { hours: 4 * HOUR, day: DAY, week: 7 * DAY, month: 30 * DAY };
type Span = keyof typeof SPANS;

interface PutOffDrawerProps {
  item: Attention | null;
  opened: boolean;
  onClose: () => void;
  onClosed: () => void;
}

/** Hides something that needs attention from everybody's overview for a time, with a reason. */
export const PutOffDrawer = ({ item, opened, onClose, onClosed }: PutOffDrawerProps) => {
  const t = useTranslations('overview.attention.putOff');
  const { id: connection } = useConnection();
  const [span, setSpan] = useState<Span>('day');
  const change = useCommand(overviewContracts.putOff, connection, { onSuccess: onClose });
  return (
    <ChangeDrawer
      opened={opened}
      onClose={onClose}
      onClosed={() => {
        change.reset();
        onClosed();
      }}
      title={t('title')}
      verb={t('verb')}
      withReason="required"
      onReadOnly
      pending={change.isPending}
      error={change.error}
      onSubmit={(words) =>
        item && change.mutate({ id: item.id, until: iso(Date.now() + SPANS[span]), ...words })
      }
    >
      <Stack gap="sm">
        <Strong>
          <HostileText max={160}>{item?.text ?? ''}</HostileText>
        </Strong>
        <Text size="sm">{t('consequence')}</Text>
        <SegmentedControl
          fullWidth
          aria-label={t('span')}
          value={span}
          onChange={(value) => setSpan(value as Span)}
          data={(Object.keys(SPANS) as Span[]).map((value) => ({ value, label: t(`spanOf.${value}`) }))}
        />
      </Stack>
    </ChangeDrawer>
  );
};
