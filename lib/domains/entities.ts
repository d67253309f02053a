import 'server-only';
import { checkEntities } from '@/lib/entities/check-command';
import { checkJob } from '@/lib/entities/check-job';
import { deleteMessageCommand } from '@/lib/entities/conversation/deletion/delete-message';
import { listConversations } from '@/lib/entities/conversation/list';
import { listMessages } from '@/lib/entities/conversation/reads';
import { getEntity } from '@/lib/entities/get';
import { setOfflineCommand } from '@/lib/entities/presence/commands';
import { presenceFigures } from '@/lib/entities/presence/figures';
import { readPresenceHistory } from '@/lib/entities/presence/history';
import { readPresence } from '@/lib/entities/presence/reads';
import { presenceContracts } from '@/lib/entities/presence/schema';
import { listKinds } from '@/lib/entities/reads';
import { readRelation } from '@/lib/entities/relation';
import { entityContracts } from '@/lib/entities/schema';
import { searchEntities } from '@/lib/entities/search';
import { commandRoute, readRoute } from '@/lib/http/routes';
import type { Domain } from './domain';

export const entities: Domain = {
  routes: [
    readRoute(entityContracts.kinds, listKinds),
    readRoute(entityContracts.search, searchEntities),
    readRoute(entityContracts.get, getEntity),
    readRoute(entityContracts.relation, readRelation),
    commandRoute(checkEntities),
    readRoute(entityContracts.conversations, listConversations),
    readRoute(entityContracts.messages, listMessages),
    commandRoute(deleteMessageCommand),
    readRoute(presenceContracts.get, readPresence),
    readRoute(presenceContracts.history, readPresenceHistory),
    commandRoute(setOfflineCommand),
  ],
  jobs: [checkJob],
  figures: [presenceFigures],
};
