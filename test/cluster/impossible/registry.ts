/** A registry that fails in every way: it has no image, requires a login, forbids, breaks, or has it for other platforms only. */
import { existsSync, mkdtempSync, readFileSync, renameSync, rmSync, writeFileSync } from "node:fs";
import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import { tmpdir } from "node:os";
import { join } from "node:path";
import type { TestContext } from "node:test";
import { setTimeout as wait } from "node:timers/promises";
import type { Stage, Target } from "../target.ts";
import { until } from "../until.ts";

const foreign = JSON.stringify({
  schemaVersion: 2,
  mediaType: "application/vnd.oci.image.index.v1+json",
  manifests: [
    {
      mediaType: "application/vnd.oci.image.manifest.v1+json",
      digest: `sha256:${"1".repeat(64)}`,
      size: 100,
      platform: { os: "linux", architecture: "s390x" },
    },
  ],
});

interface Answer {
  readonly code: number;
  readonly body: string;
  readonly headers?: { readonly [name: string]: string };
}

const refusal = (code: number, name: string, message: string, headers = {}): Answer => ({
  code,
  body: JSON.stringify({ errors: [{ code: name, message }] }),
  headers: { "content-type": "application/json", ...headers },
});

const answers: readonly (readonly [RegExp, Answer])[] = [
  [/^\/v2\/private\//, refusal(401, "UNAUTHORIZED", "log in", { "www-authenticate": 'Basic realm="test"' })],
  [/^\/v2\/forbidden\//, refusal(403, "DENIED", "not for you")],
  [/^\/v2\/broken\//, refusal(500, "UNKNOWN", "broken")],
  [
    /^\/v2\/foreign\/manifests\//,
    { code: 200, body: foreign, headers: { "content-type": "application/vnd.oci.image.index.v1+json" } },
  ],
  [/^/, refusal(404, "MANIFEST_UNKNOWN", "manifest unknown")],
];

/** Starts it at an address that the nodes of a cluster take for loopback, which needs no TLS; returns its name. */
export async function startRegistry(t: TestContext, stage: Stage["name"], target: Target): Promise<string> {
  const folder = mkdtempSync(join(tmpdir(), "registry-"));
  const end = join(folder, "end");
  // The nodes of the embedded cluster pull from this machine's network, so that its registry logins apply. The registry listens there.
  const serving =
    stage === "embedded"
      ? serve(folder)
      : target.inside([process.execPath, import.meta.filename, folder], 20 * 60_000).then(() => undefined);
  t.after(async () => {
    writeFileSync(end, "");
    await serving.catch(() => undefined);
    rmSync(folder, { recursive: true });
  });
  const port = await until("the registry listens", () => readPort(folder));
  return `127.0.0.1:${port}`;
}

function readPort(folder: string): string | undefined {
  const file = join(folder, "port");
  return existsSync(file) ? readFileSync(file, "utf8") : undefined;
}

/** Serves until a file requests the end. */
async function serve(folder: string): Promise<void> {
  const server = createServer(({ url = "", method }, response) => {
    const found = answers.find(([pattern]) => pattern.test(url));
    const { code, body, headers = {} } = found?.[1] ?? { code: 404, body: "" };
    response.writeHead(code, { ...headers, "content-length": Buffer.byteLength(body) });
    response.end(method === "HEAD" ? undefined : body);
  });
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  const { port } = server.address() as AddressInfo;
  writeFileSync(join(folder, "new"), String(port));
  renameSync(join(folder, "new"), join(folder, "port"));
  while (!existsSync(join(folder, "end"))) await wait(200);
  server.closeAllConnections();
  server.close();
}

const [, program, folder] = process.argv;
if (program === import.meta.filename && folder !== undefined) await serve(folder);
