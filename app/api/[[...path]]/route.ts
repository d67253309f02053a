import { served } from '@/lib/http/served';

const handle = (request: Request): Promise<Response> => served()(request);

export {
  handle as DELETE,
  handle as GET,
  handle as HEAD,
  handle as OPTIONS,
  handle as PATCH,
  handle as POST,
  handle as PUT,
};
