/** The proxies of pods and services: links in proxied pages are rewritten. */
import assert from "node:assert/strict";
import { test } from "node:test";
import { startApiServer } from "../src/index.ts";
import { ask } from "./ask.ts";

test("links of a proxied page lead through the proxy", async () => {
  const asked: unknown[] = [];
  await using server = await startApiServer({
    nodes: {
      async handOver(node, request) {
        asked.push([node, request]);
        return {
          status: 200,
          headers: { "content-type": "text/html" },
          body: '<a href="/x"><a href="http://10.1.2.3:8080/y">',
        };
      },
    },
  });
  const pods = "/api/v1/namespaces/default/pods";
  const spec = { nodeName: "n", containers: [{ name: "c", image: "i", ports: [{ containerPort: 8080 }] }] };
  await ask(server, "POST", "/api/v1/namespaces/default/serviceaccounts", { metadata: { name: "default" } });
  const made = await ask(server, "POST", pods, { metadata: { name: "p" }, spec });
  assert.equal(made.status, 201, made.text);
  const status = { podIP: "10.1.2.3", podIPs: [{ ip: "10.1.2.3" }] };
  assert.equal((await ask(server, "PUT", `${pods}/p/status`, { ...(made.body as object), status })).status, 200);
  const { text } = await ask(server, "GET", `${pods}/p/proxy/index.html`);
  const pod = { namespace: "default", name: "p" };
  assert.deepEqual(asked, [["n", { verb: "proxy", pod, scheme: "http", port: "8080", path: "/index.html" }]]);
  assert.equal(text, `<a href="${pods}/p/proxy/x"><a href="${pods}/p/proxy/y">`);
});

test("the proxy of a service connects to a pod of its Endpoints by port or name", async () => {
  const asked: unknown[] = [];
  await using server = await startApiServer({
    nodes: {
      async handOver(node, request) {
        asked.push([node, request]);
        return { status: 200, headers: { "content-type": "text/plain" }, body: "here" };
      },
    },
  });
  const space = "/api/v1/namespaces/default";
  await ask(server, "POST", `${space}/serviceaccounts`, { metadata: { name: "default" } });
  const spec = { nodeName: "n", containers: [{ name: "c", image: "i" }] };
  const made = await ask(server, "POST", `${space}/pods`, { metadata: { name: "p" }, spec });
  const status = { podIP: "10.1.2.3", podIPs: [{ ip: "10.1.2.3" }] };
  await ask(server, "PUT", `${space}/pods/p/status`, { ...(made.body as object), status });
  const ports = [
    { name: "web", port: 80 },
    { name: "other", port: 81 },
  ];
  await ask(server, "POST", `${space}/services`, { metadata: { name: "s" }, spec: { ports } });
  const targetRef = { kind: "Pod", namespace: "default", name: "p" };
  const subsets = [
    { addresses: [{ ip: "10.9.9.9", targetRef }], ports: [{ name: "web", port: 7 }] },
    { addresses: [{ ip: "10.1.2.3", targetRef }], ports: [{ name: "web", port: 8080 }] },
  ];
  await ask(server, "POST", `${space}/endpoints`, { metadata: { name: "s" }, subsets });
  for (const id of ["s:80", "s:web", "https:s:web"]) {
    assert.equal((await ask(server, "GET", `${space}/services/${id}/proxy/x?y=1`)).text, "here");
  }
  const to = { verb: "proxy", pod: { namespace: "default", name: "p" }, port: "8080", path: "/x?y=1" };
  assert.deepEqual(asked, [
    ["n", { ...to, scheme: "http" }],
    ["n", { ...to, scheme: "http" }],
    ["n", { ...to, scheme: "https" }],
  ]);
  assert.equal((await ask(server, "GET", `${space}/services/s/proxy/`)).status, 503, "no port is without a name");
});
