/** A program whose webhooks somebody else registers, as OLM does: started with the flag, on the embedded API server. */
import assert from "node:assert/strict";
import { spawn } from "node:child_process";
import { once } from "node:events";
import { mkdtemp, rm, writeFile } from "node:fs/promises";
import { createServer } from "node:net";
import type { AddressInfo } from "node:net";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { createInterface } from "node:readline";
import { test } from "node:test";
import { connect } from "node:tls";
import { fileURLToPath } from "node:url";
import { startApiServer } from "@capstan/apiserver";
import { createAuthority, validFor } from "@capstan/pki";

const program = fileURLToPath(new URL("../../test/program/volumes.ts", import.meta.url));

const kubeconfigOf = (server: string): string =>
  JSON.stringify({
    apiVersion: "v1",
    kind: "Config",
    clusters: [{ name: "c", cluster: { server } }],
    users: [{ name: "u", user: {} }],
    contexts: [{ name: "c", context: { cluster: "c", user: "u" } }],
    "current-context": "c",
  });

async function freePort(): Promise<number> {
  const server = createServer().listen(0, "127.0.0.1");
  await once(server, "listening");
  const { port } = server.address() as AddressInfo;
  server.close();
  return port;
}

async function subjectAt(port: number, ca: string): Promise<string> {
  const socket = connect({ port, host: "127.0.0.1", servername: "localhost", ca });
  await once(socket, "secureConnect");
  const { subject } = socket.getPeerCertificate();
  socket.destroy();
  return String(subject.CN);
}

test("a program with --webhook-cert-dir serves with that certificate and tells the cluster nothing", async (t) => {
  const folder = await mkdtemp(join(tmpdir(), "capstan-others-"));
  t.after(() => rm(folder, { recursive: true }));
  const now = new Date();
  const authority = createAuthority({ commonName: "olm", now, days: 1 });
  const names = { commonName: "volumes-service", dnsNames: ["localhost"] };
  const pair = authority.issue({ ...validFor({ now, days: 1 }), ...names, usages: ["server"] });
  await using server = await startApiServer({ listen: { port: 0, tls: false } });
  const asked = server.observer.record();
  await Promise.all([
    writeFile(join(folder, "tls.crt"), pair.certificate),
    writeFile(join(folder, "tls.key"), pair.privateKey),
    writeFile(join(folder, "kubeconfig"), kubeconfigOf(server.url ?? "")),
  ]);
  const port = await freePort();
  const flags = [
    `--kubeconfig=${join(folder, "kubeconfig")}`,
    `--webhook-cert-dir=${folder}`,
    `--webhook-bind-address=127.0.0.1:${port}`,
    "--health-probe-bind-address=0",
  ];
  const child = spawn(process.execPath, ["--conditions=@capstan/source", program, ...flags], {
    stdio: ["ignore", "ignore", "pipe"],
  });
  const ended = once(child, "exit");
  t.after(() => void child.kill("SIGKILL"));
  const lines: string[] = [];
  for await (const line of createInterface(child.stderr)) {
    lines.push(line);
    if (!line.includes('"message":"started"')) continue;
    assert.equal(await subjectAt(port, authority.certificate), "volumes-service");
    child.kill("SIGTERM");
  }
  const [code] = (await ended) as [number | null];
  assert.equal(code, 0, lines.join("\n"));

  const written = asked.filter(({ method }) => method !== "GET").map(({ url }) => url);
  assert.ok(
    written.some((url) => url.includes("/customresourcedefinitions/")),
    "the program has worked",
  );
  assert.deepEqual(
    written.filter((url) => /admissionregistration|\/secrets/u.test(url)),
    [],
  );
});
