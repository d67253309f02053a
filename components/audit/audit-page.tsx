'use client';

import { Button, Menu } from '@mantine/core';
import { IconDownload, IconHistory, IconShieldCheck } from '@tabler/icons-react';
import { useInfiniteQuery, useQuery } from '@tanstack/react-query';
import { useTranslations } from 'next-intl';
import { useCallback, useMemo } from 'react';
import { DataTable } from '@/components/data-table/data-table';
import { pagesOf } from '@/components/data-table/query-pages';
import { EmptyState } from '@/components/patterns/empty-state';
import { onDemand } from '@/components/patterns/on-demand';
import { PageHeader } from '@/components/patterns/page-header';
import { ProblemAlert } from '@/components/patterns/problem-alert';
import { StaleBanner } from '@/components/patterns/stale-banner';
import { useCommand } from '@/components/patterns/use-command';
import { useUrlState } from '@/components/patterns/use-url-state';
import { urlOf } from '@/lib/api-client';
import { type AuditEntry, auditContracts } from '@/lib/audit/schema';
import { useAuditColumns } from './audit-columns';
import { AuditFilters, NO_FILTER } from './audit-filters';
import { LogStatus, StatusLine } from './log-status';
import { type AuditFilter, auditQuery, statusQuery, wireFilter } from './queries';
import { Verdict } from './verdict';

const EntryDrawer = onDemand(async () => (await import('./entry-drawer')).EntryDrawer);

const FIELDS = { ...NO_FILTER, entry: '' };
const STEPS = { opens: ['entry'] } as const;

export const AuditPage = () => {
  const t = useTranslations('audit');
  const [url, setUrl] = useUrlState(FIELDS, STEPS);
  const query = useInfiniteQuery(auditQuery(url));
  const verify = useCommand(auditContracts.verify);
  const status = useQuery(statusQuery());
  const rows = useMemo(() => query.data?.pages.flatMap((page) => page.items) ?? [], [query.data]);
  const openId = useCallback((entry: string) => setUrl({ entry }), [setUrl]);
  const open = useCallback((entry: AuditEntry) => openId(entry.id), [openId]);
  const columns = useAuditColumns(open);
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
            <ExportMenu filter={url} />
          </>
        }
      />
      {verify.data && <Verdict verdict={verify.data} onEntry={openId} onClose={verify.reset} />}
      <ProblemAlert error={verify.error} onRetry={() => verify.mutate(verify.variables ?? {})} />
      {status.isPending && <StatusLine />}
      {status.data && (
        <LogStatus
          status={status.data}
          acknowledging={verify.isPending}
          onAcknowledge={() => verify.mutate({ acknowledge: true })}
        />
      )}
      <StaleBanner error={query.error} valuesFrom={query.dataUpdatedAt} />
      <AuditFilters filter={url} onChange={setUrl} />
      <DataTable
        label={t('label')}
        name="audit"
        columns={columns}
        rows={rows}
        rowId={(entry) => entry.id}
        {...pagesOf(query)}
        live={[wireFilter(url)]}
        onOpen={open}
        empty={
          <EmptyState icon={<IconHistory size={20} />} title={t('empty.title')}>
            {t('empty.text')}
          </EmptyState>
        }
      />
      <EntryDrawer id={url.entry || null} onClose={() => openId('')} onEntry={openId} />
    </>
  );
};

/** Exports all entries that match the filters; the table's own menu exports loaded rows only. */
const ExportMenu = ({ filter }: { filter: AuditFilter }) => {
  const t = useTranslations('audit.export');
  const href = (format: 'csv' | 'jsonl') => urlOf(auditContracts.export, { ...wireFilter(filter), format });
  return (
    <Menu position="bottom-end">
      <Menu.Target>
        <Button variant="default" leftSection={<IconDownload size={16} aria-hidden />}>
          {t('button')}
        </Button>
      </Menu.Target>
      <Menu.Dropdown>
        <Menu.Label>{t('scope')}</Menu.Label>
        <Menu.Item component="a" href={href('csv')} download>
          {t('csv')}
        </Menu.Item>
        <Menu.Item component="a" href={href('jsonl')} download>
          {t('jsonl')}
        </Menu.Item>
      </Menu.Dropdown>
    </Menu>
  );
};
