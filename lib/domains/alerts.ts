import 'server-only';
import { createChannel, deleteChannel, testChannel, updateChannel } from '@/lib/alerts/channel-commands';
import { alertChannelContracts } from '@/lib/alerts/channels/schema';
import { createAlert, deleteAlert, updateAlert } from '@/lib/alerts/commands';
import { alertHistory } from '@/lib/alerts/history';
import { previewRule } from '@/lib/alerts/preview';
import { listAlerts, listChannels } from '@/lib/alerts/reads';
import { alertContracts } from '@/lib/alerts/schema';
import { silenceAlert, unsilenceAlert } from '@/lib/alerts/silence-commands';
import { commandRoute, readRoute } from '@/lib/http/routes';
import type { Domain } from './domain';

export const domain: Domain = {
  routes: [
    readRoute(alertContracts.list, listAlerts),
    readRoute(alertContracts.history, alertHistory),
    readRoute(alertContracts.preview, previewRule),
    commandRoute(createAlert),
    commandRoute(updateAlert),
    commandRoute(deleteAlert),
    commandRoute(silenceAlert),
    commandRoute(unsilenceAlert),
    readRoute(alertChannelContracts.list, listChannels),
    commandRoute(createChannel),
    commandRoute(updateChannel),
    commandRoute(deleteChannel),
    commandRoute(testChannel),
  ],
};
