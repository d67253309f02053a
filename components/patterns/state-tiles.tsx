'use client';

import { Box, Skeleton, UnstyledButton } from '@mantine/core';
import { useTranslations } from 'next-intl';
import type { CSSProperties, ReactNode } from 'react';
import { Fold } from './fold';
import classes from './state-tiles.module.css';
import { Tooltip } from './tooltip';
import { useFormat } from './use-format';

export type Tone = 'good' | 'warn' | 'bad' | 'quiet';

export interface StateTile {
  id: string;
  name: string;
  /** Unknown is "—". */
  count: number | null | undefined;
  /** For a state that filters the list; plain figures have none. */
  state?: {
    tone: Tone;
    /** Its meaning, on hover. */
    means: string;
    pressed: boolean;
    onPress: () => void;
  };
}

interface StatesOf<Id extends string> {
  /** The states in the order they are shown, each with its tone. */
  tones: Record<Id, Tone>;
  name: (id: Id) => string;
  means: (id: Id) => string;
  count: (id: Id) => number | null | undefined;
  /** The state of the filter; '' for any. */
  chosen: string;
  onState: (state: Id | '') => void;
}

/** A tile per state; pressing the active one clears the filter. */
export const stateTiles = <Id extends string>(states: StatesOf<Id>): StateTile[] =>
  (Object.keys(states.tones) as Id[]).map((id) => ({
    id,
    name: states.name(id),
    count: states.count(id),
    state: {
      tone: states.tones[id],
      means: states.means(id),
      pressed: states.chosen === id,
      onPress: () => states.onState(states.chosen === id ? '' : id),
    },
  }));

interface StateTilesProps {
  label: string;
  tiles: readonly StateTile[];
  /** True during the first load: later ones leave the figures in place. */
  loading: boolean;
  /** The effect of pressing a tile; omitted on narrow screens. */
  hint: string;
  /** When it was counted. */
  age: ReactNode;
}

/** The number of items, in total and per state; each state is a filter. On a phone the states fold into one line. */
export const StateTiles = (props: StateTilesProps) => {
  const t = useTranslations('patterns.tiles');
  const shown = props.tiles.filter(({ state }) => !state || state.pressed);
  const figures = shown.map(({ id, name, count }) => (
    <span key={id} className={classes.folded}>
      <Figure value={count} loading={props.loading} /> {name}
    </span>
  ));
  return (
    <Fold summary={figures} name={t('byState')}>
      <AllTiles {...props} />
    </Fold>
  );
};

const AllTiles = ({ label, tiles, loading, hint, age }: StateTilesProps) => (
  <Box component="section" mb={12} aria-label={label}>
    <ul className={classes.tiles} style={{ '--tiles': tiles.length } as CSSProperties}>
      {tiles.map((tile) => (
        <li key={tile.id}>
          <Tile tile={tile} loading={loading} />
        </li>
      ))}
    </ul>
    <div className={classes.note}>
      <span className={classes.hint}>{hint}</span>
      <span>{age}</span>
    </div>
  </Box>
);

const Tile = ({ tile: { name, count, state }, loading }: { tile: StateTile; loading: boolean }) => {
  if (!state)
    return (
      <div className={classes.tile}>
        <div className={classes.name} data-plain>
          {name}
        </div>
        <Figure value={count} loading={loading} />
      </div>
    );
  return (
    <Tooltip label={state.means} multiline maw={300}>
      <UnstyledButton className={classes.tile} aria-pressed={state.pressed} onClick={state.onPress}>
        <span className={classes.name} data-tone={state.tone}>
          {name}
        </span>
        <Figure value={count} loading={loading} />
      </UnstyledButton>
    </Tooltip>
  );
};

const Figure = ({ value, loading }: { value: number | null | undefined; loading: boolean }) => {
  const format = useFormat();
  if (loading) return <Skeleton component="span" className={classes.loading} />;
  return (
    <span className={classes.count} data-zero={value === 0 || undefined}>
      {format.count(value)}
    </span>
  );
};
