'use client';

import { Progress } from '@mantine/core';
import { useQuery } from '@tanstack/react-query';
import { useTranslations } from 'next-intl';
import { Link } from '@/components/patterns/link';
import { useFormat } from '@/components/patterns/use-format';
import classes from './header.module.css';
import { shellQueries } from './queries';

/** The number of running jobs and the progress of the first, with a link to the jobs page. */
export const JobWatcher = () => {
  const t = useTranslations('shell');
  const format = useFormat();
  const { data } = useQuery(shellQueries.runningJobs());
  const [first] = data ?? [];
  if (!data || !first) return null;
  return (
    <Link href="/jobs" className={classes.jobs}>
      <span>{t('runningJobs', { count: data.length, progress: format.ratio(first.progress) })}</span>
      <Progress value={first.progress * 100} size={3} w={90} aria-hidden animated />
    </Link>
  );
};
