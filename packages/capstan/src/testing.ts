/** Tests of operators in virtual time, on the embedded API server: nothing to install, no sockets, no waiting. */
import { startApiServer } from "@capstan/apiserver";
import type { OutgoingAnswer, OutgoingCall } from "@capstan/apiserver";
import type { Operator } from "@capstan/runtime";
import type { WebhookHandler } from "@capstan/runtime/webhook";
import {
  crashEverywhere as crashIn,
  type Story,
  type Survived,
  testOperator as testOn,
  type TestOptions,
  type TestWorld,
  VirtualClock,
} from "@capstan/runtime/testing";

export { VirtualClock } from "@capstan/runtime/testing";
export type { Story, Survived, TestOptions, TestWorld } from "@capstan/runtime/testing";

/**
 * Starts an operator in a world of its own: the CRDs of its resources are installed, time moves only when the test says so.
 *
 * ```ts
 * await using world = await testOperator(app);
 * await world.apply(Memcached, "cache", { spec: { size: 3 } });
 * await world.settle();
 * ```
 */
export async function testOperator(operator: Operator, options: TestOptions = {}): Promise<TestWorld> {
  const clock = options.clock ?? new VirtualClock();
  let answer: WebhookHandler = async () => new Response("nobody is there yet", { status: 503 });
  const server = await startApiServer({
    clock: { now: () => clock.wall(), after: (delay, run) => clock.later(delay, run) },
    outgoing: (call) => callInProcess(answer, call),
  });
  const serveWebhooks = (handler: WebhookHandler): void => void (answer = handler);
  return testOn(operator, { fetch: server.fetch, serveWebhooks }, { ...options, clock });
}

/**
 * Kills an operator before each of its writes in turn. Wherever it dies, the world must end as if it had not: its objects, its
 * children, and whatever the story returns.
 *
 * ```ts
 * await crashEverywhere(app, async (world) => {
 *   await world.apply(Memcached, "cache", { spec: { size: 3 } });
 *   await world.settle();
 * });
 * ```
 */
export function crashEverywhere(operator: Operator, story: Story): Promise<Survived> {
  return crashIn(operator, () => testOperator(operator), story);
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
