import { allContracts } from '@/lib/domains';
import { env } from '@/lib/env';
import { documentRoute } from '@/lib/http/conditional';
import { openApi } from '@/lib/http/openapi';

export const GET = documentRoute(() => openApi(allContracts, env().basePath));
