'use client';

import { Select } from '@mantine/core';
import { useTranslations } from 'next-intl';
import { FilterBar, SearchField } from '@/components/patterns/filter-bar';
import { PageHeader } from '@/components/patterns/page-header';
import { useUrlState } from '@/components/patterns/use-url-state';
import { SESSION_STATES } from '@/lib/sessions/schema';
import { PersonView } from './person';
import { ProofPanel } from './proof-panel';
import { RevokeDrawer } from './revoke-drawer';
import { SessionList } from './session-list';
import { useRevocation } from './use-revocation';

const FIELDS = { user: '', name: '', device: '', state: '', complete: '' };
type Fields = typeof FIELDS;

/** Words of user agents that tell devices apart; the server looks for them in the label and the user agent. */
const DEVICES = ['iPhone', 'iPad', 'Android', 'Windows', 'Macintosh', 'Linux'];

const USER_ID = /^#?(\d{1,19})$/;

/** A number is a person; anything else is looked for in the names. */
const searched = (text: string): Partial<Fields> => {
  const id = USER_ID.exec(text.trim())?.[1];
  return id ? { user: id, name: '', device: '', state: '' } : { user: '', name: text.trim(), complete: '' };
};

export const SessionsPage = () => {
  const t = useTranslations('sessions');
  const [url, setUrl] = useUrlState(FIELDS);
  const revocation = useRevocation();
  const user = USER_ID.exec(url.user)?.[1] ?? '';
  const { name, device, state } = url;
  return (
    <>
      <PageHeader title={t('title')} sentence={t('sentence')} />
      {revocation.proof && <ProofPanel proof={revocation.proof} onClose={revocation.dismissProof} />}
      <SessionFilters url={url} person={user !== ''} onChange={setUrl} />
      {user ? (
        <PersonView
          key={user}
          userId={user}
          complete={url.complete === 'true'}
          onComplete={(complete) => setUrl({ complete: complete ? 'true' : '' })}
          revocation={revocation}
        />
      ) : (
        // A different filter is a different list: nothing chosen in the one is carried to the other.
        <SessionList
          key={JSON.stringify([name, device, state])}
          filter={{ name, device, state }}
          revocation={revocation}
        />
      )}
      <RevokeDrawer revocation={revocation} />
    </>
  );
};

interface SessionFiltersProps {
  url: Fields;
  person: boolean;
  onChange: (change: Partial<Fields>) => void;
}

const SessionFilters = ({ url, person, onChange }: SessionFiltersProps) => {
  const t = useTranslations('sessions');
  const devices = url.device && !DEVICES.includes(url.device) ? [...DEVICES, url.device] : DEVICES;
  const filtered = [url.user, url.name, url.device, url.state].some((value) => value !== '');
  return (
    <FilterBar onClear={filtered ? () => onChange(FIELDS) : undefined}>
      <SearchField
        value={url.user || url.name}
        onChange={(text) => onChange(searched(text))}
        label={t('filter.search')}
      />
      {!person && (
        <>
          <Select
            aria-label={t('filter.device')}
            placeholder={t('filter.anyDevice')}
            data={devices}
            value={url.device || null}
            onChange={(device) => onChange({ device: device ?? '' })}
            clearable
            w={160}
          />
          <Select
            aria-label={t('filter.state')}
            placeholder={t('filter.anyState')}
            data={SESSION_STATES.map((state) => ({ value: state as string, label: t(`state.${state}`) }))}
            value={url.state || null}
            onChange={(state) => onChange({ state: state ?? '' })}
            clearable
            w={160}
          />
        </>
      )}
    </FilterBar>
  );
};
