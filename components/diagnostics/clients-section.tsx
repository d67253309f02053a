'use client';

import { useTranslations } from 'next-intl';
import { useMemo } from 'react';
import { bytesColumn, countColumn } from '@/components/data-table/column-kinds';
import type { DataColumn } from '@/components/data-table/columns';
import { ShortTable } from '@/components/data-table/short-table';
import { Dimmed } from '@/components/patterns/dimmed';
import { Bytes, Count, Duration } from '@/components/patterns/figures';
import { HostileText } from '@/components/patterns/hostile-text';
import type { ClientGroup, Diagnostics } from '@/lib/diagnostics/schema';
import { SectionPanel } from './section-panel';
import { OnlyCounts } from './slow-log-section';

/** Others may have the same name as Keyward’s own. */
const idOf = ({ name, own }: ClientGroup): string => `${own} ${name ?? ''}`;

/** Connected clients against the limit. */
export const ClientsSection = ({ clients }: { clients: Diagnostics['clients'] }) => {
  const t = useTranslations('diagnostics');
  const tWord = useTranslations('words');
  const { figures } = clients;
  const columns = useMemo(
    (): DataColumn<ClientGroup>[] => [
      {
        id: 'name',
        header: tWord('name'),
        width: 150,
        pinned: true,
        cell: ({ name, own }) => (
          <>
            {name === null ? t('clients.unnamed') : <HostileText max={60}>{name}</HostileText>}
            {own && ` ${t('own')}`}
          </>
        ),
      },
      countColumn({ id: 'clients', header: t('section.clients.title'), width: 70 }),
      countColumn({ id: 'blocked', header: t('clients.blocked'), width: 75 }),
      {
        id: 'idle',
        header: t('clients.idleLongest'),
        width: 100,
        align: 'right',
        cell: ({ idleSeconds }) => <Duration value={idleSeconds} />,
        value: ({ idleSeconds }) => idleSeconds,
      },
      bytesColumn({ id: 'output', header: t('clients.waiting'), width: 90, of: (row) => row.outputBytes }),
    ],
    [t, tWord],
  );
  return (
    <SectionPanel
      name="clients"
      section={clients}
      findings={clients.findings.map((finding) => t(`finding.clients.${finding}`))}
      facts={[
        {
          label: t('clients.connected'),
          value: (
            <>
              <Count value={figures?.connected} /> / <Count value={figures?.maxClients} />
            </>
          ),
        },
        { label: t('clients.blocked'), value: <Count value={figures?.blocked} /> },
        { label: t('clients.rejected'), value: <Count value={figures?.rejected} /> },
        { label: t('clients.idle'), value: <Count value={figures?.idle} /> },
        { label: t('clients.idleLongest'), value: <Duration value={figures?.idleLongestSeconds} /> },
        { label: t('clients.output'), value: <Bytes value={figures?.outputBytes} /> },
      ]}
    >
      {figures?.listed != null && figures.byName === null && <OnlyCounts />}
      {figures?.listed === null && figures.connected !== null && clients.missing.length === 0 && (
        <Dimmed size="xs" mt="xs">
          {t('clients.notListed')}
        </Dimmed>
      )}
      <ShortTable
        label={t('clients.byName')}
        name="diagnostics-clients"
        columns={columns}
        rows={figures?.byName ?? []}
        rowId={idOf}
      />
    </SectionPanel>
  );
};
