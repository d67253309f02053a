'use client';

import { Button } from '@mantine/core';
import { IconTool } from '@tabler/icons-react';
import { useTranslations } from 'next-intl';
import type { Sorting } from '@/components/data-table/columns';
import { useConnection } from '@/components/patterns/connection';
import { onDemand } from '@/components/patterns/on-demand';
import { PageHeader } from '@/components/patterns/page-header';
import { useUnmoved } from '@/components/patterns/use-pressed';
import { useUrlState } from '@/components/patterns/use-url-state';
import { useMay } from '@/components/patterns/viewer';
import { REPAIRS, type RepairKind } from '@/lib/sessions/repair/schema';
import { typedUserId, userIdText } from '@/lib/sessions/schema';
import { isFiltered, NO_FILTER, type SessionFilter } from './session-filter';
import { SessionFilters } from './session-filters';
import { SessionList } from './session-list';
import { SessionMatches } from './session-matches';
import { StateCounts } from './state-counts';
import { type Revocation, useRevocation } from './use-revocation';
import { UserView } from './user';

const ProofPanel = onDemand(async () => (await import('./proof-panel')).ProofPanel);
const WatchedRevocation = onDemand(async () => (await import('./proof-panel')).WatchedRevocation);
const RepairJob = onDemand(async () => (await import('./repair-job')).RepairJob);
const RepairDrawer = onDemand(async () => (await import('./repair-drawer')).RepairDrawer);
const RevokeDrawer = onDemand(async () => (await import('./revoke-drawer')).RevokeDrawer);

const FIELDS = {
  ...NO_FILTER,
  user: '',
  complete: '',
  sort: 'lastActivity',
  order: 'desc',
  /** The job of a running revocation. */
  job: '',
  /** '': closed; 'new' or a kind of repair: the form; otherwise the id of a repair's job. */
  repair: '',
};
const STEPS = { opens: ['user', 'repair'] } as const;
type Fields = typeof FIELDS;
type SetFields = (change: Partial<Fields>) => void;

/** A number, or any text after `#`, is a user id; other text searches user names. */
const searched = (text: string): Partial<Fields> => {
  const id = typedUserId(text);
  return id ? { ...NO_FILTER, user: userIdText(id) } : { user: '', name: text.trim(), complete: '' };
};

const filterOf = ({ name, device, address, idle, state }: Fields): SessionFilter => ({
  name,
  device,
  address,
  idle,
  state,
});

export const SessionsPage = () => {
  const t = useTranslations('sessions');
  const mayRevoke = useMay('sessions:revoke');
  const { readOnly } = useConnection();
  const [url, setUrl] = useUrlState(FIELDS, STEPS);
  const revocation = useRevocation((job) => setUrl({ job }));
  const user = typedUserId(url.user) ?? '';
  const filter = filterOf(url);
  const clear = () => setUrl({ ...NO_FILTER, user: '', complete: '' });
  return (
    <>
      <PageHeader
        title={t('title')}
        sentence={t('sentence')}
        actions={
          mayRevoke &&
          !readOnly && (
            <Button
              variant="default"
              leftSection={<IconTool size={16} aria-hidden />}
              onClick={() => setUrl({ repair: 'new' })}
            >
              {t('search.repair')}
            </Button>
          )
        }
      />
      <Results url={url} setUrl={setUrl} revocation={revocation} />
      {user === '' && <StateCounts state={url.state} onState={(state) => setUrl({ state })} />}
      <SessionFilters
        filter={filter}
        user={user && userIdText(user)}
        onSearch={(text) => setUrl(searched(text), user === '' ? undefined : 'replace')}
        onChange={setUrl}
        onClear={user || isFiltered(filter) ? clear : undefined}
      />
      {user ? (
        <UserView
          key={user}
          userId={user}
          complete={url.complete === 'true'}
          onComplete={(complete) => setUrl({ complete: complete ? 'true' : '' })}
          revocation={revocation}
        />
      ) : (
        <Sessions filter={filter} url={url} setUrl={setUrl} revocation={revocation} />
      )}
      <RevokeDrawer revocation={revocation} />
      <Repair value={url.repair} onChange={(repair) => setUrl({ repair })} />
    </>
  );
};

interface PartProps {
  url: Fields;
  setUrl: SetFields;
  revocation: Revocation;
}

/** Results of revocations: the proof, or the job that is still running. */
const Results = ({ url, setUrl, revocation }: PartProps) => (
  <>
    {revocation.proof && <ProofPanel proof={revocation.proof} onClose={revocation.dismissProof} />}
    {url.job && (
      <WatchedRevocation
        key={url.job}
        jobId={url.job}
        names={revocation.names}
        onClose={() => setUrl({ job: '' })}
      />
    )}
  </>
);

/** All sessions, or the matches of a search if there is a filter. */
const Sessions = ({ filter: wanted, url, setUrl, revocation }: PartProps & { filter: SessionFilter }) => {
  const filter = useUnmoved(wanted);
  const sorting: Sorting = {
    by: url.sort,
    order: url.order === 'asc' ? 'asc' : 'desc',
    onSort: (sort, order) => setUrl({ sort, order }),
  };
  if (!isFiltered(filter)) return <SessionList revocation={revocation} />;
  return (
    // A different filter is a different search, so the selection is cleared.
    <SessionMatches
      key={JSON.stringify(filter)}
      filter={filter}
      sorting={sorting}
      revocation={revocation}
      onRepair={(repair) => setUrl({ repair })}
    />
  );
};

const kindOf = (value: string): RepairKind | null => REPAIRS.find((kind) => kind === value) ?? null;

const Repair = ({ value, onChange }: { value: string; onChange: (value: string) => void }) => {
  const kind = kindOf(value);
  const asks = value === 'new' || kind !== null;
  const close = () => onChange('');
  return (
    <>
      {/* The selection and the counts are cleared when the drawer closes. */}
      <RepairDrawer key={value} opened={asks} kind={kind} onClose={close} onStarted={onChange} />
      <RepairJob jobId={value !== '' && !asks ? value : null} onClose={close} />
    </>
  );
};
