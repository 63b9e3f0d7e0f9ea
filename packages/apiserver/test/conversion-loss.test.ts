/** Webhooks that fail when something is deleted or watched: nothing is lost, and whoever asked learns why. */
import assert from "node:assert/strict";
import { test } from "node:test";
import { startApiServer, type ApiServer } from "../src/index.ts";
import { ask } from "./ask.ts";
import { answerReview } from "./conversion/hook.ts";
import { definitionOf } from "./conversion/story.ts";

const group = "lost.example.org";
const definitions = "/apis/apiextensions.k8s.io/v1/customresourcedefinitions";
const cogs = (version: string, rest = ""): string => `/apis/${group}/${version}/namespaces/default/cogs${rest}`;

/** A server with a kind whose webhook fails as long as it is told to. */
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

/** The version that is stored needs no webhook, the other one does. */
function versions(): { stored: string; other: string } {
  const { spec } = definitionOf(group, { url: "" }) as unknown as {
    spec: { versions: { name: string; storage: boolean }[] };
  };
  const name = (storage: boolean): string => spec.versions.find((one) => one.storage === storage)?.name ?? "";
  return { stored: name(true), other: name(false) };
}

/** A server with an object that its broken webhook cannot show in the other version. */
async function withUnshownCog(stored: string): ReturnType<typeof withWebhook> {
  const { server, hook } = await withWebhook();
  const cog = { apiVersion: `${group}/${stored}`, kind: "Cog", metadata: { name: "a" } };
  assert.equal((await ask(server, "POST", cogs(stored), cog)).status, 201);
  hook.isBroken = true;
  return { server, hook };
}

test("what cannot be shown in a version cannot be deleted in it, alone or with others", async () => {
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

test("a watch whose objects cannot be converted ends with the reason", async () => {
  const { stored, other } = versions();
  const { server } = await withUnshownCog(stored);
  await using _ = server;
  const { status, body } = await ask(server, "GET", cogs(other, "?watch=true"));
  assert.equal(status, 200);
  const { type, object } = body as { type: string; object: { code: number; message: string } };
  assert.deepEqual([type, object.code], ["ERROR", 500]);
  assert.match(object.message, /conversion webhook for .* failed/);
});
