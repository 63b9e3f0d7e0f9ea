/** Bytes of the database that change or are lost on the disk: the server has what it stored, or does not start and says why. */
import assert from "node:assert/strict";
import { cp, mkdtemp, readFile, rm, truncate, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { before, describe, after, test } from "node:test";
import { DataFolderError, isSound, checkDataFolder, repairDataFolder, startApiServer } from "../src/index.ts";

const maps = "/api/v1/namespaces/default/configmaps";
const names = Array.from({ length: 20 }, (_, at) => `map-${at + 10}`);
const text = "a text that is stored";

describe("a damaged database", () => {
  let folder = "";
  let original = "";
  let bytes = Buffer.alloc(0);

  before(async () => {
    folder = await mkdtemp(join(tmpdir(), "capstan-bytes-"));
    original = join(folder, "original");
    const server = await startApiServer({ data: original });
    for (const name of names) {
      const body = JSON.stringify({ metadata: { name }, data: { text } });
      const headers = { "content-type": "application/json" };
      await server.fetch(new Request(`http://server${maps}`, { method: "POST", headers, body }));
    }
    await server.close();
    bytes = await readFile(join(original, "capstan.db"));
  });
  after(() => rm(folder, { recursive: true, force: true }));

  /** A copy of the folder, with its database changed. */
  async function damaged(what: string, damage: (database: string) => Promise<void>): Promise<string> {
    const data = join(folder, what);
    await cp(original, data, { recursive: true });
    await damage(join(data, "capstan.db"));
    return data;
  }

  /** The objects of a server on a folder, or the code of the error with which it does not start. */
  async function startOn(data: string): Promise<readonly string[] | string> {
    try {
      await using server = await startApiServer({ data });
      const response = await server.fetch(new Request(`http://server${maps}`));
      const { items } = (await response.json()) as {
        items: { metadata: { name: string }; data?: { text?: string } }[];
      };
      return items.map(({ metadata, data: fields }) => `${metadata.name} ${fields?.text}`);
    } catch (error) {
      if (!(error instanceof DataFolderError)) throw error;
      return error.code;
    }
  }

  const complete = names.map((name) => `${name} ${text}`);

  test("with one flipped bit anywhere starts with all objects, or does not start", async () => {
    let refused = 0;
    const flips = 40;
    for (let nth = 0; nth < flips; nth++) {
      const at = Math.floor(((nth + Math.random()) * bytes.length) / flips);
      const changed = Buffer.from(bytes);
      changed[at] = (changed[at] ?? 0) ^ (1 << (nth % 8));
      const data = await damaged(`flip-${nth}`, (path) => writeFile(path, changed));
      const found = await startOn(data);
      if (found === "Damaged") {
        refused++;
        assert.ok(!isSound(checkDataFolder(data)), `fsck does not find bit ${nth % 8} of byte ${at}`);
        repairDataFolder(data);
        const repaired = await startOn(data);
        assert.ok(Array.isArray(repaired), `repaired, but ${String(repaired)}: bit ${nth % 8} of byte ${at}`);
        assert.deepEqual(
          repaired.filter((one) => !complete.includes(one)),
          [],
        );
      } else assert.deepEqual(found, complete, `bit ${nth % 8} of byte ${at}`);
      await rm(data, { recursive: true });
    }
    assert.ok(refused > 0, "no flip did any harm");
  });

  test("that was cut short does not start, and starts after a repair", async () => {
    for (const part of [0.1, 0.5, 0.9]) {
      const data = await damaged(`cut-${part}`, (path) => truncate(path, Math.floor(bytes.length * part)));
      assert.equal(await startOn(data), "Damaged", `cut at ${part}`);
      assert.ok(!isSound(checkDataFolder(data)));
      repairDataFolder(data);
      assert.ok(Array.isArray(await startOn(data)), `repaired, cut at ${part}`);
    }
  });

  test("that is empty, or gone, does not start as an empty cluster in silence", async () => {
    const empty = await damaged("empty", (path) => truncate(path, 0));
    assert.equal(await startOn(empty), "Damaged");
    const gone = await damaged("gone", (path) => rm(path));
    assert.equal(await startOn(gone), "Damaged");
    for (const data of [empty, gone]) {
      assert.ok(!isSound(checkDataFolder(data)));
      repairDataFolder(data);
      assert.deepEqual(await startOn(data), []);
    }
  });
});
