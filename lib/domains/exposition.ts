import 'server-only';
import { readPrometheus } from '@/lib/exposition/prometheus';
import { listFigures } from '@/lib/exposition/reads';
import { expositionContracts } from '@/lib/exposition/schema';
import { readRoute, textRoute } from '@/lib/http/routes';
import type { Domain } from './domain';

export const domain: Domain = {
  routes: [
    readRoute(expositionContracts.figures, listFigures),
    textRoute(expositionContracts.prometheus, readPrometheus),
  ],
};
