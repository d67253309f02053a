import 'server-only';
import type { ConnectionConfig } from '@/lib/configuration';
import { connectTo, DEDICATED, endpointOf } from '../client';
import { knownFailure } from '../failure';
import type { Shared, Topology } from '../topology';
import { ClusterWatch } from './cluster-watch';
import { makeNode, newShared, type OpenNode } from './node';
import { connectorTo, goOnAt, type OpenSockets } from './primary-connector';
import { type Shard, SLOTS, slotOf } from './slots';

/** A primary of the cluster with this process's clients. After a failover it is another server. */
interface Member {
  node: OpenNode;
  /** Null until the cluster is known, and for a guest. */
  shard: Shard | null;
  /** The address of a guest: a node without slots that has keys of a slot being moved to it. */
  guest: string | null;
  shared: Shared;
  open: OpenSockets;
}

/** Stands for the address of the first primary while no node has answered. */
const nameOf = ({ cluster }: ConnectionConfig): string => cluster!.nodes.join(',');

const countOf = ({ ranges }: Shard): number =>
  ranges.reduce((sum, [first, last]) => sum + last - first + 1, 0);

/**
 * The primaries of a Redis Cluster, each with its own clients. ioredis' `Cluster` is not used: it does not tell which
 * node answered, and our own traffic is counted per node; it opens connections that our lists would miss; and it
 * resends a complete pipeline for one redirected key.
 */
export const cluster = (config: ConnectionConfig, shared: Shared): Topology => {
  let members: Member[] = [];
  let guests: Member[] = [];
  let served: (OpenNode | undefined)[] = [];

  const watch = new ClusterWatch(config, (shards) => {
    const left = new Set([...members, ...guests]);
    const take = (fits: (member: Member) => boolean): Member | undefined => {
      const member = [...left].find(fits);
      if (member) left.delete(member);
      return member;
    };
    const byShard = new Map(shards.map((shard) => [shard, take((member) => member.shard?.id === shard.id)]));
    for (const shard of shards)
      byShard.set(
        shard,
        byShard.get(shard) ??
          // The replica of a known primary has replaced it, or a guest has received its first slot.
          take((member) => member.shard?.replicas.includes(shard.id) ?? false) ??
          // A replica that has not copied anything yet is not listed before it takes over.
          take((member) => String(member.shard?.ranges) === String(shard.ranges)) ??
          take(({ guest }) => guest === shard.address) ??
          take((member) => member.shard === null && member.guest === null),
      );
    members = shards.map((shard) => place(byShard.get(shard) ?? join(), shard));
    const isKnown = ({ guest }: Member) => shards.some(({ address }) => address === guest);
    guests = guests.filter((guest) => !isKnown(guest) && left.delete(guest));
    served = new Array(SLOTS);
    for (const { node, shard } of members)
      for (const [first, last] of shard!.ranges) served.fill(node, first, last + 1);
    for (const { node } of left) node.close();
  });

  /** A node with the process-wide state of its shard, which connections with other users share. */
  const place = (member: Member, shard: Shard): Member => {
    const { shards } = shared;
    const ids = [shard.id, ...shard.replicas];
    const state = ids.map((id) => shards.get(id)).find((known) => known) ?? member.shared;
    for (const id of ids) shards.set(id, state);
    member.shared = state;
    member.node.adopt(state);
    Object.assign(member, { shard, guest: null });
    const address = watch.fromHere(shard.address);
    goOnAt(
      address,
      member.open,
      member.node.clients().map(({ redis }) => redis),
    );
    return member;
  };

  const join = (guest: string | null = null): Member => {
    const open: OpenSockets = new Set();
    const places = {
      primary: async () => {
        await watch.refresh();
        await watch.known();
        return watch.fromHere(member.shard?.address ?? guest ?? watch.shards[0]!.address);
      },
      reached: () => undefined,
      unusable: (address: string, text: string | null) => {
        watch.doubt();
        const what = text === null ? 'is a replica now' : `does not answer: ${text}`;
        const share = member.shard ? ` with ${countOf(member.shard)} of ${SLOTS} slots` : '';
        return knownFailure('unreachable', `its primary ${address}${share} ${what}`);
      },
    };
    const Connector = connectorTo(places, open);
    const own = newShared();
    const node = makeNode({
      isInCluster: true,
      connection: config.id,
      scan: config.scan,
      shared: own,
      get name() {
        const { shard } = member;
        return shard ? watch.fromHere(shard.address) : (guest ?? nameOf(config));
      },
      connect: (purpose) => connectTo(config, purpose, { Connector }),
      dedicated: (purpose) => connectTo(config, purpose, { ...DEDICATED, Connector }),
    });
    const member: Member = { node, shard: null, guest, shared: own, open };
    return member;
  };

  const guestAt = (address: string): OpenNode => {
    let member = guests.find(({ guest }) => guest === address);
    if (!member) {
      member = join(address);
      guests.push(member);
    }
    return member.node;
  };

  members = [join()];

  return {
    kind: 'cluster',
    primaries: () => members.map(({ node }) => node),
    nodeOf: (key) => served[slotOf(key)] ?? members[0]!.node,
    slotsOf: (node) => {
      const shard = members.find((member) => member.node === node)?.shard;
      return shard ? countOf(shard) : null;
    },
    layout: () => JSON.stringify(watch.shards.map(({ ranges }) => ranges)),
    known: () => watch.known(),
    redirected: async (to) => {
      const known = () =>
        members.find(({ shard }) => shard?.address === to?.address || (to?.id && shard?.id === to.id))?.node;
      const first = to ? watch.fromHere(to.address) : undefined;
      // Many keys may have moved, and none waits for the answer.
      if (known()) {
        if (!to?.id) watch.refreshSoon(first);
        return known()!;
      }
      await watch.refresh(first);
      // A refresh under way may have asked another node.
      if (!known()) await watch.refresh(first);
      return known() ?? (to && guestAt(to.address));
    },
    at: (address, purpose) => connectTo(config, purpose, { ...DEDICATED, ...endpointOf(address) }),
    close: () => {
      for (const { node } of [...members, ...guests]) node.disconnect();
      watch.close();
    },
  };
};
