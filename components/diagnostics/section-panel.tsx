'use client';

import { Badge, Group, Skeleton, Text } from '@mantine/core';
import { useTranslations } from 'next-intl';
import type { ReactNode } from 'react';
import { useConnection } from '@/components/patterns/connection';
import { Dimmed } from '@/components/patterns/dimmed';
import { type Fact, Facts } from '@/components/patterns/facts';
import { Findings } from '@/components/patterns/findings';
import { Panel } from '@/components/patterns/panel';
import { ServerSentence } from '@/components/patterns/server-sentence';
import { TextLink } from '@/components/patterns/text-link';
import type { Diagnostics, SectionName } from '@/lib/diagnostics/schema';

type State = Diagnostics[SectionName]['state'];

const COLORS: Record<State, string> = { ok: 'green', attention: 'orange', unknown: 'gray' };

/** A page where a finding is fixed. */
interface SectionLink {
  /** Below the connection's path. */
  path: string;
  label: string;
}

interface SectionPanelProps {
  name: SectionName;
  /** Undefined until the first answer. */
  section: Pick<Diagnostics[SectionName], 'state' | 'cause' | 'reason' | 'missing' | 'figures'> | undefined;
  facts: readonly Fact[];
  /** What needs attention and what to do, a sentence each. */
  findings: readonly string[];
  links?: readonly SectionLink[];
  /** Tables and charts; only with figures. */
  children?: ReactNode;
}

const Value = () => <Skeleton component="span" display="inline-block" width={72} height={14} />;

/** One section: its state, figures, what they mean, and what to do. */
export const SectionPanel = ({ name, section, facts, findings, links = [], children }: SectionPanelProps) => {
  const t = useTranslations('diagnostics');
  const state = section?.state;
  // A section can be unknown with figures, where they are of a sample.
  const hasFigures = section !== undefined && section.figures !== null;
  return (
    <Panel
      title={t(`section.${name}.title`)}
      note={state ? <Badge color={COLORS[state]}>{t(`state.${state}`)}</Badge> : <Value />}
    >
      <Dimmed mb="xs">{t(`section.${name}.means`)}</Dimmed>
      {(hasFigures || !section) && (
        <Facts facts={section ? facts : facts.map(({ label }) => ({ label, value: <Value /> }))} />
      )}
      {section && <Unknown section={section} />}
      {hasFigures && (
        <>
          {state !== 'unknown' && <Needs findings={findings} />}
          <Missing commands={section?.missing ?? []} />
          {children}
        </>
      )}
      {section && <Links links={links} />}
    </Panel>
  );
};

const Unknown = ({ section }: Pick<SectionPanelProps, 'section'>) => {
  const t = useTranslations('diagnostics');
  return (
    <>
      {section?.cause && <Text size="sm">{t(`cause.${section.cause}`)}</Text>}
      {section?.reason && (
        <Dimmed>
          <ServerSentence>{section.reason}</ServerSentence>
        </Dimmed>
      )}
    </>
  );
};

const Needs = ({ findings }: Pick<SectionPanelProps, 'findings'>) => {
  const t = useTranslations('diagnostics');
  if (findings.length > 0) return <Findings findings={findings} title={t('todo')} mt="sm" />;
  return (
    <Text size="sm" mt="xs">
      {t('nothing')}
    </Text>
  );
};

const Missing = ({ commands }: { commands: readonly string[] }) => {
  const t = useTranslations('diagnostics');
  if (commands.length === 0) return null;
  return (
    <Dimmed size="xs" mt="xs">
      {t('missing', { commands: commands.join(', ') })}
    </Dimmed>
  );
};

/** Links to other pages of the connection. */
export const Links = ({ links }: { links: readonly SectionLink[] }) => {
  const { id } = useConnection();
  if (links.length === 0) return null;
  return (
    <Group gap="md" mt="sm">
      {links.map(({ path, label }) => (
        <TextLink key={path} href={`/${id}${path}`} underline="always">
          {label}
        </TextLink>
      ))}
    </Group>
  );
};
