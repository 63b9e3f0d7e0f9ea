/** A test world on a real cluster: the objects are real, and virtual time advances only when the cluster has caught up. */
import { createClient, isApiError, loadConfig, processHost } from "@capstan/client";
import { keyOf } from "@capstan/model";
import type { StoredObject } from "@capstan/model";
import type { Api, AnyKind } from "../api.ts";
import { apiOf } from "../client-api.ts";
import { sleep, systemClock } from "../clock.ts";
import { RuntimeError } from "../errors.ts";
import { operator as operatorOf } from "../operator.ts";
import type { Operator } from "../operator.ts";
import { OWNER_LABEL } from "../cache/owner-label.ts";
import { CaughtUpApi } from "./caught-up.ts";
import { VirtualClock } from "./clock.ts";
import { testOperator } from "./test-operator.ts";
import type { TestWorld } from "./test-operator.ts";

/**
 * The place of a world: a namespace of a cluster that nothing else uses.
 *
 * @example
 * const cluster: TestCluster = { kubeconfig: "/tmp/kubeconfig", namespace: "crash-test" };
 * await crashEverywhere(app, async (world) => await world.settle(), cluster);
 */
export interface TestCluster {
  /** The path of a kubeconfig with the permissions of the operator and the test. */
  readonly kubeconfig: string;
  readonly namespace: string;
}

interface Place {
  readonly api: Api;
  readonly namespace: string;
}

/** How long a cluster may take to delete the objects of an earlier world, in milliseconds. */
const PATIENCE = 120_000;

/** Starts operators on a real cluster, one after the other. */
export interface ClusterWorlds extends AsyncDisposable {
  /** Starts an operator in the namespace, after its objects and their children are deleted from it. */
  open(operator: Operator | (() => Operator)): Promise<TestWorld>;
}

/** Connects to a cluster. */
export async function connectToCluster({ kubeconfig, namespace }: TestCluster): Promise<ClusterWorlds> {
  const client = createClient(await loadConfig(processHost(), { kubeconfig }));
  const place = { api: apiOf(client), namespace };
  return { open: (operator) => open(operator, place), [Symbol.asyncDispose]: () => client.close() };
}

async function open(operator: Operator | (() => Operator), { api, namespace }: Place): Promise<TestWorld> {
  const make = typeof operator === "function" ? operator : (): Operator => operator;
  await clear(make(), { api, namespace });
  const near: Api = {
    ...api,
    list: (kind, request) => api.list(kind, { ...request, ...(kind.scope === "Cluster" ? {} : { namespace }) }),
  };
  const followed = new CaughtUpApi(near);
  const here = (): Operator => operatorOf({ ...make().definition, namespaces: [namespace] });
  return testOperator(here, { api: followed }, { clock: new ClusterClock(followed), namespace });
}

/** Virtual time that stands still while anything is in flight between the cluster and the operator. */
class ClusterClock extends VirtualClock {
  readonly #api: CaughtUpApi;

  constructor(api: CaughtUpApi) {
    super();
    this.#api = api;
  }

  override async quiet(): Promise<void> {
    do {
      await super.quiet();
      await this.#api.caughtUp();
      await super.quiet();
    } while (this.#api.isBusy);
  }
}

/** Deletes the objects of another world; it does not wait for the garbage collector, which discovers new kinds only now and then. */
async function clear({ definition }: Operator, place: Place): Promise<void> {
  for (const { kind, owns } of definition.controllers) {
    await removeAll(kind, place, () => true);
    for (const child of owns) await removeAll(child, place, ({ metadata }) => isChild(metadata, kind));
  }
}

function isChild({ ownerReferences = [], labels = {} }: StoredObject["metadata"], owner: AnyKind): boolean {
  return OWNER_LABEL in labels || ownerReferences.some(({ kind }) => kind === owner.kind);
}

async function removeAll(kind: AnyKind, place: Place, isOurs: (object: StoredObject) => boolean): Promise<void> {
  const end = systemClock.now() + PATIENCE;
  for (;;) {
    const left = (await present(kind, place)).filter(isOurs);
    if (left.length === 0) return;
    for (const object of left) await remove(kind, place, object);
    if (systemClock.now() > end)
      throw new RuntimeError("TimedOut", `The ${kind.plural} of an earlier test did not go in two minutes.`);
    await sleep(systemClock, 20);
  }
}

async function remove(kind: AnyKind, { api }: Place, { metadata }: StoredObject): Promise<void> {
  const key = keyOf({ metadata });
  try {
    if ((metadata.finalizers?.length ?? 0) > 0)
      await api.patch(kind, key, { metadata: { finalizers: null } }, { type: "merge", manager: "test" });
    if (metadata.deletionTimestamp === undefined) await api.delete(kind, key, {});
  } catch (error) {
    if (!isApiError(error, "NotFound")) throw error;
  }
}

/** A kind without its CRD has no objects. */
async function present(kind: AnyKind, { api, namespace }: Place): Promise<readonly StoredObject[]> {
  const page = await api.list(kind, kind.scope === "Cluster" ? {} : { namespace }).catch((error: unknown) => {
    if (isApiError(error, "NotFound", "UnknownKind")) return { items: [] };
    throw error;
  });
  return page.items;
}
