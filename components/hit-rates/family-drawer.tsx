'use client';

import { Button, Divider, Group, Stack, Text } from '@mantine/core';
import { IconTrash } from '@tabler/icons-react';
import { useTranslations } from 'next-intl';
import { AllChanges } from '@/components/patterns/all-changes';
import { useConnection } from '@/components/patterns/connection';
import { Dimmed } from '@/components/patterns/dimmed';
import { Drawer } from '@/components/patterns/drawer';
import { Facts } from '@/components/patterns/facts';
import { Count, PerSecond } from '@/components/patterns/figures';
import { HitRateSource } from '@/components/patterns/hit-rate-source';
import { HostileText, KeyText } from '@/components/patterns/hostile-text';
import { Link } from '@/components/patterns/link';
import { RelativeTime } from '@/components/patterns/relative-time';
import { Strong } from '@/components/patterns/strong';
import { useLast } from '@/components/patterns/use-last';
import { useTtlWords } from '@/components/patterns/use-ttl-words';
import { useMay } from '@/components/patterns/viewer';
import type { FamilyRow } from '@/lib/families/schema';
import type { HistoryEvent } from '@/lib/history/schema';
import { FamilyTtl } from './family-ttl';
import { RateCell, useWindowWords } from './rate-cell';
import type { RateRow } from './rows';

interface FamilyDrawerProps {
  row: RateRow | null;
  /** The same family in the catalog; null for keys of no family. */
  family: FamilyRow | null;
  /** Events of the shown range. */
  events: readonly HistoryEvent[];
  instance: number | null;
  stepSeconds: number | null;
  opened: boolean;
  onClose: () => void;
}

/** One family: its figures, its keys and their TTLs, its recent events, and the way to invalidate it. */
export const FamilyDrawer = (props: FamilyDrawerProps) => {
  const { row: chosen, family, instance, stepSeconds, opened, onClose } = props;
  const t = useTranslations('hitRates');
  const tWord = useTranslations('words');
  const ttlWords = useTtlWords();
  const windowOf = useWindowWords();
  const row = useLast(chosen);
  if (!row) return null;
  return (
    <Drawer opened={opened && chosen !== null} onClose={onClose} inAddress width="editor" title={row.title}>
      <Stack gap="md">
        <Facts
          facts={[
            family && { label: tWord('pattern'), value: <KeyText>{family.pattern}</KeyText> },
            family && { label: tWord('keys'), value: <Count value={family.keys} /> },
            family && { label: t('family.catalogTtl'), value: ttlWords(family.ttl) },
            { label: tWord('hitRate'), value: <RateCell row={row} instance={instance} /> },
            {
              label: tWord('source'),
              value: (
                <HitRateSource
                  source={row.source}
                  coverage={row.coverage}
                  error={row.error}
                  window={windowOf(row, stepSeconds)}
                />
              ),
            },
            { label: t('column.n'), value: <Count value={row.source === 'none' ? null : row.n} /> },
            { label: tWord('misses'), value: <PerSecond value={row.missesPerSecond} /> },
            { label: t('column.originLoad'), value: <PerSecond value={row.originLoadPerSecond} /> },
          ]}
        />
        {family && <Catalog family={family} />}
        <Events events={props.events.filter((event) => event.family === row.family)} />
        <Divider />
        {row.family !== 'unclassified' && <FamilyTtl family={row.family} />}
      </Stack>
    </Drawer>
  );
};

/** What can be done about a family: its invalidation begins with a preview on its own page. */
const Catalog = ({ family }: { family: FamilyRow }) => {
  const tWord = useTranslations('words');
  const { id } = useConnection();
  const mayInvalidate = useMay('caches:invalidate') && family.cache && !family.guarded;
  const query = new URLSearchParams({ family: family.family, do: 'invalidate' });
  return (
    <Group gap="sm">
      {mayInvalidate && (
        <Button
          component={Link}
          size="xs"
          variant="default"
          href={`/${id}/families?${query}`}
          leftSection={<IconTrash size={14} aria-hidden />}
        >
          {tWord('invalidateAsk')}
        </Button>
      )}
      <AllChanges kind="family" name={family.family} />
    </Group>
  );
};

const Events = ({ events }: { events: readonly HistoryEvent[] }) => {
  const t = useTranslations('hitRates');
  return (
    <div>
      <Strong>{t('family.events')}</Strong>
      {events.length === 0 && <Dimmed>{t('family.noEvents')}</Dimmed>}
      {events.toReversed().map(({ at, kind, text }) => (
        <Text key={`${at} ${kind} ${text}`} size="sm">
          {t(`drop.kind.${kind}`)} · <HostileText max={120}>{text}</HostileText> · <RelativeTime at={at} />
        </Text>
      ))}
    </div>
  );
};
