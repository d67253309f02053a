'use client';

import { Alert, Button, Group, Stack, Text, Title } from '@mantine/core';
import { IconShieldOff, IconTool } from '@tabler/icons-react';
import { useTranslations } from 'next-intl';
import type { ReactNode } from 'react';
import { Drawer } from '@/components/patterns/drawer';
import { useFormat } from '@/components/patterns/use-format';
import { useLast } from '@/components/patterns/use-last';
import { useMay } from '@/components/patterns/viewer';
import type { RuleReport, Waiver } from '@/lib/conventions/schema';
import { SeverityBadge, StateBadge } from './rule-badges';
import { RuleHistory } from './rule-history';
import { RuleViolations } from './rule-violations';
import { WaiverList } from './waiver-list';

interface RuleDrawerProps {
  rule: RuleReport | null;
  opened: boolean;
  waivers: readonly Waiver[];
  onClose: () => void;
  onFix: () => void;
  onWaive: () => void;
  onUnwaive: (waiver: Waiver) => void;
}

/** A rule: why it is there, what breaks it, how to repair that, what is waived, and its history. */
export const RuleDrawer = ({ rule, opened, onClose, ...actions }: RuleDrawerProps) => {
  const shown = useLast(rule);
  return (
    <Drawer opened={opened} onClose={onClose} inAddress width="wide" title={shown?.title ?? ''}>
      {opened && shown && <OneRule rule={shown} {...actions} />}
    </Drawer>
  );
};

type OneRuleProps = Omit<RuleDrawerProps, 'rule' | 'opened' | 'onClose'> & { rule: RuleReport };

const OneRule = ({ rule, waivers, onFix, onWaive, onUnwaive }: OneRuleProps) => {
  const t = useTranslations('conventions.drawer');
  const tConventions = useTranslations('conventions');
  const tWord = useTranslations('words');
  const mayFix = useMay('caches:invalidate');
  const mayWaive = useMay('users:manage');
  const offersFix = mayFix && rule.fixable && (rule.count ?? 0) > 0;
  const own = waivers.filter((waiver) => waiver.rule === rule.id);
  return (
    <Stack gap="md">
      <Group gap="xs">
        <StateBadge state={rule.state} />
        <SeverityBadge severity={rule.severity} />
        <Counts rule={rule} />
      </Group>
      {rule.reason !== null && (
        <Alert role="group" color="gray" title={rule.state === 'unknown' ? t('unknown') : undefined}>
          {rule.reason}
        </Alert>
      )}
      {(offersFix || mayWaive) && (
        <Group gap="sm">
          {offersFix && (
            <Button leftSection={<IconTool size={16} aria-hidden />} onClick={onFix}>
              {t('fix')}
            </Button>
          )}
          {mayWaive && (
            <Button variant="default" leftSection={<IconShieldOff size={16} aria-hidden />} onClick={onWaive}>
              {t('waive')}
            </Button>
          )}
        </Group>
      )}
      <Section title={tConventions('waive.why')}>{rule.why}</Section>
      <Section title={t('how')}>{rule.how}</Section>
      <Section title={t('repair')}>{rule.remedy}</Section>
      <RuleViolations rule={rule} />
      <Section title={t('waivers')}>
        <WaiverList waivers={own} onUnwaive={mayWaive ? onUnwaive : undefined} />
      </Section>
      <Section title={tWord('history')}>
        <RuleHistory rule={rule.id} title={rule.title} />
      </Section>
    </Stack>
  );
};

const Section = ({ title, children }: { title: string; children: ReactNode }) => (
  <section aria-label={title}>
    <Title order={3} size="h5" mb={4}>
      {title}
    </Title>
    <Text size="sm" component="div">
      {children}
    </Text>
  </section>
);

/** "12 of 3,400 checked · 3 waived · +2 since yesterday". */
const Counts = ({ rule }: { rule: RuleReport }) => {
  const t = useTranslations('conventions.drawer');
  const format = useFormat();
  const { count, of, waived, newSinceYesterday } = rule;
  if (count === null) return null;
  const shown = format.count(count);
  const parts = [
    of === null ? t('count', { count, shown }) : t('countOf', { count, shown, of: format.count(of) }),
    waived > 0 && t('waived', { count: waived, shown: format.count(waived) }),
    newSinceYesterday !== null &&
      newSinceYesterday > 0 &&
      t('new', { shown: format.count(newSinceYesterday) }),
  ];
  return <Text size="sm">{parts.filter((part) => part !== false).join(' · ')}</Text>;
};
