import 'server-only';
import { approveFlagChange } from '@/lib/flags/approve';
import {
  createFlagCommand,
  deleteFlagCommand,
  describeFlagCommand,
  setFlagCommand,
} from '@/lib/flags/commands';
import { flagHistory } from '@/lib/flags/history';
import { evaluateFlag, evaluateFlags, evaluationsTag, refuseEvaluation } from '@/lib/flags/ofrep/evaluate';
import { ofrepContracts } from '@/lib/flags/ofrep/schema';
import { listFlags } from '@/lib/flags/reads';
import { declineFlagChange, requestFlagChange, withdrawFlagChange } from '@/lib/flags/request-commands';
import { flagSchedule, scheduleFlag, unscheduleFlag } from '@/lib/flags/schedule';
import { flagContracts } from '@/lib/flags/schema';
import { conditionalRoute } from '@/lib/http/conditional';
import { commandRoute, readRoute } from '@/lib/http/routes';
import type { Domain } from './domain';

export const domain: Domain = {
  routes: [
    readRoute(flagContracts.list, listFlags),
    commandRoute(setFlagCommand),
    readRoute(flagContracts.history, flagHistory),
    commandRoute(createFlagCommand),
    commandRoute(deleteFlagCommand),
    commandRoute(describeFlagCommand),
    commandRoute(scheduleFlag),
    commandRoute(unscheduleFlag),
    commandRoute(requestFlagChange),
    commandRoute(approveFlagChange),
    commandRoute(declineFlagChange),
    commandRoute(withdrawFlagChange),
    conditionalRoute(ofrepContracts.evaluate, evaluateFlag, { refuse: refuseEvaluation }),
    conditionalRoute(ofrepContracts.evaluateAll, evaluateFlags, {
      tag: evaluationsTag,
      refuse: refuseEvaluation,
    }),
  ],
  scheduled: [flagSchedule],
};
