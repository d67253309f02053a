'use client';

import { ActionIcon, Button, Group, Skeleton } from '@mantine/core';
import {
  IconAlertTriangle,
  IconCircleCheck,
  IconClockPause,
  IconInfoCircle,
  IconShieldX,
} from '@tabler/icons-react';
import { useTranslations } from 'next-intl';
import { memo, useMemo, useRef, useState } from 'react';
import { Updates } from '@/components/data-table/updates';
import { useSteadyRows } from '@/components/data-table/use-steady-rows';
import { Dimmed } from '@/components/patterns/dimmed';
import { EmptyState } from '@/components/patterns/empty-state';
import { useInUnit, useMetricName } from '@/components/patterns/figure-words';
import { HostileText } from '@/components/patterns/hostile-text';
import { Link } from '@/components/patterns/link';
import { onDemand } from '@/components/patterns/on-demand';
import { Panel } from '@/components/patterns/panel';
import { Strong } from '@/components/patterns/strong';
import { Tooltip } from '@/components/patterns/tooltip';
import { useFormat } from '@/components/patterns/use-format';
import { useNarrow } from '@/components/patterns/use-narrow';
import { useOpened } from '@/components/patterns/use-opened';
import { useViewer } from '@/components/patterns/viewer';
import { withPlainSpaces } from '@/lib/format';
import type { Attention } from '@/lib/overview/schema';
import { may, type Permission, type Role } from '@/lib/permissions';
import { visibleText } from '@/lib/visible-text';
import classes from './overview.module.css';
import { useAttentionText } from './use-attention-text';

const PutOffDrawer = onDemand(async () => (await import('./put-off-drawer')).PutOffDrawer);
const PutOffList = onDemand(async () => (await import('./put-off-list')).PutOffList, 'shown');

const ICONS = { critical: IconShieldX, warning: IconAlertTriangle, info: IconInfoCircle };

const COLORS = { critical: 'red', warning: 'orange', info: 'indigo' };

// Pages that not every role may open.
const GUARDED: Record<string, Permission> = {
  guard: 'guard:view',
  sessions: 'sessions:view',
  audit: 'audit:view',
};

const permissionOf = (href: string): Permission => {
  const page = href.split(/[?#]/)[0]!.split('/').at(-1)!;
  return GUARDED[page] ?? 'view';
};

const verbOf = ({ id }: Attention, role: Role) => {
  if (id.startsWith('ip:')) return may(role, 'guard:write') ? 'ban' : 'open';
  return id.startsWith('no-ttl:') || id === 'interrupted-jobs' ? 'review' : 'open';
};

/** "Hit rate: 43%" for a rule that fires; null for everything else. */
const useAlertDetail = (): ((item: Attention) => string | null) => {
  const metricName = useMetricName();
  const inUnit = useInUnit();
  const { colon } = useFormat();
  return ({ values = {} }) => {
    const { metric, value, unit, labels } = values;
    if (typeof metric !== 'string' || typeof value !== 'number') return null;
    const series = labels ? `${metricName(metric)} (${labels})` : metricName(metric);
    return withPlainSpaces(`${series}${colon}${inUnit(value, typeof unit === 'string' ? unit : null)}`);
  };
};

interface AttentionListProps {
  items: Attention[] | undefined;
  /** False while Redis, or a part of it, is unreachable: an empty list means nothing then. */
  known: boolean;
}

const NONE: Attention[] = [];

/** On a phone the charts stand below the list, so items that come or go wait until the reader asks for them. */
const useSteadyItems = (items: Attention[] | undefined) => {
  const root = useRef<HTMLUListElement>(null);
  const isNarrow = useNarrow();
  const rows = useMemo(() => items?.filter(({ putOff }) => putOff === null) ?? NONE, [items]);
  const steady = useSteadyRows({
    root,
    rows,
    rowId: ({ id }) => id,
    view: isNarrow ? 'attention' : null,
    paged: false,
    isProvisional: !items,
    isCards: isNarrow,
    isSelected: () => false,
  });
  return { ...steady, root };
};

/** What needs attention, most urgent first, each with the page to act on it. */
export const AttentionList = memo(({ items, known }: AttentionListProps) => {
  const t = useTranslations('overview.attention');
  const { role } = useViewer();
  const drawer = useOpened<Attention>();
  const attentionText = useAttentionText();
  const steady = useSteadyItems(items);
  const [isLate] = useState(items === undefined);
  const alertDetail = useAlertDetail();
  const inWords = (item: Attention) => {
    const words = attentionText(item);
    return { ...words, detail: alertDetail(item) ?? words.detail };
  };
  const mayPutOff = may(role, 'live:view');
  const shown = items && steady.rows.map(inWords);
  const later = items?.filter(({ putOff }) => putOff !== null).map(inWords) ?? [];
  return (
    <Panel
      title={t('title')}
      note={<Updates count={steady.updates} onApply={steady.apply} />}
      className={isLate ? classes.late : undefined}
    >
      {!items && <Skeleton height={120} radius="md" />}
      {shown?.length === 0 && known && (
        <EmptyState icon={<IconCircleCheck size={22} />} title={t('empty')}>
          {t('emptyNote')}
        </EmptyState>
      )}
      {shown?.length === 0 && !known && <EmptyState title={t('unknown')}>{t('unknownNote')}</EmptyState>}
      <ul ref={steady.root} className={classes.attentionItems}>
        {shown?.map((item) => {
          const Icon = ICONS[item.severity];
          return (
            <li key={item.id} data-severity={item.severity} data-gone={steady.gone.has(item.id) || undefined}>
              <span className={classes.attentionIcon}>
                <Icon size={18} stroke={1.7} aria-label={t(`severity.${item.severity}`)} role="img" />
              </span>
              <div>
                <Strong>
                  <HostileText max={160}>{item.text}</HostileText>
                </Strong>
                {item.detail && (
                  <Dimmed size="xs">
                    <HostileText max={200}>{item.detail}</HostileText>
                  </Dimmed>
                )}
              </div>
              <Group gap={4} wrap="nowrap">
                {may(role, permissionOf(item.href)) && (
                  <Button
                    component={Link}
                    href={item.href}
                    size="compact-xs"
                    variant="light"
                    color={COLORS[item.severity]}
                  >
                    {t(verbOf(item, role))}
                  </Button>
                )}
                {mayPutOff && item.canPutOff && (
                  <Tooltip label={t('putOff.title')}>
                    <ActionIcon
                      variant="subtle"
                      color="gray"
                      size="sm"
                      aria-label={t('putOff.of', { what: visibleText(item.text, 80) })}
                      aria-haspopup="dialog"
                      onClick={() => drawer.open(item)}
                    >
                      <IconClockPause size={16} />
                    </ActionIcon>
                  </Tooltip>
                )}
              </Group>
            </li>
          );
        })}
      </ul>
      {later.length > 0 && <PutOffList items={later} mayShow={mayPutOff} />}
      {mayPutOff && <PutOffDrawer key={drawer.key} item={drawer.about} {...drawer.props} />}
    </Panel>
  );
});
