import assert from "node:assert/strict";
import { test } from "node:test";
import { WebSocketServer } from "ws";
import type { WebSocket } from "ws";
import { ForbiddenError, isApiError } from "../src/error/api-error.ts";
import { createClient } from "../src/client.ts";
import type { Client } from "../src/client.ts";
import { bodyOfBytes } from "../src/transport/body.ts";
import { certificate, http1Server } from "./server.ts";

interface Pod extends AsyncDisposable {
  readonly client: Client;
  readonly paths: string[];
}

interface PodOptions {
  readonly protocol: string;
  /** The accepted token; the client's is "x". */
  readonly token?: string;
}

/** A server with scripted sockets. */
async function pod(behave: (socket: WebSocket) => void, { protocol, token = "x" }: PodOptions): Promise<Pod> {
  const paths: string[] = [];
  const running = await http1Server((_request, response) => response.end(), "https");
  const sockets = new WebSocketServer({
    noServer: true,
    handleProtocols: (offered) => (offered.has(protocol) ? protocol : false),
  });
  running.server.on("upgrade", (request, socket, head) => {
    paths.push(request.url ?? "");
    if (request.headers.authorization !== `Bearer ${token}`) {
      const status = JSON.stringify({ kind: "Status", reason: "Forbidden", message: "no", code: 403 });
      socket.end(`HTTP/1.1 403 Forbidden\r\ncontent-length: ${status.length}\r\n\r\n${status}`);
      return;
    }
    sockets.handleUpgrade(request, socket, head, behave);
  });
  const cluster = { server: running.url.origin, certificateAuthority: { data: certificate().cert } };
  const client = createClient({ name: "", namespace: "", cluster, user: { proof: { type: "token", token: "x" } } });
  return {
    client,
    paths,
    async [Symbol.asyncDispose]() {
      await client.close();
      await running[Symbol.asyncDispose]();
    },
  };
}

const at = { namespace: "default", name: "p" };
const message = (channel: number, text: string): Buffer => Buffer.concat([Buffer.of(channel), Buffer.from(text)]);

test("exec sends input, closes stdin, and returns output and exit code", async () => {
  await using one = await pod(
    (socket) => {
      let input = "";
      socket.on("message", (data: Buffer) => {
        if (data[0] === 0) input += data.subarray(1).toString();
        if (data[0] !== 255 || data[1] !== 0) return;
        const causes = [{ reason: "ExitCode", message: "3" }];
        socket.send(message(1, `got ${input}`));
        socket.send(message(2, "warned"));
        socket.send(
          message(
            3,
            JSON.stringify({ metadata: {}, status: "Failure", reason: "NonZeroExitCode", details: { causes } }),
          ),
        );
        socket.close(1000);
      });
    },
    { protocol: "v5.channel.k8s.io" },
  );
  const session = await one.client.exec({ ...at, container: "c", command: ["sh", "-c", "cat & x"], stdin: true });
  await session.write("hello");
  await session.end();
  const { code, stdout, stderr } = await session.finish();
  assert.deepEqual({ code, stdout, stderr }, { code: 3, stdout: "got hello", stderr: "warned" });
  assert.equal(
    one.paths[0],
    "/api/v1/namespaces/default/pods/p/exec?command=sh&command=-c&command=cat%20%26%20x&container=c&stdin=true&stdout=true&stderr=true&tty=false",
  );
});

test("a session that is left early rejects its exit", async () => {
  await using one = await pod((socket) => socket.send(message(1, "more and more")), { protocol: "v5.channel.k8s.io" });
  const read = await one.client.exec({ ...at, command: ["a"] });
  for await (const _output of read) break;
  await assert.rejects(
    read.exit,
    (error) => isApiError(error, "ConnectionLost") && /was left before/u.test(error.message),
  );
  const unread = await one.client.attach(at);
  unread.close();
  await assert.rejects(unread.exit, (error) => isApiError(error, "ConnectionLost"));
});

test("a socket that is cut is an error, not an end", async () => {
  await using one = await pod(
    (socket) => {
      socket.send(message(1, "half"));
      setTimeout(() => socket.terminate(), 20);
    },
    { protocol: "v4.channel.k8s.io" },
  );
  const session = await one.client.exec({ ...at, command: ["a"] });
  await assert.rejects(session.finish(), (error) => isApiError(error, "ConnectionLost"));
});

test("a rejected socket is an error with the rule that permits it", async () => {
  await using one = await pod(() => {}, { protocol: "v5.channel.k8s.io", token: "another" });
  await assert.rejects(one.client.exec({ ...at, command: ["a"] }), (error) => {
    assert.ok(error instanceof ForbiddenError);
    assert.deepEqual(error.rule, { apiGroups: [""], resources: ["pods/exec"], verbs: ["create", "get"] });
    return true;
  });
});

test("a close with a reason is an error with that reason, unless the exit is known", async () => {
  const ends: ((socket: WebSocket) => void)[] = [
    (socket) => socket.close(1011, "kubelet is gone"),
    (socket) => {
      socket.send(message(3, JSON.stringify({ status: "Success" })));
      socket.close(1011);
    },
    (socket) => {
      socket.send(Buffer.from([0, 0x90, 0x1f]));
      socket.send(message(0, "half of it"));
      socket.close(1001);
    },
  ];
  await using one = await pod((socket) => ends.shift()?.(socket), { protocol: "v4.channel.k8s.io" });
  const lost = await one.client.exec({ ...at, command: ["a"] });
  await assert.rejects(
    lost.finish(),
    (error) => isApiError(error, "ConnectionLost") && /kubelet is gone/u.test(error.message),
  );
  const known = await one.client.exec({ ...at, command: ["a"] });
  assert.equal((await known.finish()).code, 0);
  const port = await one.client.portForward({ ...at, port: 8080 });
  await assert.rejects(Array.fromAsync(port), (error) => isApiError(error, "ConnectionLost"));
});

test("the exit must be a Status with a numeric code", async () => {
  const said = ["not json", "null", JSON.stringify({ details: { causes: [{ reason: "ExitCode", message: "abc" }] } })];
  await using one = await pod(
    (socket) => {
      socket.send(message(3, said.shift() ?? ""));
      socket.close(1000);
    },
    { protocol: "v4.channel.k8s.io" },
  );
  const run = async (): Promise<number> => (await (await one.client.exec({ ...at, command: ["a"] })).finish()).code;
  for (let times = 0; times < 2; times += 1) await assert.rejects(run(), (error) => isApiError(error, "BadAnswer"));
  assert.equal(await run(), -1);
});

test("port-forward skips the port messages and transfers data both ways", async () => {
  await using one = await pod(
    (socket) => {
      socket.send(Buffer.from([0, 0x90, 0x1f]));
      socket.send(Buffer.from([1, 0x90, 0x1f]));
      socket.on("message", (data: Buffer) => {
        socket.send(message(0, data.subarray(1).toString().toUpperCase()));
        socket.close(1000);
      });
    },
    { protocol: "v4.channel.k8s.io" },
  );
  const connection = await one.client.portForward({ ...at, port: 8080 });
  await connection.write("ping");
  const chunks = await Array.fromAsync(connection);
  assert.equal(Buffer.concat(chunks).toString(), "PING");
});

test("a transport without sockets fails with NotSupported", async () => {
  const client = createClient({ request: async () => ({ status: 200, headers: {}, body: bodyOfBytes("") }) });
  await assert.rejects(client.attach(at), (error) => isApiError(error, "NotSupported"));
});
