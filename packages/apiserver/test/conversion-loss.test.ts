/** Conversion webhooks that fail on delete, list or watch: no object is lost, and the client gets the reason. */
import assert from "node:assert/strict";
import { test } from "node:test";
import { startApiServer, type ApiServer } from "../src/index.ts";
import { ask, askUntil } from "./ask.ts";
import { answerReview } from "./conversion/hook.ts";
import { definitionOf } from "./conversion/story.ts";

const group = "lost.example.org";
const definitions = "/apis/apiextensions.k8s.io/v1/customresourcedefinitions";
const cogs = (version: string, rest = ""): string => `/apis/${group}/${version}/namespaces/default/cogs${rest}`;

/** A server with a custom kind; its webhook fails while `isBroken` is set. */
async function withWebhook(): Promise<{ server: ApiServer; hook: { isBroken: boolean } }> {
  const hook = { isBroken: false };
  const server = await startApiServer({
    async outgoing({ body = "" }) {
      const headers = { "content-type": "application/json" };
      if (hook.isBroken) return { status: 500, headers, body: Buffer.from("{}") };
      const answer = answerReview(typeof body === "string" ? body : Buffer.from(body).toString());
      return { status: answer.status, headers, body: Buffer.from(answer.body) };
    },
  });
  const definition = definitionOf(group, { url: "https://127.0.0.1:1/convert" });
  assert.equal((await ask(server, "POST", definitions, definition)).status, 201);
  return { server, hook };
}

const names = (body: unknown): string[] =>
  (body as { items: { metadata: { name: string } }[] }).items.map(({ metadata }) => metadata.name);

/** The storage version does not need the webhook, the other one does. */
function versions(): { stored: string; other: string } {
  const { spec } = definitionOf(group, { url: "" }) as unknown as {
    spec: { versions: { name: string; storage: boolean }[] };
  };
  const name = (storage: boolean): string => spec.versions.find((one) => one.storage === storage)?.name ?? "";
  return { stored: name(true), other: name(false) };
}

/** A server with an object that its broken webhook cannot convert to the other version. */
async function withUnshownCog(stored: string): ReturnType<typeof withWebhook> {
  const { server, hook } = await withWebhook();
  const cog = { apiVersion: `${group}/${stored}`, kind: "Cog", metadata: { name: "a" } };
  assert.equal((await ask(server, "POST", cogs(stored), cog)).status, 201);
  hook.isBroken = true;
  return { server, hook };
}

/** A change of the CRD creates a new cache, which reads all existing objects. */
async function changeDefinition(server: ApiServer): Promise<void> {
  const path = `${definitions}/cogs.${group}`;
  const definition = (await ask(server, "GET", path)).body as { spec: { names: { shortNames?: string[] } } };
  definition.spec.names.shortNames = ["cg"];
  assert.equal((await ask(server, "PUT", path, definition)).status, 200);
  const discovery = `/apis/${group}/${versions().other}`;
  await askUntil(server, discovery, ({ text }) => text.includes('"shortNames":["cg"]'));
}

test("an object that cannot be converted cannot be deleted in that version", async () => {
  const { stored, other } = versions();
  const { server, hook } = await withUnshownCog(stored);
  await using _ = server;
  const refused = [await ask(server, "DELETE", cogs(other, "/a")), await ask(server, "DELETE", cogs(other))];
  assert.deepEqual(
    refused.map(({ status }) => status),
    [500, 500],
  );
  assert.match(refused[0]?.text ?? "", /conversion webhook for .* failed/);
  assert.deepEqual(names((await ask(server, "GET", cogs(stored))).body), ["a"]);
  hook.isBroken = false;
  assert.equal((await ask(server, "DELETE", cogs(other, "/a"))).status, 200);
  assert.deepEqual(names((await ask(server, "GET", cogs(stored))).body), []);
});

test("reads from the cache fail with the reason while an object cannot be converted", async () => {
  const { stored, other } = versions();
  const { server, hook } = await withUnshownCog(stored);
  await using _ = server;
  for (const query of ["", "?limit=5", "?limit=5&labelSelector=a"]) {
    const { status, body } = await ask(server, "GET", cogs(other, query));
    assert.equal(status, 500, query);
    assert.match((body as { message: string }).message, /^conversion webhook for .* failed/);
  }
  await changeDefinition(server);
  for (const query of ["?watch=true", "", "?limit=5&labelSelector=a", "?resourceVersion=0"]) {
    const { status, body } = await ask(server, "GET", cogs(other, query));
    assert.equal(status, 429, query);
    const { message } = body as { message: string };
    assert.match(
      message,
      /^storage is \(re\)initializing: failed to list .*, Kind=Cog: conversion webhook for .* failed/,
    );
  }
  assert.equal((await ask(server, "GET", cogs(other, "?limit=5"))).status, 500);
  hook.isBroken = false;
  assert.deepEqual(names((await ask(server, "GET", cogs(other))).body), ["a"]);
});

test("a cache stops before the first object that it cannot convert", async () => {
  const { stored, other } = versions();
  const { server, hook } = await withWebhook();
  await using _ = server;
  const make = (name: string): Promise<unknown> =>
    ask(server, "POST", cogs(stored), { apiVersion: `${group}/${stored}`, kind: "Cog", metadata: { name } });
  await make("before");
  assert.deepEqual(names((await ask(server, "GET", cogs(other))).body), ["before"]);
  hook.isBroken = true;
  await make("after");
  const old = await ask(server, "GET", cogs(other, "?resourceVersion=0"));
  assert.deepEqual([old.status, names(old.body)], [200, ["before"]]);
  const { resourceVersion } = (old.body as { metadata: { resourceVersion: string } }).metadata;
  const late = await ask(server, "GET", cogs(other, `?resourceVersion=${Number(resourceVersion) + 1}`));
  assert.equal(late.status, 504);
  assert.match(late.text, /Too large resource version: \d+, current: \d+/);
  const fresh = await ask(server, "GET", cogs(other, "?watch=true"));
  assert.equal(fresh.status, 200);
  assert.match(fresh.text, /^\{"type":"ERROR","object":\{.*"reason":"Timeout".*"code":504\}\}\n$/);
  const seen = await ask(server, "GET", cogs(other, "?watch=true&resourceVersion=0&timeoutSeconds=1"));
  assert.match(seen.text, /^\{"type":"ADDED","object":\{.*"name":"before".*\}\}\n$/);
  const nothing = await ask(
    server,
    "GET",
    cogs(other, `?watch=true&resourceVersion=${resourceVersion}&timeoutSeconds=1`),
  );
  assert.deepEqual([nothing.status, nothing.text], [200, ""]);
});

test("a GET calls the webhook again instead of using a cached conversion", async () => {
  const { stored, other } = versions();
  const { server, hook } = await withUnshownCog(stored);
  await using _ = server;
  hook.isBroken = false;
  assert.equal((await ask(server, "GET", cogs(other, "/a"))).status, 200);
  hook.isBroken = true;
  assert.equal((await ask(server, "GET", cogs(other, "/a"))).status, 500);
});

test("a conversion response without kind is reported as in Go", async () => {
  const { stored, other } = versions();
  await using server = await startApiServer({
    outgoing: async () => ({ status: 200, headers: { "content-type": "application/json" }, body: Buffer.from("{}") }),
  });
  const definition = definitionOf(group, { url: "https://127.0.0.1:1/convert" });
  assert.equal((await ask(server, "POST", definitions, definition)).status, 201);
  const cog = { apiVersion: `${group}/${stored}`, kind: "Cog", metadata: { name: "a" } };
  assert.equal((await ask(server, "POST", cogs(stored), cog)).status, 201);
  assert.match((await ask(server, "GET", cogs(other, "/a"))).text, /got \/, Kind="/);
});
