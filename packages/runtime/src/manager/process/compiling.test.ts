import assert from "node:assert/strict";
import { execFileSync } from "node:child_process";
import { test } from "node:test";
import type { AnyKind, Api } from "../../api.ts";
import { compileLate } from "./compiling.ts";

const kindOf = (kind: string): AnyKind => ({ group: "", version: "v1", kind, plural: kind, scope: "Namespaced" });
const never = (): never => {
  throw new Error("nobody calls this");
};
const written = {
  apiVersion: "v1",
  kind: "",
  metadata: { name: "a", uid: "", resourceVersion: "1", creationTimestamp: "" },
};

test("compilers wait until the first write that is no lease, and then take what V8 has by itself", async () => {
  const flags: string[] = [];
  const apply = async (): Promise<typeof written> => written;
  const api: Api = { get: never, list: never, watch: never, create: never, patch: never, delete: never, apply };
  const late = compileLate(api, (flag) => flags.push(flag));
  const write = (kind: string): Promise<unknown> => late.apply(kindOf(kind), written, { manager: "m", force: true });
  const atFirst = flags.splice(0).map((flag) => flag.split("=")[0]);
  await write("Lease");
  assert.equal(flags.length, 0);
  assert.equal(await write("ConfigMap"), written);
  await write("ConfigMap");
  const later: readonly string[] = flags;
  assert.deepEqual(
    later.map((flag) => flag.split("=")[0]),
    atFirst,
  );
  const known = execFileSync(process.execPath, ["--v8-options"], { encoding: "utf8", maxBuffer: 2 ** 24 });
  for (const flag of later) assert.ok(known.includes(`default: ${flag}\n`), `${flag} is not what V8 has by itself`);
});
