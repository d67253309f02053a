import { readPrometheus } from '@/lib/exposition/prometheus';
import { expositionContracts } from '@/lib/exposition/schema';
import { textRoute } from '@/lib/http/routes';

export const GET = textRoute(expositionContracts.prometheus, readPrometheus);
