import 'server-only';
import { commandRoute, readRoute } from '@/lib/http/routes';
import { killClient } from '@/lib/server/clients/kill';
import { listClients } from '@/lib/server/clients/list';
import { clientContracts } from '@/lib/server/clients/schema';
import { listCommands } from '@/lib/server/command-stats';
import { listLatency } from '@/lib/server/latency';
import { serverContracts } from '@/lib/server/schema';
import { getServer } from '@/lib/server/server';
import { listSlowLog } from '@/lib/server/slow-log-list';
import type { Domain } from './domain';

export const domain: Domain = {
  routes: [
    readRoute(serverContracts.get, getServer),
    readRoute(serverContracts.slowLog, listSlowLog),
    readRoute(serverContracts.latency, listLatency),
    readRoute(serverContracts.commands, listCommands),
    readRoute(clientContracts.list, listClients),
    commandRoute(killClient),
  ],
};
