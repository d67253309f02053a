import 'server-only';

/** What endangers the data of a server. */
export const PERSISTENCE_FAULTS = ['saveFailed', 'aofFailed', 'notSaved'] as const;
export type PersistenceFault = (typeof PERSISTENCE_FAULTS)[number];

interface Asked {
  info: ReadonlyMap<string, string>;
  /** The `save` setting; null where the server does not report it. */
  save: string | null;
  /** Whether some keys may not be lost. */
  mustStay: boolean;
}

/** The only judgement of a server's persistence. `isKnown` is false where it depends on the unknown setting. */
export const judgePersistence = ({
  info,
  save,
  mustStay,
}: Asked): { faults: PersistenceFault[]; isKnown: boolean } => {
  const hasAof = info.get('aof_enabled') === '1';
  const failed = (name: string) => info.get(name) === 'err';
  const isAtRisk = mustStay && !hasAof;
  const holds: Record<PersistenceFault, boolean> = {
    saveFailed: failed('rdb_last_bgsave_status'),
    aofFailed: hasAof && (failed('aof_last_write_status') || failed('aof_last_bgrewrite_status')),
    notSaved: isAtRisk && save === '',
  };
  return {
    faults: PERSISTENCE_FAULTS.filter((fault) => holds[fault]),
    isKnown: !isAtRisk || save !== null,
  };
};
