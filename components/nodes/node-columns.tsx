'use client';

import { Badge, Text } from '@mantine/core';
import { useTranslations } from 'next-intl';
import { useMemo } from 'react';
import {
  bytesColumn,
  countColumn,
  keyColumn,
  perSecondColumn,
  rateColumn,
  textColumn,
} from '@/components/data-table/column-kinds';
import type { DataColumn } from '@/components/data-table/columns';
import { Duration } from '@/components/patterns/figures';
import type { NodeRow } from '@/lib/nodes/schema';

const COLORS: Record<NodeRow['state'], string> = {
  ready: 'green',
  connecting: 'gray',
  unreachable: 'red',
  syncing: 'orange',
  unknown: 'gray',
};

/** The state of a node, and why its figures are unknown. */
const NodeState = ({ node: { state, reason } }: { node: NodeRow }) => {
  const t = useTranslations('nodes');
  return (
    <>
      <Badge color={COLORS[state]}>{t(`state.${state}`)}</Badge>
      {reason && (
        <Text size="xs" c="dimmed">
          {reason}
        </Text>
      )}
    </>
  );
};

/** Slots only where a node has some. */
export const useNodeColumns = (hasSlots: boolean): DataColumn<NodeRow>[] => {
  const t = useTranslations('nodes');
  return useMemo(() => {
    const slots = countColumn<NodeRow>({
      id: 'slots',
      header: t('column.slots'),
      width: 80,
      of: (node) => node.slots,
    });
    return [
      keyColumn({
        id: 'address',
        header: t('column.address'),
        width: 180,
        pinned: true,
        of: ({ address }) => address,
      }),
      {
        id: 'role',
        header: t('column.role'),
        width: 90,
        cell: ({ role }) => t(`role.${role}`),
        value: ({ role }) => role,
      },
      textColumn({
        id: 'version',
        header: t('column.version'),
        width: 120,
        minor: true,
        of: ({ product, version }) => (product ? `${t(`product.${product}`)} ${version}` : version),
      }),
      ...(hasSlots ? [slots] : []),
      countColumn({ id: 'keys', header: t('column.keys'), width: 90, of: ({ keys }) => keys }),
      bytesColumn({
        id: 'memory',
        header: t('column.memory'),
        width: 90,
        of: ({ usedMemoryBytes }) => usedMemoryBytes,
      }),
      perSecondColumn({
        id: 'operations',
        header: t('column.operations'),
        width: 100,
        of: ({ opsPerSecond }) => opsPerSecond,
      }),
      rateColumn({ id: 'hitRate', header: t('column.hitRate'), width: 80, of: ({ hitRate }) => hitRate }),
      {
        id: 'lag',
        header: t('column.lag'),
        width: 80,
        align: 'right',
        cell: ({ lagSeconds }) => <Duration value={lagSeconds} />,
        value: ({ lagSeconds }) => lagSeconds,
      },
      {
        id: 'state',
        header: t('column.state'),
        width: 200,
        cell: (node) => <NodeState node={node} />,
        value: ({ state }) => state,
      },
    ];
  }, [t, hasSlots]);
};
