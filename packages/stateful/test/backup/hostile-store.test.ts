/** Stores under the control of another program: links, pipes and names in a volume, and answers of a bucket. */
import assert from "node:assert/strict";
import { execFileSync } from "node:child_process";
import { lstatSync, mkdirSync, mkdtempSync, readFileSync, rmSync, symlinkSync, writeFileSync } from "node:fs";
import { createServer } from "node:http";
import type { RequestListener } from "node:http";
import type { AddressInfo } from "node:net";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { test } from "node:test";
import { systemClock } from "@capstan/runtime";
import { openDirectory, openS3, StoreError } from "../../src/store/index.ts";
import type { Store } from "../../src/store/index.ts";
import { readWhole } from "../../src/store/store.ts";

async function* bytesOf(text: string): AsyncGenerator<Buffer> {
  yield Buffer.from(text);
}

const read = async (store: Store, name: string): Promise<string> => (await readWhole(await store.get(name))).toString();
const refused = (code: string) => (error: unknown) => error instanceof StoreError && error.code === code;

async function inVolume(play: (places: { root: string; outside: string }) => Promise<void>): Promise<void> {
  const home = mkdtempSync(join(tmpdir(), "capstan-store-"));
  const [root, outside] = [join(home, "root"), join(home, "outside")];
  for (const folder of [root, outside]) mkdirSync(folder);
  writeFileSync(join(outside, "secret"), "untouched");
  try {
    await play({ root, outside });
    assert.equal(readFileSync(join(outside, "secret"), "utf8"), "untouched");
  } finally {
    rmSync(home, { recursive: true });
  }
}

test("a volume is written and read, listed by prefix, and emptied", () =>
  inVolume(async ({ root }) => {
    const store = openDirectory({ root, path: "shop" });
    assert.deepEqual(await store.list(""), []);
    await store.remove("a/missing");
    await store.put("a/one", bytesOf("1"));
    await store.put("a/one", bytesOf("changed"));
    await store.put("b/two", bytesOf("22"));
    assert.equal(await read(store, "a/one"), "changed");
    assert.deepEqual(
      (await store.list("")).map(({ name, bytes }) => [name, bytes]),
      [
        ["a/one", 7],
        ["b/two", 2],
      ],
    );
    assert.deepEqual(
      (await store.list("b/t")).map(({ name }) => name),
      ["b/two"],
    );
    await store.remove("a/one");
    await assert.rejects(store.get("a/one"), refused("NotFound"));
    await assert.rejects(store.get("../outside/secret"), refused("BadName"));
  }));

test("links in a volume are not followed: not to read, write, list or remove", () =>
  inVolume(async ({ root, outside }) => {
    const store = openDirectory({ root, path: "shop" });
    await store.put("real/file", bytesOf("mine"));
    symlinkSync(join(outside, "secret"), join(root, "shop/link"));
    symlinkSync(outside, join(root, "shop/folder"));
    await assert.rejects(store.get("link"), refused("Refused"));
    await assert.rejects(store.get("folder/secret"), refused("Refused"));
    await assert.rejects(store.put("folder/new", bytesOf("x")), refused("Refused"));
    await assert.rejects(store.remove("folder/secret"), refused("Refused"));
    assert.deepEqual(
      (await store.list("")).map(({ name }) => name),
      ["real/file"],
    );
    // A file that is written in place of a link replaces the link.
    symlinkSync(join(outside, "secret"), join(root, "shop/real/new.unfinished"));
    await store.put("real/new", bytesOf("new"));
    await store.put("link", bytesOf("file"));
    assert.equal(await read(store, "link"), "file");
    assert.ok(lstatSync(join(root, "shop/link")).isFile());
    await assert.rejects(openDirectory({ root, path: "shop/folder" }).list(""), refused("Refused"));
  }));

test("a pipe in a volume stops no read", { timeout: 60_000 }, () =>
  inVolume(async ({ root }) => {
    const store = openDirectory({ root });
    await store.put("a/file", bytesOf("x"));
    for (const name of ["1", "2", "3", "4", "5"]) execFileSync("mkfifo", [join(root, "a", name)]);
    for (const name of ["1", "2", "3", "4", "5"]) await assert.rejects(store.get(`a/${name}`), refused("Refused"));
    assert.deepEqual(
      (await store.list("")).map(({ name }) => name),
      ["a/file"],
    );
    assert.equal(await read(store, "a/file"), "x");
  }),
);

async function inBucket(answer: RequestListener, play: (store: Store) => Promise<void>): Promise<void> {
  const server = createServer(answer);
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  const { port } = server.address() as AddressInfo;
  using store = openS3({
    endpoint: `http://127.0.0.1:${port}`,
    region: "us-east-1",
    bucket: "b",
    credentials: { accessKeyId: "a", secretAccessKey: "s" },
    clock: systemClock,
    random: () => 0,
    prefix: "mine/",
  });
  try {
    await play(store);
  } finally {
    server.closeAllConnections();
    server.close();
  }
}

const object = (key: string, size = "1"): string =>
  `<Contents><Key>${key}</Key><LastModified>2026-01-01T00:00:00Z</LastModified><Size>${size}</Size></Contents>`;

test("names in a bucket that lead out of the store are left out of a list", () =>
  inBucket(
    (_, response) => {
      const keys = ["mine/a", "mine/../b", "other/c", "mine//d", `mine/${"e".repeat(1000)}`, "mine/f/."];
      response.end(`<ListBucketResult>${keys.map((key) => object(key)).join("")}</ListBucketResult>`);
    },
    async (store) =>
      assert.deepEqual(
        (await store.list("")).map(({ name }) => name),
        ["a"],
      ),
  ));

test("endless lists, answers and sizes of a bucket are refused", async () => {
  let page = 0;
  const endless = (): string =>
    `<L><IsTruncated>true</IsTruncated><NextContinuationToken>${++page}</NextContinuationToken></L>`;
  for (const body of [endless, () => "x".repeat(17 << 20), () => object("mine/a", "many")]) {
    await inBucket(
      (_, response) => response.end(body()),
      (store) => assert.rejects(store.list(""), refused("Malformed")),
    );
  }
});

test("an endless error of a bucket is read to a limit", { timeout: 60_000 }, () =>
  inBucket(
    (_, response) => {
      response.writeHead(403);
      const send = (): void => {
        while (response.writable && response.write("x".repeat(1 << 16)));
      };
      response.on("drain", send);
      response.on("error", () => {});
      send();
    },
    (store) => assert.rejects(store.list(""), refused("Denied")),
  ),
);
