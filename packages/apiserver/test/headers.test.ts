/** Headers that caches go by, as kube-apiserver 1.36.3 sends them. */
import assert from "node:assert/strict";
import { test } from "node:test";
import { startApiServer } from "../src/index.ts";

test("only documents that are there in several forms vary with what is accepted", async () => {
  await using server = await startApiServer();
  const varies = async (path: string, accept = "application/json"): Promise<string | null> => {
    const response = await server.fetch(new Request(`http://in-process${path}`, { headers: { accept } }));
    await response.text();
    return response.headers.get("vary");
  };
  const aggregated = "application/json;g=apidiscovery.k8s.io;v=v2;as=APIGroupDiscoveryList";
  for (const path of ["/api", "/apis", "/openapi/v3", "/version", "/"]) assert.equal(await varies(path), null, path);
  assert.equal(await varies("/apis", "application/yaml"), null);
  assert.equal(await varies("/apis", aggregated), "Accept");
  assert.equal(await varies("/openapi/v3/apis/apps/v1"), "Accept");
  assert.equal(await varies("/openapi/v2"), "Accept-Encoding, Accept");
  assert.equal(await varies("/openapi/v2", "text/html"), "Accept-Encoding, Accept");
});

test("all groups at once come as YAML as well", async () => {
  await using server = await startApiServer();
  const form = "g=apidiscovery.k8s.io;v=v2;as=APIGroupDiscoveryList";
  const asked = new Request("http://in-process/api", { headers: { accept: `application/yaml;${form}` } });
  const response = await server.fetch(asked);
  assert.equal(response.headers.get("content-type"), `application/yaml;${form}`);
  assert.match(await response.text(), /^apiVersion: apidiscovery\.k8s\.io\/v2\nitems:\n- metadata: \{\}\n/);
});

test("the list of paths is JSON in lines, whatever is accepted", async () => {
  await using server = await startApiServer();
  const asked = new Request("http://in-process/?pretty=0", { headers: { accept: "application/yaml" } });
  const response = await server.fetch(asked);
  assert.equal(response.headers.get("content-type"), "application/json");
  assert.match(await response.text(), /^\{\n {2}"paths": \[\n {4}"\/\.well-known\/openid-configuration",\n/);
});
