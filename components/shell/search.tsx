'use client';

import {
  createSpotlight,
  Spotlight,
  type SpotlightActionData,
  type SpotlightActionGroupData,
  useSpotlight,
} from '@mantine/spotlight';
import { IconDatabase, IconFlag, IconSearch, IconUserSearch } from '@tabler/icons-react';
import { useQuery } from '@tanstack/react-query';
import { useRouter } from 'next/navigation';
import { useTranslations } from 'next-intl';
import { useState } from 'react';
import { type ConnectionFacts, useConnections } from '@/components/patterns/connection';
import { useReturnFocus } from '@/components/patterns/return-focus';
import { useMay, useViewer } from '@/components/patterns/viewer';
import { typedUserId, userIdText } from '@/lib/sessions/schema';
import { visibleText } from '@/lib/visible-text';
import { entriesFor, hrefOf } from './pages';
import { shellQueries } from './queries';

const ICON = 18;

const [store, spotlight] = createSpotlight();

export const openSearch = spotlight.open;

const useActions = (connection: ConnectionFacts | null, query: string, asked: boolean) => {
  const t = useTranslations('shell');
  const tWord = useTranslations('words');
  const label = useTranslations();
  const router = useRouter();
  const { role } = useViewer();
  const connections = useConnections();
  const maySessions = useMay('sessions:view');
  const id = connection?.id ?? null;
  const has = (role: string) => connection?.roles.includes(role) ?? false;
  const flags = useQuery({ ...shellQueries.flags(id ?? ''), enabled: id !== null && asked && has('flag') });
  const userId = typedUserId(query);

  const matches: SpotlightActionData[] =
    userId && id && maySessions && has('session')
      ? [
          {
            id: 'user',
            label: t('find.user', { id: userId }),
            keywords: [query, userId],
            leftSection: <IconUserSearch size={ICON} />,
            onClick: () => router.push(`/${id}/sessions?user=${encodeURIComponent(userIdText(userId))}`),
          },
        ]
      : [];
  const pages: SpotlightActionData[] = entriesFor(role, connection, null).flatMap((entry) =>
    entry.pages.map((page) => ({
      id: `page-${page.id}`,
      label: label(page.label),
      keywords: [label(entry.label)],
      leftSection: <page.icon size={ICON} stroke={1.6} />,
      onClick: () => router.push(hrefOf(page, id)),
    })),
  );
  const flagActions: SpotlightActionData[] = (flags.data?.items ?? []).map((flag) => ({
    id: `flag-${flag.name}`,
    label: visibleText(flag.name, 80),
    description: t('find.flag'),
    leftSection: <IconFlag size={ICON} />,
    onClick: () => router.push(`/${id}/flags?q=${encodeURIComponent(flag.name)}`),
  }));
  const others: SpotlightActionData[] = connections.map((other) => ({
    id: `connection-${other.id}`,
    label: other.name,
    description: t(`environment.${other.environment}`),
    leftSection: <IconDatabase size={ICON} />,
    onClick: () => router.push(`/${other.id}/overview`),
  }));
  const groups: SpotlightActionGroupData[] = [
    { group: t('find.found'), actions: matches },
    { group: t('navigation'), actions: pages },
    { group: t('find.flags'), actions: flagActions },
    { group: tWord('connections'), actions: others },
  ];
  return groups.filter((group) => group.actions.length > 0);
};

/** Finds pages, flags by name, connections, and users by id. */
export const Search = ({ connection }: { connection: ConnectionFacts | null }) => {
  const t = useTranslations('shell');
  const [query, setQuery] = useState('');
  const { opened } = useSpotlight(store);
  const [asked, setAsked] = useState(opened);
  const actions = useActions(connection, query, asked);
  useReturnFocus(opened);
  return (
    <Spotlight
      store={store}
      actions={actions}
      query={query}
      onQueryChange={setQuery}
      onSpotlightOpen={() => {
        setAsked(true);
        // Otherwise the last query would reappear when it opens during the closing animation.
        setQuery('');
      }}
      // The header handles the shortcut, because it is mounted earlier.
      shortcut={null}
      returnFocus={false}
      attributes={{ content: { 'aria-label': t('search') } }}
      scrollable
      maxHeight={420}
      nothingFound={t('find.nothing')}
      searchProps={{
        leftSection: <IconSearch size={ICON} />,
        placeholder: t('searchHint'),
        'aria-label': t('search'),
      }}
    />
  );
};
