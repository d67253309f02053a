'use client';

import { Alert, Button } from '@mantine/core';
import { IconFileImport, IconPlus } from '@tabler/icons-react';
import { useQuery } from '@tanstack/react-query';
import { useTranslations } from 'next-intl';
import { useState } from 'react';
import { useConnection } from '@/components/patterns/connection';
import { familiesQuery } from '@/components/patterns/families-query';
import { JobDrawer } from '@/components/patterns/job-drawer-on-demand';
import { KeyLink } from '@/components/patterns/key-link';
import { onDemand } from '@/components/patterns/on-demand';
import { PageHeader } from '@/components/patterns/page-header';
import { TextLink } from '@/components/patterns/text-link';
import { useOpened } from '@/components/patterns/use-opened';
import { useUrlState } from '@/components/patterns/use-url-state';
import { useMay } from '@/components/patterns/viewer';
import type { CreatedKey } from './create-drawer';
import { type Branch, isGlob, type KeyFilter, NO_FILTER } from './key-filter';
import { KeyFilters } from './key-filters';
import { KeyList } from './key-list';
import { KeyTree } from './key-tree';
import classes from './keys.module.css';
import { useKeySelection } from './selection';

const Drawer = onDemand(async () => (await import('@/components/patterns/drawer')).Drawer);
const CreateDrawer = onDemand(async () => (await import('./create-drawer')).CreateDrawer);
const ImportDrawer = onDemand(async () => (await import('./import-drawer')).ImportDrawer);

const FIELDS = { ...NO_FILTER, job: '' };
const STEPS = { tabs: ['family', 'params', 'prefix'], opens: ['job'] } as const;

export const KeysPage = () => {
  const t = useTranslations('keys');
  const tWord = useTranslations('words');
  const connection = useConnection();
  const mayWrite = useMay('keys:write');
  const [url, setUrl] = useUrlState(FIELDS, STEPS);
  const { job, ...filter } = url;
  const families = useQuery(familiesQuery(connection.id)).data?.items;
  const title = families?.find(({ family }) => family === filter.family)?.title ?? filter.family;
  const { selection, drawers } = useKeySelection((id) => setUrl({ job: id }));
  const tree = useOpened<true>();
  // Beside the list, the tree narrows what is searched.
  const choose = (branch: Branch) =>
    setUrl({ ...branch, ...(branch.prefix !== '' && isGlob(filter.q) && { q: '' }) });
  return (
    <>
      <PageHeader
        title={t('title')}
        sentence={t('sentence')}
        actions={mayWrite && <NewKeys family={filter.family} />}
      />
      <div className={classes.columns}>
        <aside className={classes.side} aria-label={t('tree.label')}>
          <KeyTree chosen={filter} onChoose={choose} />
        </aside>
        <div className={classes.list}>
          <KeyFilters
            filter={filter}
            title={title}
            onChange={(change: Partial<KeyFilter>) => setUrl(change)}
            onTree={() => tree.open(true)}
          />
          <KeyList filter={filter} selection={selection} />
        </div>
      </div>
      <Drawer opened={tree.opened} onClose={tree.close} title={t('tree.label')} width="form">
        {tree.opened && (
          <KeyTree
            chosen={filter}
            onChoose={(branch) => {
              setUrl({ ...branch, q: '' });
              tree.close();
            }}
          />
        )}
      </Drawer>
      {drawers}
      <JobDrawer
        jobId={job || null}
        onClose={() => setUrl({ job: '' })}
        links={<TextLink href="/jobs">{tWord('allJobs')}</TextLink>}
      />
    </>
  );
};

/** Creates a key or imports a file of keys. */
const NewKeys = ({ family }: { family: string }) => {
  const t = useTranslations('keys');
  const tWord = useTranslations('words');
  const create = useOpened<string>();
  const files = useOpened<true>();
  const [created, setCreated] = useState<CreatedKey | null>(null);
  return (
    <>
      {created && (
        <Alert
          color="green"
          py={6}
          withCloseButton
          closeButtonLabel={tWord('close')}
          onClose={() => setCreated(null)}
          data-testid="created"
        >
          {t('create.created')}{' '}
          <KeyLink keyId={created.keyId} max={60} size="sm">
            {created.key}
          </KeyLink>
        </Alert>
      )}
      <Button
        variant="default"
        leftSection={<IconFileImport size={16} aria-hidden />}
        onClick={() => files.open(true)}
      >
        {tWord('import')}
      </Button>
      <Button leftSection={<IconPlus size={16} aria-hidden />} onClick={() => create.open(family)}>
        {t('actions.keys-create')}
      </Button>
      {create.about !== null && (
        <CreateDrawer key={create.key} family={create.about} {...create.props} onCreated={setCreated} />
      )}
      <ImportDrawer opened={files.opened} onClose={files.close} />
    </>
  );
};
