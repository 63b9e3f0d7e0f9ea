/** Property names of Object.prototype work like all other names. */
import assert from "node:assert/strict";
import { test } from "node:test";
import { startApiServer } from "../src/index.ts";

const names = ["constructor", "toString", "valueOf", "__proto__", "hasOwnProperty"];

test("keys of ConfigMaps and Secrets may equal property names of Object.prototype", async () => {
  await using server = await startApiServer({});
  const pairs = names.map((name) => `${JSON.stringify(name)}:"YQ=="`).join(",");
  for (const [path, kind] of [
    ["configmaps", "ConfigMap"],
    ["secrets", "Secret"],
  ] as const) {
    const body = `{"apiVersion":"v1","kind":"${kind}","metadata":{"name":"a"},"data":{${pairs}}}`;
    const url = `http://in-process/api/v1/namespaces/default/${path}`;
    const headers = { "content-type": "application/json" };
    const answer = await server.fetch(new Request(url, { method: "POST", headers, body }));
    const text = await answer.text();
    assert.equal(answer.status, 201, text);
    for (const name of names) assert.ok(text.includes(`${JSON.stringify(name)}:"YQ=="`), `${name} in ${text}`);
  }
});

test("kinds, versions, patch types and methods with such names do not cause a 500", async () => {
  await using server = await startApiServer({});
  const url = "http://in-process/api/v1/namespaces/default/configmaps";
  for (const name of names) {
    for (const [apiVersion, kind] of [
      ["v1", name],
      [name, "ConfigMap"],
      [name, name],
    ]) {
      const body = JSON.stringify({ apiVersion, kind, metadata: { name: "a" } });
      const headers = { "content-type": "application/json" };
      const answer = await server.fetch(new Request(url, { method: "POST", headers, body }));
      assert.equal(answer.status, 400, await answer.text());
    }
    const headers = { "content-type": name };
    const patched = await server.fetch(new Request(`${url}/a`, { method: "PATCH", headers, body: "{}" }));
    assert.equal(patched.status, 415, await patched.text());
    const asked = await server.fetch(new Request(url, { method: name }));
    assert.equal(asked.status, 405, await asked.text());
    const selected = await server.fetch(new Request(`${url}?fieldSelector=${name}%3Da`));
    assert.equal(selected.status, 400, await selected.text());
  }
});
