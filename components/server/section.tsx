'use client';

import { Badge, Text } from '@mantine/core';
import { useTranslations } from 'next-intl';
import type { ReactNode } from 'react';
import { type Fact, Facts } from '@/components/patterns/facts';
import { Findings } from '@/components/patterns/findings';
import { Panel } from '@/components/patterns/panel';
import type { ServerSections } from '@/lib/server/schema';
import { Missing } from './parts';

type Name = keyof ServerSections;

const COLORS: Record<ServerSections[Name]['state'], string> = {
  ok: 'green',
  attention: 'orange',
  unknown: 'gray',
};

interface SectionProps {
  name: Name;
  section: Pick<ServerSections[Name], 'state' | 'reason' | 'missing'>;
  /** A sentence each. */
  findings: readonly string[];
  facts: readonly (Fact | null)[] | null;
  children?: ReactNode;
}

/** One part of the server: its state and facts, or why they are unknown. */
export const Section = ({ name, section, findings, facts, children }: SectionProps) => {
  const t = useTranslations('server');
  const { state, reason, missing } = section;
  return (
    <Panel title={t(`section.${name}`)} note={<Badge color={COLORS[state]}>{t(`state.${state}`)}</Badge>}>
      <Findings findings={findings} mb="sm" />
      {reason && <Text size="sm">{reason}</Text>}
      {facts && <Facts facts={facts} />}
      <Missing commands={missing} />
      {children}
    </Panel>
  );
};
