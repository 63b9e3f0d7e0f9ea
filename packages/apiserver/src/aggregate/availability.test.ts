import assert from "node:assert/strict";
import { test } from "node:test";
import { OutgoingError, type OutgoingAnswer, type OutgoingCall } from "../outgoing/outgoing.ts";
import type { RemoteService } from "./api-service.ts";
import { probe, type Finding } from "./availability.ts";

const service: RemoteService = {
  apiVersion: "apiregistration.k8s.io/v1",
  kind: "APIService",
  metadata: { name: "v1.example.com" },
  spec: {
    group: "example.com",
    version: "v1",
    groupPriorityMinimum: 1000,
    versionPriority: 15,
    service: { namespace: "extensions", name: "api" },
  },
};

const url = "https://api.extensions.svc:443/apis/example.com/v1";

/** Probes a server through the given `call`, with a clock that moves only when `pass` is called. */
function probing(call: (call: OutgoingCall) => Promise<OutgoingAnswer>): {
  readonly found: Promise<Finding>;
  readonly waits: readonly number[];
  readonly pass: () => void;
  readonly isCancelled: () => boolean;
} {
  const waits: number[] = [];
  let due = (): void => {};
  let isCancelled = false;
  const clock = {
    later(milliseconds: number, run: () => void) {
      waits.push(milliseconds);
      due = run;
      return { cancel: () => void (isCancelled = true) };
    },
  };
  const resolveService = (): { host: string; port: number } => ({ host: "127.0.0.1", port: 1 });
  const found = probe(service, { call, resolveService, identity: () => undefined, clock });
  return { found, waits, pass: () => due(), isCancelled: () => isCancelled };
}

const tooLate = {
  isAvailable: false,
  reason: "FailedDiscoveryCheck",
  message: `failing or missing response from ${url}: Get "${url}": context deadline exceeded (Client.Timeout exceeded while awaiting headers)`,
};

test("a server that never responds is unavailable after five seconds", async () => {
  const signals: (AbortSignal | undefined)[] = [];
  const { found, waits, pass } = probing(({ signal }) => {
    signals.push(signal);
    return new Promise(() => {});
  });
  await new Promise((resolve) => setImmediate(resolve));
  assert.deepEqual([waits, signals[0]?.aborted], [[5_000], false]);
  pass();
  assert.deepEqual(await found, tooLate);
  assert.equal(signals[0]?.aborted, true);
});

test("a cancelled call is reported as a timeout, and a late response is ignored", async () => {
  const cancelled = probing(
    ({ signal }) =>
      new Promise((_, reject) => {
        signal?.addEventListener("abort", () => reject(new OutgoingError("Cancelled", "context canceled")));
      }),
  );
  cancelled.pass();
  assert.deepEqual(await cancelled.found, tooLate);
  const { promise, resolve } = Promise.withResolvers<OutgoingAnswer>();
  const late = probing(() => promise);
  late.pass();
  resolve({ status: 200, headers: {}, body: Buffer.from("{}") });
  assert.deepEqual(await late.found, tooLate);
});

test("a response in time counts and leaves no timer behind", async () => {
  const { found, isCancelled } = probing(async () => ({ status: 200, headers: {}, body: Buffer.from("{}") }));
  const { isAvailable, reason } = await found;
  assert.deepEqual([isAvailable, reason, isCancelled()], [true, "Passed", true]);
  const broken = probing(() => Promise.reject(new TypeError("a mistake in the caller")));
  await assert.rejects(broken.found, TypeError);
  assert.equal(broken.isCancelled(), true);
});
