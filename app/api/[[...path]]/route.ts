// The only route file of the interface, because Next compiles the console's server again for each.
import { handleRequest } from '@/lib/domains/interface';

export {
  handleRequest as DELETE,
  handleRequest as GET,
  handleRequest as HEAD,
  handleRequest as OPTIONS,
  handleRequest as PATCH,
  handleRequest as POST,
  handleRequest as PUT,
};
