/** Pages about the server: /statusz, /flagz, /metrics/slis, and the ETag of discovery. */
import assert from "node:assert/strict";
import { test } from "node:test";
import { startApiServer } from "../src/index.ts";
import { ask } from "./ask.ts";

test("status pages are text by default, and objects for versioned media types", async () => {
  await using server = await startApiServer();
  const asked = async (path: string, accept: string): Promise<Response> =>
    server.fetch(new Request(`http://in-process${path}`, { headers: { accept } }));
  assert.match((await ask(server, "GET", "/statusz")).text, /^\napiserver statusz\nWarning: .*\n\nStarted: /);
  assert.match((await ask(server, "GET", "/flagz")).text, /\nauthorization-mode:\[Node,RBAC\]\n/);
  const status = await asked("/statusz", "application/json;v=v1beta1;g=config.k8s.io;as=Statusz");
  const { kind, apiVersion, metadata, binaryVersion, paths } = (await status.json()) as { [field: string]: unknown };
  assert.deepEqual(
    { kind, apiVersion, metadata, binaryVersion, paths },
    {
      kind: "Statusz",
      apiVersion: "config.k8s.io/v1beta1",
      metadata: { name: "apiserver" },
      binaryVersion: "1.36.3",
      paths: ["/flagz", "/healthz", "/livez", "/metrics", "/readyz", "/statusz", "/version"],
    },
  );
  const old = await asked("/flagz", "application/yaml;v=v1alpha1;g=config.k8s.io;as=Flagz");
  assert.match(old.headers.get("warning") ?? "", /flagz endpoint is deprecated/);
  assert.match(await old.text(), /^apiVersion: config\.k8s\.io\/v1alpha1\nflags:\n/);
});

test("/metrics/slis has a metric for every health check", async () => {
  await using server = await startApiServer();
  const { text } = await ask(server, "GET", "/metrics/slis");
  assert.match(text, /\nkubernetes_healthcheck\{name="etcd",type="readyz"\} 1\n/);
});

test("aggregated discovery of the core group has the ETag of kube-apiserver 1.36.3", async () => {
  await using server = await startApiServer();
  const accept = "application/json;g=apidiscovery.k8s.io;v=v2;as=APIGroupDiscoveryList";
  const tag =
    '"4D7E1BED90B364BC86049DD9E636494980AEF65B7F8CFAA267616FA062B514A8A3CC2C2851CC9337B8D28B4C80960E2353DE5E0B152E87CC223E02EA3C5C37AC"';
  const response = await server.fetch(new Request("http://in-process/api", { headers: { accept } }));
  assert.equal(response.headers.get("etag"), tag);
  const again = await server.fetch(new Request("http://in-process/api", { headers: { accept, "if-none-match": tag } }));
  assert.equal(again.status, 304);
});
