/** Response headers as kube-apiserver 1.36.3 sends them. */
import assert from "node:assert/strict";
import { test } from "node:test";
import { startApiServer } from "../src/index.ts";

test("only documents with several media types vary by Accept", async () => {
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

test("aggregated discovery is also served as YAML", async () => {
  await using server = await startApiServer();
  const form = "g=apidiscovery.k8s.io;v=v2;as=APIGroupDiscoveryList";
  const asked = new Request("http://in-process/api", { headers: { accept: `application/yaml;${form}` } });
  const response = await server.fetch(asked);
  assert.equal(response.headers.get("content-type"), `application/yaml;${form}`);
  assert.match(await response.text(), /^apiVersion: apidiscovery\.k8s\.io\/v2\nitems:\n- metadata: \{\}\n/);
});

test("the list of paths is indented JSON for every Accept header", async () => {
  await using server = await startApiServer();
  const asked = new Request("http://in-process/?pretty=0", { headers: { accept: "application/yaml" } });
  const response = await server.fetch(asked);
  assert.equal(response.headers.get("content-type"), "application/json");
  assert.match(await response.text(), /^\{\n {2}"paths": \[\n {4}"\/\.well-known\/openid-configuration",\n/);
});

test("authorization errors and /livez have the header nosniff", async () => {
  await using server = await startApiServer();
  const sniffing = async (path: string, init: RequestInit = {}): Promise<string> => {
    const response = await server.fetch(new Request(`http://in-process${path}`, init));
    await response.text();
    return `${response.status} ${response.headers.get("x-content-type-options")}`;
  };
  const nobody = { headers: { authorization: "" } };
  assert.equal(await sniffing("/api/v1/pods", nobody), "403 nosniff");
  assert.equal(await sniffing("/metrics", nobody), "403 nosniff");
  assert.equal(await sniffing("/api/v1/namespaces/default", { method: "DELETE" }), "403 null");
  assert.equal(await sniffing("/livez"), "200 nosniff");
  assert.equal(await sniffing("/livez/ping"), "200 null");
  assert.equal(await sniffing("/statusz", { headers: { accept: "text/plain" } }), "200 null");
});

test("responses have the UIDs of their flow schema and priority level", async () => {
  await using server = await startApiServer();
  const ask = (path: string, init: RequestInit = {}): Promise<Response> =>
    server.fetch(new Request(`http://in-process${path}`, init));
  const flowcontrol = "/apis/flowcontrol.apiserver.k8s.io/v1";
  const nameOf = async (resource: string, uid: string | null): Promise<string | undefined> => {
    const list = (await (await ask(`${flowcontrol}/${resource}`)).json()) as {
      items: { metadata: { name: string; uid: string } }[];
    };
    return list.items.find(({ metadata }) => metadata.uid === uid)?.metadata.name;
  };
  const flow = async (path: string, headers: { [name: string]: string } = {}): Promise<string> => {
    const response = await ask(path, { headers });
    await response.text();
    const schema = response.headers.get("x-kubernetes-pf-flowschema-uid");
    const level = response.headers.get("x-kubernetes-pf-prioritylevel-uid");
    return `${await nameOf("flowschemas", schema)} ${await nameOf("prioritylevelconfigurations", level)}`;
  };
  const as = (user: string): { [name: string]: string } => ({ "impersonate-user": user });
  assert.equal(await flow("/api/v1/pods"), "exempt exempt");
  assert.equal(await flow("/api/v1/pods", as("somebody")), "global-default global-default");
  assert.equal(await flow("/healthz", as("somebody")), "probes exempt");
  assert.equal(await flow("/api/v1/pods", as("system:serviceaccount:default:x")), "service-accounts workload-low");
  const lease = "/apis/coordination.k8s.io/v1/namespaces/kube-system/leases/kube-scheduler";
  assert.equal(await flow(lease, as("system:kube-scheduler")), "system-leader-election leader-election");
  assert.equal(await flow("/api/v1/pods", { authorization: "Bearer none" }), "undefined undefined");
  assert.equal(await flow("/api/v1/namespaces/default/pods/none/log"), "undefined undefined");
});

test("a flow schema applies at once, unless its priority level is missing", async () => {
  await using server = await startApiServer();
  const ask = (path: string, init: RequestInit = {}): Promise<Response> =>
    server.fetch(new Request(`http://in-process${path}`, init));
  const make = async (name: string, level: string): Promise<string> => {
    const body = JSON.stringify({
      metadata: { name },
      spec: {
        matchingPrecedence: 2,
        priorityLevelConfiguration: { name: level },
        rules: [
          {
            subjects: [{ kind: "User", user: { name: "somebody" } }],
            nonResourceRules: [{ verbs: ["get"], nonResourceURLs: ["/version/*"] }],
          },
        ],
      },
    });
    const init = { method: "POST", body, headers: { "content-type": "application/json" } };
    const made = await ask("/apis/flowcontrol.apiserver.k8s.io/v1/flowschemas", init);
    return ((await made.json()) as { metadata: { uid: string } }).metadata.uid;
  };
  const schemaOf = async (path: string): Promise<string | null> => {
    const response = await ask(path, { headers: { "impersonate-user": "somebody" } });
    await response.text();
    return response.headers.get("x-kubernetes-pf-flowschema-uid");
  };
  const before = await schemaOf("/version/x");
  await make("dangling", "none");
  assert.equal(await schemaOf("/version/x"), before);
  const uid = await make("whole", "workload-low");
  assert.equal(await schemaOf("/version/x"), uid);
  assert.equal(await schemaOf("/version"), before);
});
