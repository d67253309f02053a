'use client';

import { useHasRole } from '@/components/patterns/connection';
import { usePreferences } from '@/components/patterns/preferences';
import { TILES, type TileId } from '@/lib/users/preferences/schema';

/** The tiles that the connection has figures for, and which of them the user wants. */
export const useTiles = () => {
  const { preferences, change } = usePreferences();
  const hasSessions = useHasRole('session', 'presence');
  const hasGuard = useHasRole('rate-limit', 'block-list', 'ban-list');
  const offered = TILES.filter((id) => (id === 'sessions' ? hasSessions : id !== 'guard' || hasGuard));
  const { hiddenTiles: hidden } = preferences;
  return {
    offered,
    shown: offered.filter((id) => !hidden.includes(id)),
    toggle: (id: TileId) =>
      void change({
        hiddenTiles: hidden.includes(id) ? hidden.filter((each) => each !== id) : [...hidden, id],
      }),
  };
};
