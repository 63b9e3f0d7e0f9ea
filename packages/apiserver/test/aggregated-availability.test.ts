/** The Available condition of an APIService while its server hangs, and the repeated probes. */
import assert from "node:assert/strict";
import { test } from "node:test";
import { startApiServer, type ApiServer, type OutgoingCaller } from "../src/index.ts";
import { ask, askUntil } from "./ask.ts";

/** A clock that the test advances. */
function handClock(): {
  now(): number;
  wall(): number;
  later(delay: number, run: () => void): { cancel(): void };
  pass(by: number): void;
} {
  let now = Date.parse("2026-01-02T03:04:05Z");
  const timers = new Set<{ at: number; run: () => void }>();
  return {
    now: () => now,
    wall: () => now,
    later(delay, run) {
      const timer = { at: now + delay, run };
      timers.add(timer);
      return { cancel: () => void timers.delete(timer) };
    },
    pass(by) {
      now += by;
      for (const timer of [...timers].toSorted((a, b) => a.at - b.at))
        if (timer.at <= now && timers.delete(timer)) timer.run();
    },
  };
}

const path = "/apis/apiregistration.k8s.io/v1/apiservices";

async function register(server: ApiServer): Promise<void> {
  const service = { metadata: { name: "api" }, spec: { type: "ExternalName", externalName: "localhost" } };
  await ask(server, "POST", "/api/v1/namespaces/default/services", service);
  const spec = {
    group: "things.dev",
    version: "v1",
    service: { namespace: "default", name: "api", port: 443 },
    groupPriorityMinimum: 1000,
    versionPriority: 10,
    insecureSkipTLSVerify: true,
  };
  assert.equal((await ask(server, "POST", path, { metadata: { name: "v1.things.dev" }, spec })).status, 201);
}

/** Waits until the APIService contains the text; `meanwhile` runs after each attempt that fails. */
const says = (server: ApiServer, word: string, meanwhile: () => void = () => {}): Promise<unknown> =>
  askUntil(server, `${path}/v1.things.dev`, ({ text }) => {
    if (text.includes(word)) return true;
    meanwhile();
    return false;
  });

/** Responds to the availability probe with `answer.how`. */
function caller(answer: { how: () => ReturnType<OutgoingCaller>; probes: number }): OutgoingCaller {
  return async ({ url }) => {
    if (!url.endsWith("/apis/things.dev/v1")) return { status: 404, headers: {}, body: Buffer.from("{}") };
    answer.probes++;
    return answer.how();
  };
}

const well: OutgoingCaller = async () => ({ status: 200, headers: {}, body: Buffer.from('{"resources":[]}') });

test("a hanging server becomes unavailable after 5 s and available when it responds", async () => {
  const clock = handClock();
  const answer = { how: () => well({ method: "GET", url: "", headers: {} }), probes: 0 };
  await using server = await startApiServer({ clock, outgoing: caller(answer) });
  await register(server);
  await says(server, "all checks passed");
  const { how } = answer;
  answer.how = () => new Promise(() => {});
  const before = answer.probes;
  clock.pass(30_000);
  while (answer.probes === before) await new Promise((resolve) => setImmediate(resolve));
  clock.pass(5_000);
  await says(server, "Client.Timeout exceeded while awaiting headers");
  answer.how = how;
  await says(server, "all checks passed", () => clock.pass(5_000));
});

test("a probe that throws an unexpected error is repeated", async () => {
  const clock = handClock();
  const answer = { how: (): ReturnType<OutgoingCaller> => Promise.reject(new TypeError("a mistake")), probes: 0 };
  await using server = await startApiServer({ clock, outgoing: caller(answer), report: () => {} });
  await register(server);
  while (answer.probes === 0) await new Promise((resolve) => setImmediate(resolve));
  answer.how = () => well({ method: "GET", url: "", headers: {} });
  await says(server, "all checks passed", () => clock.pass(5_000));
});
