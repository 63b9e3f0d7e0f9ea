/** Hostile layers are contained: whatever they contain, nothing outside the folder changes. */
import assert from "node:assert/strict";
import { createHash } from "node:crypto";
import {
  existsSync,
  lstatSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  readlinkSync,
  rmSync,
  writeFileSync,
} from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterEach, beforeEach, describe, test } from "node:test";
import { gzipSync, zstdCompressSync } from "node:zlib";
import { OciError, unpackLayer } from "@capstan/oci";
import { layer } from "./layers.ts";

const digestOf = (bytes: Buffer | string): string => `sha256:${createHash("sha256").update(bytes).digest("hex")}`;

async function* once(bytes: Buffer): AsyncGenerator<Uint8Array> {
  yield bytes;
}

describe("unpacking", () => {
  let home = "";
  let root = "";
  beforeEach(() => {
    home = mkdtempSync(join(tmpdir(), "capstan-unpack-"));
    root = join(home, "root");
    mkdirSync(root);
    writeFileSync(join(home, "precious"), "untouched");
  });
  afterEach(() => {
    assert.equal(readFileSync(join(home, "precious"), "utf8"), "untouched");
    assert.deepEqual(readdirSync(home).sort(), ["precious", "root"]);
    rmSync(home, { recursive: true });
  });

  const unpack = (
    bytes: Buffer,
    compression: "none" | "gzip" | "zstd" = "none",
    limits: { maxBytes?: number; maxEntries?: number; diffId?: string } = {},
  ): Promise<unknown> =>
    unpackLayer(once(bytes), compression, root, { owners: "mine", whiteouts: "remove", ...limits });

  test("a small layer cannot lead the unpacking along long ways", async () => {
    // Each link goes up a thousand folders and on to the next link: 200,000 steps for each entry behind them.
    const up = "../".repeat(1_000);
    const links = Array.from({ length: 200 }, (_, index) => ({
      path: `l${index}`,
      type: "symlink" as const,
      target: index === 199 ? "." : `${up}l${index + 1}`,
    }));
    const entries = Array.from({ length: 100 }, (_, index) => ({ path: `l0/${index}`, body: "" }));
    await assert.rejects(unpack(gzipSync(layer([...links, ...entries])), "gzip"), { code: "UnsafeLayer" });
    assert.deepEqual(
      readdirSync(root).filter((name) => !name.startsWith("l")),
      [],
    );
  });

  test("deep folders and links like those of real images are unpacked", async () => {
    const deep = Array.from({ length: 60 }, (_, index) => `d${index}`).join("/");
    const entries = [
      { path: "usr/lib/", type: "directory" as const },
      { path: "lib", type: "symlink" as const, target: "usr/lib" },
      ...Array.from({ length: 200 }, (_, index) => ({ path: `lib/${deep}/${index}`, body: "x" })),
    ];
    await unpack(layer(entries));
    assert.equal(readdirSync(join(root, "usr/lib", deep)).length, 200);
  });

  test("the first bytes of a layer decide its compression, not the media type", async () => {
    const plain = layer([{ path: "a", body: "a" }]);
    for (const bytes of [plain, gzipSync(plain), zstdCompressSync(plain)])
      for (const named of ["gzip", "zstd"] as const) {
        rmSync(join(root, "a"), { force: true });
        await unpack(bytes, named, { diffId: digestOf(plain) });
        assert.equal(readFileSync(join(root, "a"), "utf8"), "a");
      }
    await assert.rejects(unpack(gzipSync(plain).subarray(0, 40), "gzip"), { code: "BadArchive" });
  });

  test("folders may be deep: only links form cycles", async () => {
    const deep = Array.from({ length: 400 }, () => "d").join("/");
    await unpack(layer([{ path: `${deep}/file`, body: "deep" }]));
    assert.equal(readFileSync(join(root, deep, "file"), "utf8"), "deep");
    const circle = [
      { path: "here", type: "symlink", target: "there" },
      { path: "there", type: "symlink", target: "here" },
      { path: "here/file", body: "" },
    ] as const;
    await assert.rejects(unpack(layer(circle)), /lead in a circle/);
  });

  test("a layer must match its diffId in the configuration, to its last byte", async () => {
    const plain = layer([{ path: "a", body: "a" }]);
    const longer = Buffer.concat([plain, Buffer.alloc(512)]);
    await unpack(gzipSync(plain), "gzip", { diffId: digestOf(plain) });
    await unpack(zstdCompressSync(longer), "zstd", { diffId: digestOf(longer) });
    const isRefused = (error: unknown): boolean => error instanceof OciError && error.code === "BadDigest";
    await assert.rejects(unpack(gzipSync(plain), "gzip", { diffId: digestOf("another") }), isRefused);
    await assert.rejects(unpack(gzipSync(longer), "gzip", { diffId: digestOf(plain) }), isRefused);
    const endless = gzipSync(Buffer.concat([plain, Buffer.alloc(2 ** 20)]));
    await assert.rejects(unpack(endless, "gzip", { maxBytes: 2 ** 16 }), { code: "TooLarge" });
  });

  test("files, folders, links and modes arrive, from every compression", async () => {
    const plain = layer([
      { path: "bin", type: "directory" },
      { path: "bin/tool", mode: 0o4755, body: "#!" },
      { path: "bin/same", type: "link", target: "bin/tool" },
      { path: "sbin", type: "symlink", target: "bin" },
      { path: "sbin/other", body: "x" },
    ]);
    for (const [compression, bytes] of [
      ["none", plain],
      ["gzip", gzipSync(plain)],
      ["zstd", zstdCompressSync(plain)],
    ] as const) {
      await unpack(bytes, compression);
      assert.equal(readFileSync(join(root, "bin/tool"), "utf8"), "#!");
      assert.equal(lstatSync(join(root, "bin/tool")).mode & 0o7777, 0o755, "nobody gets the rights of who unpacks");
      assert.equal(lstatSync(join(root, "bin/same")).ino, lstatSync(join(root, "bin/tool")).ino);
      assert.equal(readlinkSync(join(root, "sbin")), "bin");
      assert.equal(readFileSync(join(root, "bin/other"), "utf8"), "x");
    }
  });

  test("a whiteout of the folder itself or the one above is rejected", async () => {
    writeFileSync(join(root, "kept"), "kept");
    for (const path of [".wh...", ".wh..", ".wh.", "a/.wh..."]) {
      const below = { path: "a", type: "directory" } as const;
      await assert.rejects(unpack(layer([below, { path, body: "" }])), hasCode("UnsafeLayer"), path);
    }
    assert.equal(readFileSync(join(root, "kept"), "utf8"), "kept");
  });

  test("a path that climbs is rejected", async () => {
    await assert.rejects(unpack(layer([{ path: "../precious", body: "gone" }])), hasCode("UnsafeLayer"));
    await assert.rejects(unpack(layer([{ path: "a/../../precious", body: "gone" }])), hasCode("UnsafeLayer"));
  });

  test("an absolute path stays inside", async () => {
    await unpack(layer([{ path: "/etc/passwd", body: "x" }]));
    assert.equal(readFileSync(join(root, "etc/passwd"), "utf8"), "x");
  });

  test("symlinks out of the root lead back into it", async () => {
    await unpack(
      layer([
        { path: "up", type: "symlink", target: "../.." },
        { path: "up/precious", body: "x" },
      ]),
    );
    await unpack(
      layer([
        { path: "abs", type: "symlink", target: home },
        { path: `abs/precious`, body: "x" },
      ]),
    );
    assert.equal(readFileSync(join(root, "precious"), "utf8"), "x");
  });

  test("a file over a symlink replaces the link, not its target", async () => {
    await unpack(
      layer([
        { path: "link", type: "symlink", target: join(home, "precious") },
        { path: "link", body: "x" },
      ]),
    );
    assert.equal(lstatSync(join(root, "link")).isFile(), true);
  });

  test("a hard link cannot leave the folder", async () => {
    await assert.rejects(
      unpack(layer([{ path: "hard", type: "link", target: "../precious" }])),
      hasCode("UnsafeLayer"),
    );
    await assert.rejects(unpack(layer([{ path: "hard", type: "link", target: join(home, "precious") }])));
  });

  test("symlink cycles are rejected", async () => {
    await assert.rejects(
      unpack(
        layer([
          { path: "a", type: "symlink", target: "b" },
          { path: "b", type: "symlink", target: "a" },
          { path: "a/x", body: "" },
        ]),
      ),
      hasCode("UnsafeLayer"),
    );
  });

  test("devices are left out", async () => {
    await unpack(layer([{ path: "dev/sda", type: "block", major: 8, minor: 0 }]));
    assert.equal(existsSync(join(root, "dev/sda")), false);
  });

  test("whiteouts hide earlier files, and opaque ones only those of lower layers", async () => {
    await unpack(
      layer([
        { path: "d/old", body: "" },
        { path: "d/older", body: "" },
        { path: "e/x", body: "" },
      ]),
    );
    await unpack(
      layer([
        { path: "d/new", body: "" },
        { path: "d/.wh..wh..opq", body: "" },
        { path: "e/.wh.x", body: "" },
      ]),
    );
    assert.deepEqual(readdirSync(join(root, "d")), ["new"]);
    assert.deepEqual(readdirSync(join(root, "e")), []);
  });

  test("bombs are stopped at a limit", async () => {
    const bomb = gzipSync(layer([{ path: "zeros", body: Buffer.alloc(1 << 20) }]));
    await assert.rejects(unpack(bomb, "gzip", { maxBytes: 1 << 16 }), hasCode("TooLarge"));
    await assert.rejects(
      unpack(
        layer([
          { path: "a", body: "" },
          { path: "b", body: "" },
        ]),
        "none",
        { maxEntries: 1 },
      ),
      hasCode("TooLarge"),
    );
  });

  test("headers and names count for the limit, and paths have Linux's maximum length", async () => {
    const long = "a/".repeat(1900);
    await assert.rejects(
      unpack(layer([{ path: `${long}b` }]), "none", { maxBytes: 1, maxEntries: 1 }),
      hasCode("TooLarge"),
    );
    await assert.rejects(unpack(layer([{ path: `${long}${long}b` }]), "none"), hasCode("UnsafeLayer"));
  });

  test("a layer that does not match its description is an error", async () => {
    await assert.rejects(unpack(Buffer.from("hello"), "gzip"), hasCode("BadArchive"));
  });
});

function hasCode(code: string): (error: unknown) => boolean {
  return (error) => error instanceof OciError && error.code === code;
}
