import 'server-only';
import type { ConnectionHandle } from './connections';
import { type Fencing, NodeFence } from './node-fence';
import { NOTHING, redoOfNear, redoOfScript, redoOfUnlink, redoOfWrite } from './redo';
import type { Node } from './topology';
import { listOf, makeWriter, type Writer } from './writer';

/**
 * The writer of a job. The attached replicas confirm its changes. After a failover it repeats those that the new
 * primary did not receive, so that the job's counts are true for the primary that serves.
 */
export class Fence {
  readonly writer: Writer;
  private readonly handle: ConnectionHandle;
  private readonly nodes = new Map<Node, NodeFence>();
  private readonly account: Fencing = {
    replicas: Number.POSITIVE_INFINITY,
    why: null,
    failovers: 0,
    ...NOTHING,
  };

  constructor(handle: ConnectionHandle, signal: AbortSignal) {
    this.handle = handle;
    const on = (node: Node): NodeFence => {
      const fence = this.nodes.get(node) ?? new NodeFence(handle, node, signal, this.account);
      this.nodes.set(node, fence);
      return fence;
    };
    const at = (key: Buffer): NodeFence => on(handle.topology.nodeOf(key));
    const writer = makeWriter(handle, (node) => on(node).keepRedirected());
    const write = <T>(key: Buffer, make: () => Promise<T>): Promise<T> =>
      at(key).call(make, redoOfWrite<T>());
    this.writer = {
      ...writer,
      unlink: async (keys) =>
        keys.length === 0 ? 0 : at(keys[0]!).call(() => writer.unlink(keys), redoOfUnlink(keys.length)),
      run: (name, keys, args) => at(keys[0]!).call(() => writer.run(name, keys, args), redoOfScript(name)),
      runNear: (script, near, args) =>
        at(near).call(() => writer.runNear(script, near, args), redoOfNear(script.name)),
      runAlone: (script, keys, args) =>
        at(listOf(keys)[0]!).call(() => writer.runAlone(script, keys, args), redoOfScript(script.name)),
      write: (command) => write(command[1], () => writer.write(command)),
      writeMany: async (commands) =>
        commands.length === 0 ? [] : write(commands[0]![1], () => writer.writeMany(commands)),
      compareAndSet: (key, ...values) => write(key, () => writer.compareAndSet(key, ...values)),
      applyAll: async (edits) =>
        edits.length === 0 ? { ok: true } : write(edits[0]!.key, () => writer.applyAll(edits)),
    };
  }

  /** At the end of each chunk. Throws a 503 `Problem` when no primary can be found for a minute. */
  async confirm(): Promise<void> {
    this.leaveThoseThatLeft();
    for (const node of this.nodes.values()) await node.confirm();
  }

  /** Before a walk begins, or begins again. */
  async follows(): Promise<void> {
    this.leaveThoseThatLeft();
    for (const node of this.nodes.values()) await node.follows();
  }

  /** Whether the current primary has all changes and its replicas confirmed them. Waits up to a minute. */
  async confirmed(): Promise<boolean> {
    this.leaveThoseThatLeft();
    let areConfirmed = true;
    for (const node of this.nodes.values()) areConfirmed = (await node.confirmAll()) && areConfirmed;
    return areConfirmed;
  }

  /** A node that left the cluster gave its keys to other nodes, whose replicas were not asked. */
  private leaveThoseThatLeft(): void {
    const primaries = this.handle.topology.primaries();
    for (const [node, fence] of this.nodes) {
      // A node that is receiving its first slot is not a primary yet.
      if (primaries.includes(node) || !node.isClosed()) continue;
      fence.leave();
      this.nodes.delete(node);
    }
  }

  /** The state so far; null when nothing was changed. */
  fencing(): Fencing | null {
    if (this.nodes.size === 0) return null;
    const { account } = this;
    const nodes = [...this.nodes.values()];
    const isLate = nodes.some((node) => node.isLate());
    // Without replicas from the beginning, none is missing.
    const lacked = nodes.some((node) => node.lackedReplicas) && nodes.some((node) => node.hadReplicas);
    return {
      ...account,
      why: isLate ? 'late' : (account.why ?? (lacked ? 'none' : null)),
      replicas: Number.isFinite(account.replicas) ? account.replicas : 0,
    };
  }
}
