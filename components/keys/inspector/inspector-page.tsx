'use client';

import { Alert, Button, Skeleton, Stack } from '@mantine/core';
import { IconKeyOff } from '@tabler/icons-react';
import { useQuery } from '@tanstack/react-query';
import { useTranslations } from 'next-intl';
import { useCallback, useState } from 'react';
import { useConnection } from '@/components/patterns/connection';
import { EmptyState } from '@/components/patterns/empty-state';
import { Link } from '@/components/patterns/link';
import { onDemand } from '@/components/patterns/on-demand';
import { PageHeader } from '@/components/patterns/page-header';
import { QueryProblem } from '@/components/patterns/query-problem';
import { StaleBanner } from '@/components/patterns/stale-banner';
import { StreamGroups } from '@/components/patterns/stream-groups';
import { useOpened } from '@/components/patterns/use-opened';
import { useUrlState } from '@/components/patterns/use-url-state';
import type { KeyDetails } from '@/lib/keys/schema';
import type { Edit } from './edits';
import classes from './inspector.module.css';
import { Documented, Drift, KeyFacts, Related } from './key-facts';
import { Crumbs, KeyHead } from './key-head';
import { isExpired, isGone, keyQueries } from './queries';
import { ValuePanel } from './value-panel';
import { useWritable } from './writable';

const EditDrawers = onDemand(async () => (await import('./edit-drawers')).EditDrawers);

// These fields add no history step, so Back returns to the list.
const FIELDS = { view: '', match: '' };

/** The type a key had before, if it changed while the page is open. */
const useFormerType = (type: string | undefined): { former: string | null; dismiss: () => void } => {
  const [seen, setSeen] = useState({ type, former: null as string | null });
  if (type !== undefined && seen.type !== type) setSeen({ type, former: seen.type ?? null });
  return { former: seen.former, dismiss: () => setSeen({ ...seen, former: null }) };
};

/** A key: its value page by page, its facts, and its changes. */
export const InspectorPage = ({ keyId }: { keyId: string }) => {
  const t = useTranslations('keys.inspector');
  const tWord = useTranslations('words');
  const { id } = useConnection();
  const query = useQuery(keyQueries.details(id, keyId));
  const drawer = useOpened<{ edit: Edit; details: KeyDetails }>();
  const gone = isGone(query.error);
  const expired = isExpired(query.error);
  const details = gone || expired ? undefined : query.data;
  return (
    <>
      <Crumbs details={query.data} />
      {details ? (
        <>
          <StaleBanner error={query.error} valuesFrom={query.dataUpdatedAt} />
          <Content key={details.keyId} details={details} onEdit={drawer.open} />
        </>
      ) : (
        <>
          <PageHeader
            title={tWord('key')}
            actions={query.isPending && <Skeleton height={36} width={240} />}
          />
          <div className={classes.below} />
          {gone || expired ? (
            <EmptyState
              icon={<IconKeyOff size={20} />}
              title={t(gone ? 'gone.title' : 'expired.title')}
              action={
                <Button component={Link} href={`/${id}/keys`} variant="default">
                  {t('toList')}
                </Button>
              }
            >
              {t(gone ? 'gone.text' : 'expired.text')}
            </EmptyState>
          ) : query.isError ? (
            <QueryProblem of={query} />
          ) : (
            <Loading />
          )}
        </>
      )}
      <EditDrawers drawer={drawer} now={details ?? null} />
    </>
  );
};

const Loading = () => (
  <div className={classes.layout} aria-busy>
    <Skeleton height={420} radius={10} />
    <Skeleton height={260} radius={10} />
  </div>
);

interface ContentProps {
  details: KeyDetails;
  onEdit: (about: { edit: Edit; details: KeyDetails }) => void;
}

const Content = ({ details, onEdit }: ContentProps) => {
  const t = useTranslations('keys.inspector');
  const tWord = useTranslations('words');
  const [url, setUrl] = useUrlState(FIELDS);
  const { former, dismiss } = useFormerType(details.type);
  const writable = useWritable(details);
  const open = useCallback((edit: Edit) => onEdit({ edit, details }), [onEdit, details]);
  return (
    <>
      <KeyHead details={details} writable={writable} onEdit={open} />
      {former !== null && (
        <Alert
          color="orange"
          mb="md"
          role="status"
          withCloseButton
          onClose={dismiss}
          closeButtonLabel={tWord('dismiss')}
        >
          {t('typeChanged', { former, type: details.type })}
        </Alert>
      )}
      <Drift details={details} />
      <div className={classes.layout}>
        <ValuePanel
          key={details.type}
          details={details}
          view={url.view}
          match={url.match}
          onView={(view) => setUrl({ view })}
          onMatch={(match) => setUrl({ match })}
          onEdit={writable.value === null ? open : null}
          onOpen={open}
        />
        <Stack gap={16}>
          <KeyFacts details={details} />
          {details.groups !== undefined && <StreamGroups groups={details.groups} />}
          <Related details={details} />
          <Documented details={details} />
        </Stack>
      </div>
    </>
  );
};
