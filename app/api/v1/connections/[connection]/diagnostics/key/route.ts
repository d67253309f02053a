import { diagnoseKey } from '@/lib/diagnostics/one-key';
import { diagnosticContracts } from '@/lib/diagnostics/schema';
import { readRoute } from '@/lib/http/routes';

export const GET = readRoute(diagnosticContracts.key, diagnoseKey);
