'use client';

import { useQuery } from '@tanstack/react-query';
import { useTranslations } from 'next-intl';
import { Columns } from '@/components/patterns/columns';
import { useConnection } from '@/components/patterns/connection';
import { FigureRow } from '@/components/patterns/figure-row';
import { PageHeader } from '@/components/patterns/page-header';
import { Panel } from '@/components/patterns/panel';
import { QueryProblem } from '@/components/patterns/query-problem';
import { StaleBanner } from '@/components/patterns/stale-banner';
import { useMay } from '@/components/patterns/viewer';
import type { Diagnostics } from '@/lib/diagnostics/schema';
import { BigKeysPanel } from './big-keys-panel';
import { ClientsSection } from './clients-section';
import { ExpirySection } from './expiry-section';
import { HotFamilies, HotKeysSection } from './hot-keys-section';
import { KeyPanel } from './key-panel';
import { KeysSection } from './keys-section';
import { LatencySection } from './latency-section';
import { MemorySection } from './memory-section';
import { diagnosticsQuery } from './queries';
import { SlowLogSection } from './slow-log-section';

const STATES = ['attention', 'ok', 'unknown'] as const;

/** How the server is doing: each section with its state, its figures, what they mean, and what to do. */
export const DiagnosticsPage = () => {
  const t = useTranslations('diagnostics');
  const { id } = useConnection();
  const query = useQuery(diagnosticsQuery(id));
  const sections = query.data?.sections;
  const header = <PageHeader title={t('title')} sentence={t('sentence')} />;
  if (query.isError && !sections)
    return (
      <>
        {header}
        <QueryProblem of={query} />
      </>
    );
  return (
    <>
      {header}
      <StaleBanner error={query.error} valuesFrom={query.data?.at} />
      <States sections={sections} />
      <Columns keepsWidth least={480}>
        <MemorySection memory={sections?.memory} families={sections?.keys.figures?.families ?? []} />
        {/* The others are shown once they have figures, so that none of them moves. */}
        {sections && <Others sections={sections} />}
      </Columns>
    </>
  );
};

const Others = ({ sections }: { sections: Diagnostics }) => {
  const t = useTranslations('diagnostics');
  const maySeeKeys = useMay('keys:view');
  return (
    <>
      <KeysSection keys={sections.keys} />
      <ExpirySection expiry={sections.expiry} />
      <LatencySection latency={sections.latency} />
      <SlowLogSection slowLog={sections.slowLog} />
      <ClientsSection clients={sections.clients} />
      {maySeeKeys && <KeyPanel />}
      <HotKeysSection hotKeys={sections.hotKeys} />
      <Panel title={t('hotFamilies.title')} note={t('hotFamilies.note')}>
        <HotFamilies />
      </Panel>
      <BigKeysPanel />
    </>
  );
};

const States = ({ sections }: { sections: Diagnostics | undefined }) => {
  const t = useTranslations('diagnostics');
  const list = sections && Object.values(sections);
  const figures = STATES.map((state) => ({
    id: state,
    name: t(`state.${state}`),
    value: list?.filter((section) => section.state === state).length,
    note: t(`stateNote.${state}`),
  }));
  return <FigureRow label={t('states')} figures={figures} loading={list === undefined} />;
};
