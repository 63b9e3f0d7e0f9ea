/** Conversion webhooks, compared with recordings of kube-apiserver, including webhooks that misbehave. */
import assert from "node:assert/strict";
import { test } from "node:test";
import { startApiServer } from "../src/index.ts";
import answers from "./conversion/answers.json" with { type: "json" };
import { answerReview } from "./conversion/hook.ts";
import { definitionOf, tell, type Send } from "./conversion/story.ts";

test("objects are converted by the webhook of their definition", async (t) => {
  await using server = await startApiServer({
    async outgoing({ body = "" }) {
      const answer = answerReview(typeof body === "string" ? body : Buffer.from(body).toString());
      return { status: answer.status, headers: { "content-type": "application/json" }, body: Buffer.from(answer.body) };
    },
  });
  const send: Send = async (method, path, options) => {
    const headers = { "content-type": options?.type ?? "application/json" };
    const body = options === undefined ? {} : { body: JSON.stringify(options.body) };
    const response = await server.fetch(new Request(`http://in-process${path}`, { method, headers, ...body }));
    return { status: response.status, body: await response.text() };
  };
  const group = "conversion123456.example.org";
  const definition = definitionOf(group, { url: "https://127.0.0.1:1/convert" });
  const definitions = "/apis/apiextensions.k8s.io/v1/customresourcedefinitions";
  assert.equal((await send("POST", definitions, { body: definition, type: "application/json" })).status, 201);
  let index = 0;
  for await (const told of tell(send, group)) {
    await t.test(`${index} ${told.asked}`, () => assert.deepEqual(told, answers[index]));
    index += 1;
  }
  assert.equal(index, answers.length);
});
