import { evaluateFlag, refuseEvaluation } from '@/lib/flags/ofrep/evaluate';
import { ofrepContracts } from '@/lib/flags/ofrep/schema';
import { conditionalRoute } from '@/lib/http/conditional';

export const POST = conditionalRoute(ofrepContracts.evaluate, evaluateFlag, { refuse: refuseEvaluation });
