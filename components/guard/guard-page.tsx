'use client';

import { Tabs } from '@mantine/core';
import { useTranslations } from 'next-intl';
import { PageHeader } from '@/components/patterns/page-header';
import { useUrlState } from '@/components/patterns/use-url-state';
import { Members } from './members';
import type { GuardSet } from './queries';

const FIELDS = { tab: 'blacklist', q: '', ban: '' };

export const GuardPage = () => {
  const t = useTranslations('guard');
  const [url, setUrl] = useUrlState(FIELDS);
  const set: GuardSet = url.tab === 'projects' && !url.ban ? 'projects' : 'blacklist';
  return (
    <>
      <PageHeader title={t('title')} sentence={t('sentence')} />
      <Tabs
        value={set}
        onChange={(tab) => setUrl({ tab: tab ?? FIELDS.tab, q: '', ban: '' })}
        keepMounted={false}
      >
        <Tabs.List mb="md">
          <Tabs.Tab value="blacklist">{t('blacklist.tab')}</Tabs.Tab>
          <Tabs.Tab value="projects">{t('projects.tab')}</Tabs.Tab>
        </Tabs.List>
        <Tabs.Panel value={set}>
          <Members
            key={set}
            set={set}
            q={url.q}
            onSearch={(q) => setUrl({ q })}
            proposed={set === 'blacklist' ? url.ban : ''}
            onProposalDone={() => setUrl({ ban: '' })}
          />
        </Tabs.Panel>
      </Tabs>
    </>
  );
};
