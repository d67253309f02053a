'use client';

import { Anchor } from '@mantine/core';
import { useTranslations } from 'next-intl';
import { type CSSProperties, Fragment, type ReactNode } from 'react';
import { type Sample, withGaps } from '@/components/charts/gaps';
import { figureOf } from '@/components/charts/history-samples';
import { Sparkline } from '@/components/charts/sparkline';
import { useConnection } from '@/components/patterns/connection';
import { Link } from '@/components/patterns/link';
import type { RangeId } from '@/components/patterns/ranges';
import { RelativeTime } from '@/components/patterns/relative-time';
import { useFormat } from '@/components/patterns/use-format';
import { useMay } from '@/components/patterns/viewer';
import type { Point } from '@/lib/history/schema';
import type { Overview } from '@/lib/overview/schema';
import type { TileId } from '@/lib/users/preferences/schema';
import classes from './overview.module.css';
import { Tile } from './tile';
import { useTiles } from './use-tiles';

interface TilesProps {
  connection: string;
  /** undefined during the first load; afterwards the last known figures. */
  overview: Overview | undefined;
  history: readonly Point[];
  samples: Sample[];
  stepMs: number;
  /** The range that figures are compared with. */
  range: RangeId;
}

const RATE_DOMAIN: [number, number] = [0, 1];
const difference = (now: number | null, before: number | null) =>
  now === null || before === null ? null : now - before;
const change = (now: number | null, before: number | null) =>
  now === null || !before ? null : (now - before) / before;

export const Tiles = ({ connection, overview, history, samples, stepMs, range }: TilesProps) => {
  const t = useTranslations('overview.tile');
  const words = useTranslations('overview.range.words')(range);
  const format = useFormat();
  const run = withGaps(samples, stepMs);
  const valuesOf = (id: string) => run.map((sample) => sample[id] ?? null);
  const { shown } = useTiles();
  const hitRate = overview?.hitRate ?? null;
  const points = difference(hitRate, figureOf(history, 'hitRate'));
  const ops = change(overview?.opsPerSecond ?? null, figureOf(history, 'opsPerSecond'));
  const chartOf = (show: string) => `/${connection}/hit-rates?show=${show}&range=${range}`;
  const tiles: Record<TileId, ReactNode> = {
    hitRate: (
      <Tile
        label={t('hitRate')}
        title={t('hitRateTitle', { range: words })}
        href={chartOf('hitRate')}
        value={overview && format.ratio(hitRate)}
        note={points === null ? null : format.points(points)}
      >
        <Sparkline values={valuesOf('hitRate')} color="good" domain={RATE_DOMAIN} />
      </Tile>
    ),
    operations: (
      <Tile
        label={t('operations')}
        title={t('operationsTitle', { range: words })}
        href={chartOf('operations')}
        value={overview && format.perSecond(overview.opsPerSecond)}
        note={ops === null ? null : format.change(ops)}
      >
        <Sparkline values={valuesOf('opsPerSecond')} />
      </Tile>
    ),
    memory: <MemoryTile overview={overview} values={valuesOf('usedMemoryBytes')} href={chartOf('memory')} />,
    sessions: <SessionsTile connection={connection} overview={overview} />,
    guard: <LimitedTile connection={connection} overview={overview} />,
  };
  if (shown.length === 0) return null;
  return (
    <div className={classes.tiles} style={{ '--tiles': shown.length } as CSSProperties}>
      {shown.map((id) => (
        <Fragment key={id}>{tiles[id]}</Fragment>
      ))}
    </div>
  );
};

interface FigureTileProps {
  connection: string;
  overview: Overview | undefined;
}

const SessionsTile = ({ connection, overview }: FigureTileProps) => {
  const t = useTranslations('overview.tile');
  const format = useFormat();
  const seesSessions = useMay('sessions:view');
  return (
    <Tile
      label={t('sessions')}
      title={t('sessionsTitle')}
      href={seesSessions ? `/${connection}/sessions` : undefined}
      value={overview && format.count(overview.sessions)}
      note={overview && overview.onlineUsers !== null && t('online', { count: overview.onlineUsers })}
    >
      <Counted at={overview?.sessionsCountedAt ?? null} />
    </Tile>
  );
};

/** Limited, blocked and banned are three figures with three pages. */
const LimitedTile = ({ connection, overview }: FigureTileProps) => {
  const t = useTranslations('overview.tile');
  const format = useFormat();
  const seesGuard = useMay('guard:view');
  const { blockedProjects = null, blacklistedIps = null, limitedProjects = null } = overview ?? {};
  const guard = `/${connection}/guard`;
  const { roles } = useConnection();
  const [main, ...others] = [
    { id: 'limited' as const, role: 'rate-limit', count: limitedProjects, tab: 'limits&state=limited' },
    { id: 'blocked' as const, role: 'block-list', count: blockedProjects, tab: 'projects' },
    { id: 'banned' as const, role: 'ban-list', count: blacklistedIps, tab: 'bans' },
  ].filter(({ role }) => roles.includes(role));
  if (!main) return null;
  const figures = others.flatMap(({ id, count, tab }) =>
    id === 'limited' || count === null ? [] : [{ id, count, href: `${guard}?tab=${tab}` }],
  );
  return (
    <Tile
      label={t(`guard.${main.id}`)}
      title={t(`guardTitle.${main.id}`)}
      href={seesGuard ? `${guard}?tab=${main.tab}` : undefined}
      value={overview && format.count(main.count)}
    >
      <Counted at={overview?.limitedProjectsCountedAt ?? null} />
      <div>
        {figures.map(({ id, count, href }, i) => (
          <span key={id}>
            {i > 0 && format.comma}
            {seesGuard ? (
              <Anchor component={Link} href={href} inherit className={classes.footLink}>
                {t(id, { count })}
              </Anchor>
            ) : (
              t(id, { count })
            )}
          </span>
        ))}
      </div>
    </Tile>
  );
};

const Counted = ({ at }: { at: string | null }) => {
  const t = useTranslations('overview.tile');
  return at === null ? null : t.rich('counted', { age: () => <RelativeTime at={at} /> });
};

interface MemoryTileProps {
  overview: Overview | undefined;
  values: (number | null)[];
  href: string;
}

const MemoryTile = ({ overview, values, href }: MemoryTileProps) => {
  const t = useTranslations('overview.tile');
  const format = useFormat();
  const used = overview?.usedMemoryBytes ?? null;
  const most = overview?.maxMemoryBytes ?? null;
  const share = used !== null && most ? used / most : null;
  return (
    <Tile
      label={t('memory')}
      title={share === null ? t('memoryTitle') : t('memoryOf', { most: format.bytes(most) })}
      href={href}
      value={overview && format.bytes(used)}
      note={
        share === null ? null : t('memoryShare', { share: format.ratio(share), most: format.bytes(most) })
      }
      alarming={share !== null && share > 0.9}
    >
      <Sparkline values={values} />
    </Tile>
  );
};
