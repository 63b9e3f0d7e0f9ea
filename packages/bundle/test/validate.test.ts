import assert from "node:assert/strict";
import { test } from "node:test";
import fc from "fast-check";
import {
  type BundleFiles,
  classicTests,
  optionalValidators,
  readBundle,
  runClassicTest,
  validateBundle,
} from "../src/index.ts";
import { base } from "./oracle/base.ts";
import { original } from "./oracle/mutate.ts";

/** A change: a file, a path in it, and the new value. */
type Change = readonly [file: string, path: string, value: unknown];

function filesOf(...changes: readonly Change[]): Map<string, Buffer> {
  const documents = structuredClone(base) as { [path: string]: unknown };
  for (const [file, path, value] of changes) put(documents[file], path.split("/"), value);
  return new Map([...original(documents)].map(([path, text]) => [path, Buffer.from(text)]));
}

function put(document: unknown, [name = "", ...rest]: readonly string[], value: unknown): void {
  const holder = document as { [name: string]: unknown };
  if (rest.length === 0) holder[name] = value;
  else put(holder[name], rest, value);
}

const csvPath = "manifests/cache-operator.clusterserviceversion.yaml";
const crdPath = "manifests/example.com_caches.yaml";
const podPath = "spec/install/spec/deployments/0/spec/template/spec";
const ownedPath = "spec/customresourcedefinitions/owned/0";

function additionalFindings(files: BundleFiles): string[] {
  return validateBundle({ files })
    .findings.filter(({ type }) => type === "Forgotten")
    .map(({ text }) => text.replace(/^Warning: Value [^:]*: /, ""));
}

test("a good bundle passes without findings", () => {
  const { passed, findings } = validateBundle({ files: filesOf(), classic: true });
  assert.deepEqual(
    findings.map(({ text }) => text),
    [],
  );
  assert.equal(passed, true);
});

test("checks that operator-sdk lacks are warnings", () => {
  const examples = JSON.stringify([
    { apiVersion: "example.com/v1", kind: "Cache", metadata: { name: "sample" }, spec: { size: "three" } },
  ]);
  const size = "spec/versions/0/schema/openAPIV3Schema/properties/spec/properties/size/type";
  const defaultChannel = "annotations/operators.operatorframework.io.bundle.channel.default.v1";
  const cases: readonly (readonly [RegExp, Change])[] = [
    [/AllNamespaces is listed twice/, [csvPath, "spec/installModes/4", { type: "AllNamespaces", supported: true }]],
    [/no install mode "Elsewhere"/, [csvPath, "spec/installModes/4", { type: "Elsewhere", supported: false }]],
    [/name says version 1\.2\.3 and spec\.version says 9\.9\.9/, [csvPath, "spec/version", "9.9.9"]],
    [/replaces itself/, [csvPath, "spec/replaces", "cache-operator.v1.2.3"]],
    [/default channel "fast" is none/, ["metadata/annotations.yaml", defaultChannel, "fast"]],
    [/"ghost" has permissions/, [csvPath, "spec/install/spec/permissions/0/serviceAccountName", "ghost"]],
    [/served by "nobody"/, [csvPath, "spec/webhookdefinitions/0/deploymentName", "nobody"]],
    [/other:v9 runs in the operator's pods/, [csvPath, `${podPath}/containers/0/image`, "other:v9"]],
    [/the icon is no image\/png/, [csvPath, "spec/icon/0/mediatype", "image/png"]],
    [
      /nowhere of caches\.example\.com describes a field/,
      [csvPath, `${ownedPath}/specDescriptors/1`, { path: "nowhere" }],
    ],
    [/would be refused: spec\.size: Invalid value: "string"/, [csvPath, "metadata/annotations/alm-examples", examples]],
    [/the server would refuse the CRD/, [crdPath, size, "number of things"]],
  ];
  const usual = new Set(additionalFindings(filesOf()));
  for (const [said, change] of cases) {
    const found = additionalFindings(filesOf(change)).filter((line) => !usual.has(line));
    assert.ok(
      found.some((line) => said.test(line)),
      `${said.source} is not in ${JSON.stringify(found)}`,
    );
  }
});

test("a second document in a file is not lost in silence", () => {
  const files = filesOf();
  files.set(
    "manifests/two.yaml",
    Buffer.from(
      "apiVersion: v1\nkind: Secret\nmetadata: {name: a}\n---\napiVersion: v1\nkind: Secret\nmetadata: {name: b}\n",
    ),
  );
  assert.ok(additionalFindings(files).some((line) => /two\.yaml holds several documents/.test(line)));
});

test("whatever the bytes are, there is a verdict", () => {
  const names = [
    "manifests/a.yaml",
    "manifests/b/c.yaml",
    "metadata/annotations.yaml",
    csvPath,
    "tests/scorecard/config.yaml",
    "x",
  ];
  fc.assert(
    fc.property(
      fc.array(
        fc.tuple(
          fc.constantFrom(...names),
          fc.oneof(
            fc.uint8Array({ maxLength: 60 }),
            fc.json().map((text) => Buffer.from(text)),
          ),
        ),
        { maxLength: 5 },
      ),
      fc.boolean(),
      (replaced, withBase) => {
        const files = new Map<string, Uint8Array>([...(withBase ? filesOf() : []), ...replaced]);
        const { findings, passed } = validateBundle({ files, validators: optionalValidators });
        assert.equal(
          passed,
          findings.every(({ level }) => level !== "Error"),
        );
        for (const name of ["basic-check-spec", "olm-bundle-validation", "olm-spec-descriptors"] as const)
          runClassicTest(name, files);
      },
    ),
    { numRuns: 150 },
  );
});

test("texts that were made to keep a validator busy get a verdict, too", () => {
  const long = 300_000;
  const changes: readonly Change[] = [
    [csvPath, "metadata/name", "1".repeat(long)],
    [csvPath, "metadata/name", ".v1.1.1".repeat(long / 7)],
    [csvPath, "spec/version", "1.".repeat(long)],
    [csvPath, "spec/icon/0/base64data", `${" ".repeat(long)}!`],
    [csvPath, "spec/relatedImages/0/image", `${"a".repeat(long)}!`],
    [csvPath, "spec/relatedImages/0/image", `${"a-".repeat(long)}/!`],
    [csvPath, "spec/maintainers/0/email", "a.".repeat(long)],
    [csvPath, "spec/links/0/url", `http://${"a:".repeat(long)}`],
    [csvPath, "metadata/annotations/alm-examples", "[".repeat(long)],
    [csvPath, "metadata/annotations/alm-examples", `[${'{"kind":"A","a":'.repeat(long / 20)}`],
    [csvPath, "metadata/annotations/alm-examples", `${"[".repeat(long)}${"]".repeat(long)}`],
    [csvPath, "metadata/annotations/alm-examples", `"${'\\"'.repeat(long)}`],
    [csvPath, "metadata/annotations/categories", ",".repeat(long)],
    ["metadata/dependencies.yaml", "dependencies/0/value/version", ">= ".repeat(long)],
  ];
  for (const change of changes) {
    const files = filesOf(change);
    assert.equal(typeof validateBundle({ files, validators: optionalValidators }).passed, "boolean");
    for (const name of classicTests) assert.equal(runClassicTest(name, files).results.length, 1);
  }
  const hidden = new Map(filesOf()).set(
    "manifests/x.yaml",
    Buffer.from(`kind: A\n${"---\n".repeat(2_000)}${" ".repeat(20_000)}`),
  );
  assert.equal(validateBundle({ files: hidden }).passed, false);
});

test("a bundle that was cut off anywhere gets a verdict", () => {
  const files = filesOf();
  const whole = files.get(csvPath) ?? Buffer.alloc(0);
  for (let length = 0; length < whole.length; length += 97) {
    const cut = new Map(files).set(csvPath, whole.subarray(0, length));
    assert.equal(validateBundle({ files: cut }).passed, false, `cut after ${length} bytes`);
  }
  assert.ok("bundle" in readBundle(files));
});
