'use client';

import { Button, MultiSelect, Stack, Text } from '@mantine/core';
import { type UseQueryResult, useQueries } from '@tanstack/react-query';
import { useTranslations } from 'next-intl';
import { useMemo } from 'react';
import type { ConnectionFacts } from '@/components/patterns/connection';
import { Drawer } from '@/components/patterns/drawer';
import { HostileText } from '@/components/patterns/hostile-text';
import type { Result } from '@/lib/contract';
import type { flagContracts } from '@/lib/flags/schema';
import { visibleText } from '@/lib/visible-text';
import { ALL, chosenConnections, MAX_OTHERS } from './chosen-connections';
import type { ListedFlags } from './compare-flags';
import { ComparedConnections } from './compared-connections';
import { ComparedTable } from './compared-table';
import { flagQueries } from './queries';
import { useFlagConnections } from './use-flag-connections';

interface CompareDrawerProps {
  /** `ALL`, or ids of other connections with commas; null while the drawer is closed. */
  others: string | null;
  /** One flag; empty for all of them. */
  name: string;
  onChoose: (others: string) => void;
  onFlag: (name: string) => void;
  onClose: () => void;
}

/** The flags of this connection beside those of others: what is on in staging, and not in production. */
export const CompareDrawer = ({ others, name, onChoose, onFlag, onClose }: CompareDrawerProps) => {
  const t = useTranslations('flags.compare');
  const tWord = useTranslations('words');
  const [here, ...all] = useFlagConnections();
  const chosen = chosenConnections(all, others ?? ALL);
  return (
    <Drawer
      opened={others !== null}
      onClose={onClose}
      inAddress
      width="compare"
      title={name === '' ? t('title') : t('of', { name: visibleText(name, 60) })}
    >
      <Stack gap="md">
        {all.length > 1 && (
          <MultiSelect
            label={tWord('connections')}
            description={all.length > MAX_OTHERS && t('limit', { count: MAX_OTHERS })}
            data={all.map(({ id, name }) => ({ value: id, label: visibleText(name, 40) }))}
            value={chosen.map(({ id }) => id)}
            onChange={(chosen) => onChoose(chosen.join(',') || ALL)}
            maxValues={MAX_OTHERS}
          />
        )}
        {name !== '' && (
          <Button
            variant="default"
            size="compact-sm"
            style={{ alignSelf: 'start' }}
            onClick={() => onFlag('')}
          >
            {t('all')}
          </Button>
        )}
        {others !== null && <Comparison connections={[here!, ...chosen]} name={name} onFlag={onFlag} />}
      </Stack>
    </Drawer>
  );
};

/** Values from before an outage are not those of now. */
const listsOf = (queries: UseQueryResult<Result<typeof flagContracts.list>>[]): ListedFlags[] =>
  queries.map(({ data, isError }) => (isError ? 'unknown' : (data ?? 'loading')));

interface ComparisonProps {
  connections: ConnectionFacts[];
  name: string;
  onFlag: (name: string) => void;
}

const Comparison = ({ connections, name, onFlag }: ComparisonProps) => {
  const t = useTranslations('flags.compare');
  const lists = useQueries({
    // The next request is the retry: an unreachable connection must not keep the others from being shown.
    queries: connections.map(({ id }) => ({ ...flagQueries.list(id), retry: false })),
    combine: listsOf,
  });
  const key = connections.map(({ id }) => id).join();
  // biome-ignore lint/correctness/useExhaustiveDependencies: their ids identify the connections
  const compared = useMemo(() => ({ connections, lists }), [key, lists]);
  return (
    <>
      {connections
        .filter((_, i) => lists[i] === 'unknown')
        .map((connection) => (
          <Text key={connection.id} size="sm" c="red">
            {t.rich('unreadable', { name: () => <HostileText max={40}>{connection.name}</HostileText> })}
          </Text>
        ))}
      {name === '' ? (
        <ComparedTable key={key} {...compared} onFlag={onFlag} />
      ) : (
        <ComparedConnections {...compared} name={name} />
      )}
    </>
  );
};
