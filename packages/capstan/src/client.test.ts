import assert from "node:assert/strict";
import { test } from "node:test";
import { startApiServer } from "@capstan/apiserver";
import { isApiError, toMilliseconds } from "capstan";
import type { Duration } from "capstan";
import { ApiError, createClient, inProcess, metadataOnly, noRetry } from "capstan/client";
import { ConfigMap } from "capstan/kinds/v1";

test("the facade exports a client for other calls, and error codes", async () => {
  const client = createClient(inProcess((await startApiServer()).fetch));
  const config = { namespace: "default", name: "settings" };
  const missing = await client.get(ConfigMap, config).catch((error: unknown) => error);
  assert.ok(isApiError(missing, "NotFound") && missing instanceof ApiError);
  await client.create(ConfigMap, { metadata: config, data: { a: "b" } });
  assert.equal((await client.get(ConfigMap, config)).data?.["a"], "b");
  await client.close();
});

test("a caller can request only metadata, and disable retries", async () => {
  let asked = 0;
  const server = await startApiServer();
  const client = createClient(
    inProcess(async (request) => {
      asked += 1;
      return asked === 1
        ? new Response("busy", { status: 503, headers: { "Retry-After": "1" } })
        : server.fetch(request);
    }),
    { retry: noRetry },
  );
  const config = { namespace: "default", name: "settings" };
  await assert.rejects(client.get(ConfigMap, config), ApiError);
  assert.equal(asked, 1);
  await client.create(ConfigMap, { metadata: config, data: { a: "b" } });
  const known = await client.get(metadataOnly(ConfigMap), config);
  assert.deepEqual([known.kind, known.metadata.name, "data" in known], ["PartialObjectMetadata", "settings", false]);
  await client.close();
});

test("durations are parsed as the runtime parses them", () => {
  const pause: Duration = "1h30m";
  assert.equal(toMilliseconds(pause), 5_400_000);
});
