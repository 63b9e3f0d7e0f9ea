import assert from "node:assert/strict";
import { test } from "node:test";
import { ownCall, withHeaders } from "../call.ts";
import { endToEndHeaders, forwardedCall, forwardedHeaders } from "./forwarded-headers.ts";

const token = "base64url.bearer.authorization.k8s.io.c2VjcmV0";

const received = {
  ":authority": "here",
  host: "here",
  accept: "text/html",
  cookie: ["a=b", "c=d"],
  connection: "Upgrade, X-Foo , te",
  upgrade: "websocket",
  "x-foo": "1",
  "keep-alive": "timeout=5",
  "proxy-authorization": "Basic x",
  "transfer-encoding": "chunked",
  te: "trailers",
  trailer: "x",
  authorization: "Bearer secret",
  "impersonate-user": "alice",
  "impersonate-group": ["system:masters"],
  "impersonate-extra-scopes": "all",
  "x-remote-user": "root",
  "x-remote-extra-a": "b",
  "sec-websocket-protocol": `v4.channel.k8s.io, ${token}`,
  "sec-websocket-key": "k",
  absent: undefined,
};

const kept = {
  host: "here",
  accept: "text/html",
  cookie: ["a=b", "c=d"],
  "sec-websocket-protocol": "v4.channel.k8s.io",
  "sec-websocket-key": "k",
};

test("credentials and connection headers are not forwarded", () => {
  assert.deepEqual(forwardedHeaders(received), kept);
});

test("a bearer token is not forwarded, wherever the sub-protocol headers carry it", () => {
  const only = (value: string | string[]) => forwardedHeaders({ "sec-websocket-protocol": value });
  assert.deepEqual(only(token), {});
  assert.deepEqual(only([token, "a"]), { "sec-websocket-protocol": "a" });
  assert.deepEqual(only(`a,${token},b, ${token}`), { "sec-websocket-protocol": "a,b" });
});

test("a kubelet gets the upgrade header of the client, and a pod does not", () => {
  const call = withHeaders(ownCall("/"), received);
  assert.deepEqual(forwardedCall(call, "kept").headers, { ...kept, connection: "Upgrade", upgrade: "websocket" });
  assert.deepEqual(forwardedCall(call, "closed").headers, kept);
});

test("a response loses its connection headers", () => {
  const answered = { connection: "close, x-foo", "x-foo": "1", "transfer-encoding": "chunked", "set-cookie": ["a=b"] };
  assert.deepEqual(endToEndHeaders(answered), { "set-cookie": ["a=b"] });
});
