'use client';

import { Button, Tabs } from '@mantine/core';
import { IconPlus } from '@tabler/icons-react';
import { useTranslations } from 'next-intl';
import { type ReactNode, useState } from 'react';
import { PageHeader } from '@/components/patterns/page-header';
import { useUrlState } from '@/components/patterns/use-url-state';
import { CreateToken } from './create-token';
import { CreateUser } from './create-user';
import { CreatedToken } from './created-token';
import { TokenList } from './token-list';
import { UserList } from './user-list';

const FIELDS = { tab: 'users', q: '' };
const STEPS = { tabs: ['tab'] } as const;

/** `belowTokens`: about what tokens are for. */
export const UsersPage = ({ belowTokens }: { belowTokens?: ReactNode }) => {
  const t = useTranslations('users');
  const [url, setUrl] = useUrlState(FIELDS, STEPS);
  const [creating, setCreating] = useState(false);
  const [token, setToken] = useState<string | null>(null);
  const tokens = url.tab === 'tokens';
  const close = () => setCreating(false);
  return (
    <>
      <PageHeader
        title={t('title')}
        sentence={t('sentence')}
        actions={
          <Button leftSection={<IconPlus size={16} aria-hidden />} onClick={() => setCreating(true)}>
            {tokens ? t('token.create') : t('create.title')}
          </Button>
        }
      />
      <Tabs
        value={tokens ? 'tokens' : 'users'}
        onChange={(tab) => setUrl({ tab: tab ?? 'users' })}
        keepMounted={false}
      >
        <Tabs.List mb="md">
          <Tabs.Tab value="users">{t('tab.users')}</Tabs.Tab>
          <Tabs.Tab value="tokens">{t('tab.tokens')}</Tabs.Tab>
        </Tabs.List>
        <Tabs.Panel value="users">
          <UserList q={url.q} onSearch={(q) => setUrl({ q })} />
        </Tabs.Panel>
        <Tabs.Panel value="tokens">
          <TokenList />
          {belowTokens}
        </Tabs.Panel>
      </Tabs>
      <CreateUser opened={creating && !tokens} onClose={close} />
      <CreateToken opened={creating && tokens} onClose={close} onToken={setToken} />
      <CreatedToken token={token} onClose={() => setToken(null)} />
    </>
  );
};
