'use client';

import { Select, Stack } from '@mantine/core';
import { useTranslations } from 'next-intl';
import { useState } from 'react';
import { useConnection } from '@/components/patterns/connection';
import { FormDrawer } from '@/components/patterns/form-drawer';
import { useNow } from '@/components/patterns/now';
import { TimeField } from '@/components/patterns/time-field';
import type { AlertRule } from '@/lib/alerts/schema';
import { useRuleChange } from './queries';
import { labelsText } from './words';

export interface RuleAction {
  kind: 'silence' | 'unsilence' | 'delete';
  rule: AlertRule;
}

interface DrawerProps {
  opened: boolean;
  onClose: () => void;
  onClosed: () => void;
}

/** The drawers of one rule, of which one is open at a time. */
export const RuleActionDrawers = ({ about, ...drawer }: DrawerProps & { about: RuleAction | null }) => {
  if (about?.kind === 'silence') return <SilenceDrawer rule={about.rule} {...drawer} />;
  if (about?.kind === 'unsilence') return <UnsilenceDrawer rule={about.rule} {...drawer} />;
  return about ? <DeleteDrawer rule={about.rule} {...drawer} /> : null;
};

type RuleDrawerProps = DrawerProps & { rule: AlertRule };

const HOUR_MS = 3_600_000;
const ALL = '';

const SilenceDrawer = ({ rule, ...drawer }: RuleDrawerProps) => {
  const t = useTranslations('alerts');
  const { id } = useConnection();
  const now = useNow() ?? 0;
  const change = useRuleChange('silence', id);
  const [until, setUntil] = useState(() => new Date(Date.now() + HOUR_MS).toISOString());
  const [series, setSeries] = useState(ALL);
  const isPast = until !== '' && Date.parse(until) <= now;
  const choices = rule.series.filter(({ labels }) => labels !== null && Object.keys(labels).length > 0);
  return (
    <FormDrawer
      {...drawer}
      onReadOnly
      title={t('silence.title', { name: rule.name })}
      verb={t('silence.verb')}
      change={change}
      blocked={until === '' || isPast}
      input={(words) => ({ ...words, id: rule.id, until, ...(series !== ALL && { series }) })}
      done={() => t('silence.done', { name: rule.name })}
      stays="asItIs"
      staysValid={t('silence.stays')}
    >
      <Stack gap="md">
        <span>{t('silence.consequence')}</span>
        {choices.length > 0 && (
          <Select
            label={t('column.series')}
            data={[
              { value: ALL, label: t('silence.all') },
              ...choices.map(({ id: value, labels }) => ({ value, label: labelsText(labels) ?? value })),
            ]}
            value={series}
            onChange={(chosen) => setSeries(chosen ?? ALL)}
            allowDeselect={false}
          />
        )}
        {drawer.opened && (
          <TimeField
            label={t('silence.until')}
            value={until}
            onChange={setUntil}
            error={isPast ? t('silence.past') : undefined}
          />
        )}
      </Stack>
    </FormDrawer>
  );
};

const UnsilenceDrawer = ({ rule, ...drawer }: RuleDrawerProps) => {
  const t = useTranslations('alerts');
  const { id } = useConnection();
  const change = useRuleChange('unsilence', id);
  const [first] = rule.silences;
  const series = first?.series;
  return (
    <FormDrawer
      {...drawer}
      onReadOnly
      title={t('unsilence.title', { name: rule.name })}
      verb={t('unsilence.verb')}
      change={change}
      input={(words) => ({ ...words, id: rule.id, ...(series != null && { series }) })}
      done={() => t('unsilence.done', { name: rule.name })}
    >
      {t('unsilence.consequence')}
    </FormDrawer>
  );
};

const DeleteDrawer = ({ rule, ...drawer }: RuleDrawerProps) => {
  const t = useTranslations('alerts');
  const { id } = useConnection();
  const change = useRuleChange('delete', id);
  return (
    <FormDrawer
      {...drawer}
      onReadOnly
      destructive
      title={t('delete.title', { name: rule.name })}
      verb={t('delete.verb')}
      change={change}
      input={(words) => ({ ...words, id: rule.id, etag: rule.etag })}
      done={() => t('delete.done', { name: rule.name })}
    >
      {t('delete.consequence')}
    </FormDrawer>
  );
};
