'use client';

import { Button } from '@mantine/core';
import { IconDownload, IconShieldCheck } from '@tabler/icons-react';
import { useQuery } from '@tanstack/react-query';
import { useTranslations } from 'next-intl';
import type { ReactNode } from 'react';
import { ContractList } from '@/components/contract-list/contract-list';
import { filterOf } from '@/components/contract-list/declare-list';
import { Menu } from '@/components/patterns/menu';
import { PageHeader } from '@/components/patterns/page-header';
import { PageTabs } from '@/components/patterns/page-tabs';
import { ProblemAlert } from '@/components/patterns/problem-alert';
import { readQuery } from '@/components/patterns/read-query';
import { useCommand } from '@/components/patterns/use-command';
import { useUrlState } from '@/components/patterns/use-url-state';
import { useMay } from '@/components/patterns/viewer';
import { urlOf } from '@/lib/api-client';
import { auditContracts } from '@/lib/audit/schema';
import { ENTRIES, entriesInput } from './entry-list';
import { LogStatus, StatusLine, Verdict } from './log-status';

const FIELDS: Record<string, string> = { tab: 'entries', ...ENTRIES.fields, entry: '' };
const STEPS = { opens: ['entry'], tabs: ['tab'] };
const TABS = ['entries', 'notifications'] as const;

const STATUS_MS = 15_000;

/** `notifications`: the tab about messages sent from the log, for users who may manage them. */
export const AuditPage = ({ notifications }: { notifications: ReactNode }) => {
  const t = useTranslations('audit');
  const [url, setUrl] = useUrlState(FIELDS, STEPS);
  const mayManage = useMay('users:manage');
  const tab = url.tab === 'notifications' && mayManage ? 'notifications' : 'entries';
  const verify = useCommand(auditContracts.verify);
  const status = useQuery({
    ...readQuery(auditContracts.status, null, {}),
    refetchInterval: STATUS_MS,
  });
  return (
    <>
      <PageHeader
        title={t('title')}
        sentence={t('sentence')}
        actions={
          <>
            <Button
              variant="default"
              leftSection={<IconShieldCheck size={16} aria-hidden />}
              loading={verify.isPending}
              onClick={() => verify.mutate({})}
            >
              {t('verify')}
            </Button>
            <ExportMenu url={url} />
          </>
        }
      />
      {verify.data && (
        <Verdict verdict={verify.data} onEntry={(entry) => setUrl({ entry })} onClose={verify.reset} />
      )}
      <ProblemAlert error={verify.error} onRetry={() => verify.mutate(verify.variables ?? {})} />
      {status.isPending && <StatusLine />}
      {status.data && (
        <LogStatus
          status={status.data}
          acknowledging={verify.isPending}
          onAcknowledge={() => verify.mutate({ acknowledge: true })}
        />
      )}
      <PageTabs
        tabs={TABS.filter((tab) => tab === 'entries' || mayManage)}
        value={tab}
        label={(tab) => t(`tab.${tab}`)}
        onTab={(next) => setUrl({ ...FIELDS, tab: next })}
      >
        {tab === 'entries' ? <ContractList list={ENTRIES} url={url} onChange={setUrl} /> : notifications}
      </PageTabs>
    </>
  );
};

/** Exports all entries that match the filters; the table's own menu exports loaded rows only. */
const ExportMenu = ({ url }: { url: Record<string, string> }) => {
  const t = useTranslations('audit.export');
  const tWord = useTranslations('words');
  const href = (format: 'csv' | 'jsonl') =>
    urlOf(auditContracts.export, { ...entriesInput(filterOf(ENTRIES, url)), format });
  return (
    <Menu
      position="bottom-end"
      heading={t('scope')}
      items={(['csv', 'jsonl'] as const).map((format) => ({
        id: format,
        text: t(format),
        href: href(format),
        download: true,
      }))}
    >
      <Button variant="default" leftSection={<IconDownload size={16} aria-hidden />}>
        {tWord('export')}
      </Button>
    </Menu>
  );
};
