import { setSchedule } from '@/lib/analysis/commands';
import { getSchedule } from '@/lib/analysis/reads';
import { analysisContracts } from '@/lib/analysis/schema';
import { commandRoute, readRoute } from '@/lib/http/routes';

export const GET = readRoute(analysisContracts.scheduleGet, getSchedule);
export const PUT = commandRoute(setSchedule);
