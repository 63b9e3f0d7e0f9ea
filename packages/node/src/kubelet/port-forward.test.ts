import assert from "node:assert/strict";
import { duplexPair } from "node:stream";
import { test } from "node:test";
import { NodeError } from "../errors.ts";
import type { StreamingRuntime } from "../runtime/runtime.ts";
import { forwardPorts } from "./port-forward.ts";

const unused = (): never => assert.fail("no port is opened");
const streaming: StreamingRuntime = {
  openExec: unused,
  openAttach: unused,
  openPort: () => Promise.reject(new Error("the port is closed")),
  logFile: unused,
  usage: unused,
};
const sandbox = { id: "one", ip: "" } as unknown as Parameters<typeof forwardPorts>[0];

/** The client's end of a connection, and the result of the request. */
function ask(query: string, more: { readonly [name: string]: string } = {}) {
  const [client, server] = duplexPair();
  const headers = {
    upgrade: "websocket",
    "sec-websocket-key": "AAAAAAAAAAAAAAAAAAAAAA==",
    "sec-websocket-version": "13",
    "sec-websocket-protocol": "v4.channel.k8s.io",
    ...more,
  };
  const { signal } = new AbortController();
  const call = { method: "GET", headers, body: async () => new Uint8Array(), signal, upgrade: () => server };
  return { client, server, answer: forwardPorts(sandbox, { query: new URLSearchParams(query), call, streaming }) };
}

/** Port and message as kubelet v1.36 reports them. */
const refusals: { readonly [query: string]: string } = {
  "": 'query parameter "port" is required',
  "port=": 'query parameter "port" cannot be empty',
  "port=0": 'port "0" must be > 0',
  "port=70000": 'unable to parse "70000" as a port: strconv.ParseUint: parsing "70000": value out of range',
  "port=80,-1": 'unable to parse "80,-1" as a port: strconv.ParseUint: parsing "-1": invalid syntax',
  "port=0x50": 'unable to parse "0x50" as a port: strconv.ParseUint: parsing "0x50": invalid syntax',
};

for (const [query, message] of Object.entries(refusals))
  test(`the ports of ${JSON.stringify(query)} are refused before the upgrade`, async () => {
    const { client, answer } = ask(query);
    await assert.rejects(answer, (error: unknown) => error instanceof NodeError && error.message === message);
    assert.equal(client.read(), null);
  });

test("more ports than channels are refused", async () => {
  const { answer } = ask(Array.from({ length: 129 }, (_, at) => `port=${at + 1}`).join("&"));
  await assert.rejects(answer, /129 ports are more than one connection can carry/);
});

test("a list of ports opens two channels for each", async () => {
  const { client, answer } = ask("port=80,443");
  client.on("data", () => {});
  assert.equal((await answer).status, 101);
});

test("an invalid handshake is refused and does not wait", async () => {
  const { answer } = ask("port=80", { "sec-websocket-key": "short" });
  await assert.rejects(answer, /unable to upgrade: Missing or invalid Sec-WebSocket-Key header/);
});

test("an invalid frame right after the upgrade ends only its connection", async () => {
  const { client, server, answer } = ask("port=80");
  client.write(Buffer.from([0xff, 0xff, 1, 2, 3]));
  client.resume();
  await answer;
  if (!server.destroyed) await new Promise((resolve) => server.once("close", resolve));
  assert.equal(server.destroyed, true);
});
