import { commandRoute } from '@/lib/http/routes';
import { unpinMetric } from '@/lib/metrics/commands';

export const DELETE = commandRoute(unpinMetric);
