'use client';

import { useMemo } from 'react';
import { useConnection } from '@/components/patterns/connection';
import { PageHeader } from '@/components/patterns/page-header';
import { PageTabs } from '@/components/patterns/page-tabs';
import { useUrlState } from '@/components/patterns/use-url-state';
import { ContractList, useWords } from './contract-list';
import type { AnyList } from './declare-list';

interface ListTab {
  /** The catalog must have a family of this role. */
  role: string;
  list: AnyList;
}

interface ListPageProps {
  /** The namespace of `title`, `sentence` and `tab.…`. */
  texts: string;
  /** Declare at module scope. */
  tabs: Record<string, ListTab>;
}

const STEPS = { tabs: ['tab'] };

/** A page of lists, one in each tab. A tab begins without filters. */
export const ListPage = ({ texts, tabs }: ListPageProps) => {
  const t = useWords(texts);
  const noFilter = useMemo(
    () => Object.assign({}, ...Object.values(tabs).map(({ list }) => list.fields)) as Record<string, string>,
    [tabs],
  );
  const fields = useMemo(() => ({ tab: '', ...noFilter }), [noFilter]);
  const [url, setUrl] = useUrlState<Record<string, string>>(fields, STEPS);
  const { roles } = useConnection();
  const names = Object.keys(tabs).filter((name) => roles.includes(tabs[name]!.role));
  const tab = names.find((name) => name === url.tab) ?? names[0];
  if (tab === undefined) return null;
  return (
    <>
      <PageHeader title={t('title')} sentence={t('sentence')} />
      <PageTabs
        tabs={names}
        value={tab}
        label={(name) => t(`tab.${name}`)}
        onTab={(next) => setUrl({ ...noFilter, tab: next === names[0] ? '' : next })}
      >
        <ContractList key={tab} list={tabs[tab]!.list} url={url} onChange={setUrl} />
      </PageTabs>
    </>
  );
};
