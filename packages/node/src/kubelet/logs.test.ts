import assert from "node:assert/strict";
import { mkdtemp, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterEach, beforeEach, describe, test } from "node:test";
import type { KubeletTools } from "./api.ts";
import type { KubeletSink } from "./call.ts";
import { readLogs, type LogRequest } from "./logs.ts";

const lines = 20_000;
const lineOf = (at: number): string => `line ${at} ${"é".repeat(20)}`;

/** The request and the tools that a log of a container that has exited needs. */
function requestOf(query: string): LogRequest {
  const spec = { name: "main" };
  return {
    query: new URLSearchParams(query),
    worker: { situation: { pod: { metadata: { name: "pod" } }, containers: new Map() } },
    record: { container: { spec }, life: { is: "exited" }, image: { is: "present" }, restarts: 0 },
  } as unknown as LogRequest;
}

function toolsFor(path: string): KubeletTools {
  return { streaming: { logFile: () => path }, clock: { wall: () => 0 } } as unknown as KubeletTools;
}

describe("a long log", () => {
  let folder = "";
  let path = "";
  beforeEach(async () => {
    folder = await mkdtemp(join(tmpdir(), "logs-"));
    path = join(folder, "0.log");
    const entries = Array.from({ length: lines }, (_, at) => `2026-01-01T00:00:00Z stdout F ${lineOf(at)}\n`);
    await writeFile(path, entries.join(""));
  });
  afterEach(() => rm(folder, { recursive: true }));

  /** The chunks of a log. With `isSlow`, the client takes each chunk before it has space for the next one. */
  const chunksOf = async (query: string, isSlow = false): Promise<string[]> => {
    const { body } = await readLogs(requestOf(query), toolsFor(path));
    assert.ok(typeof body === "function");
    const chunks: string[] = [];
    let waiting = 0;
    await new Promise<void>((end) => {
      const sink: KubeletSink = {
        isFull: isSlow,
        write(chunk) {
          assert.equal(waiting, 0, "a full sink gets no chunk");
          if (isSlow) waiting++;
          chunks.push(String(chunk));
        },
        whenDrained(callback) {
          setImmediate(() => {
            waiting = 0;
            callback();
          });
        },
        end,
      };
      body(sink);
    });
    return chunks;
  };
  const all = Array.from({ length: lines }, (_, at) => `${lineOf(at)}\n`).join("");

  for (const isSlow of [false, true]) {
    test("that cannot be read ends its stream, and not the process", async () => {
      path = folder;
      assert.deepEqual(await chunksOf(""), []);
    });

    test(`is sent whole and in pieces to a ${isSlow ? "slow" : "fast"} client`, async () => {
      const chunks = await chunksOf("", isSlow);
      assert.equal(chunks.join(""), all);
      assert.ok(Math.max(...chunks.map(({ length }) => length)) < all.length / 5);
    });
  }

  test("shows its last lines", async () => {
    assert.equal((await chunksOf("tailLines=2")).join(""), `${lineOf(lines - 2)}\n${lineOf(lines - 1)}\n`);
    assert.equal((await chunksOf("tailLines=0")).join(""), "");
    assert.equal((await chunksOf(`tailLines=${lines + 1}`)).join(""), all);
    assert.equal((await chunksOf("tailLines=15000")).join("").split("\n").length, 15_001);
  });

  test("ends at the byte limit", async () => {
    assert.equal(
      (await chunksOf("limitBytes=100000")).map((text) => Buffer.byteLength(text)).reduce((a, b) => a + b),
      100_000,
    );
  });

  test("without a newline is read in pieces and shows nothing", async () => {
    await writeFile(path, "x".repeat(3_000_000));
    assert.equal((await chunksOf("")).join(""), "");
  });
});
