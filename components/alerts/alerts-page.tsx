'use client';

import { Alert, Badge, Button } from '@mantine/core';
import { IconAlertTriangle, IconPlus } from '@tabler/icons-react';
import { useQuery } from '@tanstack/react-query';
import { useTranslations } from 'next-intl';
import { useConnection } from '@/components/patterns/connection';
import { onDemand } from '@/components/patterns/on-demand';
import { PageHeader } from '@/components/patterns/page-header';
import { PageTabs } from '@/components/patterns/page-tabs';
import { ProblemAlert } from '@/components/patterns/problem-alert';
import { StaleBanner } from '@/components/patterns/stale-banner';
import { useOpened } from '@/components/patterns/use-opened';
import { useUrlState } from '@/components/patterns/use-url-state';
import { useMay } from '@/components/patterns/viewer';
import type { AlertRule } from '@/lib/alerts/schema';
import { FIELDS, STEPS } from './address';
import { ChannelsTab } from './channels-tab';
import { FiringTab } from './firing-tab';
import { HistoryTab } from './history-tab';
import { alertQueries } from './queries';
import type { RuleAction } from './rule-action-drawers';
import { RulesTab } from './rules-tab';

const RuleActionDrawers = onDemand(async () => (await import('./rule-action-drawers')).RuleActionDrawers);
const RuleDrawer = onDemand(async () => (await import('./rule-drawer')).RuleDrawer);

const TABS = ['firing', 'rules', 'history', 'channels'] as const;

/** What fires, the rules, what fired, and where it is sent. */
export const AlertsPage = () => {
  const t = useTranslations('alerts');
  const { id } = useConnection();
  const [url, setUrl] = useUrlState(FIELDS, STEPS);
  const mayManage = useMay('users:manage');
  const query = useQuery(alertQueries.rules(id));
  const edit = useOpened<AlertRule | 'new'>();
  const action = useOpened<RuleAction>();
  const tabs = TABS.filter((each) => each !== 'channels' || mayManage);
  const tab = tabs.find((each) => each === url.tab) ?? 'firing';
  const { data, error, dataUpdatedAt, refetch } = query;
  const firing = data?.counts.firing ?? 0;
  const onAction = mayManage ? action.open : undefined;
  return (
    <>
      <PageHeader
        title={t('title')}
        sentence={t('sentence')}
        actions={
          mayManage && (
            <Button leftSection={<IconPlus size={16} aria-hidden />} onClick={() => edit.open('new')}>
              {t('form.create')}
            </Button>
          )
        }
      />
      {error && !data && <ProblemAlert error={error} onRetry={() => void refetch()} />}
      <StaleBanner error={data ? error : null} valuesFrom={dataUpdatedAt} />
      {data?.evaluatedAt === null && (
        <Alert
          color="orange"
          icon={<IconAlertTriangle size={18} />}
          mb="md"
          title={t('notEvaluated.title')}
          role="status"
        >
          {t('notEvaluated.note')}
        </Alert>
      )}
      <PageTabs
        tabs={tabs}
        value={tab}
        label={(each) => t(`tab.${each}`)}
        count={(each) =>
          each === 'firing' && (
            // It keeps its place while nothing fires, so that no tab moves.
            <Badge color="red" circle style={{ visibility: firing > 0 ? 'visible' : 'hidden' }}>
              {firing}
            </Badge>
          )
        }
        onTab={(next) => setUrl({ ...FIELDS, tab: next })}
      >
        {tab === 'firing' && <FiringTab answer={data} onAction={onAction} />}
        {tab === 'rules' && (
          <RulesTab
            answer={data}
            q={url.q}
            onSearch={(q) => setUrl({ q })}
            onEdit={mayManage ? edit.open : undefined}
            onAction={onAction}
            onHistory={({ id: rule }) => setUrl({ tab: 'history', rule })}
          />
        )}
        {tab === 'history' && (
          <HistoryTab rules={data?.items ?? []} rule={url.rule} onRule={(rule) => setUrl({ rule })} />
        )}
        {tab === 'channels' && <ChannelsTab />}
      </PageTabs>
      {mayManage && (
        <>
          <RuleDrawer
            key={edit.key}
            about={edit.about}
            opened={edit.opened}
            onClose={edit.close}
            onClosed={edit.forget}
          />
          <RuleActionDrawers
            key={`action-${action.key}`}
            about={action.about}
            opened={action.opened}
            onClose={action.close}
            onClosed={action.forget}
          />
        </>
      )}
    </>
  );
};
