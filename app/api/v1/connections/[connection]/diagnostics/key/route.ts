import { diagnoseKey } from '@/lib/diagnostics/one-key';
import { diagnosticContracts } from '@/lib/diagnostics/schema';
import { readRoute } from '@/lib/http/routes';

export const POST = readRoute(diagnosticContracts.key, diagnoseKey);
