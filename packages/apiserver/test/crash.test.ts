/** Durability: a server with a data folder is killed repeatedly during writes, and acknowledged writes survive. */
import assert from "node:assert/strict";
import { spawn, type ChildProcess } from "node:child_process";
import { once } from "node:events";
import { mkdtemp, rm } from "node:fs/promises";
import { request } from "node:http";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { test } from "node:test";
import { setTimeout } from "node:timers/promises";
import { isDeepStrictEqual } from "node:util";

const program = `
  import { startApiServer } from ${JSON.stringify(join(import.meta.dirname, "..", "src", "index.ts"))};
  const server = await startApiServer({ data: process.argv[1], listen: { port: 0, tls: false }, authorization: "always-allow" });
  process.stdout.write(server.url + "\\n");
`;

interface Running {
  readonly url: string;
  readonly child: ChildProcess;
}

async function start(data: string): Promise<Running> {
  const args = [
    "--conditions=@capstan/source",
    "--disable-warning=ExperimentalWarning",
    "--input-type=module",
    "-e",
    program,
    data,
  ];
  const child = spawn(process.execPath, args, { stdio: ["ignore", "pipe", "inherit"] });
  const died = once(child, "exit").then(() => assert.fail("the server did not start"));
  const [chunk] = (await Promise.race([once(child.stdout ?? child, "data"), died])) as [Buffer];
  died.catch(() => {});
  return { url: chunk.toString().trim(), child };
}

interface Reply {
  readonly status: number;
  readonly data: { readonly [key: string]: string };
}

function send(url: string, { method, path, body }: Asked): Promise<Reply> {
  const type = method === "PATCH" ? "application/merge-patch+json" : "application/json";
  return new Promise((resolve, reject) => {
    const outgoing = request(new URL(path, url), { method, headers: { "content-type": type } }, (answer) => {
      let text = "";
      answer.setEncoding("utf8");
      answer.on("data", (chunk: string) => (text += chunk));
      answer.once("end", () => resolve({ status: answer.statusCode ?? 0, data: dataOf(text) }));
      answer.once("error", reject);
    });
    outgoing.once("error", reject);
    outgoing.end(body === undefined ? undefined : JSON.stringify(body));
  });
}

interface Asked {
  readonly method: string;
  readonly path: string;
  readonly body?: object;
}

function dataOf(text: string): Reply["data"] {
  const { data = {} } = JSON.parse(text) as Partial<Reply>;
  return data;
}

const maps = "/api/v1/namespaces/default/configmaps";

/** The content of an object; `undefined` if it was deleted. */
type Content = { readonly [key: string]: string } | undefined;

/** The state of one object at its last acknowledged write, and the state if the following write took effect. */
interface Known {
  readonly name: string;
  acknowledged: Content;
  asked: Content;
}

/** The next write of an object and its result: create, replace, patch, delete, and create again. */
function nextWrite({ name, acknowledged }: Known, count: number): Asked & { readonly content: Content } {
  const path = `${maps}/${name}`;
  const value = String(count);
  if (acknowledged === undefined) {
    const content = { created: value };
    return { method: "POST", path: maps, body: { metadata: { name }, data: content }, content };
  }
  if ("patched" in acknowledged) return { method: "DELETE", path, content: undefined };
  if ("replaced" in acknowledged) {
    return { method: "PATCH", path, body: { data: { patched: value } }, content: { ...acknowledged, patched: value } };
  }
  const content = { replaced: value };
  return { method: "PUT", path, body: { metadata: { name }, data: content }, content };
}

/** Writes to one object until the connection breaks. */
async function writeUntilDeath(url: string, known: Known): Promise<number> {
  for (let count = 0; ; count++) {
    const write = nextWrite(known, count);
    known.asked = write.content;
    try {
      const { status } = await send(url, write);
      assert.ok(status === 200 || status === 201, `${write.method} ${write.path}: ${status}`);
      known.acknowledged = write.content;
    } catch (error) {
      if (error instanceof assert.AssertionError) throw error;
      return count;
    }
  }
}

/** An object must be in the acknowledged state, or in that of the write without a response. */
async function check(url: string, known: Known): Promise<void> {
  const { status, data } = await send(url, { method: "GET", path: `${maps}/${known.name}` });
  const found = status === 404 ? undefined : data;
  const isEither = [known.acknowledged, known.asked].some((content) => isDeepStrictEqual(found, content));
  assert.ok(isEither, `${known.name} is ${show(found)}, not ${show(known.acknowledged)} nor ${show(known.asked)}`);
  known.acknowledged = found;
}

function show(content: Content): string {
  return content === undefined ? "gone" : JSON.stringify(content);
}

/** Resolves after the given number of writes. */
async function untilWritten(url: string, count: number): Promise<void> {
  const revision = async (): Promise<number> => {
    const answer = await fetch(new URL(maps, url));
    const { metadata } = (await answer.json()) as { readonly metadata: { readonly resourceVersion: string } };
    return Number(metadata.resourceVersion);
  };
  const first = await revision();
  while ((await revision()) < first + count) await setTimeout(5);
}

test("no acknowledged create, replace, patch or delete is lost by kill -9", async () => {
  const data = await mkdtemp(join(tmpdir(), "capstan-crash-"));
  const objects: Known[] = [0, 1, 2, 3].map((index) => ({
    name: `object-${index}`,
    acknowledged: undefined,
    asked: undefined,
  }));
  let writes = 0;
  try {
    for (let round = 0; round < 4; round++) {
      const { url, child } = await start(data);
      for (const known of objects) await check(url, known);
      const writers = objects.map((known) => writeUntilDeath(url, known));
      // Each round kills the server at a different point of the four writes.
      await Promise.race([untilWritten(url, 40 + round).catch(() => {}), ...writers]);
      child.kill("SIGKILL");
      for (const count of await Promise.all(writers)) writes += count;
      if (child.exitCode === null && child.signalCode === null) await once(child, "exit");
    }
    const { url, child } = await start(data);
    for (const known of objects) await check(url, known);
    child.kill("SIGKILL");
    await once(child, "exit");
    assert.ok(writes > 50, `only ${writes} writes were acknowledged`);
  } finally {
    await rm(data, { recursive: true });
  }
});
