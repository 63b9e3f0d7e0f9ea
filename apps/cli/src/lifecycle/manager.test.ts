import assert from "node:assert/strict";
import { once } from "node:events";
import { createServer, type IncomingHttpHeaders } from "node:http";
import type { AddressInfo } from "node:net";
import { test } from "node:test";
import { chooseContext, createClient, parseKubeconfig } from "@capstan/client";
import { ConfigMap } from "@capstan/kinds/v1";
import { openSetting } from "./manager.ts";

test("a service account is impersonated by its name alone, without groups", async (t) => {
  const seen: IncomingHttpHeaders[] = [];
  const server = createServer((request, response) => {
    seen.push(request.headers);
    const found = { kind: "ConfigMap", apiVersion: "v1", metadata: { name: "settings", namespace: "shop" } };
    response.writeHead(200, { "content-type": "application/json" }).end(JSON.stringify(found));
  });
  server.listen(0, "127.0.0.1");
  t.after(() => server.close());
  await once(server, "listening");
  const { port } = server.address() as AddressInfo;
  const kubeconfig = {
    "current-context": "a",
    contexts: [{ name: "a", context: { cluster: "a", user: "a" } }],
    clusters: [{ name: "a", cluster: { server: `http://127.0.0.1:${port}` } }],
    users: [{ name: "a", user: {} }],
  };
  const config = chooseContext(await parseKubeconfig(JSON.stringify(kubeconfig), "test"));
  await using client = createClient(config);
  await using opened = openSetting({ client, config, namespace: "olm" });
  const scoped = opened.setting.as({ namespace: "shop", name: "installer" });
  assert.ok(await scoped.get(ConfigMap, { namespace: "shop", name: "settings" }));
  const [headers] = seen;
  assert.equal(headers?.["impersonate-user"], "system:serviceaccount:shop:installer");
  assert.equal(headers["impersonate-group"], undefined);
});
