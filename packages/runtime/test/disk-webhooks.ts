/** A kind with webhooks and versions, and the requests of a server for them. */
import { defineResource, s } from "@capstan/schema";
import type { Resource } from "@capstan/schema";
import { silentLog } from "../src/log.ts";
import { Registry } from "../src/metrics/registry.ts";
import { VirtualClock } from "../src/testing/clock.ts";
import { webhookHandler } from "../src/webhook/handler.ts";
import { webhookPaths } from "../src/webhook/paths.ts";
import type { WebhookHandler } from "../src/webhook/handler.ts";
import { webhookMeter } from "../src/webhook/meter.ts";

export const Disk = defineResource({
  group: "example.com",
  kind: "Disk",
  versions: {
    v1: { spec: s.object({ gigabytes: s.int32().default(4) }) },
    v2: { spec: s.object({ size: s.string() }), storage: true },
    v3: { spec: s.object({ bytes: s.int64().default(1) }) },
  },
  convert: {
    "v1->v2": ({ gigabytes }) => ({ size: `${gigabytes}Gi` }),
    "v2->v1": ({ size }) => ({ gigabytes: Number.parseInt(size, 10) }),
    "v3->v2": ({ bytes }) => ({ size: `${bytes / 2 ** 30}Gi` }),
    "v2->v3": ({ size }) => ({ bytes: Number.parseInt(size, 10) * 2 ** 30 }),
  },
  default: (draft) => {
    draft.spec.size ??= "1Gi";
  },
  validate: ({ object, reject, operation }) => {
    if (object.spec.size === "0Gi") reject("spec.size", "is nothing");
    if (object.spec.size === "bug") throw new Error("oops");
    if (operation === "delete") reject("metadata.finalizers", "still needed");
  },
}) as unknown as Resource;

export function handler(registry = new Registry()): WebhookHandler {
  const resources = [Disk];
  const meter = webhookMeter(registry, webhookPaths(resources));
  return webhookHandler({ resources, clock: new VirtualClock(), log: silentLog, meter });
}

export function post(path: string, body: unknown, type = "application/json"): Request {
  const text = typeof body === "string" ? body : JSON.stringify(body);
  return new Request(`https://webhooks${path}?timeout=5s`, {
    method: "POST",
    headers: { "content-type": type },
    body: text,
  });
}

export const disk = (spec: object | undefined, version = "v2"): object => ({
  apiVersion: `example.com/${version}`,
  kind: "Disk",
  metadata: { name: "d", namespace: "n", uid: "u" },
  ...(spec === undefined ? {} : { spec }),
});

export const admission = (request: object): object => ({
  apiVersion: "admission.k8s.io/v1",
  kind: "AdmissionReview",
  request: { uid: "1", operation: "CREATE", name: "d", namespace: "n", object: null, oldObject: null, ...request },
});

export const conversion = (to: string, ...objects: readonly object[]): object => ({
  apiVersion: "apiextensions.k8s.io/v1",
  kind: "ConversionReview",
  request: { uid: "2", desiredAPIVersion: to, objects },
});
