import { allContracts } from '@/lib/domains';
import { env } from '@/lib/env';
import { openApi } from '@/lib/http/openapi';
import { json } from '@/lib/http/respond';
import { guarded } from '@/lib/http/routes';

export const GET = guarded(null, async (_request, _params, requestId) =>
  json(openApi(allContracts, env().basePath), 200, requestId),
);
