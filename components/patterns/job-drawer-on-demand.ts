import { onDemand } from './on-demand';

export const JobDrawer = onDemand(async () => (await import('./job-drawer')).JobDrawer);
