import type { Cluster, Redis } from 'ioredis';
import type { TestContext } from './context';

/** A raw client of one server of the cluster that a test context is on. */
export const clientOf = ({ redis }: TestContext, { port }: { port: number }): Redis =>
  (redis as unknown as Cluster).nodes('master').find(({ options }) => options.port === port)!;
