'use client';

import { Skeleton, UnstyledButton } from '@mantine/core';
import { IconChevronDown, IconCircleCheck, IconCircleX, IconEyeOff } from '@tabler/icons-react';
import { useTranslations } from 'next-intl';
import { useState } from 'react';
import { useFormat } from '@/components/patterns/use-format';
import { useNarrow } from '@/components/patterns/use-narrow';
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
const ICONS = { passed: IconCircleCheck, failed: IconCircleX, unknown: IconEyeOff };

/** The score and the document's checklist; each item filters the rules. On a phone they fold into one line. */
export const Checklist = (props: ChecklistProps) => {
  const t = useTranslations('conventions.checklist');
  const tWord = useTranslations('words');
  const isNarrow = useNarrow();
  const [isOpen, setOpen] = useState(false);
  const { report, chosen } = props;
  if (!isNarrow) return <Tiles {...props} />;
  const failed = report?.checklist.filter(({ state }) => state === 'failed').length;
  const item = report?.checklist.find(({ id }) => id === chosen);
  return (
    <>
      <UnstyledButton
        className={classes.fold}
        aria-expanded={isOpen}
        onClick={() => setOpen((open) => !open)}
      >
        {report ? (
          <>
            <span>
              <strong>
                <Score report={report} />
              </strong>{' '}
              {tWord('score')}
            </span>
            <span>{item?.title ?? t('failing', { count: failed ?? 0 })}</span>
          </>
        ) : (
          <Skeleton height={18} width={160} />
        )}
        <span className={classes.by}>
          {t('label')} <IconChevronDown size={16} data-open={isOpen || undefined} aria-hidden />
        </span>
      </UnstyledButton>
      {isOpen && <Tiles {...props} />}
    </>
  );
};

const Tiles = ({ report, chosen, onItem }: ChecklistProps) => {
  const t = useTranslations('conventions.checklist');
  const tWord = useTranslations('words');
  return (
    <section aria-label={t('label')}>
      <ul className={classes.tiles}>
        <li>
          <div className={classes.tile}>
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
                <div className={classes.tile}>
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
    <UnstyledButton className={classes.tile} aria-pressed={pressed} onClick={onPress}>
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
