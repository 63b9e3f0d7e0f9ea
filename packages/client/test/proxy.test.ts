import assert from "node:assert/strict";
import { connect, createServer } from "node:net";
import type { AddressInfo, Socket } from "node:net";
import { test } from "node:test";
import { isApiError } from "../src/error/api-error.ts";
import { createNetworkTransport } from "../src/network/network.ts";
import { proxyFor } from "../src/network/proxy.ts";
import type { TransportRequest } from "../src/transport/transport.ts";
import { http2Server } from "./server.ts";

const get: TransportRequest = { method: "GET", path: "/", headers: {} };

/** A TCP server with a handler per connection. */
async function tcpServer(handle: (socket: Socket) => void): Promise<AsyncDisposable & { readonly port: number }> {
  const sockets: Socket[] = [];
  const server = createServer((socket) => {
    sockets.push(socket.on("error", () => {}));
    handle(socket);
  });
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  return {
    port: (server.address() as AddressInfo).port,
    async [Symbol.asyncDispose]() {
      for (const socket of sockets) socket.destroy();
      await new Promise((resolve) => server.close(resolve));
    },
  };
}

function join(near: Socket, port: number): void {
  const far = connect(port, "127.0.0.1").on("error", () => {});
  near.pipe(far).pipe(near);
}

test("an HTTP proxy gets a CONNECT request with user and password", async () => {
  const heads: string[] = [];
  await using running = await http2Server((_request, response) => response.end("ok"));
  await using proxy = await tcpServer((socket) => {
    socket.once("data", (data) => {
      heads.push(String(data));
      socket.write("HTTP/1.1 200 Connection established\r\n\r\n");
      join(socket, Number(running.url.port));
    });
  });
  const url = new URL(`http://me:p%40ss@127.0.0.1:${proxy.port}`);
  const transport = createNetworkTransport({ ...running.endpoint, proxy: url });
  assert.equal(await (await transport.request(get)).body.text(), "ok");
  const [first, , authorization] = heads[0]?.split("\r\n") ?? [];
  assert.equal(first, `CONNECT 127.0.0.1:${running.url.port} HTTP/1.1`);
  assert.equal(authorization, `Proxy-Authorization: Basic ${Buffer.from("me:p@ss").toString("base64")}`);
  await transport.close();
});

test("one sentence explains a proxy that rejects the tunnel", async () => {
  await using running = await http2Server((_request, response) => response.end());
  await using proxy = await tcpServer((socket) =>
    socket.once("data", () => socket.end("HTTP/1.1 403 Forbidden\r\n\r\n")),
  );
  const transport = createNetworkTransport({ ...running.endpoint, proxy: new URL(`http://127.0.0.1:${proxy.port}`) });
  await assert.rejects(transport.request(get), (error) => {
    assert.ok(isApiError(error, "Unreachable"));
    assert.match(error.message, /refused the tunnel: HTTP\/1\.1 403 Forbidden/u);
    return true;
  });
});

test("a SOCKS5 proxy gets a greeting, credentials and the address", async () => {
  const messages: number[][] = [];
  await using running = await http2Server((_request, response) => response.end("ok"));
  await using proxy = await tcpServer((socket) => {
    const replies = [Buffer.from([5, 2]), Buffer.from([1, 0]), Buffer.from([5, 0, 0, 1, 0, 0, 0, 0, 0, 0])];
    const onData = (data: Buffer): void => {
      messages.push([...data]);
      const reply = replies.shift();
      if (reply !== undefined) socket.write(reply);
      if (replies.length > 0) return;
      socket.off("data", onData);
      join(socket, Number(running.url.port));
    };
    socket.on("data", onData);
  });
  const url = new URL(`socks5://me:pw@127.0.0.1:${proxy.port}`);
  const transport = createNetworkTransport({ ...running.endpoint, proxy: url });
  assert.equal(await (await transport.request(get)).body.text(), "ok");
  const port = Number(running.url.port);
  assert.deepEqual(messages, [
    [5, 2, 0, 2],
    [1, 2, ...Buffer.from("me"), 2, ...Buffer.from("pw")],
    [5, 1, 0, 1, 127, 0, 0, 1, port >> 8, port & 255],
  ]);
  await transport.close();
});

const cases: readonly [
  server: string,
  configured: string | undefined,
  env: Record<string, string>,
  expected: string | undefined,
][] = [
  ["https://a:6443", undefined, {}, undefined],
  ["https://a:6443", "socks5://p:1080", { HTTPS_PROXY: "http://q" }, "socks5://p:1080"],
  ["https://a:6443", undefined, { HTTPS_PROXY: "http://q:8080" }, "http://q:8080"],
  ["https://a:6443", undefined, { https_proxy: "q:8080" }, "http://q:8080"],
  ["http://a:6443", undefined, { HTTPS_PROXY: "http://q:8080" }, undefined],
  ["https://127.0.0.1:6443", undefined, { HTTPS_PROXY: "http://q:8080" }, undefined],
  ["https://api.corp:6443", undefined, { HTTPS_PROXY: "http://q:8080", NO_PROXY: "x, corp" }, undefined],
  ["https://apicorp:6443", undefined, { HTTPS_PROXY: "http://q:8080", NO_PROXY: "corp" }, "http://q:8080"],
  ["https://corp", undefined, { HTTPS_PROXY: "http://q:8080", NO_PROXY: ".corp" }, "http://q:8080"],
  ["https://10.1.2.3:6443", undefined, { HTTPS_PROXY: "http://q:8080", NO_PROXY: "10.0.0.0/8" }, undefined],
  ["https://11.1.2.3:6443", undefined, { HTTPS_PROXY: "http://q:8080", NO_PROXY: "10.0.0.0/8" }, "http://q:8080"],
  ["https://a:6443", undefined, { HTTPS_PROXY: "http://q:8080", NO_PROXY: "a:443" }, "http://q:8080"],
  ["https://a:6443", undefined, { HTTPS_PROXY: "http://q:8080", NO_PROXY: "*" }, undefined],
  ["https://10.1.2.3:6443", undefined, { HTTPS_PROXY: "http://q:8080", NO_PROXY: "10.0.0.0/" }, "http://q:8080"],
  ["https://10.1.2.3:6443", undefined, { HTTPS_PROXY: "http://q:8080", NO_PROXY: "10.0.0.0/33" }, "http://q:8080"],
  ["https://10.1.2.3:6443", undefined, { HTTPS_PROXY: "http://q:8080", NO_PROXY: "10.1.2.3" }, undefined],
  ["https://10.1.2.3:6443", undefined, { HTTPS_PROXY: "http://q:8080", NO_PROXY: "0.0.0.0/0" }, undefined],
  ["https://[fd00:1::2]:6443", undefined, { HTTPS_PROXY: "http://q:8080", NO_PROXY: "fd00::/8" }, undefined],
  ["https://[fe80::2]:6443", undefined, { HTTPS_PROXY: "http://q:8080", NO_PROXY: "fd00::/8" }, "http://q:8080"],
  ["https://[fd00::2]:6443", undefined, { HTTPS_PROXY: "http://q:8080", NO_PROXY: "fd00:0::2" }, undefined],
  ["https://[fd00::2]:6443", undefined, { HTTPS_PROXY: "http://q:8080", NO_PROXY: "[fd00::2]:443" }, "http://q:8080"],
  ["https://[fd00::2]:6443", undefined, { HTTPS_PROXY: "http://q:8080", NO_PROXY: "[fd00::2]:6443" }, undefined],
  ["https://a:6443", undefined, { HTTPS_PROXY: "http://q:8080", NO_PROXY: "", no_proxy: "a" }, undefined],
  ["https://a:6443", undefined, { HTTPS_PROXY: "", https_proxy: "http://q:8080" }, "http://q:8080"],
];

for (const [server, configured, env, expected] of cases) {
  test(`${server} with ${configured ?? "no proxy-url"} and ${JSON.stringify(env)} goes through ${expected ?? "no proxy"}`, () => {
    const found = proxyFor(new URL(server), configured, env);
    assert.equal(found?.href.replace(/\/$/u, ""), expected);
  });
}

for (const [configured, env, who] of [
  ["::nonsense", {}, "proxy-url in the kubeconfig"],
  ["proxy:3128", {}, "proxy-url in the kubeconfig"],
  ["ftp://user:PASSWORD@proxy", {}, "proxy-url in the kubeconfig"],
  [undefined, { HTTPS_PROXY: "http://" }, "HTTPS_PROXY"],
] as const) {
  test(`one sentence explains an invalid proxy: ${configured ?? JSON.stringify(env)}`, () => {
    assert.throws(
      () => proxyFor(new URL("https://a"), configured, env),
      (error) => {
        assert.ok(isApiError(error, "InvalidConfig"));
        assert.equal(
          error.message,
          `Cannot use the proxy: ${who} is not the address of one. Write it as http://host:port, https://host:port or socks5://host:port.`,
        );
        return true;
      },
    );
  });
}
