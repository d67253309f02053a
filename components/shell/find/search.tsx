'use client';

import {
  createSpotlight,
  Spotlight,
  type SpotlightActionData,
  type SpotlightActionGroupData,
  useSpotlight,
} from '@mantine/spotlight';
import { IconDatabase, IconHistory, IconListSearch, IconSearch } from '@tabler/icons-react';
import { useRouter } from 'next/navigation';
import { useTranslations } from 'next-intl';
import { useState } from 'react';
import { type ConnectionFacts, useConnections } from '@/components/patterns/connection';
import { isSecret } from '@/components/patterns/looks-secret';
import { useReturnFocus } from '@/components/patterns/return-focus';
import { useViewer } from '@/components/patterns/viewer';
import { visibleText } from '@/lib/visible-text';
import { entriesFor, hrefOf } from '../pages';
import { addRecent, recentOf } from './recent';
import { isUuid, MIN_LENGTH } from './typed';
import { useActions, useTyped } from './use-actions';
import { inOrder, useFind, useSafeText } from './use-find';

const ICON = 18;
const MAX_LENGTH = 80;

const [store, spotlight] = createSpotlight();

export const openSearch = spotlight.open;

const allHref = ({ id }: ConnectionFacts, text: string): string =>
  `/${id}/find?q=${encodeURIComponent(text)}`;

type Row = Omit<SpotlightActionData, 'onClick'> & { id: string; label: string; href: string };

/** Pages and connections by name, without a request. */
const usePlaces = (connection: ConnectionFacts | null, query: string) => {
  const t = useTranslations('shell');
  const label = useTranslations();
  const { role } = useViewer();
  const connections = useConnections();
  const wanted = query.trim().toLocaleLowerCase();
  const matches = (...words: string[]) => words.some((word) => word.toLocaleLowerCase().includes(wanted));
  const pages = entriesFor(role, connection, null).flatMap((entry) =>
    entry.pages
      .filter((page) => matches(label(page.label), label(entry.label)))
      .map(
        (page): Row => ({
          id: `page-${page.id}`,
          label: label(page.label),
          leftSection: <page.icon size={ICON} stroke={1.6} />,
          href: hrefOf(page, connection?.id ?? null),
        }),
      ),
  );
  const others = connections
    .filter(({ id, name }) => matches(name, id))
    .map(
      (other): Row => ({
        id: `connection-${other.id}`,
        label: other.name,
        description: t(`environment.${other.environment}`),
        leftSection: <IconDatabase size={ICON} />,
        href: `/${other.id}/overview`,
      }),
    );
  return { pages, others };
};

const useRows = (connection: ConnectionFacts | null, query: string, opened: boolean) => {
  const t = useTranslations('shell');
  const tFind = useTranslations('shell.find');
  const tWord = useTranslations('words');
  const viewer = useViewer();
  const { pages, others } = usePlaces(connection, query);
  const { safe, isPending, looksSecret } = useSafeText(query.trim());
  const typed = useTyped(opened ? safe : null);
  const actions = useActions(connection, useTyped(query));
  const groups = useFind(connection, typed);
  const recent =
    query.trim() === '' && opened
      ? recentOf(viewer.id).map(
          (place): Row => ({
            ...place,
            id: `recent-${place.href}`,
            leftSection: <IconHistory size={ICON} />,
          }),
        )
      : [];
  const sections = inOrder(groups).map(({ name, icon: Icon, verb, matches }) => ({
    name,
    rows: matches.map((match): Row => {
      const label = visibleText(match.label, MAX_LENGTH);
      return {
        id: `${name} ${match.id}`,
        label: verb && verb === typed?.verb ? tFind(`do.${verb}`, { what: label }) : label,
        ...(match.note && { description: visibleText(match.note, MAX_LENGTH) }),
        leftSection: <Icon size={ICON} />,
        href: match.href,
      };
    }),
  }));
  const everything: Row[] =
    connection && safe !== null && !isUuid(safe)
      ? [
          {
            id: 'all',
            label: tFind('all', { text: safe }),
            leftSection: <IconListSearch size={ICON} />,
            href: allHref(connection, safe),
          },
        ]
      : [];
  return {
    looksSecret,
    isLoading: isPending || groups.some(({ state }) => state === 'loading'),
    lists: [
      { name: tFind('recent'), rows: recent },
      {
        name: tFind('actions'),
        rows: actions.map(
          ({ icon: Icon, ...action }): Row => ({ ...action, leftSection: <Icon size={ICON} /> }),
        ),
      },
      { name: t('navigation'), rows: pages },
      ...sections,
      { name: tWord('connections'), rows: others },
      { name: tFind('everything'), rows: everything },
    ].filter(({ rows }) => rows.length > 0),
  };
};

/** Finds what the user may see of this connection, pages and connections, and what can be done with a typed text. */
export const Search = ({ connection }: { connection: ConnectionFacts | null }) => {
  const t = useTranslations('shell');
  const tFilter = useTranslations('patterns.filter');
  const router = useRouter();
  const viewer = useViewer();
  const [query, setQuery] = useState('');
  const { opened } = useSpotlight(store);
  const { lists, isLoading, looksSecret } = useRows(connection, query, opened);
  useReturnFocus(opened);
  const open = ({ id, label, href }: Row) => {
    // A page is quicker to type than to find among recent entries.
    if (!/^(page|connection|all)-?/.test(id)) addRecent(viewer.id, { label, href });
    router.push(href);
  };
  /** Enter before anything is selected opens all results, including those still loading. */
  const openAll = async (text: string) => {
    if (!connection || text.length < MIN_LENGTH || (await isSecret(text))) return;
    spotlight.close();
    router.push(allHref(connection, text));
  };
  const actions = lists.map(
    ({ name, rows }): SpotlightActionGroupData => ({
      group: name,
      actions: rows.map(({ href, ...row }) => ({ ...row, onClick: () => open({ ...row, href }) })),
    }),
  );
  return (
    <Spotlight
      store={store}
      actions={actions}
      // The actions already match this query.
      filter={(_query, given) => given}
      query={query}
      onQueryChange={setQuery}
      // Otherwise the last query would reappear when it opens during the closing animation.
      onSpotlightOpen={() => setQuery('')}
      // The header handles the shortcut, because it is mounted earlier.
      shortcut={null}
      returnFocus={false}
      attributes={{ content: { 'aria-label': t('search') } }}
      scrollable
      maxHeight={420}
      nothingFound={looksSecret ? tFilter('secret') : t(isLoading ? 'find.looking' : 'find.nothing')}
      searchProps={{
        leftSection: <IconSearch size={ICON} />,
        placeholder: t('searchHint'),
        'aria-label': t('search'),
        maxLength: 200,
        onKeyDown: ({ key, nativeEvent, currentTarget }) => {
          if (key !== 'Enter' || nativeEvent.isComposing) return;
          const isSelected = currentTarget.closest('[role="dialog"]')?.querySelector('[data-selected]');
          if (!isSelected) void openAll(query.trim());
        },
      }}
    />
  );
};
