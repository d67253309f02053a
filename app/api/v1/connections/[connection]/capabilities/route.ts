import { describeCapabilities } from '@/lib/capabilities/reads';
import { capabilityContracts } from '@/lib/capabilities/schema';
import { readRoute } from '@/lib/http/routes';

export const GET = readRoute(capabilityContracts.get, describeCapabilities);
