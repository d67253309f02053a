import { getDiagnostics } from '@/lib/diagnostics/reads';
import { diagnosticContracts } from '@/lib/diagnostics/schema';
import { readRoute } from '@/lib/http/routes';

export const GET = readRoute(diagnosticContracts.get, getDiagnostics);
