/** Tests of operators in virtual time, on the embedded API server: nothing to install, no sockets, no waiting. Or on a cluster. */
import { startApiServer } from "@capstan/apiserver";
import { startUsage } from "./usage-of-world.ts";
import type { OutgoingAnswer, OutgoingCall } from "@capstan/apiserver";
import type { EventMeter, ObjectMeter } from "@capstan/metering/declare";
import type { UsageFilter } from "@capstan/metering/testing";
import type { Operator } from "@capstan/runtime";
import type { WebhookHandler } from "@capstan/runtime/webhook";
import {
  connectToCluster,
  crashEverywhere as crashIn,
  failEverywhere as failIn,
  type OpenWorld,
  seededRandomness,
  seedOf,
  type Story,
  type Survived,
  type SurvivedFailures,
  type TestCluster,
  testOperator as testOn,
  type TestOptions,
  type TestWorld,
  VirtualClock,
} from "@capstan/runtime/testing";

export type { UsageFilter } from "@capstan/metering/testing";
export { errors, replay, VirtualClock } from "@capstan/runtime/testing";
export type {
  Call,
  FailedObject,
  Fault,
  Replay,
  ReplayedWrite,
  Story,
  Survived,
  SurvivedFailures,
  TestCluster,
  TestOptions,
  TestWorld,
} from "@capstan/runtime/testing";

/**
 * What a world says about usage.
 *
 * @example
 * const usageOf = (world: UsageCalls, members: ObjectMeter) => world.usage(members);
 */
export interface UsageCalls {
  /**
   * What a meter of the operator has counted since the world began: level times seconds (`"10800"` for 3 members in an hour), or the sum
   * of records. The rules are those of the metering service; time is the world's.
   */
  usage(meter: ObjectMeter | EventMeter, filter?: UsageFilter): string;
}

/**
 * A world that knows the usage of its objects.
 *
 * @example
 * const grow = async (world: MeteredWorld) => {
 *   await world.apply(Memcached, "cache", { spec: { size: 3 } });
 * };
 */
export type MeteredWorld = TestWorld & UsageCalls;

/**
 * Starts an operator in a world of its own: the CRDs of its resources are installed, time moves only when the test says so. A
 * world that settles while objects still fail is refused, unless the test says that it expects it. A function makes the operator anew
 * for each start, so that a crash loses what it keeps in memory.
 *
 * @example
 * await using world = await testOperator(app);
 * await world.apply(Memcached, "cache", { spec: { size: 3 } });
 * await world.settle();
 * assert.equal((await world.get(Memcached, "cache"))?.spec.size, 3);
 */
export async function testOperator(
  operator: Operator | (() => Operator),
  options: TestOptions = {},
): Promise<MeteredWorld> {
  const clock = options.clock ?? new VirtualClock();
  let answer: WebhookHandler = async () => new Response("the webhook server is not ready yet", { status: 503 });
  const server = await startApiServer({
    clock,
    randomness: seededRandomness(seedOf(options)),
    outgoing: (call) => callInProcess(answer, call),
  });
  const serveWebhooks = (handler: WebhookHandler): void => void (answer = handler);
  const usage = startUsage(operator, { server, clock });
  const world = await testOn(operator, { fetch: server.fetch, serveWebhooks }, { ...options, clock });
  const end = world[Symbol.asyncDispose].bind(world);
  return Object.assign(world, {
    usage: usage.of,
    [Symbol.asyncDispose]: async () => {
      usage.end();
      await end();
    },
  });
}

/**
 * Kills an operator before each of its writes in turn, and during each action of the test. Wherever it dies, the world must end as if it
 * had not: its objects, its children, and whatever the story returns.
 *
 * With a `cluster`, the story runs there in a namespace of the test. Leftovers of an earlier run are removed first, and time passes
 * only when the cluster has caught up.
 *
 * @example
 * await crashEverywhere(app, async (world) => {
 *   await world.apply(Memcached, "cache", { spec: { size: 3 } });
 *   await world.settle();
 * });
 */
export async function crashEverywhere(
  operator: Operator | (() => Operator),
  story: Story,
  cluster?: TestCluster,
): Promise<Survived> {
  return await inWorlds(operator, cluster, (openWorld) => crashIn(operator, openWorld, story));
}

/**
 * Makes each write of an operator fail in turn: with a conflict, with an internal error, and with a lost response to a write that was
 * executed. The world must end as without the failure. The arguments are those of `crashEverywhere`.
 *
 * @example
 * await failEverywhere(app, async (world) => {
 *   await world.apply(Memcached, "cache", { spec: { size: 3 } });
 *   await world.settle();
 * });
 */
export async function failEverywhere(
  operator: Operator | (() => Operator),
  story: Story,
  cluster?: TestCluster,
): Promise<SurvivedFailures> {
  return await inWorlds(operator, cluster, (openWorld) => failIn(operator, openWorld, story));
}

async function inWorlds<T>(
  operator: Operator | (() => Operator),
  cluster: TestCluster | undefined,
  run: (openWorld: OpenWorld) => Promise<T>,
): Promise<T> {
  if (cluster === undefined) return await run((seed) => testOperator(operator, { seed }));
  const worlds = await connectToCluster(cluster);
  // Not `await using`: for older Nodes it compiles to a helper file that every import of this package would load.
  try {
    return await run(() => worlds.open(operator));
  } finally {
    await worlds[Symbol.asyncDispose]();
  }
}

/** The server calls the operator's webhooks as a function: everything is as on the wire but the wire. */
async function callInProcess(answer: WebhookHandler, call: OutgoingCall): Promise<OutgoingAnswer> {
  const { url, method, body } = call;
  const headers = Object.entries(call.headers).map(([name, value]): [string, string] => [name, String(value)]);
  const text = typeof body === "string" || body === undefined ? body : new TextDecoder().decode(body);
  const response = await answer(new Request(url, { method, headers, ...(text === undefined ? {} : { body: text }) }));
  return {
    status: response.status,
    headers: Object.fromEntries(response.headers),
    body: new Uint8Array(await response.arrayBuffer()),
  };
}
