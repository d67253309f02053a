'use client';

import { Skeleton } from '@mantine/core';
import { useTranslations } from 'next-intl';
import type { ReactNode } from 'react';
import { Dimmed } from '@/components/patterns/dimmed';
import { RelativeTime } from '@/components/patterns/relative-time';
import { useFormat } from '@/components/patterns/use-format';
import { useNarrow } from '@/components/patterns/use-narrow';
import type { Catalog } from '@/lib/catalog/schema';
import classes from './catalog.module.css';

/** Coverage, families and sources. `catalog` is undefined during the first load. */
export const CoverageTiles = ({ catalog }: { catalog: Catalog | undefined }) => {
  const t = useTranslations('catalog.tile');
  const tWord = useTranslations('words');
  const isNarrow = useNarrow();
  const withKeys = catalog?.families.filter(({ keys }) => (keys ?? 0) > 0).length ?? 0;
  const files = catalog?.sources.filter(({ file }) => file !== null) ?? [];
  const broken = files.filter(({ problems, inForce }) => problems.length > 0 || !inForce).length;
  return (
    <section className={classes.tiles} aria-label={tWord('coverage')}>
      <Tile
        figure={catalog && <CoverageFigure coverage={catalog.coverage} />}
        note={catalog && <CoverageNote coverage={catalog.coverage} />}
      />
      <Tile
        figure={catalog && t('families', { count: catalog.families.length })}
        note={catalog && !isNarrow && t('withKeys', { count: withKeys })}
      />
      <Tile
        figure={catalog && t('sources', { count: catalog.sources.length })}
        note={
          catalog &&
          !isNarrow &&
          (broken > 0 ? t('problems', { count: broken }) : t('files', { files: files.length }))
        }
      />
    </section>
  );
};

const Tile = ({ figure, note }: { figure: ReactNode; note: ReactNode }) => (
  <div className={classes.tile}>
    <div className={classes.figure}>
      {figure === undefined ? <Skeleton height={22} width="70%" my={1} /> : figure}
    </div>
    <Dimmed size="xs" component="div">
      {note || '\u00a0'}
    </Dimmed>
  </div>
);

type Coverage = { coverage: Catalog['coverage'] };

const CoverageFigure = ({ coverage: { keys, classified } }: Coverage) => {
  const t = useTranslations('catalog.tile');
  const format = useFormat();
  if (keys === null || classified === null) return t('unknown');
  return t('coverage', { share: format.ratio(keys === 0 ? 1 : classified / keys) });
};

/** The figures behind the share, and when they were counted. */
const CoverageNote = ({ coverage }: Coverage) => {
  const t = useTranslations('catalog.tile');
  const format = useFormat();
  const { keys, classified, countedAt, current } = coverage;
  if (keys === null || countedAt === null) return t('first');
  return (
    <>
      {t('keys', { classified: format.count(classified), keys: format.count(keys) })}
      {' · '}
      {t.rich(current ? 'counted' : 'outdated', { when: () => <RelativeTime at={countedAt} /> })}
    </>
  );
};
