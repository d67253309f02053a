'use client';

import { NativeSelect } from '@mantine/core';
import { useQuery } from '@tanstack/react-query';
import { useTranslations } from 'next-intl';
import { Columns } from '@/components/patterns/columns';
import { useConnection } from '@/components/patterns/connection';
import { MultilineText } from '@/components/patterns/multiline-text';
import { RelativeTime } from '@/components/patterns/relative-time';
import { StaleBanner } from '@/components/patterns/stale-banner';
import { TextLink } from '@/components/patterns/text-link';
import { Unanswered } from '@/components/patterns/unanswered';
import { useFormat } from '@/components/patterns/use-format';
import { useMicros } from '@/components/patterns/use-micros';
import { UNKNOWN } from '@/lib/format';
import type { ServerSections } from '@/lib/server/schema';
import type { Fields } from './address';
import { Counters } from './counters';
import { serverQueries } from './queries';
import { Replication } from './replication';
import { Section } from './section';

/** Pixels: about those of the first row of sections. */
const SKELETON_HEIGHT = 320;

interface OverviewTabProps {
  url: Fields;
  onChange: (change: Partial<Fields>) => void;
}

/** The state of the server, a section for each part that it may refuse. */
export const OverviewTab = ({ url, onChange }: OverviewTabProps) => {
  const { id } = useConnection();
  const query = useQuery(serverQueries.server(id, url.node));
  const sections = query.data?.sections;
  if (!sections) return <Unanswered query={query} height={SKELETON_HEIGHT} radius="md" />;
  return (
    <>
      <StaleBanner error={query.error} valuesFrom={query.data?.at} />
      {query.data && query.data.node !== null && (
        <Nodes nodes={query.data.nodes} shown={query.data.node} onShow={(node) => onChange({ node })} />
      )}
      <Columns keepsWidth>
        <Process process={sections.process} />
        <Settings settings={sections.settings} />
        <Persistence persistence={sections.persistence} />
        <Replication replication={sections.replication} />
        <Memory memory={sections.memory} />
        <Counters counters={sections.counters} />
      </Columns>
    </>
  );
};

interface NodesProps {
  nodes: { node: string; attention: number }[];
  shown: string;
  onShow: (node: string) => void;
}

/** Which of several primaries is shown, and what needs attention at the others. */
const Nodes = ({ nodes, shown, onShow }: NodesProps) => {
  const t = useTranslations('server');
  return (
    <NativeSelect
      label={t('node.label')}
      mb="sm"
      maw={420}
      value={shown}
      onChange={(event) => onShow(event.currentTarget.value)}
      data={nodes.map(({ node, attention }) => ({
        value: node,
        label: t('node.attention', { node, count: attention }),
      }))}
    />
  );
};

const Process = ({ process }: { process: ServerSections['process'] }) => {
  const t = useTranslations('server');
  const format = useFormat();
  const { figures } = process;
  return (
    <Section
      name="process"
      section={process}
      findings={process.findings.map((finding) => t(`finding.${finding}`))}
      facts={
        figures && [
          { label: t('fact.version'), value: `${t(`product.${figures.product}`)} ${figures.version}` },
          { label: t('fact.mode'), value: figures.mode ?? UNKNOWN },
          { label: t('fact.uptime'), value: format.duration(figures.uptimeSeconds) },
          { label: t('fact.runId'), value: <code>{figures.runId?.slice(0, 12) ?? UNKNOWN}</code> },
          { label: t('fact.os'), value: figures.os ?? UNKNOWN },
          { label: t('fact.processId'), value: figures.processId ?? UNKNOWN },
          { label: t('fact.port'), value: figures.port ?? UNKNOWN },
          { label: t('fact.clients'), value: format.count(figures.clients) },
          { label: t('fact.blockedClients'), value: format.count(figures.blockedClients) },
        ]
      }
    />
  );
};

const Settings = ({ settings }: { settings: ServerSections['settings'] }) => {
  const t = useTranslations('server');
  const format = useFormat();
  const micros = useMicros();
  const { figures } = settings;
  const off = (figure: number | null, isOff: boolean, shown: string) =>
    figure !== null && isOff ? t('off') : shown;
  return (
    <Section
      name="settings"
      section={settings}
      findings={settings.findings.map((finding) => t(`finding.${finding}`))}
      facts={
        figures && [
          {
            label: t('fact.slowLog'),
            value: off(
              figures.slowLogMicros,
              (figures.slowLogMicros ?? 0) < 0,
              micros(figures.slowLogMicros),
            ),
          },
          { label: t('fact.slowLogLength'), value: format.count(figures.slowLogMaxLength) },
          {
            label: t('fact.latencyMonitor'),
            value: off(
              figures.latencyMonitorMs,
              figures.latencyMonitorMs === 0,
              format.ms(figures.latencyMonitorMs),
            ),
          },
          { label: t('fact.maxClients'), value: format.count(figures.maxClients) },
          {
            label: t('fact.maxMemory'),
            value: figures.maxMemoryBytes === 0 ? t('noLimit') : format.bytes(figures.maxMemoryBytes),
          },
          { label: t('fact.policy'), value: figures.policy ?? UNKNOWN },
          {
            label: t('fact.readOnly'),
            value: figures.readOnly === null ? t('writable') : t(`readOnly.${figures.readOnly}`),
          },
        ]
      }
    />
  );
};

const Persistence = ({ persistence }: { persistence: ServerSections['persistence'] }) => {
  const t = useTranslations('server');
  const tWord = useTranslations('words');
  const format = useFormat();
  const micros = useMicros();
  const { figures } = persistence;
  const word = (status: string | null) => status ?? UNKNOWN;
  return (
    <Section
      name="persistence"
      section={persistence}
      findings={persistence.findings.map((finding) => t(`finding.${finding}`))}
      facts={
        figures && [
          { label: t('fact.snapshots'), value: figures.save === '' ? t('off') : word(figures.save) },
          { label: t('fact.lastSave'), value: <RelativeTime at={figures.lastSaveAt} /> },
          { label: t('fact.lastSaveStatus'), value: word(figures.lastSaveStatus) },
          { label: t('fact.changes'), value: format.count(figures.changesSinceSave) },
          {
            label: t('fact.fork'),
            value: micros(figures.lastForkMicros),
          },
          { label: t('fact.aof'), value: t(figures.aofEnabled ? 'on' : 'off') },
          figures.aofEnabled
            ? { label: t('fact.aofRewrite'), value: word(figures.aofLastRewriteStatus) }
            : null,
          figures.aofEnabled ? { label: t('fact.aofWrite'), value: word(figures.aofLastWriteStatus) } : null,
          figures.aofEnabled ? { label: t('fact.aofBytes'), value: format.bytes(figures.aofBytes) } : null,
          {
            label: tWord('now'),
            value: t(
              figures.loading
                ? 'persisting.loading'
                : figures.saving
                  ? 'persisting.saving'
                  : figures.aofRewriting
                    ? 'persisting.rewriting'
                    : 'persisting.nothing',
            ),
          },
        ]
      }
    />
  );
};

const Memory = ({ memory }: { memory: ServerSections['memory'] }) => {
  const t = useTranslations('server');
  const tWord = useTranslations('words');
  const format = useFormat();
  const { id } = useConnection();
  const { figures } = memory;
  return (
    <Section
      name="memory"
      section={memory}
      findings={memory.findings.map((finding) => t(`finding.${finding}`))}
      facts={
        figures && [
          { label: t('fact.used'), value: format.bytes(figures.usedBytes) },
          { label: tWord('peak'), value: format.bytes(figures.peakBytes) },
          { label: t('fact.rss'), value: format.bytes(figures.rssBytes) },
          { label: tWord('fragmentation'), value: format.number(figures.fragmentationRatio, 2) },
          {
            label: t('fact.doctor'),
            value:
              figures.doctor === null ? (
                UNKNOWN
              ) : (
                <MultilineText maxLines={20}>{figures.doctor}</MultilineText>
              ),
          },
        ]
      }
    >
      <TextLink href={`/${id}/diagnostics`} underline="always">
        {t('toDiagnostics')}
      </TextLink>
    </Section>
  );
};
