/** Requests of the API server to webhooks and conversions, and their responses. */
import assert from "node:assert/strict";
import { describe, test } from "node:test";
import { jsonPatchBetween } from "@capstan/client";
import type { Json, KubeObject } from "@capstan/model";
import { applyJsonPatch } from "@capstan/patch";
import { defineResource, s } from "@capstan/schema";
import type { Resource } from "@capstan/schema";
import fc from "fast-check";
import { silentLog } from "../log.ts";
import { Registry } from "../metrics/registry.ts";
import { VirtualClock } from "../testing/clock.ts";
import { defaulting } from "./admit.ts";
import { webhookHandler } from "./handler.ts";
import { webhookPaths } from "./paths.ts";
import { webhookMeter } from "./meter.ts";
import { Disk, handler, post, disk, admission, conversion } from "../../test/disk-webhooks.ts";
import { validating } from "./admit.ts";

describe("the handler", () => {
  test("returns a patch with defaults, and none when nothing is missing", async () => {
    const path = "/mutate-example-com-v2-disk";
    const ask = async (object: object): Promise<unknown> => (await handler()(post(path, admission({ object })))).json();
    const patch = Buffer.from(JSON.stringify([{ op: "add", path: "/spec/size", value: "1Gi" }])).toString("base64");
    assert.deepEqual(await ask(disk({})), {
      kind: "AdmissionReview",
      apiVersion: "admission.k8s.io/v1",
      response: { uid: "1", allowed: true, patchType: "JSONPatch", patch },
    });
    assert.deepEqual(await ask(disk({ size: "2Gi" })), {
      kind: "AdmissionReview",
      apiVersion: "admission.k8s.io/v1",
      response: { uid: "1", allowed: true },
    });
  });

  test("fails if a default function leaves invalid JSON or nothing", async () => {
    const wrong: readonly (readonly [string, (draft: { spec?: unknown }) => unknown])[] = [
      ["spec.size is NaN, which JSON does not have", (draft) => void (draft.spec = { size: Number.NaN })],
      ["spec is a Map, which JSON does not have", (draft) => void (draft.spec = new Map())],
      ["spec.size is a function, which JSON does not have", (draft) => void (draft.spec = { size: () => "" })],
      ["it took the spec away", (draft) => void delete draft.spec],
      ["it answered another object, which is ignored", (draft) => ({ ...draft, spec: {} })],
    ];
    for (const [told, fill] of wrong) {
      const resource = { ...Disk, hooks: { default: fill } } as unknown as Resource;
      const admit = defaulting(resource);
      const request = { uid: "1", operation: "CREATE", name: "d", namespace: "n", oldObject: undefined } as const;
      const object = disk({ size: "3Gi" }) as KubeObject;
      await assert.rejects(admit({ ...request, object }, AbortSignal.any([])), (error: Error) => {
        assert.ok(error.message.startsWith(`The default function of Disk failed: ${told}`), error.message);
        return true;
      });
    }
  });

  test("rejects with a Status like that of the server", async () => {
    const review = admission({ object: disk({ size: "0Gi" }) });
    const answer = (await (await handler()(post("/validate-example-com-v2-disk", review))).json()) as {
      response: { allowed: boolean; status: object };
    };
    assert.equal(answer.response.allowed, false);
    assert.partialDeepStrictEqual(answer.response.status, {
      code: 422,
      reason: "Invalid",
      message: 'Disk.example.com "d" is invalid: spec.size: Invalid value: "0Gi": is nothing',
      details: { causes: [{ field: "spec.size", reason: "FieldValueInvalid" }] },
    });
  });

  test("shows the deleted object to a webhook function", async () => {
    const review = admission({ operation: "DELETE", oldObject: disk({ size: "1Gi" }) });
    const answer = (await (await handler()(post("/validate-example-com-v2-disk", review))).json()) as {
      response: { status: { message: string } };
    };
    assert.match(answer.response.status.message, /metadata\.finalizers: Required value: still needed/u);
  });

  test("converts through the storage version, with defaults in the spec", async () => {
    const ask = async (to: string, ...objects: readonly object[]): Promise<unknown> =>
      (await handler()(post("/convert", conversion(to, ...objects)))).json();
    assert.deepEqual(await ask("example.com/v3", disk({ gigabytes: 2 }, "v1"), disk({ size: "1Gi" })), {
      kind: "ConversionReview",
      apiVersion: "apiextensions.k8s.io/v1",
      response: {
        uid: "2",
        convertedObjects: [disk({ bytes: 2 ** 31 }, "v3"), disk({ bytes: 2 ** 30 }, "v3")],
        result: { status: "Success" },
      },
    });
    assert.partialDeepStrictEqual(await ask("example.com/v2", disk({}, "v1"), disk(undefined, "v1")), {
      response: { convertedObjects: [disk({ size: "4Gi" }), disk(undefined)] },
    });
    assert.partialDeepStrictEqual(await ask("example.com/v9", disk({}, "v1")), {
      response: {
        convertedObjects: [],
        result: {
          status: "Failure",
          message: "could not convert Disk n/d from example.com/v1 to example.com/v9: Disk has the versions v1, v2, v3",
        },
      },
    });
  });

  test("reports an invalid call with a message and a status code", async () => {
    const registry = new Registry();
    const ask = handler(registry);
    const path = "/validate-example-com-v2-disk";
    const statusOf = async (request: Request): Promise<number> => (await ask(request)).status;
    assert.equal(await statusOf(post("/nowhere", {})), 404);
    assert.equal(await statusOf(new Request(`https://webhooks${path}`)), 405);
    assert.equal(await statusOf(post(path, {}, "text/plain")), 415);
    assert.equal(await statusOf(post(path, "{")), 400);
    assert.equal(await statusOf(post(path, conversion("example.com/v2"))), 400);
    assert.equal(await statusOf(post(path, admission({ operation: "GUESS" }))), 400);
    assert.equal(await statusOf(post(path, admission({ object: disk({}, "v1") }))), 400);
    assert.equal(await statusOf(post(path, admission({ object: disk({ size: "bug" }) }))), 500);
    const text = registry.text();
    assert.match(text, /^controller_runtime_webhook_panics_total 1$/mu);
    assert.match(
      text,
      /^controller_runtime_webhook_requests_in_flight\{webhook="\/validate-example-com-v2-disk"\} 0$/mu,
    );
    assert.match(text, /^controller_runtime_webhook_latency_seconds_count\{webhook="\/validate-[^}]*"\} 7$/mu);
  });
});

test("a patch converts any object into any other", () => {
  const value = fc.object({
    key: fc.string({ maxLength: 3 }),
    maxDepth: 3,
    values: [fc.integer(), fc.string(), fc.constant(null)],
  });
  fc.assert(
    fc.property(value, value, (before, after) => {
      const [from, to] = [before, after].map((one) => JSON.parse(JSON.stringify(one)) as Json) as [Json, Json];
      assert.deepEqual(applyJsonPatch(from, jsonPatchBetween(from, to) as unknown as Json), to);
    }),
  );
});

describe("a webhook function that hangs", () => {
  const told: unknown[] = [];
  const hang = (signal: AbortSignal): Promise<void> => {
    signal.addEventListener("abort", () => told.push(signal.reason.code));
    return new Promise<void>(() => undefined);
  };
  const Slow = defineResource({
    group: "example.com",
    version: "v1",
    kind: "Slow",
    spec: s.object({}),
    validate: ({ signal }) => hang(signal),
    default: (_draft, { signal }) => hang(signal),
  }) as unknown as Resource;
  const object = { apiVersion: "example.com/v1", kind: "Slow", metadata: { name: "a" }, spec: {} };
  const request = { uid: "u", operation: "CREATE", name: "a", namespace: "", object };
  const review = { apiVersion: "admission.k8s.io/v1", kind: "AdmissionReview", request };
  const open = () => {
    const clock = new VirtualClock();
    const meter = webhookMeter(new Registry(), webhookPaths([Slow]));
    return { clock, answer: webhookHandler({ resources: [Slow], clock, log: silentLog, meter }) };
  };

  for (const verb of ["validate", "mutate"]) {
    test(`is answered within the timeout, so that the failure policy decides: ${verb}`, async () => {
      const { clock, answer } = open();
      const said: number[] = [];
      told.length = 0;
      const call = answer(post(`/${verb}-example-com-v1-slow`, review)).then(async (response) => {
        said.push(response.status);
        return await response.text();
      });
      await clock.advance(4_400);
      assert.deepEqual([said, told], [[], []]);
      await clock.advance(101);
      assert.match(await call, /^The hook did not answer within 4500 ms\. Do less in it, or give it more time/u);
      assert.deepEqual([said, told], [[504], ["TooSlow"]]);
    });
  }

  test("is aborted when the caller disconnects", async () => {
    const { clock, answer } = open();
    told.length = 0;
    const caller = new AbortController();
    const call = answer(new Request(post("/validate-example-com-v1-slow", review), { signal: caller.signal }));
    await clock.advance(10);
    caller.abort();
    assert.equal((await call).status, 504);
    assert.deepEqual(told, ["TooSlow"]);
  });
});

test("a validate function that returns a value fails instead of accepting", async () => {
  for (const [result, told] of [
    [false, "false"],
    ["too large", '"too large"'],
    [{ allowed: false }, "an object"],
  ] as const) {
    const odd = defineResource({
      group: "example.com",
      version: "v1",
      kind: "Odd",
      spec: s.object({}),
      // @ts-expect-error a result would not be looked at
      validate: () => result,
    });
    const object = { apiVersion: "example.com/v1", kind: "Odd", metadata: { name: "a" }, spec: {} };
    const review = { uid: "u", operation: "CREATE", name: "a", object, oldObject: undefined } as never;
    await assert.rejects(validating(odd as never)(review, new AbortController().signal), (error: Error) => {
      assert.match(error.message, /^The validate function of Odd failed: it returned .* Call reject\(field, reason\)/u);
      assert.ok(error.message.includes(told), error.message);
      return true;
    });
  }
});
