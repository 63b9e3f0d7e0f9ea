/** A world for an author's operator: an API server in process, virtual time, a scripted kubelet, servers in memory, and a client. */
import assert from "node:assert/strict";
import { operator } from "@capstan/runtime";
import type { Operator } from "@capstan/runtime";
import { VirtualClock } from "@capstan/runtime/testing";
import type { TestOptions, TestWorld } from "@capstan/runtime/testing";
import type { Application } from "../../application.ts";
import type { ClusterKind, ClusterObject } from "../../cluster/resource.ts";
import { stateful } from "../../stateful.ts";
import { onMemory } from "./application.ts";
import { MemoryKubelet } from "./kubelet.ts";
import { MemoryServers } from "./server.ts";

/**
 * Opens a world for an operator: `testOperator` of `capstan/testing`.
 *
 * @example
 * const openWorld: OpenWorld = testOperator;
 */
export type OpenWorld = (operator: () => Operator, options: TestOptions) => Promise<TestWorld>;

/** The spec of a cluster, as a user writes it. */
export type WrittenSpec = { readonly [field: string]: unknown };

const NAME = "c";
/** Seconds of virtual time after which a cluster must have come to rest. */
const PATIENCE_SECONDS = 900;

export class MemoryWorld implements AsyncDisposable {
  readonly world: TestWorld;
  readonly servers: MemoryServers;
  readonly kubelet: MemoryKubelet;
  readonly kind: ClusterKind;
  /** Whether a client writes all the time. */
  isWriting = false;

  private constructor(parts: Pick<MemoryWorld, "world" | "servers" | "kind">) {
    this.world = parts.world;
    this.servers = parts.servers;
    this.kind = parts.kind;
    this.kubelet = new MemoryKubelet(parts.world, parts.servers);
  }

  static async open<C extends AsyncDisposable, P>(
    application: Application<C, P>,
    openWorld: OpenWorld,
  ): Promise<MemoryWorld> {
    const clock = new VirtualClock();
    const servers = new MemoryServers();
    let texts = 0;
    const environment = {
      now: () => clock.wall(),
      steady: () => clock.now(),
      randomText: () => `text-${++texts}`,
    };
    const define = () =>
      stateful(onMemory(application, servers), { group: "test.capstan.dev", kind: "Cluster", environment });
    const { kind } = define();
    const app = (): Operator => operator({ name: "test-operator", controllers: [...define().controllers] });
    return new MemoryWorld({ world: await openWorld(app, { clock, failures: "expected" }), servers, kind });
  }

  /** Creates the cluster or changes its spec; rejects if the API server refuses the spec. */
  async apply(spec: WrittenSpec): Promise<void> {
    // The author's fields are not known here, so the type cannot be.
    await this.world.apply(this.kind, NAME, { spec } as never);
  }

  async object(): Promise<ClusterObject> {
    const found = await this.world.get(this.kind, NAME);
    assert.ok(found, "the cluster is gone");
    return found;
  }

  /** Lets seconds pass: kubelet, replication and clients act once in each. */
  async pass(seconds: number): Promise<void> {
    for (let second = 0; second < seconds; second++) {
      await this.world.advance("1s");
      await this.kubelet.turn();
      if (this.isWriting) for (const member of this.servers.servers.keys()) this.servers.write(member);
      this.servers.replicate();
    }
  }

  /** Lets time pass until a condition holds. */
  async until(holds: (object: ClusterObject) => boolean, what: string): Promise<ClusterObject> {
    for (let second = 0; second < PATIENCE_SECONDS; second++) {
      const now = await this.object();
      if (holds(now)) return now;
      await this.pass(1);
    }
    const { status } = await this.object();
    assert.fail(`${what} did not happen: ${JSON.stringify(status, undefined, 1)}`);
  }

  /** Lets time pass until the cluster is as its spec asks. */
  async settle(what: string): Promise<ClusterObject> {
    return await this.until(isSettled, `${what}, and the cluster comes to rest`);
  }

  /** Every member of a settled cluster has every acknowledged write, and all have the same. */
  assertWhole(what: string): void {
    const servers = [...this.servers.servers.values()];
    for (const { member, volume } of servers) {
      const lost = this.servers.acknowledged.filter((id) => !volume.log.includes(id));
      assert.deepEqual(lost, [], `${what}: ${member} does not have acknowledged writes`);
    }
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await this.world[Symbol.asyncDispose]();
  }
}

/** As many healthy members as the spec asks for, and nothing left to do. */
export function isSettled({ metadata, spec, status }: ClusterObject): boolean {
  const progressing = status?.conditions?.find(({ type }) => type === "Progressing");
  if (progressing?.observedGeneration !== metadata.generation || progressing?.status !== "False") return false;
  if (spec.size === 0) return true;
  return status?.ready === spec.size && status.members?.length === spec.size;
}
