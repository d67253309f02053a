'use client';

import { useTranslations } from 'next-intl';
import { bytesColumn, durationColumn, keyColumn, textColumn } from '@/components/data-table/column-kinds';
import { declareColumns, useDeclaredColumns } from '@/components/data-table/declared-columns';
import { ShortTable } from '@/components/data-table/short-table';
import { KeyText } from '@/components/patterns/hostile-text';
import { useFormat } from '@/components/patterns/use-format';
import type { Replication as Figures, ServerSections } from '@/lib/server/schema';
import { Section } from './section';

type Replica = Figures['replicas'][number];

const addressOf = ({ address }: Replica): string => address;

export const REPLICA_COLUMNS = declareColumns<Replica>('server.column', [
  keyColumn<Replica>({ id: 'address', header: 'replica', width: 150, pinned: true, of: addressOf }),
  textColumn<Replica>({ id: 'state', width: 80 }),
  durationColumn<Replica>({ id: 'lag', width: 70, of: ({ lagSeconds }) => lagSeconds }),
  bytesColumn<Replica>({ id: 'behind', width: 80, of: ({ behindBytes }) => behindBytes }),
]);

/** The role of the server, the link to its primary, and its replicas with their lag. */
export const Replication = ({ replication }: { replication: ServerSections['replication'] }) => {
  const t = useTranslations('server');
  const tWord = useTranslations('words');
  const format = useFormat();
  const { figures } = replication;
  const primary = figures?.primary;
  const columns = useDeclaredColumns(REPLICA_COLUMNS);
  return (
    <Section
      name="replication"
      section={replication}
      findings={replication.findings.map((finding) => t(`finding.${finding}`))}
      facts={
        figures && [
          { label: tWord('role'), value: t(`role.${figures.role}`) },
          { label: t('fact.offset'), value: format.count(figures.offset) },
          { label: t('clients.type.replica'), value: format.count(figures.replicas.length) },
          primary ? { label: t('node.label'), value: <KeyText>{primary.address}</KeyText> } : null,
          primary
            ? {
                label: t('fact.link'),
                value: t(primary.syncing ? 'link.syncing' : primary.link === 'up' ? 'link.up' : 'link.down'),
              }
            : null,
          primary ? { label: t('fact.lastIo'), value: format.duration(primary.lastIoSeconds) } : null,
        ]
      }
    >
      <ShortTable
        label={t('section.replication')}
        name="server-replicas"
        columns={columns}
        rows={figures?.replicas ?? []}
        rowId={addressOf}
      />
    </Section>
  );
};
