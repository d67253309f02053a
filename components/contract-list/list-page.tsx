'use client';

import { useMemo } from 'react';
import { useConnection } from '@/components/patterns/connection';
import { PageHeader } from '@/components/patterns/page-header';
import { PageTabs } from '@/components/patterns/page-tabs';
import { useUrlState } from '@/components/patterns/use-url-state';
import { ContractList, useWords } from './contract-list';
import type { AnyList } from './declare-list';

interface ListTab {
  /** The catalog must have a family of one of these. */
  roles: readonly string[];
  list: AnyList;
}

interface ListPageProps {
  /** The namespace of `title`, `sentence` and `tab.…`. */
  texts: string;
  /** Declare at module scope. */
  tabs: Record<string, ListTab>;
}

/** Where its lists have their filters in the address, and what opens their drawers. */
const addressOf = (lists: readonly AnyList[]) => {
  const opens = lists.flatMap((list) => list.opens ?? []);
  const none = Object.assign(
    {},
    ...lists.map(({ fields }) => fields),
    ...opens.map(({ name }) => ({ [name]: '' })),
  );
  return {
    none: none as Record<string, string>,
    fields: Object.assign({ tab: '' }, none, ...opens.map(({ fields }) => fields)) as Record<string, string>,
    steps: { tabs: ['tab'], opens: opens.map(({ name }) => name) },
  };
};

/** A page of lists, one in each tab. A tab begins without filters. */
export const ListPage = ({ texts, tabs }: ListPageProps) => {
  const t = useWords(texts);
  const { none, fields, steps } = useMemo(
    () => addressOf(Object.values(tabs).map(({ list }) => list)),
    [tabs],
  );
  const [url, setUrl] = useUrlState<Record<string, string>>(fields, steps);
  const connection = useConnection();
  const names = Object.keys(tabs).filter((name) =>
    tabs[name]!.roles.some((role) => connection.roles.includes(role)),
  );
  const tab = names.find((name) => name === url.tab) ?? names[0];
  if (tab === undefined) return null;
  return (
    <>
      <PageHeader title={t('title')} sentence={t('sentence')} />
      <PageTabs
        tabs={names}
        value={tab}
        label={(name) => t(`tab.${name}`)}
        onTab={(next) => setUrl({ ...none, tab: next === names[0] ? '' : next })}
      >
        <ContractList key={tab} list={tabs[tab]!.list} url={url} onChange={setUrl} />
      </PageTabs>
    </>
  );
};
