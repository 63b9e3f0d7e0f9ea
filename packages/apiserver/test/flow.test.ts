/** Priority and fairness: the requests of one user do not starve those of others. */
import assert from "node:assert/strict";
import test from "node:test";
import { setImmediate as nextTurn } from "node:timers/promises";
import { isLive } from "../src/answer.ts";
import { startApiServer, type ApiServer, type Call } from "../src/index.ts";

const levels = "/apis/flowcontrol.apiserver.k8s.io/v1/prioritylevelconfigurations";

/** A server whose level for service accounts has few seats and a short queue. */
async function start(): Promise<ApiServer> {
  const server = await startApiServer({ authorization: "always-allow" });
  const spec = {
    type: "Limited",
    limited: {
      nominalConcurrencyShares: 1,
      limitResponse: { type: "Queue", queuing: { queues: 1, handSize: 1, queueLengthLimit: 1 } },
    },
  };
  const body = JSON.stringify({ spec });
  const headers = { "content-type": "application/merge-patch+json" };
  const url = `http://in-process${levels}/workload-low`;
  const { status } = await server.fetch(new Request(url, { method: "PATCH", headers, body }));
  assert.equal(status, 200);
  return server;
}

interface Asked {
  readonly user: string;
  readonly method?: string;
  readonly url?: string;
  readonly body?: Promise<Uint8Array>;
  readonly signal?: AbortSignal;
}

function callOf({ user, method = "POST", url = "/api/v1/namespaces/default/configmaps", ...asked }: Asked): Call {
  const namespace = user.split(":").at(-2) ?? "";
  return {
    method,
    url,
    headers: { "content-type": "application/json" },
    body: () => asked.body ?? Promise.resolve(new Uint8Array()),
    signal: asked.signal ?? new AbortController().signal,
    remoteAddress: "test",
    user: {
      name: user,
      groups: ["system:serviceaccounts", `system:serviceaccounts:${namespace}`, "system:authenticated"],
    },
  };
}

const mallory = "system:serviceaccount:default:mallory";

/** Requests whose bodies arrive late keep their seats; the returned function delivers the bodies. */
async function occupy(server: ApiServer, user: string, count: number): Promise<{ finish(): Promise<number[]> }> {
  const { promise, resolve } = Promise.withResolvers<Uint8Array>();
  const requests = Array.from({ length: count }, () => server.handle(callOf({ user, body: promise })));
  const here = (): number =>
    server.parts.gate.seats.numbers().reduce((sum, { seated, waiting }) => sum + seated + waiting, 0);
  while (here() < count) await nextTurn();
  return {
    async finish() {
      resolve(Buffer.from("{}"));
      return (await Promise.all(requests)).map(({ status }) => status);
    },
  };
}

test("a user that fills its seats and its queue gets 429, and others are served", async () => {
  await using server = await start();
  // Of 600 seats, the level has five, and one user three of them; one more request waits.
  const busy = await occupy(server, mallory, 4);
  const refused = await server.handle(callOf({ user: mallory, method: "GET" }));
  assert.equal(refused.status, 429);
  assert.equal(refused.headers["retry-after"], "1");
  assert.equal(refused.body, "Too many requests, please try again later.\n");
  assert.ok(refused.headers["x-kubernetes-pf-prioritylevel-uid"] !== undefined);
  const other = await server.handle(callOf({ user: "system:serviceaccount:default:ann", method: "GET" }));
  assert.equal(other.status, 200);
  const lease = "/apis/coordination.k8s.io/v1/namespaces/default/leases";
  const controller = "system:serviceaccount:kube-system:controller";
  const led = await server.handle(callOf({ user: controller, method: "GET", url: `${lease}/operator` }));
  assert.equal(led.status, 404, "controllers of kube-system have their own level");
  const healthy = await server.handle(callOf({ user: mallory, method: "GET", url: "/readyz" }));
  assert.equal(healthy.status, 200, "health checks are exempt");
  assert.deepEqual(await busy.finish(), [422, 422, 422, 422]);
  assert.equal((await server.handle(callOf({ user: mallory, method: "GET" }))).status, 200, "seats are freed");
});

test("a watch frees its seat when it has started", async () => {
  await using server = await start();
  const url = "/api/v1/namespaces/default/configmaps?watch=1";
  for (let at = 0; at < 5; at++) {
    assert.equal((await server.handle(callOf({ user: mallory, method: "GET", url }))).status, 200);
  }
  assert.deepEqual(
    server.parts.gate.seats.numbers().filter(({ seated }) => seated > 0),
    [],
  );
});

test("metrics name the requests in flight and the long turns", async () => {
  await using server = await start();
  const busy = await occupy(server, mallory, 4);
  const response = await server.fetch(new Request("http://in-process/metrics"));
  const text = await response.text();
  assert.match(text, /^apiserver_flowcontrol_current_executing_requests\{priority_level="workload-low"\} 3$/m);
  assert.match(text, /^apiserver_flowcontrol_current_inqueue_requests\{priority_level="workload-low"\} 1$/m);
  assert.match(text, /^capstan_apiserver_long_turns_total \d+$/m);
  await busy.finish();
});

const jsonHeaders = { "content-type": "application/json" };

/** Starts a request whose whole body is taken. */
async function readAll(server: ApiServer, asked: Asked): Promise<number> {
  const { status, body } = await server.handle(callOf(asked));
  if (isLive(body)) {
    await new Promise<void>((end) => {
      body({ write: () => {}, isFull: false, whenDrained: (callback) => callback(), end });
    });
  }
  return status;
}

test("a cheap request does not wait for a round of fifty clients with long lists", async () => {
  await using server = await startApiServer({ authorization: "always-allow" });
  const url = "/api/v1/namespaces/default/configmaps";
  const data = { text: "x".repeat(2000) };
  for (let at = 0; at < 300; at++) {
    const body = JSON.stringify({ metadata: { name: `item-${at}` }, data });
    const made = await server.fetch(
      new Request(`http://in-process${url}`, { method: "POST", headers: jsonHeaders, body }),
    );
    assert.equal(made.status, 201);
  }
  const listers = Array.from({ length: 50 }, (_, at) => `system:serviceaccount:default:lister-${at}`);
  const list = (user: string): Promise<number> => readAll(server, { user, method: "GET", url });
  const good = { user: "system:serviceaccount:default:good", method: "GET", url: `${url}/item-1` };
  await Promise.all(listers.map(list));
  await readAll(server, good);
  let lists = 0;
  const all = listers.map((user) => list(user).finally(() => lists++));
  assert.equal(await readAll(server, good), 200);
  assert.ok(lists < 25, `${lists} lists went first`);
  const statuses = await Promise.all(all);
  assert.deepEqual(new Set(statuses), new Set([200]));
});

test("a watch that its client abandons while it waits for its turn stops at once", async () => {
  await using server = await startApiServer({ authorization: "always-allow" });
  const url = "/api/v1/namespaces/default/configmaps?watch=1";
  const body = JSON.stringify({ metadata: { name: "large" }, data: { text: "x".repeat(100_000) } });
  const place = "http://in-process/api/v1/namespaces/default/configmaps";
  for (const name of ["a", "b", "c", "d"]) {
    await server.fetch(new Request(place, { method: "POST", headers: jsonHeaders, body: body.replace("large", name) }));
  }
  const { body: events } = await server.handle(callOf({ user: mallory, method: "GET", url }));
  assert.ok(isLive(events));
  let sent = 0;
  const stop = events({ write: () => sent++, isFull: true, whenDrained: () => {}, end: () => {} });
  stop();
  for (let turn = 0; turn < 20; turn++) await nextTurn();
  assert.equal(sent, 0);
});
