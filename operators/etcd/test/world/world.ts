/** The world of a test: the operator on the embedded API server in virtual time, with a scripted kubelet and a scripted etcd. */
import assert from "node:assert/strict";
import type { ObjectOf } from "capstan";
import { PersistentVolumeClaim, Pod } from "capstan/kinds/v1";
import { testOperator, VirtualClock } from "capstan/testing";
import type { TestWorld } from "capstan/testing";
import { EtcdCluster } from "../../src/kinds/index.ts";
import { MEMBER_LABEL, UID_LABEL } from "../../src/pods/index.ts";
import type { Sightings } from "capstan/stateful/quorum";
import { etcdOperator } from "../../src/operator.ts";
import { ScriptedEtcd } from "./etcd.ts";
import { ScriptedKubelet } from "./kubelet.ts";

export type ClusterObject = ObjectOf<typeof EtcdCluster>;

export interface EtcdWorld extends AsyncDisposable {
  readonly world: TestWorld;
  readonly etcd: ScriptedEtcd;
  readonly kubelet: ScriptedKubelet;
  /** Milliseconds that the operator's wall clock is ahead of the elapsed time. */
  readonly calendar: { ahead: number };
  /** The cluster as the server has it. */
  cluster(name?: string): Promise<ClusterObject>;
  /** Lets time pass, with kubelet and operator running, until a condition holds. */
  until(holds: (cluster: ClusterObject) => boolean, what: string): Promise<ClusterObject>;
  /** Deletes pods and volumes of these members for good, all at once. */
  loseVolumes(members: readonly string[]): Promise<void>;
  /** Lets this many seconds pass. */
  pass(seconds: number): Promise<void>;
}

/** The memory of a process: a restarted operator starts with an empty one. */
class Memory<K, V> extends Map<K, V> {
  lifeOf: () => unknown = () => undefined;
  #life: unknown;

  override get(key: K): V | undefined {
    const life = this.lifeOf();
    if (life !== this.#life) this.clear();
    this.#life = life;
    return super.get(key);
  }
}

export async function startWorld(): Promise<EtcdWorld> {
  const clock = new VirtualClock();
  const etcd = new ScriptedEtcd();
  const calendar = { ahead: 0 };
  const clocks = { now: () => clock.wall() + calendar.ahead, steady: () => clock.now() };
  const sightings = new Memory<string, Sightings>();
  const passwords = new Memory<string, ReadonlyMap<string, string>>();
  const environment = { connect: etcd.connect, ...clocks, agentImage: "etcd-operator", sightings, passwords };
  const world = await testOperator(etcdOperator(environment), { clock });
  sightings.lifeOf = () => world.running;
  passwords.lifeOf = () => world.running;
  const kubelet = new ScriptedKubelet(world, etcd);
  const cluster = async (name = "e"): Promise<ClusterObject> => {
    const found = await world.get(EtcdCluster, name);
    assert.ok(found, `there is no cluster ${name}`);
    return found;
  };
  const pass = async (seconds: number): Promise<void> => {
    for (let second = 0; second < seconds; second++) {
      await world.advance("1s");
      await kubelet.turn();
    }
  };
  return {
    world,
    etcd,
    kubelet,
    calendar,
    cluster,
    pass,
    loseVolumes: async (members) => {
      for (const member of members) etcd.stop(member);
      // This world has no controller for the protection of claims: a claim of another cluster counts as gone.
      for (const member of members) {
        const labels = { [UID_LABEL]: "gone", [MEMBER_LABEL]: `gone-${member}` };
        await world.apply(PersistentVolumeClaim, `data-${member}`, { metadata: { labels } });
        // The operator may have deleted the pod already.
        await world.delete(Pod, member).catch(() => undefined);
      }
    },
    until: async (holds, what) => {
      for (let second = 0; second < 3_600; second++) {
        const now = await cluster();
        if (holds(now)) return now;
        await pass(1);
      }
      assert.fail(`${what} did not come about: ${JSON.stringify((await cluster()).status, undefined, 1)}`);
    },
    [Symbol.asyncDispose]: () => world[Symbol.asyncDispose](),
  };
}

/** Nothing is left to do for this spec. */
export function isSettled({ metadata, spec, status }: ClusterObject): boolean {
  const progressing = status?.conditions?.find(({ type }) => type === "Progressing");
  const isCurrent = progressing?.observedGeneration === metadata.generation && progressing?.status === "False";
  return isCurrent && (spec.size === 0 || (status?.ready === spec.size && status.size === spec.size));
}

export function condition({ status }: ClusterObject, type: string) {
  return status?.conditions?.find((one) => one.type === type);
}
