import 'server-only';
import { diagnoseKey } from '@/lib/diagnostics/one-key';
import { getDiagnostics } from '@/lib/diagnostics/reads';
import { diagnosticContracts } from '@/lib/diagnostics/schema';
import { readRoute } from '@/lib/http/routes';
import type { Domain } from './domain';

export const domain: Domain = {
  routes: [
    readRoute(diagnosticContracts.get, getDiagnostics),
    readRoute(diagnosticContracts.key, diagnoseKey),
  ],
};
