import { topIps } from '@/lib/guard/traffic/reads';
import { trafficContracts } from '@/lib/guard/traffic/schema';
import { readRoute } from '@/lib/http/routes';

export const GET = readRoute(trafficContracts.ipsTop, topIps);
