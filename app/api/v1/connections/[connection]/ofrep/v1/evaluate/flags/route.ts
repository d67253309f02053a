import { evaluateFlags, evaluationsTag, refuseEvaluation } from '@/lib/flags/ofrep/evaluate';
import { ofrepContracts } from '@/lib/flags/ofrep/schema';
import { conditionalRoute } from '@/lib/http/conditional';

export const POST = conditionalRoute(ofrepContracts.evaluateAll, evaluateFlags, {
  tag: evaluationsTag,
  refuse: refuseEvaluation,
});
