'use client';

import { Skeleton, Text, UnstyledButton } from '@mantine/core';
import { IconCircleCheck, IconCircleX, IconEyeOff } from '@tabler/icons-react';
import { useTranslations } from 'next-intl';
import type { CSSProperties } from 'react';
import { Fold } from '@/components/patterns/fold';
import tiles from '@/components/patterns/state-tiles.module.css';
import { useFormat } from '@/components/patterns/use-format';
import type { ConventionsReport } from '@/lib/conventions/schema';
import type { ChecklistItem } from './address';
import classes from './conventions.module.css';

type Item = ConventionsReport['checklist'][number];

interface ChecklistProps {
  /** Undefined during the first load. */
  report: ConventionsReport | undefined;
  /** The item that filters the rules; '' for none. */
  chosen: string;
  onItem: (item: ChecklistItem | '') => void;
}

/** The number of items in the checklist. */
const ITEMS = 7;
const PLACES = Array.from({ length: ITEMS }, (_, place) => place);
/** All tiles and that of the score are in two rows, and where there is less room in four. */
const COLUMNS = { '--tiles': 4, '--fewer': 2 } as CSSProperties;
const ICONS = { passed: IconCircleCheck, failed: IconCircleX, unknown: IconEyeOff };

/** The score and the document's checklist; each item filters the rules. On a phone they fold into one line. */
export const Checklist = (props: ChecklistProps) => {
  const t = useTranslations('conventions.checklist');
  const tWord = useTranslations('words');
  const { report, chosen } = props;
  const failed = report?.checklist.filter(({ state }) => state === 'failed').length;
  const item = report?.checklist.find(({ id }) => id === chosen);
  const summary = report ? (
    <>
      <span>
        <Text span fw={700} size="lg">
          <Score report={report} />
        </Text>{' '}
        {tWord('score')}
      </span>
      <Text span size="sm" flex="1 1 0" truncate>
        {item?.title ?? t('failing', { count: failed ?? 0 })}
      </Text>
    </>
  ) : (
    <Skeleton height={18} width={160} />
  );
  return (
    <Fold summary={summary} name={t('label')}>
      <Tiles {...props} />
    </Fold>
  );
};

const Tiles = ({ report, chosen, onItem }: ChecklistProps) => {
  const t = useTranslations('conventions.checklist');
  const tWord = useTranslations('words');
  return (
    <section aria-label={t('label')}>
      <ul className={tiles.tiles} style={COLUMNS}>
        <li>
          <div className={`${tiles.tile} ${classes.tile}`}>
            <span className={classes.name}>{tWord('score')}</span>
            <div className={classes.score}>
              {report ? <Score report={report} /> : <Skeleton height={20} width={60} my={5} />}
            </div>
            <span className={classes.reason}>{report && <ScoreNote report={report} />}</span>
          </div>
        </li>
        {report
          ? report.checklist.map((item) => (
              <li key={item.id}>
                <Tile
                  item={item}
                  checked={report.at !== null}
                  pressed={item.id === chosen}
                  onPress={() => onItem(item.id === chosen ? '' : item.id)}
                />
              </li>
            ))
          : PLACES.map((place) => (
              <li key={place}>
                <div className={`${tiles.tile} ${classes.tile}`}>
                  <Skeleton height={12} width="60%" my={3} />
                  <Skeleton height={16} width="40%" my={5} />
                </div>
              </li>
            ))}
      </ul>
    </section>
  );
};

const Score = ({ report: { score } }: { report: ConventionsReport }) => {
  const t = useTranslations('conventions.checklist');
  const format = useFormat();
  return score === null ? '—' : t('of100', { score: format.number(score, 1) });
};

const ScoreNote = ({ report }: { report: ConventionsReport }) => {
  const t = useTranslations('conventions.checklist');
  const format = useFormat();
  if (report.at === null) return t('never');
  const keys = t('keys', { count: report.keys, shown: format.count(report.keys) });
  return report.complete ? keys : `${keys} · ${t('incomplete')}`;
};

interface TileProps {
  item: Item;
  /** False before the first check: nothing is known then. */
  checked: boolean;
  pressed: boolean;
  onPress: () => void;
}

const Tile = ({ item, checked, pressed, onPress }: TileProps) => {
  const t = useTranslations('conventions.checklist');
  const tConventions = useTranslations('conventions');
  const format = useFormat();
  const { state, title, count, reason } = item;
  const Icon = ICONS[state];
  const known =
    state === 'failed' && count !== null
      ? tConventions('drawer.count', { count, shown: format.count(count) })
      : t(`state.${state}`);
  const why = checked ? reason : null;
  return (
    <UnstyledButton className={`${tiles.tile} ${classes.tile}`} aria-pressed={pressed} onClick={onPress}>
      <span className={classes.name} title={title}>
        {title}
      </span>
      <span className={classes.result} data-state={state}>
        <Icon size={18} aria-hidden /> {checked ? known : t('never')}
      </span>
      <span className={classes.reason} title={why ?? undefined}>
        {why}
      </span>
    </UnstyledButton>
  );
};
