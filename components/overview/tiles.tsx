'use client';

import { useTranslations } from 'next-intl';
import { type Sample, withGaps } from '@/components/charts/gaps';
import { figureOf } from '@/components/charts/history-samples';
import { Sparkline } from '@/components/charts/sparkline';
import { useFormat } from '@/components/patterns/use-format';
import type { Point } from '@/lib/history/schema';
import type { Overview } from '@/lib/insights/schema';
import classes from './overview.module.css';
import { Tile } from './tile';

interface TilesProps {
  /** undefined while loading; its figures are the last known ones. */
  overview: Overview | undefined;
  history: readonly Point[];
  samples: Sample[];
  stepMs: number;
  /** "the last hour", for what the figures are compared with. */
  range: string;
}

const RATE_DOMAIN: [number, number] = [0, 1];
const difference = (now: number | null, before: number | null) =>
  now === null || before === null ? null : now - before;
const change = (now: number | null, before: number | null) =>
  now === null || !before ? null : (now - before) / before;

export const Tiles = ({ overview, history, samples, stepMs, range }: TilesProps) => {
  const t = useTranslations('overview.tile');
  const format = useFormat();
  const run = withGaps(samples, stepMs);
  const valuesOf = (id: string) => run.map((sample) => sample[id] ?? null);
  const hitRate = overview?.hitRate ?? null;
  const points = difference(hitRate, figureOf(history, 'hitRate'));
  const ops = change(overview?.opsPerSecond ?? null, figureOf(history, 'opsPerSecond'));
  const known = overview !== undefined;
  const { blockedProjects = null, blacklistedIps = null } = overview ?? {};
  const blocked =
    blockedProjects === null || blacklistedIps === null
      ? null
      : t('blocked', { projects: blockedProjects, ips: blacklistedIps });
  return (
    <div className={classes.tiles}>
      <Tile
        label={t('hitRate')}
        title={t('hitRateTitle', { range })}
        value={known ? format.ratio(hitRate) : undefined}
        note={points === null ? null : format.points(points)}
      >
        <Sparkline values={valuesOf('hitRate')} color="good" domain={RATE_DOMAIN} />
      </Tile>
      <Tile
        label={t('operations')}
        title={t('operationsTitle', { range })}
        value={known ? format.perSecond(overview.opsPerSecond) : undefined}
        note={ops === null ? null : format.change(ops)}
      >
        <Sparkline values={valuesOf('opsPerSecond')} />
      </Tile>
      <MemoryTile overview={overview} values={valuesOf('usedMemoryBytes')} />
      <Tile
        label={t('sessions')}
        title={t('sessionsTitle')}
        value={known ? format.count(overview.sessions) : undefined}
        note={known && overview.onlineUsers !== null ? t('online', { count: overview.onlineUsers }) : null}
      >
        {known && overview.keys !== null && (
          <span>
            {t('keys', {
              keys: overview.keys,
              forever: overview.keys - (overview.keysWithTtl ?? overview.keys),
            })}
          </span>
        )}
      </Tile>
      <Tile
        label={t('refused')}
        title={t('refusedTitle')}
        value={known ? format.count(overview.limitedProjects) : undefined}
        note={blocked}
        alarming={(overview?.limitedProjects ?? 0) > 0}
      >
        {known && overview.limitedProjects !== null && (
          <span>{t('limited', { count: overview.limitedProjects })}</span>
        )}
      </Tile>
    </div>
  );
};

const MemoryTile = ({ overview, values }: { overview: Overview | undefined; values: (number | null)[] }) => {
  const t = useTranslations('overview.tile');
  const format = useFormat();
  const used = overview?.usedMemoryBytes ?? null;
  const most = overview?.maxMemoryBytes ?? null;
  const share = used !== null && most ? used / most : null;
  return (
    <Tile
      label={t('memory')}
      title={share === null ? t('memoryTitle') : t('memoryOf', { most: format.bytes(most) })}
      value={overview ? format.bytes(used) : undefined}
      note={
        share === null ? null : t('memoryShare', { share: format.ratio(share), most: format.bytes(most) })
      }
      alarming={share !== null && share > 0.9}
    >
      <Sparkline values={values} />
    </Tile>
  );
};
