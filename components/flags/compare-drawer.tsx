'use client';

import { Badge, Skeleton, Stack, Switch, Table, Text } from '@mantine/core';
import { useQuery } from '@tanstack/react-query';
import { useTranslations } from 'next-intl';
import { useMemo, useState } from 'react';
import { useConnection, useConnections } from '@/components/patterns/connection';
import { Drawer } from '@/components/patterns/drawer';
import { HostileText, KeyText } from '@/components/patterns/hostile-text';
import { ProblemAlert } from '@/components/patterns/problem-alert';
import { Select } from '@/components/patterns/select';
import type { Flag } from '@/lib/flags/schema';
import { type FlagPair, pairsOf } from './compare-flags';
import { flagQueries } from './queries';

interface CompareDrawerProps {
  /** The id of the other connection; empty while none is chosen, null while the drawer is closed. */
  other: string | null;
  onChoose: (connection: string) => void;
  onClose: () => void;
}

/** The flags of this connection beside those of another: what is on in staging, and not in production. */
export const CompareDrawer = ({ other, onChoose, onClose }: CompareDrawerProps) => {
  const t = useTranslations('flags.compare');
  const { id } = useConnection();
  const others = useConnections().filter((connection) => connection.id !== id);
  const chosen = others.find((connection) => connection.id === other);
  return (
    <Drawer opened={other !== null} onClose={onClose} inAddress width="compare" title={t('title')}>
      <Stack gap="md">
        <Select
          label={t('with')}
          placeholder={t('choose')}
          data={others.map((connection) => ({ value: connection.id, label: connection.name }))}
          value={chosen?.id ?? null}
          onChange={(connection) => onChoose(connection ?? '')}
        />
        {chosen && <Comparison key={chosen.id} other={chosen} />}
      </Stack>
    </Drawer>
  );
};

const Comparison = ({ other }: { other: { id: string; name: string } }) => {
  const t = useTranslations('flags.compare');
  const { id, name } = useConnection();
  const [here, there] = [useQuery(flagQueries.list(id)), useQuery(flagQueries.list(other.id))];
  const [onlyDifferent, setOnlyDifferent] = useState(true);
  const pairs = useMemo(
    () => pairsOf(here.data?.items ?? [], there.data?.items ?? []),
    [here.data, there.data],
  );
  const failed = [here, there].find(({ isError, data }) => isError && !data);
  if (failed) return <ProblemAlert error={failed.error} onRetry={() => void failed.refetch()} />;
  if (!here.data || !there.data) return <Skeleton height={120} />;
  const different = pairs.filter(({ differs }) => differs);
  const shown = onlyDifferent ? different : pairs;
  return (
    <>
      <Text size="sm">{t('counts', { count: different.length, total: pairs.length })}</Text>
      {!(here.data.complete && there.data.complete) && (
        <Text size="sm" c="dimmed">
          {t('incomplete')}
        </Text>
      )}
      <Switch
        label={t('onlyDifferent')}
        checked={onlyDifferent}
        onChange={(event) => setOnlyDifferent(event.currentTarget.checked)}
      />
      {shown.length > 0 && <Pairs pairs={shown} here={name} there={other.name} />}
    </>
  );
};

const Pairs = ({ pairs, here, there }: { pairs: readonly FlagPair[]; here: string; there: string }) => {
  const t = useTranslations('flags');
  return (
    <Table verticalSpacing={6} fz="sm" aria-label={t('compare.title')}>
      <Table.Thead>
        <Table.Tr>
          <Table.Th>{t('column.name')}</Table.Th>
          {[here, there].map((connection) => (
            <Table.Th key={connection}>
              <HostileText max={40}>{connection}</HostileText>
            </Table.Th>
          ))}
        </Table.Tr>
      </Table.Thead>
      <Table.Tbody>
        {pairs.map((pair) => (
          <Table.Tr key={pair.name}>
            <Table.Td fw={pair.differs ? 600 : 400}>
              <HostileText max={80}>{pair.name}</HostileText>
            </Table.Td>
            <Table.Td>
              <State flag={pair.here} />
            </Table.Td>
            <Table.Td>
              <State flag={pair.there} />
            </Table.Td>
          </Table.Tr>
        ))}
      </Table.Tbody>
    </Table>
  );
};

const State = ({ flag }: { flag: Flag | undefined }) => {
  const t = useTranslations('flags');
  if (!flag)
    return (
      <Text size="sm" c="dimmed">
        {t('compare.missing')}
      </Text>
    );
  if (flag.enabled === null) return <KeyText max={40}>{flag.raw}</KeyText>;
  return <Badge color={flag.enabled ? 'green' : 'gray'}>{t(flag.enabled ? 'on' : 'off')}</Badge>;
};
