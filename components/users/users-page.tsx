'use client';

import { Button } from '@mantine/core';
import { IconPlus } from '@tabler/icons-react';
import { useTranslations } from 'next-intl';
import { type ReactNode, useState } from 'react';
import { ContractList } from '@/components/contract-list/contract-list';
import { onDemand } from '@/components/patterns/on-demand';
import { PageHeader } from '@/components/patterns/page-header';
import { PageTabs } from '@/components/patterns/page-tabs';
import { useUrlState } from '@/components/patterns/use-url-state';
import { LinksProvider } from './links';
import { API_TOKENS } from './token-list';
import { USERS } from './user-list';

const CreatedToken = onDemand(async () => (await import('./create-token')).CreatedToken);
const CreateToken = onDemand(async () => (await import('./create-token')).CreateToken);
const CreateUser = onDemand(async () => (await import('./create-user')).CreateUser);

const FIELDS = { tab: 'users', q: '' };
const TABS = ['users', 'tokens'] as const;
const STEPS = { tabs: ['tab'] } as const;

interface UsersPageProps {
  /** Shown below the tokens: what they are for. */
  belowTokens?: ReactNode;
  /** Whether the console has a mail server, for invitations. */
  canMail: boolean;
}

export const UsersPage = ({ belowTokens, canMail }: UsersPageProps) => {
  const t = useTranslations('users');
  const [url, setUrl] = useUrlState(FIELDS, STEPS);
  const [creating, setCreating] = useState(false);
  const [token, setToken] = useState<string | null>(null);
  const tab = url.tab === 'tokens' ? 'tokens' : 'users';
  const tokens = tab === 'tokens';
  const close = () => setCreating(false);
  return (
    <LinksProvider canMail={canMail}>
      <PageHeader
        title={t('title')}
        sentence={t('sentence')}
        actions={
          <Button leftSection={<IconPlus size={16} aria-hidden />} onClick={() => setCreating(true)}>
            {tokens ? t('token.create') : t('create.title')}
          </Button>
        }
      />
      <PageTabs
        tabs={TABS}
        value={tab}
        label={(tab) => t(`tab.${tab}`)}
        onTab={(next) => setUrl({ tab: next })}
      >
        {tokens ? (
          <>
            <ContractList list={API_TOKENS} url={url} onChange={setUrl} />
            {belowTokens}
          </>
        ) : (
          <ContractList list={USERS} url={url} onChange={setUrl} />
        )}
      </PageTabs>
      <CreateUser opened={creating && !tokens} onClose={close} />
      <CreateToken opened={creating && tokens} onClose={close} onToken={setToken} />
      <CreatedToken token={token} onClose={() => setToken(null)} />
    </LinksProvider>
  );
};
