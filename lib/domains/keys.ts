import 'server-only';
import { commandRoute, readRoute } from '@/lib/http/routes';
import { createKey } from '@/lib/keys/commands/create';
import { deleteKeyCommand } from '@/lib/keys/commands/delete';
import { exportKeysCommand } from '@/lib/keys/commands/file/export';
import { importKeysCommand } from '@/lib/keys/commands/file/import';
import { duplicateKey, renameKey } from '@/lib/keys/commands/move';
import { setKeyTtl } from '@/lib/keys/commands/ttl';
import { updateKey } from '@/lib/keys/commands/update';
import { getKey } from '@/lib/keys/get';
import { groupKeys } from '@/lib/keys/groups';
import { listKeys } from '@/lib/keys/list';
import { revealKey } from '@/lib/keys/reveal';
import { keyContracts } from '@/lib/keys/schema';
import type { Domain } from './domain';

export const domain: Domain = {
  routes: [
    readRoute(keyContracts.list, listKeys),
    readRoute(keyContracts.groups, groupKeys),
    readRoute(keyContracts.get, getKey),
    commandRoute(revealKey),
    commandRoute(updateKey),
    commandRoute(setKeyTtl),
    commandRoute(deleteKeyCommand),
    commandRoute(renameKey),
    commandRoute(duplicateKey),
    commandRoute(createKey),
    commandRoute(exportKeysCommand),
    commandRoute(importKeysCommand),
  ],
};
