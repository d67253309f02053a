'use client';

import { Alert, Badge, Button } from '@mantine/core';
import { IconAlertTriangle, IconPlus } from '@tabler/icons-react';
import { useQuery } from '@tanstack/react-query';
import { useTranslations } from 'next-intl';
import { ContractList } from '@/components/contract-list/contract-list';
import { useConnection } from '@/components/patterns/connection';
import { onDemand } from '@/components/patterns/on-demand';
import { PageHeader } from '@/components/patterns/page-header';
import { PageTabs } from '@/components/patterns/page-tabs';
import { useOpened } from '@/components/patterns/use-opened';
import { useUrlState } from '@/components/patterns/use-url-state';
import { useMay } from '@/components/patterns/viewer';
import { CHANNELS } from './channel-list';
import { EVENTS } from './event-list';
import { FiringTab } from './firing-tab';
import { alertQueries } from './queries';
import { IsEvaluated, RULES } from './rule-list';

const RuleDrawer = onDemand(async () => (await import('./rule-drawer')).RuleDrawer);

const FIELDS: Record<string, string> = { tab: 'firing', ...RULES.fields, ...EVENTS.fields };
const STEPS = { tabs: ['tab'] };
const LISTS = { rules: RULES, history: EVENTS, channels: CHANNELS };
const TABS = ['firing', 'rules', 'history', 'channels'] as const;

/** What fires, the rules, what fired, and where it is sent. */
export const AlertsPage = () => {
  const t = useTranslations('alerts');
  const { id } = useConnection();
  const [url, setUrl] = useUrlState(FIELDS, STEPS);
  const mayManage = useMay('users:manage');
  const query = useQuery(alertQueries.rules(id));
  const create = useOpened<'new'>();
  const tabs = TABS.filter((each) => each !== 'channels' || mayManage);
  const tab = tabs.find((each) => each === url.tab) ?? 'firing';
  const firing = query.data?.counts.firing ?? 0;
  const isEvaluated = query.data?.evaluatedAt !== null;
  return (
    <>
      <PageHeader
        title={t('title')}
        sentence={t('sentence')}
        actions={
          mayManage && (
            <Button leftSection={<IconPlus size={16} aria-hidden />} onClick={() => create.open('new')}>
              {t('form.create')}
            </Button>
          )
        }
      />
      {!isEvaluated && (
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
        {tab === 'firing' ? (
          <FiringTab query={query} />
        ) : (
          <IsEvaluated value={isEvaluated}>
            <ContractList key={tab} list={LISTS[tab]} url={url} onChange={setUrl} />
          </IsEvaluated>
        )}
      </PageTabs>
      {mayManage && <RuleDrawer key={create.key} row={null} {...create.props} />}
    </>
  );
};
