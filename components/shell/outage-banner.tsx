'use client';

import { VisuallyHidden } from '@mantine/core';
import { IconPlugConnectedX } from '@tabler/icons-react';
import { type Query, useQueryClient } from '@tanstack/react-query';
import { usePathname } from 'next/navigation';
import { useTranslations } from 'next-intl';
import type { ConnectionFacts } from '@/components/patterns/connection';
import { useNow } from '@/components/patterns/now';
import { type Outage, useOutage } from '@/components/patterns/outage';
import { useFormat } from '@/components/patterns/use-format';
import classes from './outage-banner.module.css';

const isShown = (query: Query, connection: string): boolean =>
  query.isActive() && query.state.data !== undefined && query.queryKey[1] === connection;

/** The age in seconds of the oldest answer on a page of the connection; null where the page shows none. */
const useDataAge = (connection: string | null): number | null => {
  const client = useQueryClient();
  const now = useNow('second');
  if (connection === null || now === null) return null;
  const shown = client.getQueryCache().findAll({ predicate: (query) => isShown(query, connection) });
  if (shown.length === 0) return null;
  return Math.max(0, now - Math.min(...shown.map(({ state }) => state.dataUpdatedAt))) / 1000;
};

/** The only banner about an outage, above every page. */
export const OutageBanner = ({ connection }: { connection: ConnectionFacts | null }) => {
  const outage = useOutage();
  const t = useTranslations('shell.outage');
  const onConnection = usePathname().split('/')[1] === connection?.id;
  const id = outage?.of === 'redis' && !onConnection ? 'redisOf' : outage?.of;
  const title = id ? t(`title.${id}`, { name: connection?.name ?? '' }) : '';
  return (
    <>
      {/* Only the event is announced, because the age next to it changes every second. */}
      <VisuallyHidden role="status">{title}</VisuallyHidden>
      {outage && (
        <section className={classes.banner} aria-label={t('label')} data-testid="outage">
          <IconPlugConnectedX size={18} aria-hidden className={classes.icon} />
          <span>
            <strong>{title}</strong>
            <Details outage={outage} connection={onConnection ? (connection?.id ?? null) : null} />
          </span>
        </section>
      )}
    </>
  );
};

/** The age of the data on a connection's page (`connection` is null on other pages), what to expect, and why. */
const Details = ({ outage, connection }: { outage: Outage; connection: string | null }) => {
  const t = useTranslations('shell.outage');
  const format = useFormat();
  const age = useDataAge(connection);
  return (
    <>
      {age !== null && (outage.of === 'redis' || outage.of === 'console')
        ? t('age', { age: format.duration(age) })
        : t('noAge')}{' '}
      {t(`note.${outage.of}`)} {outage.reason && t('reason', { reason: outage.reason.replace(/\.$/, '') })}
    </>
  );
};
