/** Methods that Node's parser does not know, and CONNECT: the responses of kube-apiserver 1.36.3. */
import assert from "node:assert/strict";
import { connect } from "node:net";
import { text } from "node:stream/consumers";
import { test } from "node:test";
import { startApiServer, type ApiServer } from "../src/index.ts";

/** The status and the message of the response to the bytes of a request. */
async function send({ port = 0 }: ApiServer, bytes: string): Promise<string> {
  const socket = connect(port, "127.0.0.1");
  socket.end(bytes);
  const received = await text(socket);
  const [head = "", body = ""] = received.split("\r\n\r\n");
  const { message = body } = (body.startsWith("{") ? JSON.parse(body) : {}) as { message?: string };
  return `${head.split(" ")[1]} ${message.trim()}`;
}

const maps = "/api/v1/namespaces/default/configmaps";
const notAllowed = "405 the server does not allow this method on the requested resource";

test("unknown methods are authorized before they are refused, as by kube-apiserver", async () => {
  await using server = await startApiServer({ listen: { port: 0, tls: false }, token: "t" });
  for (const method of ["FOO", "get", "Q", "CONNECT"]) {
    const ask = (path: string, headers = ""): Promise<string> =>
      send(server, `${method} ${path} HTTP/1.1\r\nHost: x\r\n${headers}\r\n`);
    const verb = method.toLowerCase();
    const admin = "Authorization: Bearer t\r\n";
    const denied = 'User "system:anonymous" cannot';
    assert.equal(await ask(`${maps}/x`, admin), notAllowed);
    assert.equal(await ask("/version", admin), notAllowed);
    assert.equal(await ask("/nope", admin), "404 404 page not found");
    assert.equal(await ask("/apis/nope.dev/v1/x", admin), "404 404 page not found");
    // The role for everybody allows the verb get on this path.
    assert.equal(
      await ask("/version"),
      verb === "get" ? notAllowed : `403 forbidden: ${denied} ${verb} path "/version"`,
    );
    assert.equal(
      await ask(`${maps}/x`),
      `403 configmaps "x" is forbidden: ${denied}  resource "configmaps" in API group "" in the namespace "default"`,
    );
    assert.equal(await ask("/version", "Authorization: Bearer nope\r\n"), "401 Unauthorized");
  }
});

test("heads that are malformed, cut or hidden behind another request are not served", async () => {
  await using server = await startApiServer({ listen: { port: 0, tls: false }, token: "t" });
  const admin = "Authorization: Bearer t\r\n";
  assert.equal(await send(server, `FOO /nope HTTP/1.1\r\nHost: x\r\n bad: 1\r\n${admin}\r\n`), notAllowed);
  assert.equal(await send(server, `FOO /nope HTTP/1.1\r\n${admin}`), notAllowed);
  assert.equal(await send(server, `FOO /nope HTTP/1.1\r\n__proto__: 1\r\n${admin}\r\n`), notAllowed);
  // The first Authorization counts, as with Node's own parser.
  const two = "Authorization: Bearer nope\r\nAuthorization: Bearer t\r\n";
  assert.equal(await send(server, `FOO /nope HTTP/1.1\r\nHost: x\r\n${two}\r\n`), "401 Unauthorized");
});
