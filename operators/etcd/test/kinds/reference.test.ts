import assert from "node:assert/strict";
import { execFile } from "node:child_process";
import { readFile } from "node:fs/promises";
import { join } from "node:path";
import { test } from "node:test";
import { promisify } from "node:util";
import { EtcdBackup, EtcdCluster, EtcdOperation, EtcdRestore } from "../../src/kinds/index.ts";

/** The part of a schema that has descriptions. */
interface Schema {
  readonly description?: string;
  readonly properties?: { readonly [name: string]: Schema };
  readonly items?: Schema;
}

/** The paths of fields without a description. */
function silentFields(schema: Schema, path: string): string[] {
  const own = schema.description === undefined ? [path] : [];
  return [...own, ...fieldsOf(schema, path), ...(schema.items ? fieldsOf(schema.items, `${path}[]`) : [])];
}

function fieldsOf({ properties = {} }: Schema, path: string): string[] {
  return Object.entries(properties).flatMap(([name, field]) => silentFields(field, `${path}.${name}`));
}

/** The fields of conditions are the same for every kind of every operator. */
const isOfConditions = (path: string): boolean => path.startsWith("status.conditions[]");

for (const kind of [EtcdCluster, EtcdBackup, EtcdRestore, EtcdOperation]) {
  test(`${kind.kind}: every field has a description`, () => {
    const crd = kind.toCrd() as unknown as { spec: { versions: readonly { schema: { openAPIV3Schema: Schema } }[] } };
    const { spec = {}, status = {} } = crd.spec.versions[0]?.schema.openAPIV3Schema.properties ?? {};
    assert.ok(Object.keys(spec.properties ?? {}).length > 1);
    const silent = [...fieldsOf(spec, "spec"), ...fieldsOf(status, "status")];
    assert.deepEqual(
      silent.filter((path) => !isOfConditions(path)),
      [],
    );
  });
}

test("the reference is what the program says; `npx capstan generate docs > docs/reference.md` writes it anew", async () => {
  const operator = join(import.meta.dirname, "../..");
  const words = ["--conditions=@capstan/source", join(operator, "../../apps/cli/src/main.ts"), "generate", "docs"];
  const { stdout } = await promisify(execFile)(process.execPath, words, { cwd: operator, maxBuffer: 2 ** 24 });
  assert.equal(await readFile(join(operator, "docs/reference.md"), "utf8"), stdout);
});
