'use client';

import { useHasRole } from '@/components/patterns/connection';
import { usePreferences } from '@/components/patterns/preferences';
import { TILES, type TileId } from '@/lib/users/preferences/schema';

/** The tiles that the connection has figures for, in the user's order, and which of them the user wants. */
export const useTiles = () => {
  const { preferences, change } = usePreferences();
  const hasSessions = useHasRole('session', 'presence');
  const hasGuard = useHasRole('rate-limit', 'block-list', 'ban-list');
  const { hiddenTiles: hidden, tileOrder } = preferences;
  // Tiles that the stored order lacks follow it.
  const order = [...new Set([...tileOrder, ...TILES])];
  const offered = order.filter((id) => (id === 'sessions' ? hasSessions : id !== 'guard' || hasGuard));
  return {
    offered,
    shown: offered.filter((id) => !hidden.includes(id)),
    toggle: (id: TileId) =>
      void change({
        hiddenTiles: hidden.includes(id) ? hidden.filter((tile) => tile !== id) : [...hidden, id],
      }),
    /** Changes places with the one before or after it. */
    move: (id: TileId, by: -1 | 1) => {
      const other = offered[offered.indexOf(id) + by];
      if (other === undefined) return;
      void change({
        tileOrder: order.map((tile) => (tile === id ? other : tile === other ? id : tile)),
      });
    },
  };
};
