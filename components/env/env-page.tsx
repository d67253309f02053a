'use client';

import { Alert, Button } from '@mantine/core';
import { IconFileDownload, IconFileUpload, IconPlus } from '@tabler/icons-react';
import { useQuery } from '@tanstack/react-query';
import { useTranslations } from 'next-intl';
import { useCallback, useMemo } from 'react';
import { useConnection } from '@/components/patterns/connection';
import { onDemand } from '@/components/patterns/on-demand';
import { PageHeader } from '@/components/patterns/page-header';
import { PageTabs } from '@/components/patterns/page-tabs';
import { type Opened, useOpened } from '@/components/patterns/use-opened';
import { useUrlState } from '@/components/patterns/use-url-state';
import { useMay } from '@/components/patterns/viewer';
import type { Backup, Variable } from '@/lib/env/schema';
import { BackupsTab } from './backups-tab';
import { envQueries, type HistoryStep } from './queries';
import { countsOf, type VariableList } from './selection';
import type { RowAction } from './variable-row';
import { VariablesTab } from './variables-tab';

const BackupDrawer = onDemand(async () => (await import('./backup-drawer')).BackupDrawer);
const CreateDrawer = onDemand(async () => (await import('./create-drawer')).CreateDrawer);
const DeleteDrawer = onDemand(async () => (await import('./delete-drawer')).DeleteDrawer);
const EditDrawer = onDemand(async () => (await import('./edit-drawer')).EditDrawer);
const ExportDrawer = onDemand(async () => (await import('./export-drawer')).ExportDrawer);
const ImportDrawer = onDemand(async () => (await import('./import-drawer')).ImportDrawer);
const RenameDrawer = onDemand(async () => (await import('./rename-drawer')).RenameDrawer);
const RestoreDrawer = onDemand(async () => (await import('./restore-drawer')).RestoreDrawer);
const RestoreValueDrawer = onDemand(async () => (await import('./restore-value-drawer')).RestoreValueDrawer);
const VariableHistory = onDemand(async () => (await import('./history-drawer')).VariableHistory);

const FIELDS = { tab: 'variables', q: '', show: 'all', closed: '', history: '' };
const TABS = ['variables', 'backups'] as const;
const STEPS = { tabs: ['tab'], opens: ['history'] } as const;

/** The open drawer. Not in the URL: the URL may hold variable names but never typed values. */
type About =
  | { kind: 'edit'; variable: Variable; start: string | null }
  | { kind: 'restoreValue'; variable: Variable; step: HistoryStep }
  | { kind: 'rename' | 'delete'; variable: Variable }
  | { kind: 'create'; name: string }
  | { kind: 'import' | 'export' | 'backup' }
  | { kind: 'restore'; backup: Backup | null };

const variablesIn = (list: VariableList | undefined): Variable[] =>
  list?.groups.flatMap(({ variables }) => variables) ?? [];

const namesIn = (list: VariableList | undefined): Set<string> =>
  new Set(variablesIn(list).map(({ name }) => name));

const Drawers = ({ drawer, list }: { drawer: Opened<About>; list: VariableList | undefined }) => {
  const taken = useMemo(() => namesIn(list), [list]);
  const { about, key, props } = drawer;
  if (about === null) return null;
  if (about.kind === 'edit')
    return <EditDrawer key={key} {...props} variable={about.variable} start={about.start} />;
  if (about.kind === 'restoreValue')
    return <RestoreValueDrawer key={key} {...props} variable={about.variable} step={about.step} />;
  if (about.kind === 'rename')
    return <RenameDrawer key={key} {...props} variable={about.variable} taken={taken} />;
  if (about.kind === 'delete') return <DeleteDrawer key={key} {...props} variable={about.variable} />;
  if (about.kind === 'create')
    return <CreateDrawer key={key} {...props} proposed={about.name} taken={taken} />;
  if (about.kind === 'import') return <ImportDrawer key={key} {...props} />;
  if (about.kind === 'export')
    return <ExportDrawer key={key} {...props} secrets={list ? countsOf(list).secret : 0} />;
  if (about.kind === 'restore') return <RestoreDrawer key={key} {...props} backup={about.backup} />;
  return <BackupDrawer key={key} {...props} />;
};

const HeaderActions = ({ onOpen }: { onOpen: (about: About) => void }) => {
  const tEnv = useTranslations('env');
  const tWord = useTranslations('words');
  const mayWrite = useMay('env:write');
  const mayReveal = useMay('env:reveal');
  const { readOnly } = useConnection();
  return (
    <>
      {mayReveal && (
        <Button
          variant="default"
          leftSection={<IconFileDownload size={16} aria-hidden />}
          onClick={() => onOpen({ kind: 'export' })}
        >
          {tWord('export')}
        </Button>
      )}
      {mayWrite && !readOnly && (
        <>
          <Button
            variant="default"
            leftSection={<IconFileUpload size={16} aria-hidden />}
            onClick={() => onOpen({ kind: 'import' })}
          >
            {tWord('import')}
          </Button>
          <Button
            leftSection={<IconPlus size={16} aria-hidden />}
            onClick={() => onOpen({ kind: 'create', name: '' })}
          >
            {tEnv('create.title')}
          </Button>
        </>
      )}
    </>
  );
};

export const EnvPage = () => {
  const t = useTranslations('env');
  const { id, name, readOnly } = useConnection();
  const [url, setUrl] = useUrlState(FIELDS, STEPS);
  const query = useQuery(envQueries.list(id));
  const drawer = useOpened<About>();
  const { open } = drawer;
  const tab = url.tab === 'backups' ? 'backups' : 'variables';
  const onAction = useCallback(
    (action: RowAction, variable: Variable) => {
      if (action === 'history') setUrl({ history: variable.name });
      else if (action === 'edit') open({ kind: action, variable, start: null });
      else open({ kind: action, variable });
    },
    [open, setUrl],
  );
  const onCreate = useCallback((proposed: string) => open({ kind: 'create', name: proposed }), [open]);
  const onRestore = useCallback((backup: Backup | null) => open({ kind: 'restore', backup }), [open]);
  return (
    <>
      <PageHeader title={t('title')} sentence={t('sentence')} actions={<HeaderActions onOpen={open} />} />
      {readOnly && (
        <Alert color="orange" mb="md">
          {t('readOnly', { name })}
        </Alert>
      )}
      <PageTabs
        tabs={TABS}
        value={tab}
        label={(tab) => t(`tab.${tab}`)}
        onTab={(next) => setUrl({ tab: next })}
      >
        {tab === 'variables' ? (
          <VariablesTab
            query={query}
            state={url}
            onState={setUrl}
            onAction={onAction}
            onCreate={onCreate}
            onHistory={(history) => setUrl({ history })}
          />
        ) : (
          <BackupsTab onBackup={() => open({ kind: 'backup' })} onRestore={onRestore} />
        )}
      </PageTabs>
      <VariableHistory
        name={url.history || null}
        variable={variablesIn(query.data).find((each) => each.name === url.history) ?? null}
        onRestore={(variable, step, start) => {
          setUrl({ history: '' });
          open(start === null ? { kind: 'restoreValue', variable, step } : { kind: 'edit', variable, start });
        }}
        onClose={() => setUrl({ history: '' })}
      />
      <Drawers drawer={drawer} list={query.data} />
    </>
  );
};
