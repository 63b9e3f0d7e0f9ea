/** A program with webhooks that an installer registers, as OLM does: started with the flag, on the embedded API server. */
import assert from "node:assert/strict";
import { spawn } from "node:child_process";
import { randomInt } from "node:crypto";
import { once } from "node:events";
import { mkdtemp, rm, writeFile } from "node:fs/promises";
import { createServer } from "node:net";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { createInterface } from "node:readline";
import { test } from "node:test";
import { connect } from "node:tls";
import { fileURLToPath } from "node:url";
import { startApiServer } from "@capstan/apiserver";
import type { ApiServer } from "@capstan/apiserver";
import { createAuthority, validFor } from "@capstan/pki";

const program = fileURLToPath(new URL("program/volumes.ts", import.meta.url));

const kubeconfigOf = ({ url, token }: ApiServer): string =>
  JSON.stringify({
    apiVersion: "v1",
    kind: "Config",
    clusters: [{ name: "c", cluster: { server: url } }],
    users: [{ name: "u", user: { token } }],
    contexts: [{ name: "c", context: { cluster: "c", user: "u" } }],
    "current-context": "c",
  });

/** A port that is free now, and below the ephemeral range: no other process gets it before the program listens. */
async function freePort(): Promise<number> {
  for (;;) {
    const port = randomInt(15_000, 32_000);
    const server = createServer().listen(port, "127.0.0.1");
    const isFree = await once(server, "listening").then(
      () => true,
      () => false,
    );
    if (!isFree) continue;
    await new Promise((resolve) => server.close(resolve));
    return port;
  }
}

async function subjectAt(port: number, ca: string): Promise<string> {
  const socket = connect({ port, host: "127.0.0.1", servername: "localhost", ca });
  await once(socket, "secureConnect");
  const { subject } = socket.getPeerCertificate();
  socket.destroy();
  return String(subject.CN);
}

/** Registers the validating webhook for Volumes, as the provider of the certificates does. */
async function registerByHand(server: ApiServer, port: number, certificate: string): Promise<void> {
  const url = `https://localhost:${port}/validate-pods-example-com-v2-volume`;
  const response = await send(server, "/apis/admissionregistration.k8s.io/v1/validatingwebhookconfigurations", {
    apiVersion: "admissionregistration.k8s.io/v1",
    kind: "ValidatingWebhookConfiguration",
    metadata: { name: "by-hand" },
    webhooks: [
      {
        name: "volumes.pods.example.com",
        admissionReviewVersions: ["v1"],
        sideEffects: "None",
        clientConfig: { url, caBundle: Buffer.from(certificate).toString("base64") },
        rules: [
          { operations: ["CREATE"], apiGroups: ["pods.example.com"], apiVersions: ["v2"], resources: ["volumes"] },
        ],
      },
    ],
  });
  assert.equal(response.status, 201);
}

function send(server: ApiServer, path: string, body: object): Promise<Response> {
  const headers = { "content-type": "application/json" };
  return server.fetch(new Request(`https://server${path}`, { method: "POST", headers, body: JSON.stringify(body) }));
}

/** The server's error for a Volume with a profile that the program rejects. */
async function refusal(server: ApiServer): Promise<string> {
  const response = await send(server, "/apis/pods.example.com/v2/namespaces/default/volumes", {
    apiVersion: "pods.example.com/v2",
    kind: "Volume",
    metadata: { name: "v" },
    spec: { size: "1Gi", profile: "huge" },
  });
  return response.text();
}

test("a program with --webhook-cert-dir serves that certificate and registers nothing", async (t) => {
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
    writeFile(join(folder, "kubeconfig"), kubeconfigOf(server)),
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
  let seen: readonly string[] = [];
  for await (const line of createInterface(child.stderr)) {
    lines.push(line);
    if (!line.includes('"message":"started"')) continue;
    assert.equal(await subjectAt(port, authority.certificate), "volumes-service");
    seen = asked.filter(({ method }) => method !== "GET").map(({ url }) => url);
    await registerByHand(server, port, authority.certificate);
    assert.match(await refusal(server), /spec\.profile: Invalid value: \\"huge\\": there is no such profile/u);
    child.kill("SIGTERM");
  }
  const [code] = (await ended) as [number | null];
  assert.equal(code, 0, lines.join("\n"));

  assert.ok(
    seen.some((url) => url.includes("/customresourcedefinitions/")),
    "the program has worked",
  );
  assert.deepEqual(
    seen.filter((url) => /admissionregistration|\/secrets/u.test(url)),
    [],
  );
});
