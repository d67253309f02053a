import { readRoute } from '@/lib/http/routes';
import { listLeaderboards } from '@/lib/leaderboards/reads';
import { leaderboardContracts } from '@/lib/leaderboards/schema';

export const GET = readRoute(leaderboardContracts.list, listLeaderboards);
