import { listFigures } from '@/lib/exposition/reads';
import { expositionContracts } from '@/lib/exposition/schema';
import { readRoute } from '@/lib/http/routes';

export const GET = readRoute(expositionContracts.figures, listFigures);
