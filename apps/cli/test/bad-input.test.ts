/** Invalid input fails with one sentence and the exit code of the table, and nothing is written. */
import assert from "node:assert/strict";
import { mkdir, mkdtemp, readdir, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import { after, before, test } from "node:test";
import { fileURLToPath } from "node:url";
import { capstan } from "./terminal.ts";

const checkout = fileURLToPath(new URL("../../..", import.meta.url)).replace(/\/$/, "");
const entry = join(checkout, "examples/memcached/main.ts");
const deep = `a: ${"[".repeat(20_000)}${"]".repeat(20_000)}`;
const bomb = ["a: &a [x,x,x,x,x,x,x,x,x]"]
  .concat(
    ["b", "c", "d", "e", "f"].map((name, at) => `${name}: &${name} [${Array(9).fill(`*${"abcde"[at]}`).join(",")}]`),
  )
  .join("\n");

/** The files in the folder before each case. */
const files: { readonly [path: string]: string | Buffer } = {
  "empty-record/capstan.json": "",
  "binary-record/capstan.json": Buffer.from([0xff, 0xfe, 0, 1, 2]),
  "future/capstan.json": '{"templates":99,"name":"r","domain":"a.b","capstan":"1","namespaced":false,"apis":[]}',
  "folder-record/capstan.json/file": "",
  "binary.yaml": Buffer.from([0, 1, 2, 255, 254]),
  "deep.yaml": deep,
  "bomb.yaml": bomb,
  "broken.yaml": "a: [",
  "empty/file": "",
  "cut-layout/oci-layout": "{",
  "cut-index/oci-layout": '{"imageLayoutVersion":"1.0.0"}',
  "cut-index/index.json": '{"manifests": [',
  "deep-bundle/manifests/a.yaml": deep,
  "deep-bundle/metadata/annotations.yaml": "annotations: {}\n",
  "huge-bundle/manifests/a.yaml": Buffer.alloc(30_000_000, 97),
  "huge-bundle/metadata/annotations.yaml": "annotations: {}\n",
  "unreachable.yaml": JSON.stringify({
    apiVersion: "v1",
    kind: "Config",
    clusters: [{ name: "c", cluster: { server: "http://127.0.0.1:1" } }],
    users: [{ name: "u", user: {} }],
    contexts: [{ name: "c", context: { cluster: "c", user: "u" } }],
    "current-context": "c",
  }),
};

let home = "";
before(async () => {
  home = await mkdtemp(join(tmpdir(), "capstan-bad-input-"));
  for (const [path, text] of Object.entries(files)) {
    await mkdir(dirname(join(home, path)), { recursive: true });
    await writeFile(join(home, path), text);
  }
  for (const name of ["bare-project", "marked-project"])
    assert.equal((await capstan(["init", name], { cwd: home })).code, 0);
  await writeFile(join(home, "marked-project/src/main.ts"), "<<<<<<< yours\nx\n=======\ny\n>>>>>>> theirs\n");
});
after(() => rm(home, { recursive: true, force: true }));

const cases: readonly (readonly [words: string, code: number, sentence: RegExp, folder?: string])[] = [
  ["apiserver --service-cluster-ip-range 10.0.0.0/31", 2, /--service-cluster-ip-range: .* has fewer than 8 addresses/],
  ["apiserver --service-node-port-range 9-1", 2, /--service-node-port-range: "9-1" is no range of ports/],
  ["dev --apply nowhere.yaml", 7, /nowhere\.yaml: it is not there/, "bare-project"],
  ["generate crds", 3, /the package capstan is not installed: run npm install$/, "bare-project"],
  ["image build example.com/a:v1", 3, /the package capstan is not installed: run npm install$/, "bare-project"],
  ["generate crds", 3, /cannot load \S+main\.ts: SyntaxError: Merge conflict marker/, "marked-project"],
  ["upgrade", 3, /it is not JSON; restore it from version control/, "empty-record"],
  ["delete api --kind X", 3, /it is not UTF-8; save it as UTF-8 first/, "binary-record"],
  ["create api --group a --version v1 --kind B", 3, /names templates 99.*use a newer capstan/, "future"],
  ["upgrade", 7, /capstan\.json: it is a folder/, "folder-record"],
  ["create webhook --kind Nope --validating", 3, /has no kind Nope; it has AppService/, "bare-project"],
  ["rename --kind AppService --to-kind lower", 3, /"lower" is not a kind/, "bare-project"],
  ["import crd nowhere.yaml", 7, /nowhere\.yaml: it is not there/],
  ["import crd empty", 7, /empty: it is a folder/],
  ["import crd binary.yaml", 3, /binary\.yaml: it is not UTF-8; save it as UTF-8 first/],
  ["import crd deep.yaml", 3, /deep\.yaml: its parts are nested too deeply/],
  ["import crd bomb.yaml", 3, /cannot read bomb\.yaml: Excessive alias count/],
  ["bundle validate binary.yaml", 3, /binary\.yaml is no folder/],
  ["bundle validate cut-layout", 3, /is no image layout: oci-layout cannot be read/],
  ["bundle validate cut-index", 3, /is no image layout: index\.json cannot be read/],
  ["bundle validate deep-bundle", 1, /manifests\/a\.yaml cannot be read.*nested too deeply/],
  ["bundle validate huge-bundle", 3, /has 30000000 bytes; a bundle's file may have/],
  ["bundle validate UPPER//x", 3, /as the name of an image/],
  ["bundle build example.com/x:v1 --dir nowhere", 3, /there is no bundle at/],
  ["bundle build example.com/x:v1 --dir empty", 3, /the bundle cannot be used: Unable to locate manifests/],
  ["bundle generate --input-dir nowhere --package x", 7, /nowhere: it is not there/],
  ["bundle generate --input-dir empty --package x", 3, /there are no manifests in empty/],
  ["scorecard empty -c binary.yaml", 3, /binary\.yaml: it is not UTF-8; save it as UTF-8 first/],
  ["image push 127.0.0.1:1/x:v1", 3, /no image was built as 127\.0\.0\.1:1\/x:v1/],
  [`generate crds --entry ${entry} --out binary.yaml`, 7, /there is a file where a folder must be/],
  [`generate schema-patch nowhere --entry ${entry}`, 7, /nowhere: it is not there/],
  [`generate manifests --entry ${entry} --replicas -1`, 2, /--replicas must be a number, not -1/],
  [`dev --entry ${entry} --kubeconfig nowhere`, 6, /Cannot read the kubeconfig \S+nowhere/],
  [`dev --entry ${entry} --kubeconfig broken.yaml`, 6, /broken\.yaml: it is not YAML/],
  [`dev --entry ${entry} --kubeconfig unreachable.yaml`, 6, /Cannot reach the API server at http:\/\/127\.0\.0\.1:1/],
  [`dev --entry ${entry} --port 99999`, 2, /--port must be a number up to 65535/],
  [`dev --entry ${entry} --pods real --context c`, 2, /--pods is for the embedded cluster/],
  [`dev --entry ${entry} --data /proc/x`, 7, /cannot make \/proc\/x: no folder can be made there/],
  ["explain x", 2, /"x" is no object/],
  ["explain a/b --address 127.0.0.1:1", 6, /no operator answers at 127\.0\.0\.1:1/],
  ["pause appservice/x --kubeconfig unreachable.yaml", 6, /Cannot reach the API server/],
];

for (const [words, code, sentence, folder = "."] of cases) {
  test(`${words.replace(checkout, "")} in ${folder} is answered with exit code ${code}`, async () => {
    const before = await readdir(home, { recursive: true });
    const ran = await capstan(words.split(" "), { cwd: join(home, folder), env: { HOME: home } });
    const sentences = ran.err.split("\n").filter((line) => line.startsWith("capstan: "));
    assert.deepEqual([ran.code, sentences.length], [code, 1], ran.err);
    assert.match(sentences[0] ?? "", sentence);
    assert.deepEqual(await readdir(home, { recursive: true }), before, "nothing was written");
  });
}
