import assert from "node:assert/strict";
import { test } from "node:test";
import { Pod } from "@capstan/kinds/v1";
import { buildTestImages, kubernetesMissing, useKubernetes } from "@capstan/kubernetes";
import { createClient, isApiError, loadConfig, processHost } from "../src/index.ts";
import type { Client, PodTarget } from "../src/index.ts";

const skip = kubernetesMissing();

/** Runs a script in a pod and waits until the pod runs. */
async function runPod(client: Client, at: PodTarget, script: string): Promise<void> {
  const container = { name: "main", image: "capstan.test/busybox:1", command: ["sh", "-c", script], stdin: true };
  await client.create(Pod, { metadata: at, spec: { containers: [container], terminationGracePeriodSeconds: 0 } });
  const where = { namespace: at.namespace, fieldSelector: `metadata.name=${at.name}`, sendInitialEvents: true };
  for await (const event of client.watch(Pod, where)) {
    if (event.type === "ERROR") throw event.error;
    if (event.type !== "BOOKMARK" && event.object.status?.phase === "Running") return;
  }
}

test("logs, exec, attach, port-forward and proxy reach a container on a real node", { skip }, async (t) => {
  await using cluster = await useKubernetes(t, { node: true });
  const [image] = await buildTestImages({ only: ["busybox"] });
  await cluster.load(image === undefined ? [] : [image.archive]);
  await using client = createClient(await loadConfig(processHost(), { kubeconfig: cluster.kubeconfig }));
  const at = { namespace: cluster.namespace, name: "shell" };
  // A server that reads the request before it responds: Go's client treats an early response as an error. It listens before it
  // daemonizes, so it is ready once the log has its lines.
  const server = "mkdir /www; echo hello > /www/index.html; httpd -p 8080 -h /www";
  await runPod(
    client,
    at,
    `${server}; echo one; echo; echo two; while read line; do echo "got $line"; done; sleep 3600`,
  );

  await t.test("logs are lines, followed as they come", async () => {
    const lines: string[] = [];
    for await (const line of client.logs({ ...at, follow: true }).lines()) {
      if (lines.push(line) === 3) break;
    }
    assert.deepEqual(lines, ["one", "", "two"]);
    assert.equal(await client.logs({ ...at, tailLines: 1 }).text(), "two\n");
    await assert.rejects(client.logs({ ...at, container: "none" }).text(), (error) => isApiError(error, "BadRequest"));
  });

  await t.test("exec separates the streams and reports the exit code", async () => {
    const session = await client.exec({ ...at, command: ["sh", "-c", "cat; echo no >&2; exit 3"], stdin: true });
    await session.write("through");
    await session.end();
    const { code, stdout, stderr } = await session.finish();
    assert.deepEqual({ code, stdout, stderr }, { code: 3, stdout: "through", stderr: "no\n" });
    const missing = await client.exec({ ...at, command: ["/no/such/program"] });
    assert.notEqual((await missing.finish()).code, 0);
  });

  await t.test("exec transfers a megabyte in each direction", async () => {
    const session = await client.exec({ ...at, command: ["cat"], stdin: true });
    const megabyte = "x".repeat(1024).repeat(1024);
    const finished = session.finish();
    for (let from = 0; from < megabyte.length; from += 16_384) await session.write(megabyte.slice(from, from + 16_384));
    await session.end();
    assert.equal((await finished).stdout.length, megabyte.length);
  });

  await t.test("attach connects to the main program", async () => {
    const session = await client.attach({ ...at, stdin: true });
    await session.write("hi\n");
    // A node forwards input before it listens to output: the test repeats it until a response arrives.
    const asking = setInterval(() => void session.write("hi\n").catch(() => {}), 1_000);
    try {
      for await (const { bytes } of session) {
        if (Buffer.from(bytes).toString().includes("got hi")) break;
      }
    } finally {
      clearInterval(asking);
    }
    session.close();
  });

  await t.test("a port is forwarded", async () => {
    const connection = await client.portForward({ ...at, port: 8080 });
    await connection.write("GET / HTTP/1.0\r\n\r\n");
    let answer = "";
    for await (const bytes of connection) {
      answer += Buffer.from(bytes).toString();
      if (answer.includes("hello")) break;
    }
    assert.match(answer, /^HTTP\/1\.[01] 200 OK/u);
  });

  await t.test("a port without listener is an error", async () => {
    const connection = await client.portForward({ ...at, port: 9 });
    await assert.rejects(Array.fromAsync(connection), (error) => isApiError(error, "ConnectionLost"));
  });

  await t.test("a request goes through the API server's proxy", async () => {
    const answer = await client.proxy({ to: "pods", ...at, port: 8080, path: "/" });
    assert.equal(await answer.body.text(), "hello\n");
  });
});
