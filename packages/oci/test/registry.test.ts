/** Push and pull against a real registry (Debian's docker-registry), with and without a login, and read back by skopeo. */
import assert from "node:assert/strict";
import { execFileSync, spawn, spawnSync } from "node:child_process";
import { createHash, randomFillSync, randomInt } from "node:crypto";
import { once } from "node:events";
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { createServer, request as httpRequest } from "node:http";
import { type AddressInfo, createServer as createSocket } from "node:net";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { after, before, describe, test } from "node:test";
import {
  attachDocument,
  buildImage,
  buildIndex,
  type Credentials,
  type Descriptor,
  findAttachments,
  OciError,
  openStore,
  parseReference,
  pullImage,
  pushAttachment,
  pushImage,
  RegistrySession,
  type Store,
} from "@capstan/oci";

const missing = ["docker-registry", "skopeo", "htpasswd"].filter(
  (program) => spawnSync("which", [program]).status !== 0,
);
const skip = missing.length > 0 && process.env["CI"] !== "true" ? `install ${missing.join(" and ")}` : false;

describe("a real registry", { skip }, () => {
  let home = "";
  let store: Store;
  let image: Descriptor;
  let large: Descriptor;
  const stops: (() => void)[] = [];

  before(async () => {
    home = mkdtempSync(join(tmpdir(), "capstan-registry-"));
    store = await openStore(join(home, "store"));
    const platforms = ["amd64", "arm64"].map((architecture) => ({ os: "linux", architecture }));
    const images = await Promise.all(
      platforms.map((platform) =>
        buildImage(
          { platform, layers: [[{ path: "a", body: platform.architecture }]], config: { Cmd: ["/a"] } },
          store,
        ),
      ),
    );
    image = await buildIndex(images, store);
    // Noise does not compress, so this layer is sent in several chunks.
    const noise = randomFillSync(Buffer.alloc(40 * 2 ** 20));
    large = await buildImage(
      { platform: { os: "linux", architecture: "amd64" }, layers: [[{ path: "noise", body: noise }]] },
      store,
    );
  });
  after(() => {
    for (const stop of stops) stop();
    rmSync(home, { recursive: true, force: true });
  });

  test("pushed images are pulled, whole and in chunks, and skopeo reads them", async () => {
    const host = await startRegistry(home, stops);
    for (const [name, descriptor] of [
      ["app:v1", image],
      ["large:v1", large],
    ] as const) {
      const reference = parseReference(`${host}/team/${name}`);
      await pushImage(descriptor, reference, { store, session: session(host) });
      const other = await openStore(join(home, `other-${name}`));
      const progress: number[] = [];
      const pulled = await pullImage(reference, {
        store: other,
        session: session(host),
        platform: "all",
        onProgress: ({ done, size }) => progress.push(done / size),
      });
      assert.equal(pulled.digest, descriptor.digest);
      assert.equal(progress.at(-1), 1);
      const inspected = JSON.parse(
        execFileSync("skopeo", ["inspect", "--tls-verify=false", "--raw", `docker://${host}/team/${name}`], {
          encoding: "utf8",
        }),
      ) as unknown;
      assert.deepEqual(inspected, JSON.parse(readFileSync(store.blobPath(descriptor.digest), "utf8")));
    }
  });

  test("an image can be pulled by a sha512 digest, and is rejected if it differs", async () => {
    const bytes = readFileSync(store.blobPath(large.digest));
    const right = `sha512:${createHash("sha512").update(bytes).digest("hex")}`;
    const wrong = `sha512:${"0".repeat(128)}`;
    // Current registries name manifests by sha256 only: a proxy in front of it returns the same bytes for every name.
    const host = await startRegistry(home, stops);
    await pushImage(large, parseReference(`${host}/app:v1`), { store, session: session(host) });
    const asked = new RegistrySession(host, {
      fetch: (url, init) => fetch(url.replace(/sha512:\w+/, "v1"), init),
      credentials: () => Promise.resolve(undefined),
      wait: () => Promise.resolve(),
    });
    const other = await openStore(join(home, "by-sha512"));
    const options = { store: other, session: asked, platform: "all" } as const;
    await assert.rejects(pullImage(parseReference(`${host}/app@${wrong}`), options), hasCode("BadDigest"));
    assert.deepEqual(await other.list(), []);
    const pulled = await pullImage(parseReference(`${host}/app@${right}`), options);
    assert.equal(pulled.digest, large.digest);
    assert.equal((await other.find(`${host}/app@${right}`))?.digest, large.digest);
  });

  test("only the requested platform is fetched", async () => {
    const host = await startRegistry(home, stops);
    const reference = parseReference(`${host}/team/app:v1`);
    await pushImage(image, reference, { store, session: session(host) });
    const other = await openStore(join(home, "one-platform"));
    await pullImage(reference, {
      store: other,
      session: session(host),
      platform: { os: "linux", architecture: "arm64" },
    });
    assert.equal((await other.blobs()).length, 4);
  });

  test("an interrupted transfer continues where it stopped", async () => {
    const host = await startRegistry(home, stops);
    await pushImage(large, parseReference(`${host}/large:v1`), { store, session: session(host) });
    const flaky = await startBreakingProxy(host, stops);
    const other = await openStore(join(home, "flaky"));
    await pullImage(parseReference(`${flaky.host}/large:v1`), {
      store: other,
      session: session(flaky.host),
      platform: { os: "linux", architecture: "amd64" },
    });
    assert.ok(flaky.ranges.length > 0, "the second try asked for the rest only");
    assert.equal((await other.find(`${flaky.host}/large:v1`))?.digest, large.digest);
  });

  test("an interrupted push continues as far as the registry allows", async () => {
    const host = await startRegistry(home, stops);
    const flaky = await startBreakingUploads(host, stops);
    const done: number[] = [];
    await pushImage(large, parseReference(`${flaky.host}/resumed:v1`), {
      store,
      session: session(flaky.host),
      onProgress: ({ done: bytes }) => done.push(bytes),
    });
    assert.deepEqual([flaky.broken, flaky.asked > 0], [1, true]);
    assert.ok(done.length >= 3, "progress is told chunk by chunk");
    const other = await openStore(join(home, "resumed"));
    const pulled = await pullImage(parseReference(`${host}/resumed:v1`), {
      store: other,
      session: session(host),
      platform: "all",
    });
    assert.equal(pulled.digest, large.digest);
  });

  test("a document can be attached to an image, is found again and is reproducible", async () => {
    const host = await startRegistry(home, stops);
    const reference = parseReference(`${host}/team/billed:v1`);
    await pushImage(image, reference, { store, session: session(host) });
    const bill = { type: "application/spdx+json", bytes: Buffer.from(JSON.stringify({ spdxVersion: "SPDX-2.3" })) };
    const attachment = await attachDocument(image, bill, store);
    assert.equal((await attachDocument(image, bill, store)).digest, attachment.digest);
    for (let again = 0; again < 2; again++)
      await pushAttachment(attachment, reference, { store, session: session(host) });
    const found = await findAttachments(`${host}/team/billed:v1`, image.digest, session(host));
    assert.deepEqual(
      found.map(({ digest, artifactType }) => [digest, artifactType]),
      [[attachment.digest, bill.type]],
    );
  });

  test("a registry with a login gets the password, and rejects requests without", async () => {
    const passwords = join(home, "htpasswd");
    writeFileSync(passwords, execFileSync("htpasswd", ["-Bbn", "ann", "secret"]));
    const host = await startRegistry(home, stops, {
      REGISTRY_AUTH: "htpasswd",
      REGISTRY_AUTH_HTPASSWD_REALM: "here",
      REGISTRY_AUTH_HTPASSWD_PATH: passwords,
    });
    const reference = parseReference(`${host}/app:v1`);
    await assert.rejects(pushImage(image, reference, { store, session: session(host) }), hasCode("Unauthorized"));
    await pushImage(image, reference, {
      store,
      session: session(host, { type: "password", username: "ann", password: "secret" }),
    });
    await assert.rejects(
      pushImage(image, reference, {
        store,
        session: session(host, { type: "password", username: "ann", password: "wrong" }),
      }),
      hasCode("Unauthorized"),
    );
  });

  test("missing images and missing registries are reported", async () => {
    const host = await startRegistry(home, stops);
    const options = { store, platform: "all" } as const;
    await assert.rejects(
      pullImage(parseReference(`${host}/nothing:v1`), { ...options, session: session(host) }),
      hasCode("NotFound"),
    );
    const nobody = `127.0.0.1:${await freePort()}`;
    await assert.rejects(
      pullImage(parseReference(`${nobody}/app`), { ...options, session: session(nobody) }),
      hasCode("Unreachable"),
    );
  });
});

function session(host: string, credentials?: Credentials): RegistrySession {
  return new RegistrySession(host, {
    fetch: (url, init) => fetch(url, init),
    credentials: () => Promise.resolve(credentials),
    wait: () => Promise.resolve(),
  });
}

function hasCode(code: string): (error: unknown) => boolean {
  return (error) => error instanceof OciError && error.code === code;
}

async function startRegistry(
  home: string,
  stops: (() => void)[],
  environment: Record<string, string> = {},
): Promise<string> {
  const port = await freePort();
  const folder = mkdtempSync(join(home, "registry-"));
  const config = join(folder, "config.yml");
  writeFileSync(
    config,
    `version: 0.1\nlog: {level: error}\nstorage: {filesystem: {rootdirectory: ${folder}}}\nhttp: {addr: "127.0.0.1:${port}"}\n`,
  );
  const child = spawn("docker-registry", ["serve", config], {
    env: { ...process.env, ...environment },
    stdio: "ignore",
  });
  stops.push(() => child.kill("SIGKILL"));
  for (;;) {
    const status = await fetch(`http://127.0.0.1:${port}/v2/`).then(
      (response) => response.status,
      () => 0,
    );
    if (status === 200 || status === 401) return `127.0.0.1:${port}`;
    assert.equal(child.exitCode, null, "docker-registry did not start");
    await new Promise((resolve) => setTimeout(resolve, 20));
  }
}

/** Forwards requests, but breaks the first large response in the middle. */
async function startBreakingProxy(target: string, stops: (() => void)[]): Promise<{ host: string; ranges: string[] }> {
  const ranges: string[] = [];
  let broken = false;
  const server = createServer((request, response) => {
    const range = request.headers.range;
    if (range !== undefined) ranges.push(range);
    void (async () => {
      const answer = await fetch(`http://${target}${request.url}`, {
        headers: { ...(range === undefined ? {} : { range }), accept: request.headers.accept ?? "*/*" },
      });
      const body = Buffer.from(await answer.arrayBuffer());
      response.writeHead(answer.status, {
        "content-type": answer.headers.get("content-type") ?? "",
        "content-length": body.length,
      });
      if (broken || body.length < 2 ** 20) return response.end(body);
      broken = true;
      return response.write(body.subarray(0, body.length / 2), () => response.destroy());
    })();
  });
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  stops.push(() => server.close());
  return { host: `127.0.0.1:${(server.address() as AddressInfo).port}`, ranges };
}

/** Forwards everything, but breaks the second chunk of an upload in the middle. */
async function startBreakingUploads(
  target: string,
  stops: (() => void)[],
): Promise<{ readonly host: string; readonly broken: number; readonly asked: number }> {
  const seen = { broken: 0, asked: 0, patches: 0 };
  const [hostname, port] = target.split(":");
  const server = createServer((request, response) => {
    const isPatch = request.method === "PATCH";
    if (isPatch) seen.patches++;
    if (request.method === "GET" && request.url?.includes("/uploads/") === true) seen.asked++;
    const headers = { ...request.headers, host: request.headers.host };
    const onward = httpRequest({ hostname, port, method: request.method, path: request.url, headers }, (answer) => {
      response.writeHead(answer.statusCode ?? 500, answer.headers);
      answer.pipe(response);
    });
    onward.on("error", () => response.destroy());
    const breaks = isPatch && seen.patches === 2 && seen.broken === 0;
    if (!breaks) return void request.pipe(onward);
    seen.broken++;
    let passed = 0;
    request.on("data", (chunk: Buffer) => {
      passed += chunk.length;
      if (passed < 4 * 2 ** 20) return void onward.write(chunk);
      onward.destroy();
      request.destroy();
    });
  });
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  stops.push(() => server.close());
  const host = `127.0.0.1:${(server.address() as AddressInfo).port}`;
  return Object.defineProperties(
    { host, broken: 0, asked: 0 },
    {
      broken: { get: () => seen.broken },
      asked: { get: () => seen.asked },
    },
  );
}

/** A free port below the ephemeral range, so that no outgoing connection takes it before the program listens. */
async function freePort(): Promise<number> {
  for (;;) {
    const port = randomInt(15_000, 32_000);
    const server = createSocket().listen(port, "127.0.0.1");
    const isFree = await once(server, "listening").then(
      () => true,
      () => false,
    );
    if (!isFree) continue;
    await new Promise((resolve) => server.close(resolve));
    return port;
  }
}
