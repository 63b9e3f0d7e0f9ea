/** Backups against a writer of the store without the key: everything that is not genuine is refused. */
import assert from "node:assert/strict";
import { readFile, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { test } from "node:test";
import type { TestContext } from "node:test";
import type { JobResult } from "../../src/backup/agent/job.ts";
import { Lab, OTHER_KEY } from "./lab.ts";

const OLD = "row a\nposition 1\n";
const NEW = `row a\nrow ${"b".repeat(200_000)}\nposition 2\n`;

async function twoBackups(t: TestContext) {
  const lab = await Lab.open(t);
  const [older, newer] = [await lab.made(OLD), await lab.made(NEW)];
  const path = (name: string, extension: string): string => join(lab.folder, "volume", `${name}.${extension}`);
  const changeManifest = async (change: (manifest: Record<string, unknown>) => void): Promise<void> => {
    const manifest = JSON.parse(await readFile(path(newer, "json"), "utf8")) as Record<string, unknown>;
    change(manifest);
    await writeFile(path(newer, "json"), JSON.stringify(manifest));
  };
  return { lab, older, newer, path, changeManifest };
}

function codeOf(result: JobResult): string {
  return result.ok ? "ok" : result.code;
}

test("the newest backup is restored as it was made", async (t) => {
  const { lab, newer } = await twoBackups(t);
  const result = await lab.fetch();
  assert.equal(result.ok && result.manifest?.name, newer);
  assert.equal(result.ok && result.manifest?.position, "2");
  assert.equal(await readFile(join(lab.folder, "seed/to/content"), "utf8"), NEW);
  const stored = await readFile(join(lab.folder, "volume", `${newer}.data`));
  assert.equal(stored.includes("bbbb"), false, "the content is encrypted");
});

test("replaced content is refused", async (t) => {
  const { lab, older, newer, path } = await twoBackups(t);
  await writeFile(path(newer, "data"), await readFile(path(older, "data")));
  assert.match(codeOf(await lab.fetch()), /^(Truncated|Corrupt)$/u);
});

test("a changed byte of the content is refused", async (t) => {
  const { lab, newer, path } = await twoBackups(t);
  const content = await readFile(path(newer, "data"));
  content[100] = (content[100] ?? 0) ^ 1;
  await writeFile(path(newer, "data"), content);
  assert.equal(codeOf(await lab.fetch()), "Corrupt");
});

test("truncated content is refused", async (t) => {
  const { lab, newer, path } = await twoBackups(t);
  const content = await readFile(path(newer, "data"));
  await writeFile(path(newer, "data"), content.subarray(0, content.length - 1));
  assert.match(codeOf(await lab.fetch()), /^(Truncated|Corrupt)$/u);
});

test("a changed manifest with its old proof is refused", async (t) => {
  const { lab, changeManifest } = await twoBackups(t);
  await changeManifest((manifest) => (manifest["position"] = "9"));
  assert.equal(codeOf(await lab.fetch()), "Corrupt");
});

test("a manifest without its proof is refused, also by name", async (t) => {
  const { lab, newer, changeManifest } = await twoBackups(t);
  await changeManifest((manifest) => delete manifest["encryption"]);
  assert.equal(codeOf(await lab.fetch()), "Unencrypted");
  assert.equal(codeOf(await lab.fetch({ backup: newer })), "Unencrypted");
});

test("an unencrypted forgery is accepted only with allowUnencrypted", async (t) => {
  const lab = await Lab.open(t);
  const forged = await lab.backUp(OLD, { isEncrypted: false });
  assert.equal(codeOf(forged), "ok");
  assert.equal(codeOf(await lab.fetch()), "Unencrypted");
  assert.equal(codeOf(await lab.fetch({}, { allowUnencrypted: true })), "ok");
});

test("an old manifest under the newest name is refused, also by name", async (t) => {
  const { lab, older, newer, path } = await twoBackups(t);
  await writeFile(path(newer, "json"), await readFile(path(older, "json")));
  await writeFile(path(newer, "data"), await readFile(path(older, "data")));
  assert.equal(codeOf(await lab.fetch()), "Misplaced");
  assert.equal(codeOf(await lab.fetch({ backup: newer })), "Misplaced");
  assert.equal(codeOf(await lab.fetch({ backup: older })), "ok", "the older one is still there by its name");
});

test("a backup of another cluster under this cluster's name is refused", async (t) => {
  const lab = await Lab.open(t);
  const foreign = await lab.made(OLD, { cluster: { namespace: "default", name: "other", uid: "u", lineage: "l" } });
  const copied = foreign.replace("/other/", "/c/");
  for (const extension of ["json", "data"]) {
    const content = await readFile(join(lab.folder, "volume", `${foreign}.${extension}`));
    await lab.store.put(`${copied}.${extension}`, bytes(content));
  }
  assert.equal(codeOf(await lab.fetch()), "Misplaced");
  assert.equal(codeOf(await lab.fetch({ backup: foreign })), "OtherCluster");
});

async function* bytes(content: Buffer): AsyncGenerator<Buffer, void, void> {
  yield content;
}

test("another key opens nothing", async (t) => {
  const { lab } = await twoBackups(t);
  await lab.mountKey(OTHER_KEY);
  assert.equal(codeOf(await lab.fetch()), "WrongKey");
  assert.equal(codeOf(await lab.fetch({}, { isEncrypted: false })), "WrongKey");
});

test("a recorded backup that was replaced or removed is not passed over", async (t) => {
  const { lab, older, newer } = await twoBackups(t);
  const recorded = { name: newer, digest: "0".repeat(64) };
  assert.equal(codeOf(await lab.fetch({ recorded })), "Changed");
  await lab.store.remove(`${newer}.json`);
  assert.equal(codeOf(await lab.fetch({ recorded: { name: newer } })), "Missing");
  assert.equal(codeOf(await lab.fetch({ backup: older })), "ok");
});

test("a backup of a newer release is refused", async (t) => {
  const lab = await Lab.open(t);
  await lab.made(OLD, { version: "2.0" });
  assert.equal(codeOf(await lab.fetch()), "NewerVersion");
});

test("a copy that breaks off leaves nothing in the store", async (t) => {
  const lab = await Lab.open(t);
  assert.equal(codeOf(await lab.backUp("row a\n")), "Truncated");
  await lab.handOver(OLD, 3);
  const draft = { application: "store", type: "full", member: "c-0", version: "1.0" } as const;
  const cluster = { namespace: "default", name: "c", uid: "u", lineage: "l" };
  const failed = await lab.run({ do: "store", ...lab.work, draft: { ...draft, cluster }, compression: "none" });
  assert.equal(codeOf(failed), "Truncated");
  assert.deepEqual(await lab.store.list(""), []);
});

test("retention removes what is beyond it, and the log that nothing needs", async (t) => {
  const lab = await Lab.open(t);
  const older = await lab.made(OLD);
  const piece = await lab.made("log", { type: "log", from: "1", position: "2", until: "2026-01-01T00:00:00Z" });
  const result = await lab.backUp(NEW, { retention: { count: 1 } });
  assert.deepEqual(result.ok && [result.kept, result.removed], [1, 1]);
  const names = (await lab.store.list("")).map(({ name }) => name);
  assert.equal(names.length, 2);
  assert.equal(
    names.some((name) => name.startsWith(older) || name.startsWith(piece)),
    false,
  );
});

test("two clusters of one name and one prefix are told, and keep their backups", async (t) => {
  const lab = await Lab.open(t);
  const other = { cluster: { namespace: "default", name: "c", uid: "uid-2", lineage: "line-2" } };
  const sharedBy = async (draft: object): Promise<string | undefined> => {
    const result = await lab.backUp(OLD, { retention: { count: 1 } }, draft);
    return result.ok ? result.shared : result.message;
  };
  await lab.made(OLD, other);
  assert.equal(await sharedBy({}), undefined, "an earlier cluster of the same name may be gone");
  assert.match((await sharedBy(other)) ?? "", /another cluster default\/c \(uid-1\)/u);
  assert.match((await sharedBy({})) ?? "", /another cluster default\/c \(uid-2\)/u);
  assert.equal((await lab.store.list("")).length, 4, "the newest of each is kept");
});

test("a trial that has other rows is a failure", async (t) => {
  const { lab, newer } = await twoBackups(t);
  const wanted = { cluster: { namespace: "default", name: "c" } };
  const job = { do: "compare", ...lab.work, backup: newer, wanted } as const;
  await lab.handOver(NEW);
  assert.equal(codeOf(await lab.run(job)), "ok");
  await lab.handOver(NEW.replace("row a", "row c"));
  assert.equal(codeOf(await lab.run(job)), "Different");
});

test("the log leads to a position or a time, and a missing piece is told", async (t) => {
  const lab = await Lab.open(t);
  await lab.made(OLD, { until: "2026-01-01T00:00:00Z" });
  const piece = (from: number, to: number): Promise<string> =>
    lab.made(`log ${to}`, { type: "log", from: `${from}`, position: `${to}`, until: `2026-01-01T00:0${to}:00Z` });
  await piece(1, 3);
  const middle = await piece(3, 5);
  await piece(4, 7);
  const contents = async (): Promise<readonly string[]> => {
    const read = (at: number): Promise<string> =>
      readFile(join(lab.folder, `seed/to/log/00000${at}.data`), "utf8").catch(() => "none");
    return await Promise.all([0, 1, 2, 3].map(read));
  };
  assert.equal(codeOf(await lab.fetch({ until: { position: "6" } })), "ok");
  assert.deepEqual(await contents(), ["log 3", "log 5", "log 7", "none"]);
  assert.equal(await readFile(join(lab.folder, "seed/to/log/000001.to"), "utf8"), "5");
  assert.equal(codeOf(await lab.fetch({ until: { time: "2026-01-01T00:03:30Z" } })), "ok");
  assert.deepEqual(await contents(), ["log 3", "log 5", "none", "none"]);
  assert.equal(codeOf(await lab.fetch({ until: { position: "8" } })), "Missing");
  assert.equal(codeOf(await lab.fetch({ until: { time: "2025-12-31T00:00:00Z" } })), "NotFound");
  await lab.store.remove(`${middle}.json`);
  const gap = await lab.fetch({ until: { position: "7" } });
  assert.match(gap.ok ? "" : gap.message, /between 3 and 4 is missing/u);
  assert.equal(codeOf(await lab.fetch({ until: { position: "3" } })), "ok", "up to the gap");
});
