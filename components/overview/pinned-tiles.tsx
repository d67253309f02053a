'use client';

import { ActionIcon, Skeleton } from '@mantine/core';
import { notifications } from '@mantine/notifications';
import { IconPinnedOff } from '@tabler/icons-react';
import { useQuery } from '@tanstack/react-query';
import { useTranslations } from 'next-intl';
import { Sparkline } from '@/components/charts/sparkline';
import { useConnection } from '@/components/patterns/connection';
import { HostileText } from '@/components/patterns/hostile-text';
import { Link } from '@/components/patterns/link';
import { MetricValue } from '@/components/patterns/metric-value';
import { pinnedQuery } from '@/components/patterns/pinned-metrics';
import { Tooltip } from '@/components/patterns/tooltip';
import { useCommand } from '@/components/patterns/use-command';
import type { PinnedMetric } from '@/lib/metrics/schema';
import { metricContracts } from '@/lib/metrics/schema';
import { visibleText } from '@/lib/visible-text';
import classes from './overview.module.css';

/** Characters of a name. */
const MAX_NAME = 60;
/** The maximum length of a filter. */
const MAX_Q = 200;

const PLACES = Array.from({ length: 100 }, (_, i) => i);

/** The metrics that the user pinned, as tiles. `count` was known when the page was rendered: it reserves their places. */
export const PinnedTiles = ({ count }: { count: number }) => {
  const t = useTranslations('overview.pinned');
  const { id } = useConnection();
  const { data, isError } = useQuery(pinnedQuery(id));
  const places = data ? data.items.length : isError ? 0 : count;
  if (places === 0) return null;
  return (
    <section aria-label={t('title')}>
      <ul className={classes.pins}>
        {data
          ? data.items.map((pin) => <PinnedTile key={pin.id} connection={id} pin={pin} />)
          : PLACES.slice(0, places).map((place) => <EmptyTile key={place} />)}
      </ul>
    </section>
  );
};

const EmptyTile = () => (
  <li className={classes.tile}>
    <div className={classes.tileHead}>
      <h2>{'\u00a0'}</h2>
    </div>
    <Skeleton height={28} width="60%" my={5} />
    <div className={classes.tileFoot} />
  </li>
);

/** The page that explains a pin, at its metric. */
const hrefOf = (connection: string, { name, period, group }: PinnedMetric): string =>
  `/${connection}/metrics?${new URLSearchParams({ q: name.slice(0, MAX_Q), metric: group, period })}`;

const PinnedTile = ({ connection, pin }: { connection: string; pin: PinnedMetric }) => {
  const t = useTranslations('overview.pinned');
  const unpin = useCommand(metricContracts.unpin, connection);
  const { name, period, field } = pin;
  const label = t('unpin', { name: visibleText(field === null ? name : `${name} ${field}`, MAX_NAME) });
  const onError = (error: Error) =>
    notifications.show({ color: 'red', message: error.message, role: 'status' });
  return (
    <li className={classes.tile} data-link>
      <div className={classes.tileHead}>
        <h2>
          <Link href={hrefOf(connection, pin)} className={classes.tileLink}>
            <HostileText max={MAX_NAME}>{name}</HostileText>
            {field !== null && (
              <>
                {' · '}
                <HostileText max={MAX_NAME}>{field}</HostileText>
              </>
            )}
          </Link>
        </h2>
        <Tooltip label={t('unpinHint')}>
          <ActionIcon
            variant="subtle"
            color="gray"
            size="sm"
            className={classes.unpin}
            aria-label={label}
            loading={unpin.isPending}
            onClick={() => unpin.mutate({ id: pin.id }, { onError })}
          >
            <IconPinnedOff size={14} aria-hidden />
          </ActionIcon>
        </Tooltip>
      </div>
      <div className={classes.value}>
        <MetricValue figure={pin} />
      </div>
      <div className={classes.tileFoot}>
        <Sparkline values={pin.series} />
        {period !== '' && <HostileText max={30}>{period}</HostileText>}
      </div>
    </li>
  );
};
