'use client';

import { useQuery } from '@tanstack/react-query';
import { usePathname, useSearchParams } from 'next/navigation';
import { useTranslations } from 'next-intl';
import { memo } from 'react';
import type { ConnectionFacts } from '@/components/patterns/connection';
import { Link } from '@/components/patterns/link';
import { useFormat } from '@/components/patterns/use-format';
import { useMay, useViewer } from '@/components/patterns/viewer';
import classes from './navigation.module.css';
import { GROUPS, hrefOf, isCurrent, type PageId, pagesFor } from './pages';
import { shellQueries } from './queries';

interface NavigationProps {
  connection: ConnectionFacts | null;
  /** For a link to the current page, which loads nothing. */
  onSamePage?: () => void;
}

/** Counts that may need attention; zeros are hidden. */
const useCounts = (connection: string | null): Partial<Record<PageId, number | null>> => {
  const overview = useQuery(shellQueries.overview(connection)).data;
  const jobs = useQuery(shellQueries.runningJobs()).data;
  const seesSessions = useMay('sessions:view');
  return {
    sessions: seesSessions ? (overview?.sessions ?? null) : null,
    flags: overview?.flagRequests ?? null,
    guard: overview?.limitedProjects ?? null,
    jobs: jobs?.length ?? null,
  };
};

export const Navigation = memo(({ connection: current, onSamePage }: NavigationProps) => {
  const connection = current?.id ?? null;
  const t = useTranslations('shell');
  const label = useTranslations();
  const { role } = useViewer();
  const pathname = usePathname();
  const search = useSearchParams().toString();
  const counts = useCounts(connection);
  const format = useFormat();
  const pages = pagesFor(role, current);
  const address = search ? `${pathname}?${search}` : pathname;
  return (
    <nav className={classes.nav} aria-label={t('navigation')}>
      {GROUPS.map((group) => {
        const inGroup = pages.filter((page) => page.group === group);
        if (inGroup.length === 0) return null;
        return (
          <div key={group} className={classes.group}>
            <h2 className={classes.heading} id={`nav-${group}`}>
              {t(`group.${group}`)}
            </h2>
            <ul aria-labelledby={`nav-${group}`}>
              {inGroup.map((page) => {
                const count = counts[page.id];
                const href = hrefOf(page, connection);
                return (
                  <li key={page.id}>
                    <Link
                      href={href}
                      className={classes.link}
                      aria-current={isCurrent(page, connection, pathname, search) ? 'page' : undefined}
                      onClick={href === address ? onSamePage : undefined}
                    >
                      <page.icon size={17} stroke={1.6} aria-hidden />
                      <span>{label(page.label)}</span>
                      {count ? <span className={classes.count}>{format.count(count)}</span> : null}
                    </Link>
                  </li>
                );
              })}
            </ul>
          </div>
        );
      })}
    </nav>
  );
});
