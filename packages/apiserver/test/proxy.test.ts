/** The proxies of pods and services: pages that come through them have links that lead through them. */
import assert from "node:assert/strict";
import { test } from "node:test";
import { startApiServer } from "../src/index.ts";
import { ask } from "./ask.ts";

test("links of a page behind a pod's proxy lead through the proxy", async () => {
  const asked: string[] = [];
  await using server = await startApiServer({
    nodes: {
      async handOver(node, path) {
        asked.push(`${node} ${path}`);
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
  assert.deepEqual(asked, ["n /proxy/default/p:8080/index.html"]);
  assert.equal(text, `<a href="${pods}/p/proxy/x"><a href="${pods}/p/proxy/y">`);
});
