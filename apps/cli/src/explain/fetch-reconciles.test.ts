import assert from "node:assert/strict";
import { once } from "node:events";
import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import { test, type TestContext } from "node:test";
import { fetchReconciles } from "./fetch-reconciles.ts";

/** An endpoint with the same response to every request. */
async function address(t: TestContext, status: number, body: string): Promise<string> {
  const server = createServer((_request, response) => void response.writeHead(status).end(body)).listen(0, "127.0.0.1");
  await once(server, "listening");
  t.after(() => (server.close(), server.closeAllConnections()));
  return `127.0.0.1:${(server.address() as AddressInfo).port}`;
}

const object = { controller: "lamp", namespace: "default", name: "a" };

test("a rejected request fails with the operator's message, not as unknown", async (t) => {
  const at = await address(
    t,
    403,
    "Explanations are given only to who asks from within the pod: use kubectl port-forward.\n",
  );
  await assert.rejects(fetchReconciles({ ...object, address: at }), {
    code: "Cluster",
    message: `the operator at ${at} refuses to explain (403): Explanations are given only to who asks from within the pod: use kubectl port-forward.`,
  });
});

test("an object without reconciles is not known", async (t) => {
  await assert.rejects(fetchReconciles({ ...object, address: await address(t, 404, "") }), {
    code: "Failed",
    message: /nothing is known about lamp default\/a/,
  });
});

test("a 404 of the operator fails with the operator's message", async (t) => {
  await assert.rejects(
    fetchReconciles({ ...object, address: await address(t, 404, "There is no Lamp default/a.\n") }),
    {
      code: "Failed",
      message: "there is no Lamp default/a",
    },
  );
});

test("reconciles are returned as the operator reports them", async (t) => {
  assert.deepEqual(
    await fetchReconciles({ ...object, address: await address(t, 200, '{"reconciles":[{"outcome":"done"}]}') }),
    [{ outcome: "done" }],
  );
});
