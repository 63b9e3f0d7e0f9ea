import assert from "node:assert/strict";
import { test } from "node:test";
import type { Client } from "@capstan/client";
import type { BoundPod } from "../pod/containers.ts";
import { tokensOf } from "./tokens.ts";

const pod: BoundPod = {
  apiVersion: "v1",
  kind: "Pod",
  metadata: { name: "p", namespace: "n", uid: "u", resourceVersion: "1", creationTimestamp: "2030-01-01T00:00:00Z" },
  spec: { containers: [{ name: "main" }], serviceAccountName: "worker" },
};

test("a token is reused for most of its lifetime and then requested again", async () => {
  let wall = Date.parse("2030-01-01T00:00:00Z");
  let issued = 0;
  const createToken = async (): Promise<unknown> => {
    issued++;
    return { status: { token: `t${issued}`, expirationTimestamp: new Date(wall + 1_000_000).toISOString() } };
  };
  const clock = { now: () => wall, wall: () => wall, later: () => ({ cancel: () => undefined }) };
  const tokens = tokensOf({ createToken } as unknown as Client, clock);
  const wanted = { path: "token", expirationSeconds: 1000 };
  assert.equal(await tokens.tokenFor(pod, wanted), "t1");
  wall += 799_000;
  assert.equal(await tokens.tokenFor(pod, wanted), "t1");
  wall += 2000;
  assert.equal(await tokens.tokenFor(pod, wanted), "t2");
  tokens.drop("u");
  assert.equal(await tokens.tokenFor(pod, wanted), "t3");
});
