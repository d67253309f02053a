import 'server-only';
import { commandRoute, readRoute } from '@/lib/http/routes';
import { setOfflineCommand } from '@/lib/presence/commands';
import { presenceFigures } from '@/lib/presence/figures';
import { readPresenceHistory } from '@/lib/presence/history';
import { readPresence } from '@/lib/presence/reads';
import { presenceContracts } from '@/lib/presence/schema';
import type { Domain } from './domain';

export const domain: Domain = {
  routes: [
    readRoute(presenceContracts.get, readPresence),
    readRoute(presenceContracts.history, readPresenceHistory),
    commandRoute(setOfflineCommand),
  ],
  figures: [presenceFigures],
};
