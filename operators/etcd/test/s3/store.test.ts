/** The stores against real backends: an S3-compatible server, and folders, one of them full. */
import assert from "node:assert/strict";
import { createHash, randomBytes } from "node:crypto";
import { mkdir, mkdtemp, open, readdir, rm } from "node:fs/promises";
import { createServer } from "node:http";
import type { Server } from "node:http";
import { once } from "node:events";
import type { AddressInfo } from "node:net";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { describe, test } from "node:test";
import { systemClock } from "capstan";
import { openDirectory, openS3, readWhole, StoreError } from "capstan/stateful";
import type { S3Options, Store, StoreErrorCode } from "capstan/stateful";
import { startS3 } from "./server.ts";
import type { S3Server } from "./server.ts";

const failsWith = (code: StoreErrorCode) => (error: unknown) => error instanceof StoreError && error.code === code;

function optionsOf(server: S3Server): S3Options {
  const { endpoint, bucket, ca, accessKeyId, secretAccessKey } = server;
  return {
    endpoint,
    bucket,
    ca,
    region: "us-east-1",
    credentials: { accessKeyId, secretAccessKey },
    clock: systemClock,
    random: Math.random,
  };
}

async function* pieces(content: Buffer, size: number): AsyncGenerator<Buffer> {
  for (let at = 0; at < content.length; at += size) yield content.subarray(at, at + size);
}

/** The behaviour of every store. */
async function behave(store: Store): Promise<void> {
  const content = randomBytes(100_000);
  assert.deepEqual(await store.list(""), []);
  assert.deepEqual(await store.put("a/one é+ &.db", pieces(content, 7777)), { bytes: 100_000 });
  await store.put("a/two", pieces(Buffer.from("2"), 1));
  await store.put("b/empty", pieces(Buffer.alloc(0), 1));
  assert.ok((await readWhole(await store.get("a/one é+ &.db"))).equals(content));
  assert.equal((await readWhole(await store.get("b/empty"))).length, 0);
  const listed = await store.list("a/");
  assert.deepEqual(
    listed.map(({ name, bytes }) => `${name} ${bytes}`),
    ["a/one é+ &.db 100000", "a/two 1"],
  );
  assert.ok(Math.abs((listed[0]?.modified.getTime() ?? 0) - Date.now()) < 600_000);
  await store.put("a/two", pieces(Buffer.from("zwei"), 2));
  assert.equal((await readWhole(await store.get("a/two"))).toString(), "zwei");
  await store.remove("a/two");
  await store.remove("a/two");
  await assert.rejects(store.get("a/two"), failsWith("NotFound"));
  for (const bad of ["", "/a", "../a", "a//b", "a/../../b", "a\0b"]) {
    await assert.rejects(async () => store.get(bad), failsWith("BadName"));
  }
  const broken = async function* (): AsyncGenerator<Buffer> {
    yield Buffer.from("half");
    throw new Error("the source broke");
  };
  await assert.rejects(store.put("a/broken", broken()));
  await assert.rejects(store.get("a/broken"), failsWith("NotFound"));
  assert.deepEqual(
    (await store.list("")).map(({ name }) => name),
    ["a/one é+ &.db", "b/empty"],
  );
}

describe("a bucket of an S3-compatible server", () => {
  test("keeps the objects that are put into it", async () => {
    await using server = await startS3();
    using store = openS3(optionsOf(server));
    await behave(store);
    using below = openS3({ ...optionsOf(server), prefix: "clusters/x/" });
    await behave(below);
    assert.deepEqual((await store.list("clusters/")).length, 2);
  });

  test("works without TLS", async () => {
    await using server = await startS3({ tls: false });
    using store = openS3(optionsOf(server));
    await store.put("x", pieces(Buffer.from("plain"), 5));
    assert.equal((await readWhole(await store.get("x"))).toString(), "plain");
  });

  test("uploads large objects in parts, and removes the parts of an aborted upload", async () => {
    await using server = await startS3();
    using store = openS3({ ...optionsOf(server), partBytes: 5 << 20 });
    const content = randomBytes(12 << 20);
    assert.equal((await store.put("large", pieces(content, 1 << 20))).bytes, content.length);
    const read = createHash("sha256");
    for await (const part of await store.get("large")) read.update(part);
    assert.equal(read.digest("hex"), createHash("sha256").update(content).digest("hex"));
    const breaking = async function* (): AsyncGenerator<Buffer> {
      yield content;
      throw new Error("the source broke");
    };
    await assert.rejects(store.put("broken", breaking()), /the source broke/);
    const left = await readdir(join(server.folder, server.bucket), { recursive: true });
    assert.deepEqual(
      left.filter((name) => /^\d+$/.test(name.split("/").at(-1) ?? "")),
      [],
    );
  });

  test("lists more than one page", async () => {
    await using server = await startS3();
    using store = openS3(optionsOf(server));
    const names = Array.from({ length: 1003 }, (_, at) => `n/${String(at).padStart(5, "0")}`);
    for (let at = 0; at < names.length; at += 50) {
      await Promise.all(names.slice(at, at + 50).map((name) => store.put(name, pieces(Buffer.from("."), 1))));
    }
    assert.deepEqual(
      (await store.list("n/")).map(({ name }) => name),
      names,
    );
  });

  test("reports errors", async () => {
    await using server = await startS3();
    const lastGood = optionsOf(server);
    const put = async (options: S3Options): Promise<unknown> => {
      using store = openS3(options);
      return await store.put("x", pieces(Buffer.from("x"), 1));
    };
    const secret = { accessKeyId: server.accessKeyId, secretAccessKey: "wrong" };
    await assert.rejects(put({ ...lastGood, credentials: secret }), failsWith("Denied"));
    const nobody = { accessKeyId: "nobody", secretAccessKey: "x" };
    await assert.rejects(put({ ...lastGood, credentials: nobody }), failsWith("Denied"));
    await assert.rejects(put({ ...lastGood, bucket: "elsewhere" }), failsWith("NoPlace"));
    await assert.rejects(put({ ...lastGood, ca: "" }), failsWith("Unreachable"));
    await assert.rejects(
      put({ ...lastGood, endpoint: "https://127.0.0.1:1", random: () => 0 }),
      failsWith("Unreachable"),
    );
    const controller = new AbortController();
    controller.abort();
    using store = openS3(lastGood);
    await assert.rejects(store.get("x", { signal: controller.signal }), failsWith("Aborted"));
  });
});

describe("a faulty server", () => {
  test("gets the request again, with the same body, until it responds", async () => {
    const seen: string[] = [];
    const server = createServer((request, response) => {
      const chunks: Buffer[] = [];
      request.on("data", (chunk: Buffer) => chunks.push(chunk));
      request.on("end", () => {
        seen.push(Buffer.concat(chunks).toString());
        if (seen.length === 1) return void response.socket?.destroy();
        response.writeHead(seen.length === 2 ? 503 : 200).end();
      });
    });
    const store = await openOn(server);
    await store.put("x", pieces(Buffer.from("body"), 2));
    assert.deepEqual(seen, ["body", "body", "body"]);
    server.close();
  });

  test("fails the read when it breaks off", async () => {
    const server = createServer((_request, response) => {
      response.writeHead(200, { "content-length": "100" });
      response.write("half");
      setImmediate(() => response.socket?.destroy());
    });
    const store = await openOn(server);
    await assert.rejects(async () => readWhole(await store.get("x")), failsWith("Unreachable"));
    server.close();
  });

  test("fails the list when a partial page has no continuation token", async () => {
    const part = "<Contents><Key>a</Key><Size>1</Size><LastModified>2026-01-01T00:00:00Z</LastModified></Contents>";
    for (const rest of ["", "<NextContinuationToken/>", "<NextContinuationToken>same</NextContinuationToken>"]) {
      const server = createServer((_request, response) =>
        response.end(`<ListBucketResult>${part}<IsTruncated>true</IsTruncated>${rest}</ListBucketResult>`),
      );
      const store = await openOn(server);
      await assert.rejects(store.list(""), failsWith("Malformed"));
      server.close();
    }
  });

  async function openOn(server: Server): Promise<Store> {
    server.listen(0, "127.0.0.1");
    await once(server, "listening");
    const endpoint = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
    const credentials = { accessKeyId: "a", secretAccessKey: "b" };
    return openS3({ endpoint, region: "r", bucket: "b", credentials, clock: systemClock, random: () => 0 });
  }
});

describe("a folder", () => {
  test("keeps the objects that are put into it, also below a path", async () => {
    const root = await mkdtemp(join(tmpdir(), "capstan-store-"));
    await behave(openDirectory({ root, path: "deep/er" }));
    await rm(root, { recursive: true });
  });

  test("reports errors", async () => {
    const root = await mkdtemp(join(tmpdir(), "capstan-store-"));
    const content = (): AsyncIterable<Buffer> => pieces(Buffer.from("x"), 1);
    await assert.rejects(openDirectory({ root: join(root, "gone") }).put("x", content()), failsWith("NoPlace"));
    await mkdir(join(root, "file"));
    await assert.rejects(openDirectory({ root }).put("file", content()), failsWith("Refused"));
    await assert.rejects(writeToFullDisk(), failsWith("Full"));
    await rm(root, { recursive: true, force: true });
  });
});

/** A write that fails as on a full disk: the store itself opens no device. */
async function writeToFullDisk(): Promise<void> {
  const root = await mkdtemp(join(tmpdir(), "capstan-store-"));
  async function* content(): AsyncGenerator<Buffer> {
    yield Buffer.from("x");
    await using full = await open("/dev/full", "w");
    await full.write("x");
  }
  try {
    await openDirectory({ root }).put("x", content());
  } finally {
    assert.deepEqual(await readdir(root), []);
    await rm(root, { recursive: true });
  }
}
