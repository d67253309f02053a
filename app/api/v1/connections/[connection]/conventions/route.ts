import { readReport } from '@/lib/conventions/reads';
import { conventionContracts } from '@/lib/conventions/schema';
import { readRoute } from '@/lib/http/routes';

export const GET = readRoute(conventionContracts.report, readReport);
