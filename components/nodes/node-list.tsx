'use client';

import { Badge } from '@mantine/core';
import { IconServer2 } from '@tabler/icons-react';
import { useTranslations } from 'next-intl';
import { declareList } from '@/components/contract-list/declare-list';
import {
  bytesColumn,
  countColumn,
  durationColumn,
  keyColumn,
  perSecondColumn,
  rateColumn,
} from '@/components/data-table/column-kinds';
import { Dimmed } from '@/components/patterns/dimmed';
import { HostileText } from '@/components/patterns/hostile-text';
import { type NodeRow, nodeContracts } from '@/lib/nodes/schema';

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
      {reason && <Dimmed size="xs">{reason}</Dimmed>}
    </>
  );
};

const RoleText = ({ node: { role } }: { node: NodeRow }) => {
  const t = useTranslations('nodes');
  return t(`role.${role}`);
};

const Version = ({ node: { product, version } }: { node: NodeRow }) => {
  const t = useTranslations('nodes');
  return <HostileText max={60}>{product ? `${t(`product.${product}`)} ${version}` : version}</HostileText>;
};

/** The servers behind a connection: each primary with its replicas. */
export const NODES = declareList({
  contract: nodeContracts.list,
  texts: 'nodes',
  name: 'nodes',
  icon: IconServer2,
  rowId: ({ id }) => id,
  rowName: ({ address }) => address,
  everyMs: 5000,
  without: ({ items }) => (items.some(({ slots }) => slots !== null) ? [] : ['slots']),
  columns: [
    keyColumn<NodeRow>({ id: 'address', width: 180, pinned: true }),
    { id: 'role', width: 90, cell: (node) => <RoleText node={node} />, value: ({ role }) => role },
    {
      id: 'version',
      width: 120,
      minor: true,
      cell: (node) => <Version node={node} />,
      value: ({ product, version }) => (product ? `${product} ${version}` : version),
    },
    countColumn<NodeRow>({ id: 'slots', width: 80 }),
    countColumn<NodeRow>({ id: 'keys', width: 90 }),
    bytesColumn<NodeRow>({ id: 'memory', width: 90, of: ({ usedMemoryBytes }) => usedMemoryBytes }),
    perSecondColumn<NodeRow>({ id: 'operations', width: 100, of: ({ opsPerSecond }) => opsPerSecond }),
    rateColumn<NodeRow>({ id: 'hitRate', width: 80 }),
    durationColumn<NodeRow>({ id: 'lag', width: 80, of: ({ lagSeconds }) => lagSeconds }),
    { id: 'state', width: 200, cell: (node) => <NodeState node={node} />, value: ({ state }) => state },
  ],
});
