import 'server-only';
import type { FigureSource } from '@/lib/figures/figure';
import { definer, figuresOf } from '@/lib/figures/series';
import { newestOnline } from './history';

const define = definer({ labels: [], permission: 'view' });

export const presenceFigures: FigureSource = {
  definitions: [define('presence_online_users', 'count', 'Users of the application who are online.')],
  read: async ({ store, connection, now }) => {
    const newest = await newestOnline(store, connection.config.id, now);
    return newest
      ? figuresOf({ labels: {}, at: newest.at, values: { presence_online_users: newest.online } })
      : [];
  },
};
