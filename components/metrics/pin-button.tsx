'use client';

import { Button } from '@mantine/core';
import { notifications } from '@mantine/notifications';
import { IconPin, IconPinnedOff } from '@tabler/icons-react';
import { useQuery } from '@tanstack/react-query';
import { useTranslations } from 'next-intl';
import { useConnection } from '@/components/patterns/connection';
import { pinnedQuery } from '@/components/patterns/pinned-metrics';
import { useCommand } from '@/components/patterns/use-command';
import { metricContracts } from '@/lib/metrics/schema';
import { visibleText } from '@/lib/visible-text';
import type { FigureRef } from './queries';

interface PinButtonProps {
  figure: FigureRef;
  /** What is pinned, for the button's name. */
  name: string;
}

const MAX_NAME = 60;

/** Pins a figure to the user's own overview, or takes it off again. */
export const PinButton = ({ figure, name }: PinButtonProps) => {
  const t = useTranslations('metrics.pin');
  const { id } = useConnection();
  const pinned = useQuery(pinnedQuery(id));
  const pin = useCommand(metricContracts.pin, id);
  const unpin = useCommand(metricContracts.unpin, id);
  const known = pinned.data?.items.find(
    ({ keyId, fieldId }) => keyId === figure.keyId && (fieldId ?? undefined) === figure.fieldId,
  );
  const shown = visibleText(name, MAX_NAME);
  const onError = (error: Error) =>
    notifications.show({ color: 'red', message: error.message, role: 'status' });
  const change = () => {
    if (known) unpin.mutate({ id: known.id }, { onError });
    else pin.mutate({ ...figure }, { onError });
  };
  return (
    <Button
      size="compact-sm"
      variant="default"
      aria-label={t(known ? 'unpinOf' : 'pinOf', { name: shown })}
      leftSection={known ? <IconPinnedOff size={14} aria-hidden /> : <IconPin size={14} aria-hidden />}
      loading={pin.isPending || unpin.isPending}
      disabled={pinned.isPending}
      onClick={change}
    >
      {t(known ? 'unpin' : 'pin')}
    </Button>
  );
};
