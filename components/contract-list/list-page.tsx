'use client';

import { type ReactNode, useMemo } from 'react';
import { useConnectionOrNull } from '@/components/patterns/connection';
import { PageHeader } from '@/components/patterns/page-header';
import { PageTabs } from '@/components/patterns/page-tabs';
import { useUrlState } from '@/components/patterns/use-url-state';
import { addressOf } from './addressed-list';
import { ContractList } from './contract-list';
import type { AnyList } from './declare-list';
import { useWords } from './words';

interface ListTab {
  /** The catalog must have a family of one of these. */
  roles?: readonly string[];
  list: AnyList;
}

interface ListPageProps {
  /** The namespace of `title`, `sentence`, and where there are several tabs `tab.…`. */
  texts: string;
  /** Declare at module scope. */
  tabs: Record<string, ListTab>;
  /** Fields that another tab keeps. */
  keeps?: readonly string[];
  /** After the name of a tab. */
  count?: (tab: string) => ReactNode;
  /** Beside the title. */
  actions?: ReactNode;
}

/** A page of lists, one in each tab. A tab begins without the filters of others. */
export const ListPage = ({ texts, tabs, keeps = [], count, actions }: ListPageProps) => {
  const t = useWords(texts);
  const { none, fields, steps } = useMemo(() => {
    const address = addressOf(Object.values(tabs).map(({ list }) => list));
    return {
      none: address.none,
      fields: { tab: '', ...address.fields },
      steps: { tabs: ['tab'], opens: address.opens },
    };
  }, [tabs]);
  const [url, setUrl] = useUrlState<Record<string, string>>(fields, steps);
  const roles = useConnectionOrNull()?.roles;
  const names = Object.keys(tabs).filter(
    (name) => tabs[name]!.roles?.some((role) => roles?.includes(role)) !== false,
  );
  const tab = names.find((name) => name === url.tab) ?? names[0];
  if (tab === undefined) return null;
  const cleared = Object.fromEntries(Object.entries(none).filter(([name]) => !keeps.includes(name)));
  const list = <ContractList key={tab} list={tabs[tab]!.list} url={url} onChange={setUrl} />;
  return (
    <>
      <PageHeader title={t('title')} sentence={t('sentence')} actions={actions} />
      {Object.keys(tabs).length === 1 ? (
        list
      ) : (
        <PageTabs
          tabs={names}
          value={tab}
          label={(name) => t(`tab.${name}`)}
          {...(count && { count })}
          onTab={(next) => setUrl({ ...cleared, tab: next === names[0] ? '' : next })}
        >
          {list}
        </PageTabs>
      )}
    </>
  );
};
