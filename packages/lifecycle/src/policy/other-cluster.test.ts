import assert from "node:assert/strict";
import { once } from "node:events";
import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import { test, type TestContext } from "node:test";
import { chooseContext, createClient, parseKubeconfig } from "@capstan/client";
import { apiOf } from "@capstan/runtime";
import { clusterOf } from "../cluster/cluster.ts";
import { Subscription } from "../kinds/subscription.ts";
import { reasonOf } from "./other-cluster.ts";

/** What the condition says of a server with this answer. */
async function said(t: TestContext, status: number, body: string): Promise<string> {
  const server = createServer((_, response) => response.writeHead(status).end(body));
  server.listen(0, "127.0.0.1");
  t.after(() => server.close());
  await once(server, "listening");
  const kubeconfig = {
    "current-context": "a",
    contexts: [{ name: "a", context: { cluster: "a", user: "a" } }],
    clusters: [{ name: "a", cluster: { server: `http://127.0.0.1:${(server.address() as AddressInfo).port}` } }],
    users: [{ name: "a", user: {} }],
  };
  await using client = createClient(chooseContext(await parseKubeconfig(JSON.stringify(kubeconfig), "test")));
  try {
    const found = await clusterOf(apiOf(client)).get(Subscription, { namespace: "shop", name: "foo" });
    return found?.status?.installedCSV ?? "nothing";
  } catch (error) {
    return reasonOf(error);
  }
}

test("what a server says that is no API server is not repeated in the condition", async (t) => {
  for (const [status, body] of [
    [200, "password=secret"],
    [200, "{password=secret}"],
    [404, "password=secret"],
    [403, '{"password":"secret"}'],
  ] as const) {
    const message = await said(t, status, body);
    assert.match(message, /does not answer as a Kubernetes API server/u, `${status} ${body}`);
    assert.doesNotMatch(message, /secret/u);
  }
});

test("what an API server refuses is in the condition", async (t) => {
  const status = { kind: "Status", apiVersion: "v1", status: "Failure", reason: "Forbidden", code: 403 };
  const message = await said(t, 403, JSON.stringify({ ...status, message: "subscriptions is forbidden" }));
  assert.match(message, /subscriptions is forbidden/u);
});
