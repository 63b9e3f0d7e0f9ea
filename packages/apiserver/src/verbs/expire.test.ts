import assert from "node:assert/strict";
import { test } from "node:test";
import { systemClock, type Clock } from "../clock.ts";
import type { ServerParts } from "../parts.ts";
import type { ServedResource } from "../resources/resource.ts";
import { Store } from "../store/store.ts";
import { expireLater } from "./expire.ts";

test("an object expires, unless it was written again", () => {
  const waiting: (() => void)[] = [];
  const clock: Clock = { now: () => 0, wall: () => 0, later: (_, run) => (waiting.push(run), { cancel: () => {} }) };
  const store = new Store({ clock: systemClock });
  const resource = { storage: "events", rules: { timeToLive: () => 60 } } as unknown as ServedResource;
  const exchange = { resource, parts: { clock, store } as unknown as ServerParts };
  const write = (): void =>
    expireLater(exchange, store.put("events", "ns/a", { kind: "Event", apiVersion: "v1", metadata: { name: "a" } }));
  write();
  write();
  waiting[0]?.();
  assert.notEqual(store.get("events", "ns/a"), undefined);
  waiting[1]?.();
  assert.equal(store.get("events", "ns/a"), undefined);
});
