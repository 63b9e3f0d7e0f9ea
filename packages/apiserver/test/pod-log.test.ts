/** Pod logs: a text error of a kubelet reaches clients as a Status, as in kube-apiserver. */
import assert from "node:assert/strict";
import { test } from "node:test";
import { startApiServer, type Answer, type ApiServer } from "../src/index.ts";
import { ask } from "./ask.ts";

const pods = "/api/v1/namespaces/default/pods";

async function startWithPod(answer: Answer): Promise<ApiServer> {
  const server = await startApiServer({ nodes: { handOver: async () => answer } });
  await ask(server, "POST", "/api/v1/namespaces/default/serviceaccounts", { metadata: { name: "default" } });
  const spec = { nodeName: "n", containers: [{ name: "c", image: "i" }] };
  const made = await ask(server, "POST", pods, { metadata: { name: "p" }, spec });
  assert.equal(made.status, 201, made.text);
  return server;
}

const plain = { "content-type": "text/plain; charset=utf-8" };
const waiting = 'container "c" in pod "p" is waiting to start: ContainerCreating';
const about = { name: "p", kind: "pods/log" };
const noMore = 'an error on the server ("busy") has prevented the request from succeeding ( pods/log p)';

const refusals = [
  { code: 400, body: waiting, told: { message: waiting, reason: "BadRequest" } },
  {
    code: 500,
    body: "broken",
    told: {
      message: "Internal error occurred: broken",
      reason: "InternalError",
      details: { causes: [{ message: "broken" }] },
    },
  },
  {
    code: 404,
    body: 'pod "p" not found',
    told: {
      message: "the server could not find the requested resource ( pods/log p)",
      reason: "NotFound",
      details: about,
    },
  },
  { code: 502, body: "busy", told: { message: noMore, reason: "InternalError", details: about } },
];

for (const { code, body, told } of refusals) {
  test(`a log error ${code} of a kubelet becomes a Status`, async () => {
    await using server = await startWithPod({ status: code, headers: plain, body });
    const { status, body: answered } = await ask(server, "GET", `${pods}/p/log`);
    assert.equal(status, code);
    assert.deepEqual(answered, { kind: "Status", apiVersion: "v1", metadata: {}, status: "Failure", ...told, code });
  });
}

test("an error in several chunks is reported whole", async () => {
  const body = (sink: { write(chunk: string): void; end(): void }): (() => void) => {
    for (const piece of waiting.split(" ")) sink.write(`${piece} `);
    sink.end();
    return () => {};
  };
  await using server = await startWithPod({ status: 400, headers: plain, body });
  const { body: answered } = await ask(server, "GET", `${pods}/p/log`);
  assert.equal((answered as { message: string }).message, `${waiting} `);
});

test("a log is passed on unchanged", async () => {
  await using server = await startWithPod({ status: 200, headers: plain, body: "line\n" });
  const { status, text } = await ask(server, "GET", `${pods}/p/log`);
  assert.deepEqual([status, text], [200, "line\n"]);
});
