/** A real S3-compatible server for tests: the Versity gateway, built from its Go module, in front of a folder. */
import { spawn } from "node:child_process";
import { randomInt } from "node:crypto";
import { once } from "node:events";
import { mkdir, mkdtemp, rm, writeFile } from "node:fs/promises";
import { connect, createServer } from "node:net";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { buildPrograms, programPath, showProgress } from "@capstan/kubernetes";
import type { Program } from "@capstan/kubernetes";
import { createAuthority, validFor } from "capstan/pki";
import { until } from "../etcd/processes.ts";

const VERSION = "v1.8.0";
const MODULE = "github.com/versity/versitygw";

/** The gateway's program. */
export const gateway: Program = {
  name: "versitygw",
  package: `${MODULE}/cmd/versitygw`,
  module: { folder: `versitygw-${VERSION}`, path: MODULE, version: VERSION, linkFlags: "-s -w", staged: false },
};

/** A running server with one bucket. */
export interface S3Server extends AsyncDisposable {
  readonly endpoint: string;
  readonly bucket: string;
  readonly accessKeyId: string;
  readonly secretAccessKey: string;
  /** The authority that signed its certificate. */
  readonly ca: string;
  /** The folder in which the bucket is a folder and an object a file. */
  readonly folder: string;
}

/** Starts a server on the loopback, over TLS with a certificate of a fresh authority. */
export async function startS3(options: { readonly tls?: boolean; readonly host?: string } = {}): Promise<S3Server> {
  const { tls = true, host = "127.0.0.1" } = options;
  await buildPrograms([gateway], showProgress(process.stderr));
  const folder = await mkdtemp(join(tmpdir(), "capstan-s3-"));
  const [bucket, accessKeyId, secretAccessKey] = ["backups", "capstan", "a secret/with+signs"];
  await Promise.all(["data", "meta"].map((name) => mkdir(join(folder, name))));
  await mkdir(join(folder, "data", bucket));
  const ca = await writeCertificate(folder, host);
  const port = await freePort(host);
  const certificate = tls ? ["--cert", join(folder, "tls.crt"), "--key", join(folder, "tls.key")] : [];
  const login = ["--access", accessKeyId, "--secret", secretAccessKey];
  const backend = ["posix", "--sidecar", join(folder, "meta"), join(folder, "data")];
  const args = ["--port", `${host}:${port}`, "--quiet", ...login, ...certificate, ...backend];
  const child = spawn(programPath(gateway), args, { stdio: ["ignore", "pipe", "pipe"] });
  let output = "";
  for (const stream of [child.stdout, child.stderr])
    stream.setEncoding("utf8").on("data", (text: string) => (output += text));
  const dispose = async (): Promise<void> => {
    if (child.exitCode === null && child.signalCode === null) {
      child.kill("SIGKILL");
      await once(child, "exit");
    }
    await rm(folder, { recursive: true, force: true });
  };
  try {
    await until("the S3 server to listen", async () => {
      if (child.exitCode !== null) throw new Error(`the S3 server ended: ${output}`);
      return canConnect(host, port);
    });
  } catch (error) {
    await dispose();
    throw error;
  }
  const endpoint = `${tls ? "https" : "http"}://${host}:${port}`;
  return {
    endpoint,
    bucket,
    accessKeyId,
    secretAccessKey,
    ca,
    folder: join(folder, "data"),
    [Symbol.asyncDispose]: dispose,
  };
}

async function writeCertificate(folder: string, host: string): Promise<string> {
  const now = new Date();
  const authority = createAuthority({ commonName: "S3 of the tests", now, days: 1 });
  const names = { dnsNames: ["localhost", "*.localhost"], ipAddresses: [host] };
  const leaf = authority.issue({ commonName: "s3", usages: ["server"], ...names, ...validFor({ now, days: 1 }) });
  await writeFile(join(folder, "tls.crt"), leaf.certificate);
  await writeFile(join(folder, "tls.key"), leaf.privateKey);
  return authority.certificate;
}

/** A free port below the ephemeral range, so that no outgoing connection takes it before the program listens. */
async function freePort(host: string): Promise<number> {
  for (;;) {
    const port = randomInt(15_000, 32_000);
    const server = createServer().listen(port, host);
    const isFree = await once(server, "listening").then(
      () => true,
      () => false,
    );
    if (!isFree) continue;
    await new Promise((resolve) => server.close(resolve));
    return port;
  }
}

async function canConnect(host: string, port: number): Promise<boolean> {
  const socket = connect(port, host);
  try {
    await once(socket, "connect");
    return true;
  } catch {
    return false;
  } finally {
    socket.destroy();
  }
}
