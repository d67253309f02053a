'use client';

import { UnstyledButton } from '@mantine/core';
import { IconAdjustmentsHorizontal, IconCheck, IconChevronDown } from '@tabler/icons-react';
import { useQuery } from '@tanstack/react-query';
import { usePathname, useSearchParams } from 'next/navigation';
import { useTranslations } from 'next-intl';
import { memo, useState } from 'react';
import type { ConnectionFacts } from '@/components/patterns/connection';
import { EagerLink } from '@/components/patterns/link';
import { onDemand } from '@/components/patterns/on-demand';
import { usePreferences } from '@/components/patterns/preferences';
import { useFormat } from '@/components/patterns/use-format';
import { useMay, useViewer } from '@/components/patterns/viewer';
import classes from './navigation.module.css';
import { type Entry, type EntryId, entriesFor, hrefOf, isCurrent } from './pages';
import { shellQueries } from './queries';

const MenuEditor = onDemand(async () => (await import('./menu-editor')).MenuEditor);

interface NavigationProps {
  connection: ConnectionFacts | null;
  /** Whether the entries under "More" are shown. */
  more: boolean;
  onMore: (more: boolean) => void;
  /** For a link to the current page, which loads nothing. */
  onSamePage?: () => void;
}

/** Counts that may need attention; zeros are hidden. */
const useCounts = (connection: string | null): Partial<Record<EntryId, number | null>> => {
  const overview = useQuery(shellQueries.overview(connection)).data;
  const jobs = useQuery(shellQueries.runningJobs()).data;
  const seesSessions = useMay('sessions:view');
  return {
    sessions: seesSessions ? (overview?.sessions ?? null) : null,
    flags: overview?.flagRequests ?? null,
    approvals: overview?.approvals ?? null,
    guard: overview?.limitedProjects ?? null,
    jobs: jobs?.length ?? null,
  };
};

/** How many alerts fire; nothing without one. */
const Firing = ({ connection }: { connection: string | null }) => {
  const t = useTranslations('shell');
  const format = useFormat();
  const count = useQuery(shellQueries.overview(connection)).data?.firingAlerts;
  if (!count) return null;
  const words = t('firing', { count });
  return (
    <span role="img" aria-label={words} title={words} className={classes.firing}>
      {format.count(count)}
    </span>
  );
};

export const Navigation = memo(({ connection: current, more, onMore, onSamePage }: NavigationProps) => {
  const connection = current?.id ?? null;
  const t = useTranslations('shell');
  const label = useTranslations();
  const { role } = useViewer();
  const pathname = usePathname();
  const search = useSearchParams().toString();
  const counts = useCounts(connection);
  const format = useFormat();
  const [isEditing, setEditing] = useState(false);
  const { pins } = usePreferences().preferences;
  const entries = entriesFor(role, current, pins);
  const pinned = entries.filter((entry) => entry.pinned);
  const others = entries.filter((entry) => !entry.pinned);
  const address = search ? `${pathname}?${search}` : pathname;
  const pageOf = ({ pages }: Entry) => pages.find((page) => isCurrent(page, connection, pathname, search));
  // Users see where they are even while the others are hidden.
  const shownOthers = more ? others : others.filter(pageOf);
  const listOf = (shown: readonly Entry[]) => (
    <ul>
      {shown.map((entry) => {
        const { id, icon: Icon, pages } = entry;
        const count = counts[id];
        const href = hrefOf(pages[0], connection);
        const page = pageOf(entry);
        return (
          <li key={id}>
            <EagerLink
              href={href}
              className={classes.link}
              aria-current={page && (page === pages[0] ? 'page' : 'true')}
              onClick={href === address ? onSamePage : undefined}
            >
              <Icon size={17} stroke={1.6} aria-hidden />
              <span>{label(entry.label)}</span>
              {count ? <span className={classes.count}>{format.count(count)}</span> : null}
              {id === 'alerts' && <Firing connection={connection} />}
            </EagerLink>
          </li>
        );
      })}
    </ul>
  );
  return (
    <nav className={classes.nav} aria-label={t('navigation')}>
      {isEditing ? (
        <MenuEditor connection={current} />
      ) : (
        <>
          {listOf(pinned)}
          {others.length > 0 && (
            <UnstyledButton className={classes.more} aria-expanded={more} onClick={() => onMore(!more)}>
              <IconChevronDown size={17} stroke={1.6} aria-hidden />
              <span>{t('menu.more')}</span>
              {!more && others.some(({ id }) => id === 'alerts') && <Firing connection={connection} />}
            </UnstyledButton>
          )}
          {shownOthers.length > 0 && listOf(shownOthers)}
        </>
      )}
      <UnstyledButton className={classes.edit} onClick={() => setEditing(!isEditing)}>
        {isEditing ? (
          <IconCheck size={17} stroke={1.6} aria-hidden />
        ) : (
          <IconAdjustmentsHorizontal size={17} stroke={1.6} aria-hidden />
        )}
        <span>{t(isEditing ? 'menu.done' : 'menu.edit')}</span>
      </UnstyledButton>
    </nav>
  );
});
