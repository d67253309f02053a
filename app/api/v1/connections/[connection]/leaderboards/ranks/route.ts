import { readRoute } from '@/lib/http/routes';
import { getLeaderboard } from '@/lib/leaderboards/reads';
import { leaderboardContracts } from '@/lib/leaderboards/schema';

export const GET = readRoute(leaderboardContracts.get, getLeaderboard);
